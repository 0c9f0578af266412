"""The server: one coordinator, what its doors share, and its life from start to close."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.auth import chain
from sqe.auth.credentials import Credentials, Grant
from sqe.catalog.mount import from_config
from sqe.catalog.watch import NOT_YET, Watch
from sqe.config.config import Config
from sqe.config.providers import WITH_PASSWORDS
from sqe.coordinator import Coordinator
from sqe.errors import ConfigError
from sqe.foundation.loopback import is_loopback
from sqe.observe.access_log import AccessLog
from sqe.observe.events import LogIn
from sqe.observe.metrics import Metrics
from sqe.policy.configured import from_config as policy_from_config
from sqe.server.admission import Admission
from sqe.server.clients import Clients
from sqe.server.door import Door
from sqe.server.readiness import Readiness

if TYPE_CHECKING:
    from sqe.engine.spark.spark import Spark

log = logging.getLogger(__name__)

# How often to check whether Spark has come up, or gone, and which catalogs do not answer.
LOOK_SECONDS = 0.5
DRAIN_LOOK_SECONDS = 0.05


class Server:
    """Serves from `start` to `close`. Everything that can be wrong with a configuration is found by then.
    Which doors it has is said by a subclass that knows them (`sqe.doors.open`)."""

    def __init__(self, config: Config, *, spark: Spark | None = None) -> None:
        """`spark` is a lane that somebody else owns and closes."""
        if not config.query.timeout_secs:
            limit, key = config.query.server_timeout_secs, "query.server_timeout_secs"
            config = replace(config, query=replace(config.query, timeout_secs=limit, timeout_set_by=key))
        _refuse_plaintext_passwords(config)
        self.config = config
        self.metrics = Metrics()
        self.readiness = Readiness(required=("catalogs",))
        self._chain = chain.from_config(config, on_attempt=self._report_log_in)
        self.admission = Admission(config.query)
        warehouses = [c.warehouse for c in config.catalogs.values() if c.warehouse]
        self.coordinator = Coordinator(
            config,
            from_config(config),
            policy=policy_from_config(config, warehouses),
            spark=spark,
            admission=self.admission,
            observers=(self.metrics, AccessLog(with_text=config.logging.statement_text)),
        )
        self.clients = Clients(self.coordinator, self._log_in, self._impersonate)
        self._doors: list[Door] = []
        self._watch = Watch(self.coordinator.catalogs, self._report_catalogs)
        self._report_lock = threading.Lock()
        self._silent: dict[str, str] = {}
        self._ended = threading.Event()
        self.open_doors()

    def open_doors(self) -> None:
        """Adds the doors; none here, where only statements of this process would come."""

    def add(self, door: Door) -> None:
        self._doors.append(door)
        if door.takes_statements:
            self.readiness.require(door.name)

    def start(self) -> None:
        """Returns when statements can be sent; Spark comes up behind."""
        self.metrics.read_from(self._readings)
        try:
            for door in self._for_operators():
                door.start()
            if self.config.fast.enabled:
                self.coordinator.fast.start(self.config.fast.most_children)
            enabled = self.config.fast.enabled
            self.readiness.set("fast lane", enabled, "" if enabled else "switched off")
            self._watch.start()
            threading.Thread(target=self._look, name="sqe-look", daemon=True).start()
            self.coordinator.spark.start()
            self.clients.start()
            for door in self._for_statements():
                door.start()
        except BaseException:
            self.close()
            raise
        for door in self._for_statements():
            self.readiness.set(door.name, True)

    def drain(self) -> None:
        """Nothing new; what runs and what is being read may end, within the configured time."""
        self.readiness.drain()
        self.admission.drain()
        for door in self._doors:
            door.drain()
        seconds = self.config.server.drain_secs
        log.info("draining", extra={"statements": self.admission.running, "seconds": seconds})
        deadline = time.monotonic() + seconds
        self.admission.wait_until_idle(seconds)
        while self.clients.running.awaited() and time.monotonic() < deadline:
            time.sleep(DRAIN_LOOK_SECONDS)
        for door in self._for_statements():
            door.close(max(0.0, deadline - time.monotonic()))
        self.clients.close()

    def close(self) -> None:
        """At once. More than once does no harm."""
        if self._ended.is_set():
            return
        self._ended.set()
        for door in self._for_statements():
            door.close()
        self.clients.close()
        self._watch.close()
        self.coordinator.close()
        for door in self._for_operators():
            door.close()

    def status(self) -> Mapping[str, object]:
        """For operators."""
        return {
            "active_queries": self.admission.running,
            "queued_queries": self.admission.waiting,
            "active_sessions": len(self.clients.sessions),
        }

    def _for_statements(self) -> list[Door]:
        return [door for door in self._doors if door.takes_statements]

    def _for_operators(self) -> list[Door]:
        return [door for door in self._doors if not door.takes_statements]

    def _log_in(self, credentials: Credentials, peer: str) -> Grant:
        return self._chain.grant(credentials, peer=peer)

    def _impersonate(self, credentials: Credentials, user: str, peer: str) -> Grant | None:
        return self._chain.impersonate(credentials, user, peer=peer)

    def _report_log_in(self, outcome: chain.Outcome) -> None:
        self.coordinator.events.emit(
            LogIn(outcome.user, outcome.provider, outcome.result, outcome.peer, outcome.seconds)
        )

    def _look(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            ready = self.coordinator.spark.started
            self.readiness.set(
                "spark", ready, "" if ready else "starting, or gone until a statement needs it"
            )
            self._report_catalogs()

    def _report_catalogs(self) -> None:
        """One that answers is enough to be given work: the others' statements fail, and say why."""
        with self._report_lock:
            reasons = self._watch.reasons()
            for name, reason in reasons.items():
                self.readiness.set(f"catalog {name}", not reason, reason)
            silent = {name: reason for name, reason in reasons.items() if reason}
            answering = len(reasons) - len(silent)
            summary = f"{answering or 'none'} of {len(reasons)} answering" if silent else ""
            self.readiness.set("catalogs", answering > 0, summary)
            failing = {name: reason for name, reason in silent.items() if reason != NOT_YET}
            for name in self._silent.keys() - silent.keys():
                log.info("a catalog answers again", extra={"catalog": name})
            for name in failing.keys() - self._silent.keys():
                log.warning("a catalog does not answer", extra={"catalog": name, "reason": failing[name]})
            self._silent = failing

    def _readings(self) -> Mapping[str, float]:
        return {**self.coordinator.readings(), "sqe_active_sessions": len(self.clients.sessions)}


def _refuse_plaintext_passwords(config: Config) -> None:
    server = config.server
    if server.tls is not None or server.plaintext_passwords or is_loopback(server.host):
        return
    if any(provider.type in WITH_PASSWORDS for provider in config.auth.providers):
        raise ConfigError(
            f"passwords would travel in clear text to coordinator.host = {server.host}",
            hint="set coordinator.tls, or coordinator.plaintext_passwords = true behind a proxy that has TLS",
        )
