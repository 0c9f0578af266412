"""The server: one coordinator, its doors, and the ports that operators ask."""

from __future__ import annotations

import ipaddress
import logging
import signal
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

from sqe.auth import chain
from sqe.auth.credentials import Credentials, Grant
from sqe.catalog.mount import from_config
from sqe.catalog.watch import NOT_YET, Watch
from sqe.config.config import Config
from sqe.coordinator import Coordinator
from sqe.doors.admin.admin import Admin
from sqe.doors.flight.server import FlightDoor
from sqe.errors import ConfigError
from sqe.observe.access_log import AccessLog
from sqe.observe.metrics import Metrics
from sqe.policy.decision import AllowAll
from sqe.server.admission import Admission
from sqe.server.readiness import Readiness

if TYPE_CHECKING:
    from sqe.engine.spark.spark import Spark

log = logging.getLogger(__name__)

# How often it is looked whether Spark has come up, or gone, and which catalogs do not answer.
LOOK_SECONDS = 0.5
DRAIN_LOOK_SECONDS = 0.05


class Server:
    """Serves from `start` to `close`. Everything that can be wrong with a configuration is found by then."""

    def __init__(self, config: Config, *, spark: Spark | None = None) -> None:
        """`spark` is a lane that somebody else owns and closes."""
        if not config.query.timeout_secs:
            limit, key = config.query.server_timeout_secs, "query.server_timeout_secs"
            config = replace(config, query=replace(config.query, timeout_secs=limit, timeout_set_by=key))
        _refuse_plaintext_passwords(config)
        self.config = config
        self.metrics = Metrics()
        self.readiness = Readiness(required=("catalogs", "flight"))
        self._chain = chain.from_config(config, on_attempt=self.metrics.authenticated)
        self.admission = Admission(config.query)
        warehouses = [c.warehouse for c in config.catalogs.values() if c.warehouse]
        self.coordinator = Coordinator(
            config,
            from_config(config),
            policy=AllowAll(warehouses),
            spark=spark,
            admission=self.admission,
            observers=(self.metrics, AccessLog(with_text=config.logging.statement_text)),
        )
        self.flight = FlightDoor(self.coordinator, self._log_in)
        self.admin = Admin(
            host=config.server.host,
            health_port=config.metrics.health_port,
            prometheus_port=config.metrics.prometheus_port,
            readiness=self.readiness,
            metrics=self.metrics,
            status=self._status,
        )
        self._watch = Watch(self.coordinator.catalogs, self._tell_of_catalogs)
        self._telling = threading.Lock()
        self._silent: dict[str, str] = {}
        self._ended = threading.Event()

    def start(self) -> None:
        """Returns when statements can be sent; Spark comes up behind."""
        began = time.perf_counter()
        self.metrics.read_from(self._readings)
        try:
            self.admin.start()
            if self.config.fast.enabled:
                self.coordinator.fast.start(self.config.fast.most_children)
            on = self.config.fast.enabled
            self.readiness.set("fast lane", on, "" if on else "switched off")
            self._watch.start()
            threading.Thread(target=self._look, name="sqe-look", daemon=True).start()
            self.coordinator.spark.start()
            self.flight.start()
        except BaseException:
            self.close()
            raise
        self.readiness.set("flight", True)
        log.info(
            "listening for Flight SQL",
            extra={
                "host": self.config.server.host,
                "port": self.flight.port,
                "tls": self.config.server.tls is not None,
                "health_port": self.admin.health_port,
                "prometheus_port": self.admin.prometheus_port,
                "milliseconds": round(1000 * (time.perf_counter() - began)),
            },
        )

    def drain(self) -> None:
        """Nothing new; what runs and what is being read may end, within the configured time."""
        self.readiness.drain()
        self.admission.drain()
        self.flight.drain()
        seconds = self.config.server.drain_secs
        log.info("draining", extra={"statements": self.admission.running, "seconds": seconds})
        until = time.monotonic() + seconds
        self.admission.wait_until_idle(seconds)
        while self.flight.queries.awaited() and time.monotonic() < until:
            time.sleep(DRAIN_LOOK_SECONDS)
        self.flight.close(max(0.0, until - time.monotonic()))

    def close(self) -> None:
        """At once. More than once does no harm."""
        if self._ended.is_set():
            return
        self._ended.set()
        self.flight.close()
        self._watch.close()
        self.coordinator.close()
        self.admin.close()

    def _log_in(self, credentials: Credentials, peer: str) -> Grant:
        with self.metrics.timed_log_in():
            return self._chain.grant(credentials, peer=peer)

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            ready = self.coordinator.spark.started
            self.readiness.set(
                "spark", ready, "" if ready else "starting, or gone until a statement needs it"
            )
            self._tell_of_catalogs()

    def _tell_of_catalogs(self) -> None:
        """One that answers is enough to be given work: the others' statements fail, and say why."""
        with self._telling:
            reasons = self._watch.reasons()
            for name, reason in reasons.items():
                self.readiness.set(f"catalog {name}", not reason, reason)
            silent = {name: reason for name, reason in reasons.items() if reason}
            answering = len(reasons) - len(silent)
            told = f"{answering or 'none'} of {len(reasons)} answering" if silent else ""
            self.readiness.set("catalogs", answering > 0, told)
            known = {name: reason for name, reason in silent.items() if reason != NOT_YET}
            for name in self._silent.keys() - silent.keys():
                log.info("a catalog answers again", extra={"catalog": name})
            for name in known.keys() - self._silent.keys():
                log.warning("a catalog does not answer", extra={"catalog": name, "reason": known[name]})
            self._silent = known

    def _status(self) -> Mapping[str, object]:
        return {
            "active_queries": self.admission.running,
            "queued_queries": self.admission.waiting,
            "active_sessions": len(self.flight.sessions),
        }

    def _readings(self) -> Mapping[str, float]:
        return {**self.coordinator.readings(), "sqe_active_sessions": len(self.flight.sessions)}


def serve(config: Config) -> int:
    """Until SIGTERM or SIGINT; a second one ends the wait for what still runs."""
    server = Server(config)
    stop = threading.Event()
    asked = 0

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        stop.set()
        if asked > 1:
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


def _refuse_plaintext_passwords(config: Config) -> None:
    server = config.server
    if server.tls is not None or server.plaintext_passwords or is_loopback(server.host):
        return
    if any(provider.type == "users_file" for provider in config.auth.providers):
        raise ConfigError(
            f"passwords would travel in clear text to coordinator.host = {server.host}",
            hint="set coordinator.tls, or coordinator.plaintext_passwords = true behind a proxy that has TLS",
        )


def is_loopback(host: str) -> bool:
    """Names other than localhost are not resolved: they may be another address tomorrow."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
