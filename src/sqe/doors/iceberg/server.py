"""The Iceberg REST door: an HTTP server on one port."""

from __future__ import annotations

from sqe.doors.iceberg.app import iceberg_app
from sqe.errors import ConfigError
from sqe.foundation.http_server import HttpServer, Tls
from sqe.server.clients import Clients


class IcebergDoor:
    """Serves from `start` to `close`."""

    name = "iceberg rest"
    takes_statements = True

    def __init__(self, clients: Clients, port: int) -> None:
        self._clients = clients
        self._wanted_port = port
        self._server: HttpServer | None = None

    @property
    def port(self) -> int | None:
        return None if self._server is None else self._server.port

    def start(self) -> None:
        settings = self._clients.coordinator.config.server
        tls = settings.tls
        try:
            self._server = HttpServer(
                iceberg_app(self._clients),
                settings.host,
                self._wanted_port,
                name="sqe-iceberg-rest",
                tls=None if tls is None else Tls(tls.cert_file, tls.key_file, tls.ca_file),
            )
        except OSError as error:
            raise ConfigError(
                f"coordinator.iceberg_rest_port: {settings.host}:{self._wanted_port} cannot be listened on:"
                f" {error.strerror or error}",
                hint="another process may have it; choose another port, or 0 for any",
            ) from None
        self._server.start()

    def drain(self) -> None:
        """Readiness says it."""

    def close(self, grace: float = 0) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
