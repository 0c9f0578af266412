"""A door that is an HTTP server on one port."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from sqe.errors import ConfigError
from sqe.foundation.http_server import Bounds, HttpServer, Tls
from sqe.server.clients import Clients


class HttpDoor(ABC):
    """Serves from `start` to `close`. `key` is where the configuration has its port."""

    name: str
    key: str
    takes_statements = True

    def __init__(self, clients: Clients, port: int) -> None:
        """Port 0 is any that is free."""
        self._clients = clients
        self._wanted_port = port
        self._server: HttpServer | None = None

    @property
    def port(self) -> int | None:
        return None if self._server is None else self._server.port

    @abstractmethod
    def asgi(self) -> Any:
        """What answers requests."""

    def bounds(self) -> Bounds:
        return Bounds()

    def start(self) -> None:
        settings = self._clients.coordinator.config.server
        tls = settings.tls
        try:
            self._server = HttpServer(
                self.asgi(),
                settings.host,
                self._wanted_port,
                name="sqe-" + self.name.replace(" ", "-"),
                bounds=self.bounds(),
                tls=None if tls is None else Tls(tls.cert_file, tls.key_file, tls.ca_file),
            )
        except OSError as error:
            raise ConfigError(
                f"{self.key}: {settings.host}:{self._wanted_port} cannot be listened on:"
                f" {error.strerror or error}",
                hint="another process may have it; choose another port, or 0 for none",
            ) from None
        self._server.start()

    def drain(self) -> None:
        # Readiness says it.
        return

    def close(self, grace: float = 0) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
