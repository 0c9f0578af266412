"""What of a request is sent again: counted by a server that answers with these bytes and hangs up."""

from __future__ import annotations

import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trustme

from sqe.catalog.backends.rest_connections import Broken, Connections, NotSent, Silent, timeout

SOON = timeout(connect=5, answer=5)
BUSY = b"HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
MOVED = b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def server(*answers: bytes) -> Iterator[tuple[Connections, list[bytes]]]:
    """The last of the answers is given to all who come later."""
    requests: list[bytes] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            requests.append(self.request.recv(65536).split(b" ")[0])
            answer = answers[min(len(requests), len(answers)) - 1]
            self.request.sendall(answer)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        connections = Connections("127.0.0.1", listening.server_address[1], secure=False)
        try:
            yield connections, requests
        finally:
            connections.close()
            listening.shutdown()


def ask(connections: Connections, method: str) -> tuple[int, bytes]:
    return connections.exchange(method, "/v1/config", b"{}" if method == "POST" else None, {}, SOON)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_busy_server_is_asked_four_times_and_soon(method: str) -> None:
    with server(BUSY) as (connections, requests):
        assert ask(connections, method) == (503, b"")
        assert len(requests) == 4
    with server(BUSY, DONE) as (connections, requests):
        assert ask(connections, method) == (200, b"{}")
        assert len(requests) == 2


@pytest.mark.parametrize("answer", [CUT, b"", b"nonsense\r\n\r\n"])
def test_what_broke_off_is_read_again_and_changed_once(answer: bytes) -> None:
    with server(answer) as (connections, requests):
        with pytest.raises(Broken):
            ask(connections, "GET")
        assert len(requests) == 4
    with server(answer, DONE) as (connections, requests):
        assert ask(connections, "GET") == (200, b"{}")
    for method in ("POST", "DELETE"):
        with server(answer) as (connections, requests):
            with pytest.raises(Broken):
                ask(connections, method)
            assert len(requests) == 1


def test_nobody_is_sent_elsewhere() -> None:
    for method in ("GET", "POST"):
        with server(MOVED) as (connections, requests):
            assert ask(connections, method)[0] == 307
            assert len(requests) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_server_that_is_not_there_gets_nothing(method: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        connections = Connections("127.0.0.1", taken.getsockname()[1], secure=False)
        with pytest.raises(NotSent):
            ask(connections, method)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_silent_server_is_asked_once(method: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        connections = Connections("127.0.0.1", listening.getsockname()[1], secure=False)
        with pytest.raises(Silent):
            connections.exchange(method, "/", None, {}, timeout(connect=5, answer=0.1))
        listening.settimeout(0.2)
        listening.accept()[0].close()
        with pytest.raises(TimeoutError):
            listening.accept()


def test_a_server_whose_certificate_nobody_vouches_for_gets_nothing() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    requests: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                with context.wrap_socket(listening.accept()[0], server_side=True) as line:
                    requests.append(line.recv(1000))
            except ssl.SSLError:
                continue
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        connections = Connections("127.0.0.1", listening.getsockname()[1], secure=True)
        for method in ("GET", "POST"):
            with pytest.raises(Broken):
                ask(connections, method)
    assert requests == []
