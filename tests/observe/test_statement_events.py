"""Observers hear what happens to statements, and never hold one up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from sqe.api.connection import Connection
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.errors import SqeError
from sqe.observe.events import (
    Event,
    LogIn,
    StatementFailed,
    StatementFinished,
    StatementReceived,
    StatementStarted,
)
from sqe.policy.decision import AllowAll
from sqe.session import Identity
from sqe.tree.statements import Query


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


def test_every_kind_of_event_is_sent_and_says_what_it_is_about(tmp_path: Path) -> None:
    heard: list[Event] = []

    class Recorder:
        def hear(self, event: Event) -> None:
            heard.append(event)

    catalogs = embedded(warehouse=tmp_path, catalogs=None, memory=False)
    coordinator = Coordinator(load(None, {}), catalogs, policy=AllowAll(), observers=[Recorder()])
    with Connection(coordinator, Identity("joe")) as connection:
        connection.execute("CREATE TABLE t (a bigint)")
        connection.execute("CREATE VIEW v AS SELECT a FROM t")
        heard_before = len(connection.coordinator.history.records("joe"))
        # The second time its plan is known.
        for _ in range(2):
            connection.execute("SELECT * FROM v").fetchall()
        with pytest.raises(SqeError):
            connection.execute("SELECT nosuch")
    assert heard_before == 2
    kinds = [type(event) for event in heard]
    ended_well = [StatementReceived, StatementStarted, StatementFinished]
    assert kinds == [*ended_well * 4, StatementReceived, StatementFailed]
    for started, finished in ((heard[7], heard[8]), (heard[10], heard[11])):
        assert isinstance(started, StatementStarted) and isinstance(finished, StatementFinished)
        assert started.bound is not None and started.bound == finished.bound
        assert isinstance(started.bound.tree, Query)
        assert [name.name for name in started.bound.views] == ["v"]
        assert started.origin == finished.origin and started.origin.text == "SELECT * FROM v"
    never = set(get_args(Event)) - set(kinds)
    assert never == {LogIn}, "those are sent by servers"
