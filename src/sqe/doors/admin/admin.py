"""What operators and their tools ask of a server: whether it lives, whether it is ready, and its numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from sqe.doors.admin.pages import BOUNDS, Page, Pages, json_page, pages_app
from sqe.errors import ConfigError
from sqe.foundation.http_server import HttpServer
from sqe.server.readiness import Readiness

if TYPE_CHECKING:
    from sqe.observe.metrics import Metrics


class Admin:
    """`/healthz`, `/readyz` and `/api/v1/status` on one port, `/metrics` on the other. A port of None is
    none at all, 0 is any that is free; `status` adds to what `/api/v1/status` says."""

    name = "admin"
    takes_statements = False

    def __init__(
        self,
        *,
        host: str,
        health_port: int | None,
        prometheus_port: int | None,
        readiness: Readiness,
        metrics: Metrics,
        status: Callable[[], Mapping[str, object]],
    ) -> None:
        self._host = host
        self._ports = {"metrics.health_port": health_port, "metrics.prometheus_port": prometheus_port}
        self._readiness = readiness
        self._metrics = metrics
        self._status = status
        self._began = time.monotonic()
        self._listeners: dict[str, HttpServer] = {}

    def start(self) -> None:
        """Both ports are open when this returns."""
        pages: dict[str, Pages] = {
            "metrics.health_port": {
                "/healthz": self._healthz,
                "/readyz": self._readyz,
                "/api/v1/status": self._status_page,
            },
            "metrics.prometheus_port": {"/metrics": self._metrics_page},
        }
        try:
            for key, port in self._ports.items():
                if port is not None:
                    self._listeners[key] = _listen(self._host, port, pages[key], key)
        except BaseException:
            self.close()
            raise
        for listener in self._listeners.values():
            listener.start()

    def drain(self) -> None:
        """Readiness says it."""

    def close(self, grace: float = 0) -> None:
        """Probes find the ports closed afterwards; more than once does no harm."""
        listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            listener.close()

    @property
    def port(self) -> int | None:
        return self.health_port

    @property
    def health_port(self) -> int | None:
        """The one that is open."""
        return self._port("metrics.health_port")

    @property
    def prometheus_port(self) -> int | None:
        return self._port("metrics.prometheus_port")

    def _port(self, key: str) -> int | None:
        listener = self._listeners.get(key)
        return None if listener is None else listener.port

    def _healthz(self, headers: Mapping[str, str]) -> Page:
        return json_page({"status": "ok"})

    def _readyz(self, headers: Mapping[str, str]) -> Page:
        report = self._readiness.report()
        return json_page(report, HTTPStatus.OK if report["ready"] else HTTPStatus.SERVICE_UNAVAILABLE)

    def _status_page(self, headers: Mapping[str, str]) -> Page:
        from sqe.foundation.version import __version__

        uptime = round(time.monotonic() - self._began, 3)
        own = {"version": __version__, "uptime_seconds": uptime, "ready": self._readiness.ready}
        return json_page(own | dict(self._status()))

    def _metrics_page(self, headers: Mapping[str, str]) -> Page:
        return Page(*self._metrics.exposition(headers.get("accept", "")))


def _listen(host: str, port: int, pages: Pages, key: str) -> HttpServer:
    try:
        name = f"sqe-{key.partition('.')[2].replace('_', '-')}"
        return HttpServer(pages_app(pages), host, port, name=name, bounds=BOUNDS)
    except OSError as error:
        reason = error.strerror or "it is no address of this machine"
        raise ConfigError(f"{key} {port} on {host} cannot be opened: {reason}") from None
