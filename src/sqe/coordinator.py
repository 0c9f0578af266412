"""What all statements of a process share: configuration, catalogs, lanes, spools, policy, observers."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from sqe.config.config import Config
from sqe.engine.plans import Plans
from sqe.observe.channels import Events
from sqe.observe.events import Observer
from sqe.observe.history import History
from sqe.policy.decision import Policy
from sqe.session import Identity, Session

if TYPE_CHECKING:
    from sqe.catalog.catalogs import Catalogs
    from sqe.catalog.gateway.gateway import Gateway
    from sqe.catalog.iceberg.data_files import FileCache
    from sqe.engine.duckdb.processes import Processes
    from sqe.engine.lane import Lane
    from sqe.engine.spark.spark import Spark, SparkSession
    from sqe.results.result import Spools

# How many identities have a cache of tables' files.
MOST_IDENTITIES = 200


class Queued(Protocol):
    """A statement as far as admission knows it."""

    id: str
    cancelled: bool

    @property
    def charged(self) -> str: ...


class Admission(Protocol):
    """How many statements run at once, which a server limits."""

    @property
    def waiting(self) -> int: ...

    def enter(self, statement: Queued) -> None:
        """Returns when the statement may run."""

    def leave(self, statement: Queued) -> None: ...


class Coordinator:
    """Starts nothing by itself: Spark and the spools come with the first statement that needs them."""

    def __init__(
        self,
        config: Config,
        catalogs: Catalogs,
        *,
        policy: Policy,
        spark: Spark | None = None,
        admission: Admission | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        """`spark` is a lane that somebody else owns and closes. Without `admission` everything runs at
        once."""
        self.config = config
        self.catalogs = catalogs
        self.policy = policy
        self._spark = spark
        self._owns_spark = spark is None
        self.admission = admission
        self.history = History()
        self.events = Events([*_observers(config), *observers], certain=[self.history])
        self.plans = Plans()
        # Which of the processes that share a warehouse this is.
        self.instance_id = secrets.token_hex(8)
        self._gateway: Gateway | None = None
        self._spools: Spools | None = None
        self._fast: Processes | None = None
        self._lanes: tuple[Lane, ...] = ()
        self._files: OrderedDict[Identity, FileCache] = OrderedDict()
        self._lock = threading.Lock()
        # A lock lives as long as somebody holds it or waits for it.
        self._writing: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        # The statements that somebody still holds, by id.
        self.running: WeakValueDictionary[str, Queued] = WeakValueDictionary()
        self.closed = False

    def session(self, identity: Identity) -> Session:
        return Session(identity, catalog=self.catalogs.default)

    def catalogs_of(self, session: Session) -> Catalogs:
        """The catalogs as the user of a session reaches them; every statement asks these."""
        return self.catalogs.seen_by(session)

    @property
    def spools(self) -> Spools:
        from sqe.results.result import ResultSettings, Spools

        with self._lock:
            if self._spools is None:
                settings = self.config.results
                self._spools = Spools(
                    ResultSettings(
                        memory_window=settings.memory_window,
                        max_memory=settings.max_memory,
                        max_spool_per_user=settings.max_spool_per_user,
                        max_spool=settings.max_spool,
                        directory=settings.spool_dir,
                    )
                )
            return self._spools

    def spark_session(self, identity: Identity) -> SparkSession:
        """The Spark session of an identity. Its one catalog is the gateway."""
        return self.spark.session(f"{identity.key}-{self.instance_id}", self.gateway.spark_conf())

    @property
    def lanes(self) -> Sequence[Lane]:
        """In the order in which they are asked."""
        with self._lock:
            if not self._lanes:
                from sqe.engine.duckdb.lane import FastLane
                from sqe.engine.spark.lane import SparkLane

                fast = FastLane(self.config.fast, lambda: self.fast, self.files)
                spark = SparkLane(lambda: self.spark, self.spark_session, lambda: self.gateway.bindings)
                self._lanes = (fast, spark)
            return self._lanes

    def lane(self, name: str) -> Lane:
        return next(lane for lane in self.lanes if lane.name == name)

    def cancel(self, statement_id: str) -> None:
        """Ends a statement in whichever lane it runs."""
        for lane in self._lanes:
            lane.cancel(statement_id)

    @property
    def spark(self) -> Spark:
        from sqe.engine.spark.jars import ICEBERG_AWS, JARS, default_cache
        from sqe.engine.spark.spark import Spark

        with self._lock:
            if self._spark is None:
                jars = (*JARS, ICEBERG_AWS) if self._may_be_stored else JARS
                self._spark = Spark(self.config.spark, default_cache(), jars)
            return self._spark

    @property
    def _may_be_stored(self) -> bool:
        """Whether tables may be in object stores: only the server of a REST catalog says where its are."""
        catalogs = self.config.catalogs.values()
        return any(c.type == "rest" or "s3" in (c.warehouse or "").partition("://")[0] for c in catalogs)

    @property
    def gateway(self) -> Gateway:
        from sqe.catalog.gateway.gateway import from_config

        with self._lock:
            if self._gateway is None:
                self._gateway = from_config(self.config)
            return self._gateway

    @property
    def fast(self) -> Processes:
        from sqe.engine.duckdb.processes import Processes

        with self._lock:
            if self._fast is None:
                self._fast = Processes(self.config.fast)
            return self._fast

    def files(self, identity: Identity) -> FileCache:
        """The cache of tables' files, as this identity has read them."""
        from sqe.catalog.iceberg.data_files import FILES_BYTES, FileCache

        with self._lock:
            cache = self._files.setdefault(identity, FileCache())
            self._files.move_to_end(identity)
            total = sum(files.bytes for files in self._files.values())
            while len(self._files) > 1 and (len(self._files) > MOST_IDENTITIES or total > FILES_BYTES):
                total -= self._files.popitem(last=False)[1].bytes
            return cache

    def write_lock(self, table: str) -> threading.Lock:
        """Held by the one of our own writers that writes to a table: without it the others would lose a race,
        and do their work again."""
        with self._lock:
            lock = self._writing.get(table)
            if lock is None:
                lock = self._writing[table] = threading.Lock()
            return lock

    def readings(self) -> dict[str, float]:
        """Measurements of the moment, by the names of sqe/observe/metrics.py. Starts nothing."""
        with self._lock:
            fast, spools, files = self._fast, self._spools, list(self._files.values())
        waiting = 0 if self.admission is None else self.admission.waiting
        return {
            "sqe_active_queries": max(0, self.history.running - waiting),
            "sqe_queued_queries": waiting,
            "sqe_fast_lane_children": 0 if fast is None else len(fast.children()),
            "sqe_spool_bytes": 0 if spools is None else spools.spooled,
            "sqe_events_dropped_total": self.events.dropped,
            "sqe_cache_hits_total": self.plans.used,
            "sqe_cache_misses_total": self.plans.missed,
            "sqe_metadata_cache_bytes": self.catalogs.kept_bytes,
            "sqe_file_cache_bytes": sum(cache.bytes for cache in files),
            "sqe_plan_cache_bytes": self.plans.bytes,
            "sqe_history_bytes": self.history.bytes,
        }

    def close(self) -> None:
        self.closed = True
        if self._owns_spark and self._spark is not None:
            self._spark.close()
        if self._gateway is not None:
            self._gateway.close()
        if self._fast is not None:
            self._fast.close()
        if self._spools is not None:
            self._spools.close()
        self.catalogs.close()
        self.events.close()


def _observers(config: Config) -> list[Observer]:
    if config.events.log_path is None:
        return []
    from sqe.observe.json_log import JsonLog

    return [JsonLog(config.events.log_path)]
