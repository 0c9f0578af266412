"""A server with the doors that its configuration opens, from its start to the signal that ends it."""

from __future__ import annotations

import logging
import signal
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING

from sqe.config.config import Config
from sqe.doors.admin.admin import Admin
from sqe.doors.flight.server import FlightDoor
from sqe.server.server import Server

if TYPE_CHECKING:
    from sqe.doors.iceberg.server import IcebergDoor
    from sqe.doors.trino.server import TrinoDoor

log = logging.getLogger(__name__)


class OpenServer(Server):
    """The server that everybody runs: Flight SQL and Trino's protocol for statements, Iceberg's REST protocol
    for other engines where it is configured, and ports for operators."""

    flight: FlightDoor
    admin: Admin
    iceberg: IcebergDoor | None = None
    trino: TrinoDoor | None = None

    def open_doors(self) -> None:
        self.admin = Admin(
            host=self.config.server.host,
            health_port=self.config.metrics.health_port,
            prometheus_port=self.config.metrics.prometheus_port,
            readiness=self.readiness,
            metrics=self.metrics,
            status=self.status,
        )
        self.flight = FlightDoor(self.clients)
        self.add(self.admin)
        self.add(self.flight)
        if self.config.server.iceberg_rest_port:
            from sqe.doors.iceberg.server import IcebergDoor

            self.iceberg = IcebergDoor(self.clients, self.config.server.iceberg_rest_port)
            self.add(self.iceberg)
        if self.config.server.trino_http_port:
            from sqe.doors.trino.server import TrinoDoor

            self.trino = TrinoDoor(self.clients, self.config.server.trino_http_port)
            self.add(self.trino)

    def start(self) -> None:
        began = time.perf_counter()
        super().start()
        log.info(
            "listening for statements",
            extra={
                "host": self.config.server.host,
                "port": self.flight.port,
                "trino_http_port": None if self.trino is None else self.trino.port,
                "iceberg_rest_port": None if self.iceberg is None else self.iceberg.port,
                "tls": self.config.server.tls is not None,
                "health_port": self.admin.health_port,
                "prometheus_port": self.admin.prometheus_port,
                "milliseconds": round(1000 * (time.perf_counter() - began)),
            },
        )


def serve(config: Config) -> int:
    """Until SIGTERM or SIGINT; a second one ends the wait for what still runs."""
    server = OpenServer(config)
    stop = threading.Event()
    signals = 0

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal signals
        signals += 1
        stop.set()
        if signals > 1:
            raise SystemExit(1)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    server.start()
    try:
        stop.wait()
        server.drain()
    finally:
        # What is left takes a moment, and is not to be left half done.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        server.close()
        log.info("ended")
    return 0
