"""The Trino door: an HTTP server on one port."""

from __future__ import annotations

from sqe.doors.trino.app import TrinoApp
from sqe.errors import ConfigError
from sqe.foundation.http_server import Bounds, HttpServer, Tls
from sqe.server.clients import Clients

IDLE_SECONDS = 60
"""Clients keep connections in pools, and a request on one that is being closed is lost."""


class TrinoDoor:
    """Serves from `start` to `close`."""

    name = "trino"
    takes_statements = True

    def __init__(self, clients: Clients, port: int) -> None:
        """Port 0 is any that is free."""
        self._clients = clients
        self._wanted_port = port
        self._server: HttpServer | None = None
        self.app = TrinoApp(clients)

    @property
    def port(self) -> int | None:
        return None if self._server is None else self._server.port

    def start(self) -> None:
        settings = self._clients.coordinator.config.server
        tls = settings.tls
        try:
            self._server = HttpServer(
                self.app.asgi(),
                settings.host,
                self._wanted_port,
                name="sqe-trino-http",
                bounds=Bounds(head=settings.max_header_size, idle=IDLE_SECONDS),
                tls=None if tls is None else Tls(tls.cert_file, tls.key_file, tls.ca_file),
            )
        except OSError as error:
            raise ConfigError(
                f"coordinator.trino_http_port: {settings.host}:{self._wanted_port} cannot be listened on:"
                f" {error.strerror or error}",
                hint="another process may have it; choose another port, or 0 for none",
            ) from None
        self._server.start()

    def drain(self) -> None:
        """No new statements; what runs may be fetched."""
        self.app.draining = True

    def close(self, grace: float = 0) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        self.app.close()
