"""What Prometheus is told: of real statements, with labels that users cannot multiply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.observe.event_samples import failed, finished, origin

from sqe.api.connection import Connection
from sqe.auth.chain import ACCEPTED, NOBODY, RESULTS, UNKNOWN
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.errors import SqeError
from sqe.observe.events import LogIn
from sqe.observe.metrics import AUTH_RESULTS, BUCKETS, READINGS, Metrics
from sqe.policy.decision import AllowAll
from sqe.session import Identity
from sqe.tree.labels import LABELS

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(metrics: Metrics) -> Samples:
    text, content_type = metrics.exposition()
    assert content_type.startswith("text/plain")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, frozenset(labels.items())))


def series(samples: Samples, name: str) -> int:
    return sum(found == name for found, _ in samples)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def connection(metrics: Metrics, tmp_path: Path) -> Iterator[Connection]:
    """Its statements need no Spark."""
    coordinator = Coordinator(
        load(None, {}),
        embedded(warehouse=tmp_path, catalogs=None, memory=False),
        policy=AllowAll(),
        observers=[metrics],
    )
    metrics.read_from(coordinator.readings)
    with Connection(coordinator, Identity("joe")) as connection:
        yield connection


def test_statements_are_counted_by_status_and_type(metrics: Metrics, connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a bigint)")
    assert connection.execute("SELECT a FROM t UNION ALL VALUES 1, 2").fetchall() == [(1,), (2,)]
    connection.execute("SHOW TABLES").fetchall()
    for _ in range(2):
        with pytest.raises(SqeError):
            connection.execute("SELECT nosuch")
    connection.coordinator.events.close()
    found = scraped(metrics)
    count = "sqe_query_count_total"
    assert value(found, count, status="success", statement_type="createtable") == 1
    assert value(found, count, status="success", statement_type="query") == 1
    assert value(found, count, status="success", statement_type="showtables") == 1
    assert value(found, count, status="error", statement_type="other") == 2
    assert value(found, "sqe_query_errors_total", error_type="USER_ERROR") == 2
    assert value(found, "sqe_query_duration_seconds_count", statement_type="query") == 1
    assert value(found, "sqe_time_to_first_row_seconds_count", lane="fast") == 1
    assert value(found, "sqe_lane_count_total", lane="fast") == 1
    assert value(found, "sqe_rows_returned_total") == 2


def test_readings_are_those_of_the_coordinator(metrics: Metrics, connection: Connection) -> None:
    connection.execute("SELECT 1").fetchall()
    found = scraped(metrics)
    assert value(found, "sqe_active_queries") == 0 and value(found, "sqe_queued_queries") == 0
    assert value(found, "sqe_spool_bytes") == 0 and value(found, "sqe_events_dropped_total") == 0
    assert value(found, "sqe_cache_misses_total", cache="plan") == 1
    assert (value(found, "sqe_coordinator_rss_bytes") or 0) > 1 << 20
    assert set(connection.coordinator.readings()) <= set(READINGS)


def test_labels_are_bounded_whatever_is_heard(metrics: Metrics) -> None:
    for number in range(500):
        mad = f"x{number}"
        metrics.hear(failed(origin(mad, mad), statement_type=mad, lane=mad, error_type=mad, code=mad))
        metrics.hear(finished(origin(mad, mad), statement_type=mad, lane=mad, first_row_seconds=0.1))
        metrics.hear(LogIn(mad, mad, mad, mad, 1.0))
    found = scraped(metrics)
    assert series(found, "sqe_query_count_total") == 2
    assert series(found, "sqe_query_errors_total") == series(found, "sqe_lane_count_total") == 1
    assert series(found, "sqe_auth_attempts_total") == 1
    assert value(found, "sqe_auth_attempts_total", provider="other", result="failed") == 500
    assert value(found, "sqe_query_count_total", status="success", statement_type="other") == 500


def test_every_type_of_statement_may_be_counted(metrics: Metrics) -> None:
    for label in LABELS:
        metrics.hear(finished(statement_type=label))
    assert series(scraped(metrics), "sqe_query_count_total") == len(LABELS)


def test_cancelled_is_a_status_of_its_own(metrics: Metrics) -> None:
    metrics.hear(failed(code="USER_CANCELED"))
    count = value(scraped(metrics), "sqe_query_count_total", status="cancelled", statement_type="query")
    assert count == 1


def test_durations_have_the_known_buckets(metrics: Metrics) -> None:
    metrics.hear(finished(seconds=0.3))
    found = scraped(metrics)
    for limit in BUCKETS:
        name, le = "sqe_query_duration_seconds_bucket", str(float(limit))
        assert value(found, name, statement_type="query", le=le) == (1 if limit > 0.3 else 0)


def test_log_ins(metrics: Metrics) -> None:
    metrics.hear(LogIn("joe", "api_key", ACCEPTED, "192.0.2.1", 0.1))
    metrics.hear(LogIn(None, NOBODY, UNKNOWN, "192.0.2.1", 0.1))
    found = scraped(metrics)
    assert value(found, "sqe_auth_attempts_total", provider="api_key", result="accepted") == 1
    assert value(found, "sqe_auth_attempts_total", provider="none", result="unknown") == 1
    assert value(found, "sqe_auth_duration_seconds_count") == 2
    assert set(RESULTS) == AUTH_RESULTS


def test_a_source_that_fails_takes_only_its_own_numbers(metrics: Metrics) -> None:
    def fails() -> dict[str, float]:
        raise RuntimeError("no")

    metrics.read_from(fails)
    metrics.read_from(lambda: {"sqe_active_sessions": 3})
    found = scraped(metrics)
    assert value(found, "sqe_active_sessions") == 3 and value(found, "sqe_rows_returned_total") == 0


def test_two_servers_of_one_process_do_not_meet(metrics: Metrics) -> None:
    other = Metrics()
    metrics.hear(finished(rows=5))
    assert value(scraped(other), "sqe_rows_returned_total") == 0
