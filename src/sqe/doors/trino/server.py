"""The Trino door: an HTTP server on one port."""

from __future__ import annotations

from typing import Any

from sqe.doors.http_door import HttpDoor
from sqe.doors.trino.app import TrinoApp
from sqe.foundation.http_server import Bounds
from sqe.server.clients import Clients

IDLE_SECONDS = 60
"""Clients keep connections in pools, and a request on one that is being closed is lost."""


class TrinoDoor(HttpDoor):
    name = "trino"
    key = "coordinator.trino_http_port"

    def __init__(self, clients: Clients, port: int) -> None:
        super().__init__(clients, port)
        self.app = TrinoApp(clients)

    def asgi(self) -> Any:
        return self.app.asgi()

    def bounds(self) -> Bounds:
        return Bounds(head=self._clients.coordinator.config.server.max_header_size, idle=IDLE_SECONDS)

    def drain(self) -> None:
        """No new statements; what runs may be fetched."""
        self.app.draining = True

    def close(self, grace: float = 0) -> None:
        super().close(grace)
        self.app.close()
