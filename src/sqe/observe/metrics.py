"""Metrics for Prometheus. Their labels have few values, whatever users send: a label is memory for ever."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from sqe.foundation.record import record
from sqe.observe.events import Event, LogIn, StatementFailed, StatementFinished
from sqe.tree.labels import LABELS, OTHER

log = logging.getLogger(__name__)

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
ERROR_TYPES = frozenset({"USER_ERROR", "INSUFFICIENT_RESOURCES", "EXTERNAL", "INTERNAL_ERROR"})
LANES = frozenset({"fast", "spark", "none"})
PROVIDERS = frozenset(
    {
        *("anonymous", "api_key", "users_file", "oidc_password", "client_credentials", "token_exchange"),
        *("client_credentials_passthrough", "bearer_token", "bearer_passthrough", "aws_iam", "mtls"),
        *("session", "none"),
    }
)
AUTH_RESULTS = frozenset({"accepted", "refused", "unknown", "failed", "limited"})


@record
class Counted:
    """What is counted here, statement by statement."""

    kind: str
    doc: str
    labels: tuple[str, ...] = ()


@record
class Reading:
    """A number that somebody else counts, and that is read when Prometheus asks."""

    kind: str
    doc: str
    labels: Mapping[str, str] = field(default_factory=dict)


COUNTED: dict[str, Counted] = {
    "sqe_query_count_total": Counted("counter", "Statements that ended.", ("status", "statement_type")),
    "sqe_query_duration_seconds": Counted(
        "histogram", "From a statement's arrival to its last row.", ("statement_type",)
    ),
    "sqe_time_to_first_row_seconds": Counted(
        "histogram", "From a statement's arrival to its first row.", ("lane",)
    ),
    "sqe_query_errors_total": Counted(
        "counter", "Statements that failed, by who has to act.", ("error_type",)
    ),
    "sqe_lane_count_total": Counted("counter", "Statements that ended, by lane.", ("lane",)),
    "sqe_rows_returned_total": Counted("counter", "Rows of queries."),
    "sqe_rows_written_total": Counted("counter", "Rows that statements wrote, changed or removed."),
    "sqe_files_read_total": Counted("counter", "Data files that queries read, by lane.", ("lane",)),
    "sqe_files_skipped_total": Counted(
        "counter", "Data files that queries left out, by lane; not those of manifests left out.", ("lane",)
    ),
    "sqe_bytes_read_total": Counted("counter", "Bytes of the files that queries read, by lane.", ("lane",)),
    "sqe_auth_attempts_total": Counted("counter", "Log-ins.", ("provider", "result")),
    "sqe_auth_duration_seconds": Counted("histogram", "How long a log-in took."),
}
READINGS: dict[str, Reading] = {
    "sqe_active_queries": Reading("gauge", "Statements that run, or whose rows still arrive."),
    "sqe_queued_queries": Reading("gauge", "Statements that wait for their turn."),
    "sqe_active_sessions": Reading("gauge", "Sessions that have not ended."),
    "sqe_coordinator_rss_bytes": Reading(
        "gauge", "Memory of this process, without Spark's and the fast lane's (Linux only)."
    ),
    "sqe_fast_lane_children": Reading("gauge", "Processes of the fast lane."),
    "sqe_spool_bytes": Reading("gauge", "Bytes of results on disk."),
    "sqe_cache_hits_total": Reading("counter", "Statements whose plan was known.", {"cache": "plan"}),
    "sqe_cache_misses_total": Reading("counter", "Statements that were planned.", {"cache": "plan"}),
    "sqe_metadata_cache_bytes": Reading(
        "gauge", "Memory for parsed metadata of tables, one version of each; about, as the next three."
    ),
    "sqe_file_cache_bytes": Reading("gauge", "Memory for what manifests say of tables' files."),
    "sqe_plan_cache_bytes": Reading("gauge", "Memory for plans of queries that may be asked again."),
    "sqe_history_bytes": Reading("gauge", "Memory for the statements of system.runtime.queries."),
    "sqe_events_dropped_total": Reading(
        "counter", "Events that no observer heard, because the queue was full: these metrics lack them."
    ),
}

Readings = Callable[[], Mapping[str, float]]


class Metrics:
    """An observer of statements and log-ins, with a registry of its own."""

    def __init__(self) -> None:
        # They would be a second series for each, with the time when it began.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        for name, metric in COUNTED.items():
            if metric.kind == "counter":
                self._counters[name] = Counter(name, metric.doc, metric.labels, registry=self.registry)
            else:
                self._histograms[name] = Histogram(
                    name, metric.doc, metric.labels, registry=self.registry, buckets=BUCKETS
                )
        ProcessCollector(registry=self.registry)
        self._sources: list[Readings] = [_rss]
        self.registry.register(_Readings(self._sources))

    def read_from(self, source: Readings) -> None:
        """`source` is asked at every scrape for values of READINGS by their names."""
        self._sources.append(source)

    def hear(self, event: Event) -> None:
        match event:
            case StatementFinished():
                self._count_end(event)
                self._count("sqe_rows_returned_total", by=event.rows or 0)
                self._count("sqe_rows_written_total", by=event.updated or 0)
                if event.scanned is not None:
                    lane = _one_of(LANES, event.lane, "none")
                    self._count("sqe_files_read_total", lane, by=event.scanned.files)
                    self._count("sqe_files_skipped_total", lane, by=event.scanned.skipped_files)
                    self._count("sqe_bytes_read_total", lane, by=event.scanned.bytes)
            case StatementFailed():
                self._count_end(event)
                error_type = _one_of(ERROR_TYPES, event.error_type, "INTERNAL_ERROR")
                self._count("sqe_query_errors_total", error_type)
            case LogIn():
                provider = _one_of(PROVIDERS, event.provider, OTHER)
                result = _one_of(AUTH_RESULTS, event.result, "failed")
                self._count("sqe_auth_attempts_total", provider, result)
                self._observe("sqe_auth_duration_seconds", event.seconds)

    def _count_end(self, event: StatementFinished | StatementFailed) -> None:
        label = _one_of(LABELS, event.statement_type, OTHER)
        lane = _one_of(LANES, event.lane, "none")
        self._count("sqe_query_count_total", event.status, label)
        self._count("sqe_lane_count_total", lane)
        self._observe("sqe_query_duration_seconds", event.seconds, label)
        if event.first_row_seconds is not None:
            self._observe("sqe_time_to_first_row_seconds", event.first_row_seconds, lane)

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """What Prometheus reads, in the form that it asked for, and the name of that form."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type

    def _count(self, name: str, *labels: str, by: float = 1) -> None:
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc(by)

    def _observe(self, name: str, value: float, *labels: str) -> None:
        histogram = self._histograms[name]
        (histogram.labels(*labels) if labels else histogram).observe(value)


class _Readings(Collector):
    def __init__(self, sources: list[Readings]) -> None:
        self._sources = sources

    def describe(self) -> Iterator[Metric]:
        return (_family(name, reading) for name, reading in READINGS.items())

    def collect(self) -> Iterator[Metric]:
        values: dict[str, float] = {}
        for source in list(self._sources):
            # One source that fails must not take the others' numbers with it.
            try:
                values |= source()
            except Exception:
                log.exception("a source of metrics failed")
        for name, reading in READINGS.items():
            family = _family(name, reading)
            if name in values:
                family.add_metric(list(reading.labels.values()), values[name])
            yield family


def _family(name: str, reading: Reading) -> GaugeMetricFamily | CounterMetricFamily:
    family = GaugeMetricFamily if reading.kind == "gauge" else CounterMetricFamily
    return family(name, reading.doc, labels=list(reading.labels))


def _one_of(values: frozenset[str], value: str | None, default: str) -> str:
    return value if value is not None and value in values else default


def _rss() -> Mapping[str, float]:
    from resource import getpagesize

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {"sqe_coordinator_rss_bytes": pages * getpagesize()}
