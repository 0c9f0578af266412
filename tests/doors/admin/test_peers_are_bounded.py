"""Peers that are slow, silent or talkative cannot keep a probe out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.doors.admin.pages import BOUNDS, json_page, pages_app
from sqe.foundation.http_server import HttpServer


@pytest.fixture
def port() -> Iterator[int]:
    app = pages_app({"/healthz": lambda headers: json_page("ok")})
    made = HttpServer(app, "127.0.0.1", 0, name="test", bounds=replace(BOUNDS, seconds=1.0))
    made.start()
    yield made.port
    made.close()


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def answer(port: int, sent: bytes) -> bytes:
    with connect(port) as peer:
        peer.sendall(sent)
        said = b""
        while more := peer.recv(65536):
            said += more
        return said


def works(port: int) -> bool:
    return answer(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_peer_that_drips_is_left(port: int) -> None:
    with connect(port) as peer:
        peer.sendall(b"GET /healthz HTTP/1.1\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(600):
                peer.sendall(b"X: y\r\n")
                time.sleep(0.05)
    assert works(port)


def test_a_silent_peer_is_left(port: int) -> None:
    with connect(port) as peer:
        assert peer.recv(1) == b""


def test_a_head_without_an_end_is_not_read_on(port: int) -> None:
    with connect(port) as peer, pytest.raises((BrokenPipeError, ConnectionResetError)):
        for _ in range(10_000):
            peer.sendall(b"GET /" + b"a" * 65536)
    assert works(port)


def test_many_that_hold_on_do_not_keep_out_the_next(port: int) -> None:
    holding = [connect(port) for _ in range(3 * BOUNDS.connections)]
    try:
        assert works(port)
    finally:
        for peer in holding:
            peer.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
    ],
)
def test_garbage_harms_nobody(port: int, sent: bytes) -> None:
    answered = answer(port, sent)
    assert b"Traceback" not in answered and b"<html" not in answered.lower()
    assert works(port)


def test_one_request_a_connection(port: int) -> None:
    twice = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" * 2
    assert answer(port, twice).count(b"HTTP/1.1 200") == 1
