"""Our HTTP server does not make its clients wait."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from sqe.foundation.http_server import HttpServer


async def app(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


def test_a_body_does_not_wait_until_its_head_was_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    without_delay: list[int] = []
    received = H11Protocol.data_received

    def look(self: H11Protocol, data: bytes) -> None:
        own: socket.socket = self.transport.get_extra_info("socket")
        without_delay.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        received(self, data)

    monkeypatch.setattr(H11Protocol, "data_received", look)
    server = HttpServer(app, "127.0.0.1", 0, name="test")
    server.start()
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: client.recv(4096), b""))
    finally:
        server.close()
    assert answer.endswith(b"\r\n\r\nok")
    assert without_delay and all(without_delay)
