"""An ASGI application on a port, served by a thread of its own, with bounds on what a peer can take."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sqe.foundation.record import record

_START_SECONDS = 30.0
_CLOSE_SECONDS = 5


@record
class Bounds:
    """`head` bytes of a request line and headers, within `seconds`; `connections` at once, of which the
    oldest has to go: a peer that holds all of them must not keep out the one that comes last. One is kept for
    `idle` seconds after an answer."""

    head: int = 64 << 10
    seconds: float = 30.0
    connections: int = 1000
    idle: int = 5


@record
class Tls:
    """With `ca_file` clients have to show a certificate of that authority."""

    cert_file: Path
    key_file: Path
    ca_file: Path | None = None


class HttpServer:
    """Listens when it is made; port 0 is any that is free. OSError where it cannot be opened."""

    def __init__(
        self,
        app: Any,
        host: str,
        port: int,
        *,
        name: str,
        bounds: Bounds | None = None,
        tls: Tls | None = None,
    ) -> None:
        bounds = bounds or Bounds()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=128)
        self.port = int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            # Else whoever connects from this machine could say that they come from elsewhere.
            proxy_headers=False,
            date_header=False,
            loop="asyncio",
            http=_bounded(bounds),
            ws="none",
            h11_max_incomplete_event_size=bounds.head,
            timeout_keep_alive=bounds.idle,
            timeout_graceful_shutdown=_CLOSE_SECONDS,
            **({} if tls is None else _secured(tls)),
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name=name, daemon=True
        )

    def start(self) -> None:
        """It answers when this returns."""
        self._thread.start()
        until = time.monotonic() + _START_SECONDS
        while not self._server.started and self._thread.is_alive() and time.monotonic() < until:
            time.sleep(0.001)

    def close(self) -> None:
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(_CLOSE_SECONDS + 1)
        self._socket.close()


def _secured(tls: Tls) -> dict[str, Any]:
    secured: dict[str, Any] = {"ssl_certfile": tls.cert_file, "ssl_keyfile": tls.key_file}
    if tls.ca_file is not None:
        secured |= {"ssl_ca_certs": str(tls.ca_file), "ssl_cert_reqs": ssl.CERT_REQUIRED}
    return secured


def _bounded(bounds: Bounds) -> type[H11Protocol]:
    class Bounded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            # Else a body waits for the client to acknowledge the head before it, 40 ms later. asyncio sets it
            # for sockets that were made with IPPROTO_TCP, which create_server does not do.
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            oldest.append(self)
            if len(oldest) > bounds.connections:
                idle = (c for c in oldest if c.cycle is None or c.cycle.response_complete)
                victim = next(idle, oldest[0])
                oldest.remove(victim)
                victim.transport.abort()
            self.loop.call_later(bounds.seconds, self.leave_if_silent)

        def connection_lost(self, exc: Exception | None) -> None:
            if self in oldest:
                oldest.remove(self)
            super().connection_lost(exc)

        def leave_if_silent(self) -> None:
            """A whole head has to arrive in time, however slowly it drips."""
            if self.cycle is None:
                self.transport.abort()

    oldest: list[Bounded] = []
    return Bounded
