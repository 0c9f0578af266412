"""The Iceberg REST door: an HTTP server on one port."""

from __future__ import annotations

from typing import Any

from sqe.doors.http_door import HttpDoor
from sqe.doors.iceberg.app import iceberg_app


class IcebergDoor(HttpDoor):
    name = "iceberg rest"
    key = "coordinator.iceberg_rest_port"

    def asgi(self) -> Any:
        return iceberg_app(self._clients)
