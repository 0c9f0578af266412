"""Observers hear what happens to statements, and never hold one up."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from sqe.errors import SqeError
from sqe.observe.events import Event, Events
from sqe.observe.json_log import JsonLog


@pytest.mark.spark
def test_the_log_has_one_json_object_an_event(connect: object, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    config = tmp_path / "sqe.toml"
    config.write_text(f'[events]\nlog_path = "{log}"\n')
    connection = connect(memory=True, config=config)  # type: ignore[operator]
    connection.execute("CREATE TABLE t (a bigint)")
    cursor = connection.execute("SELECT 1 AS a UNION ALL SELECT 2")
    cursor.fetchall()
    failing = connection.execute("SELECT 1 / a FROM (VALUES 0) v(a)")
    with pytest.raises(SqeError):
        failing.fetchall()
    with pytest.raises(SqeError):
        connection.execute("SELECT nosuch")
    connection.coordinator.events.close()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    heard = [e["event"] for e in events]
    assert heard == [
        *("received", "started", "finished"),
        *("received", "started", "finished"),
        *("received", "started", "failed"),
        *("received", "failed"),
    ]
    assert events[5]["rows"] == 2 and events[5]["statement_id"] == cursor.statement.id
    assert events[8]["code"] == "DIVISION_BY_ZERO" and events[10]["code"] == "COLUMN_NOT_FOUND"
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_full_queue_drops_and_counts() -> None:
    release = threading.Event()

    class Slow:
        heard = 0

        def hear(self, event: Event) -> None:
            release.wait(30)
            self.heard += 1

    slow = Slow()
    events = Events([slow], capacity=5)
    for i in range(50):
        events.emit(Event("received", str(i), "joe"))
    assert events.dropped >= 40
    release.set()
    events.close()
    assert slow.heard + events.dropped == 50


def test_a_broken_observer_does_not_stop_the_others(tmp_path: Path) -> None:
    class Broken:
        def hear(self, event: Event) -> None:
            raise RuntimeError("no")

    events = Events([Broken(), JsonLog(tmp_path / "log")])
    events.emit(Event("received", "1", "joe"))
    events.close()
    assert json.loads((tmp_path / "log").read_text())["event"] == "received"
