"""system.runtime.queries: the statements that run, and the last ones that ended."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError
from sqe.observe.events import Origin, StatementFinished, StatementReceived
from sqe.observe.history import KEPT, KEPT_TEXT, History
from sqe.observe.statement_record import Record
from sqe.session import Identity
from sqe.system.runtime import queries


def look(number: int, user: str = "joe", text: str = "SELECT 1") -> Record:
    return Record(str(number), user, text, "finished", float(number), float(number) + 1)


def origin(number: int) -> Origin:
    return Origin(str(number), "joe", "session", "SELECT 1")


def begin(history: History, number: int, **known: str) -> None:
    history.hear(StatementReceived(origin(number), lambda: look(number, **known)))


def end(history: History, number: int, rows: int | None = None) -> None:
    history.hear(StatementFinished(origin(number), "query", None, 1.0, rows=rows))


def test_only_the_last_ones_are_kept() -> None:
    history = History()
    for number in range(KEPT + 50):
        begin(history, number)
        end(history, number)
    kept = history.records("joe")
    assert [record.id for record in kept] == [str(n) for n in range(50, KEPT + 50)]
    assert history.records("ann") == []


def test_long_texts_are_cut_once_they_are_over() -> None:
    history = History()
    begin(history, 1, text="x" * 1_000_000)
    assert len(history.records("joe")[0].text) == 1_000_000
    end(history, 1, rows=7)
    [record] = history.records("joe")
    assert (len(record.text), record.rows) == (KEPT_TEXT, 7)


def test_threads_may_begin_end_and_look_at_once() -> None:
    history = History(kept=10_000)

    def work(first: int) -> None:
        for number in range(first, first + 500):
            begin(history, number)
            history.records("joe")
            end(history, number)
            end(history, number)

    threads = [threading.Thread(target=work, args=(i * 500,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(record.id) for record in history.records("joe")) == list(range(2000))


def test_a_statement_that_is_over_is_not_held() -> None:
    with connect(memory=True) as connection:
        cursor = connection.execute("SHOW TABLES")
        result = weakref.ref(cursor.statement.result)  # type: ignore[union-attr]
        del cursor
        connection.cursor()
        gc.collect()
        assert result() is None


def test_failures_are_recorded_with_their_codes() -> None:
    with connect(memory=True) as connection:
        for sql in ("SELECT", "SHOW TABLES FROM nosuch", "SHOW TABLES"):
            try:
                connection.execute(sql)
            except SqeError:
                continue
        records = connection.coordinator.history.records(connection.session.identity.user)
        assert [(r.text, r.state, r.error_code) for r in records] == [
            ("SELECT", "failed", "SYNTAX_ERROR"),
            ("SHOW TABLES FROM nosuch", "failed", "SCHEMA_NOT_FOUND"),
            ("SHOW TABLES", "finished", None),
        ]
        assert all(r.ended is not None for r in records)
        assert records[-1].rows == 0


def test_an_interrupt_ends_the_record_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sqe.statement.plan", interrupted)
    with connect(memory=True) as connection:
        with pytest.raises(KeyboardInterrupt):
            connection.execute("SHOW TABLES")
        [record] = connection.coordinator.history.records(connection.session.identity.user)
        assert (record.state, record.error_code) == ("failed", "USER_CANCELED")


@pytest.mark.spark
def test_what_a_query_of_them_shows(schema: Connection) -> None:
    schema.execute("CREATE TABLE marked (a bigint)")
    schema.execute("INSERT INTO marked VALUES (1), (2)")
    marked = schema.execute("SELECT a, 'a marked query' AS m FROM marked")
    marked.fetchall()
    with pytest.raises(SqeError):
        schema.execute("SELECT 'a marked query' FROM nosuch")

    def shown(condition: str) -> list[tuple[Any, ...]]:
        columns = "query_id, state, output_rows, rows_written, lane, error_type, error_code"
        sql = f"SELECT {columns} FROM system.runtime.queries WHERE {condition} ORDER BY created"
        return schema.execute(sql).fetchall()

    finished, failed = shown("query LIKE 'SELECT%a marked query%' AND state <> 'RUNNING'")
    assert marked.statement is not None
    assert finished == (marked.statement.id, "FINISHED", 2, None, "fast", None, None)
    assert failed[1:] == ("FAILED", None, None, None, "USER_ERROR", "TABLE_NOT_FOUND")
    assert shown(f"query_id = '{marked.statement.id}'") == [finished]
    [inserted] = shown("query LIKE 'INSERT INTO marked VALUES (1), (2)%' AND rows_written = 2")
    assert inserted[1] == "FINISHED"
    [itself] = shown("state = 'RUNNING' AND query LIKE '%WHERE state%ORDER BY created'")
    assert itself[4] == "fast"
    sql = """SELECT created <= started AND started <= "end" AND "end" <= last_heartbeat,
        execution_time_ms >= 0 AND planning_time_ms >= analysis_time_ms, resource_group_id
        FROM system.runtime.queries WHERE state = 'FINISHED' LIMIT 1"""
    assert schema.execute(sql).fetchall() == [(True, True, ["global"])]


def test_the_columns_are_those_that_rows_are_made_of() -> None:
    from sqe.system import definitions

    class Sources:
        records = staticmethod(lambda: [look(1)])
        accepts = staticmethod(lambda column: lambda text: True)

    [row] = queries(Sources())  # type: ignore[arg-type]
    assert len(row) == len(definitions.TABLES["runtime", "queries"].columns)


def test_two_issuers_users_of_one_name_see_their_own(tmp_path: Path) -> None:
    with connect(warehouse=tmp_path / "w") as owner:
        here = Connection(owner.coordinator, Identity("alice", issuer="https://a", subject="1"))
        there = Connection(owner.coordinator, Identity("alice", issuer="https://b", subject="1"))
        here.execute("SELECT 1 AS secret_of_here").fetchall()
        shown = there.execute("SELECT query FROM system.runtime.queries").fetchall()
        assert all("secret_of_here" not in text for (text,) in shown)
        shown = here.execute('SELECT query, "user" FROM system.runtime.queries').fetchall()
        assert ("SELECT 1 AS secret_of_here", "alice") in shown


def test_stages_are_told_in_the_words_of_trino() -> None:
    class Listed:
        def __init__(self, record: Record) -> None:
            self._record = record

        def accepts(self, column: str) -> Any:
            return lambda value: True

        def records(self) -> list[Record]:
            return [self._record]

    timings = {"queue": 2.0, "parse": 0.1, "render": 0.4, "run": 1.0}
    record = Record("1", "joe", "SELECT 1", "queue", 10.0, 14.0, timings=timings)
    [row] = queries(Listed(record))  # type: ignore[arg-type]
    assert (row[1], row[6], row[8], row[9]) == ("QUEUED", 2000, 500, 1500)
    planned = Record("1", "joe", "SELECT 1", "render", 10.0)
    assert next(iter(queries(Listed(planned))))[1] == "PLANNING"  # type: ignore[arg-type]
