"""The protocol has no sessions: a client says everything in headers, and is told in headers what to say
next."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
import zstandard
from tests.doors.trino.trino_door import KEYS, Opened, Wire, opened_door

from sqe.observe.events import Event, StatementFinished


def test_catalog_schema_and_zone(wire: Wire) -> None:
    wire.run("CREATE SCHEMA lake.yard")
    wire.run("CREATE TABLE lake.yard.t (a bigint)")
    there = {"X-Trino-Catalog": "lake", "X-Trino-Schema": "yard"}
    assert wire.run("SHOW TABLES", **there).rows == [["t"]]
    assert wire.run("SELECT current_timezone()", **{"X-Trino-Time-Zone": "Europe/Berlin"}).rows == [
        ["Europe/Berlin"]
    ]
    assert wire.run("SELECT current_timezone()").rows == [["UTC"]]


def test_use_and_session_properties(wire: Wire) -> None:
    use = wire.run("USE lake.information_schema")
    assert use.headers["x-trino-set-catalog"] == "lake"
    assert use.headers["x-trino-set-schema"] == "information_schema"
    assert use.pages[-1]["updateType"] == "USE" and use.pages[-1]["columns"] == []
    assert "data" not in use.pages[-1]
    assert wire.run("SET SESSION query_max_run_time = '5m'").headers["x-trino-set-session"] == (
        "query_max_run_time=5m"
    )
    kept = {"X-Trino-Session": "query_max_run_time=5m"}
    assert ["query_max_run_time", "5m"] in [row[:2] for row in wire.run("SHOW SESSION", **kept).rows]
    cleared = wire.run("RESET SESSION query_max_run_time", **kept)
    assert cleared.headers["x-trino-clear-session"] == "query_max_run_time"
    zone = wire.run("SET TIME ZONE 'Europe/Berlin'")
    assert zone.headers["x-trino-set-session"] == "time_zone_id=Europe%2FBerlin"
    berlin = {"X-Trino-Session": "time_zone_id=Europe%2FBerlin"}
    assert wire.run("SELECT current_timezone()", **berlin).rows == [["Europe/Berlin"]]


def test_prepared_statements(wire: Wire) -> None:
    prepared = wire.run("PREPARE p1 FROM SELECT CAST(? AS bigint) + 1")
    name, _, text = prepared.headers["x-trino-added-prepare"].partition("=")
    assert (name, prepared.pages[-1]["updateType"]) == ("p1", "PREPARE")
    kept = {"X-Trino-Prepared-Statement": f"p1={text}"}
    assert wire.run("EXECUTE p1 USING 41", **kept).rows == [[42]]
    assert wire.run("DEALLOCATE PREPARE p1", **kept).headers["x-trino-deallocated-prepare"] == "p1"
    assert wire.run("EXECUTE p1 USING 41").error["errorName"] == "NOT_FOUND"


def test_prepared_statements_may_be_packed(wire: Wire) -> None:
    def packed(text: bytes) -> dict[str, str]:
        value = base64.urlsafe_b64encode(zstandard.compress(text)).decode()
        return {"X-Trino-Prepared-Statement": f"p1={quote_plus('$zstd:' + value)}"}

    assert wire.run("EXECUTE p1", **packed(b"SELECT 7")).rows == [[7]]
    # A few bytes that hold a hundred megabytes.
    bomb = wire.send("POST", "/v1/statement", "EXECUTE p1", packed(b" " * (100 << 20)))
    assert bomb.status == 400 and b"query.max_sql_bytes" in bomb.data
    # Nor may many together hold more than one may.
    one = packed(b" " * 900_000)["X-Trino-Prepared-Statement"]
    many = ",".join(one.replace("p1=", f"p{n}=") for n in range(50))
    bombs = wire.send("POST", "/v1/statement", "EXECUTE p1", {"X-Trino-Prepared-Statement": many})
    assert bombs.status == 400 and b"query.max_sql_bytes" in bombs.data


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"X-Trino-Schema": "s"}, "Schema is set but catalog is not"),
        ({"X-Trino-Session": "a"}, "Invalid X-Trino-Session header"),
        ({"X-Trino-Session": "a=%FF"}, "Invalid X-Trino-Session header"),
        ({"X-Trino-Role": "system=admin"}, "Invalid X-Trino-Role header"),
        ({"X-Trino-Prepared-Statement": "p"}, "Invalid X-Trino-Prepared-Statement header"),
        ({"X-Trino-Prepared-Statement": "p=%24zstd%3Ax"}, "Invalid X-Trino-Prepared-Statement header"),
        ({"X-Trino-Transaction-Id": "x"}, "Invalid X-Trino-Transaction-Id header"),
        ({"X-Trino-Extra-Credential": "internal$a=b"}, "internal$a"),
        ({"X-Trino-Resource-Estimate": "LUCK=1"}, "Unsupported resource name LUCK"),
        ({"X-Presto-User": "ann"}, "Both Trino and Presto headers detected"),
    ],
)
def test_malformed_headers(wire: Wire, headers: dict[str, str], words: str) -> None:
    answer = wire.send("POST", "/v1/statement", "SELECT 1", headers)
    assert answer.status == 400 and words in answer.data.decode()


def test_presto_s_headers(door: Opened) -> None:
    presto = Wire(door.url)
    presto.headers = {"X-Presto-User": "old", "X-Presto-Catalog": "lake", "X-Presto-Schema": "default"}
    assert presto.run("SELECT current_user").rows == [["old"]]
    assert presto.run("USE lake.default").headers["x-presto-set-schema"] == "default"


def test_what_cannot_be_set_fails_the_statement(wire: Wire) -> None:
    unknown = wire.run("SELECT 1", **{"X-Trino-Session": "no_such=1"})
    assert unknown.error["errorName"] == "INVALID_SESSION_PROPERTY"
    assert wire.run("SELECT 1", **{"X-Trino-Time-Zone": "Mars/Base"}).error["errorName"] == "NOT_SUPPORTED"


def test_transactions(door: Opened, wire: Wire, ann: Wire) -> None:
    incapable = wire.run("START TRANSACTION").error
    assert (incapable["errorName"], incapable["errorCode"]) == ("INCOMPATIBLE_CLIENT", 27)
    for end in ("COMMIT", "ROLLBACK"):
        for outside in ({}, {"X-Trino-Transaction-Id": "NONE"}):
            assert wire.run(end, **outside).error["errorName"] == "NOT_IN_TRANSACTION"
    started = wire.run("START TRANSACTION", **{"X-Trino-Transaction-Id": "NONE"})
    id_ = started.headers["x-trino-started-transaction-id"]
    inside = {"X-Trino-Transaction-Id": id_}
    assert wire.run("SELECT 1", **inside).rows == [[1]]
    assert ann.run("SELECT 1", **inside).error["errorName"] == "UNKNOWN_TRANSACTION"
    assert wire.run("CREATE SCHEMA in_one", **inside).pages[-1]["updateType"] == "CREATE SCHEMA"
    # It has committed by itself, which must not look as if it had been taken back.
    rollback = wire.run("ROLLBACK", **inside)
    assert rollback.error["errorName"] == "NOT_SUPPORTED"
    assert rollback.headers["x-trino-clear-transaction-id"] == "true"
    assert wire.run("SELECT 1", **inside).error["errorName"] == "UNKNOWN_TRANSACTION"
    again = wire.run("START TRANSACTION", **{"X-Trino-Transaction-Id": "NONE"})
    id_ = again.headers["x-trino-started-transaction-id"]
    committed = wire.run("COMMIT", **{"X-Trino-Transaction-Id": id_})
    assert committed.headers["x-trino-clear-transaction-id"] == "true"
    assert len(door.door.app.transactions) == 0


def test_the_user_is_who_has_logged_in(door: Opened, ann: Wire) -> None:
    assert ann.run("SELECT current_user").rows == [["ann"]]
    other = ann.run("SELECT current_user", **{"X-Trino-User": "root"})
    assert other.error["errorName"] == "PERMISSION_DENIED"
    assert "cannot impersonate user root" in other.error["message"]
    nameless = Wire(door.url, Authorization=f"Bearer {KEYS['ann']}")
    del nameless.headers["X-Trino-User"]
    assert nameless.run("SELECT current_user").rows == [["ann"]]


def test_an_unproven_name_is_not_who_has_proven_it(door: Opened, ann: Wire, wire: Wire) -> None:
    assert wire.run("SELECT current_user").rows == [["ann"]]
    ann.run("SELECT 'a secret of ann''s' AS x")
    queries = wire.run("SELECT query FROM system.runtime.queries").rows
    assert not any("secret of ann" in row[0] for row in queries if "system.runtime" not in row[0])
    nobody = Wire(door.url)
    del nobody.headers["X-Trino-User"]
    assert nobody.run("SELECT current_user").rows == [["guest"]]


def test_wrong_credentials_are_refused(door: Opened) -> None:
    for header in ("Bearer wrong", "Basic YW5uOndyb25n", "Negotiate abc"):
        answer = Wire(door.url, Authorization=header).send("POST", "/v1/statement", "SELECT 1")
        assert answer.status == 401
        challenges = answer.headers.getlist("www-authenticate")
        assert any(challenge.startswith("Basic") for challenge in challenges)
        assert Wire(door.url, Authorization=header).send("HEAD", "/v1/statement").status == 401


def test_errors_have_trino_s_names_numbers_and_places(wire: Wire) -> None:
    syntax = wire.run("SELEC 1").error
    assert (syntax["errorName"], syntax["errorCode"], syntax["errorType"]) == (
        "SYNTAX_ERROR",
        1,
        "USER_ERROR",
    )
    assert syntax["errorLocation"] == {"lineNumber": 1, "columnNumber": 1}
    assert syntax["message"].startswith("line 1:1: ")
    assert syntax["failureInfo"]["errorInfo"] == {"code": 1, "name": "SYNTAX_ERROR", "type": "USER_ERROR"}
    assert syntax["failureInfo"]["stack"] == [] and syntax["failureInfo"]["suppressed"] == []
    division = wire.run("SELECT 1/0").error
    assert (division["errorName"], division["errorCode"]) == ("DIVISION_BY_ZERO", 8)
    missing = wire.run("SELECT * FROM lake.default.nothing").error
    assert (missing["errorName"], missing["errorCode"]) == ("TABLE_NOT_FOUND", 46)


def test_what_a_client_says_of_itself_is_in_the_log_and_the_history(
    door: Opened, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[object] = []
    events = door.server.coordinator.events
    emit = events.emit

    def hear(event: Event) -> None:
        heard.append(event)
        emit(event)

    monkeypatch.setattr(events, "emit", hear)
    labels = {"X-Trino-Source": "a tool", "X-Trino-Client-Info": "info", "X-Trino-Client-Tags": "a,b"}
    wire.run("SELECT 1", **{"X-Trino-Trace-Token": "trace-17", **labels})
    [request] = [event.origin.request for event in heard if isinstance(event, StatementFinished)]
    assert request.shown() == {
        "request_id": "trace-17",
        "source": "a tool",
        "client_info": "info",
        "client_tags": "a,b",
    }
    sources = wire.run("SELECT source FROM system.runtime.queries WHERE query = 'SELECT 1'").rows
    assert ["a tool"] in sources


def test_a_name_that_no_header_can_say_is_refused(wire: Wire) -> None:
    """Sent as it is, it would come back as another name, or end the answer."""
    assert "error" not in wire.run('CREATE SCHEMA lake."sch\u00f6n"').pages[-1]
    outcome = wire.run('USE lake."sch\u00f6n"')
    assert outcome.error["errorName"] == "NOT_SUPPORTED" and "headers" in outcome.error["message"]
    assert "x-trino-set-schema" not in outcome.headers
    assert wire.run("USE lake.default").headers["x-trino-set-schema"] == "default"


def test_names_that_nobody_proves_share_one_quota(tmp_path: Path) -> None:
    """Else each name that a client thinks of would have a quota of its own."""
    with opened_door(tmp_path, "[query]\nmax_concurrent_per_user = 1\nqueue_timeout_secs = 1\n") as door:
        admission = door.server.admission
        counted = []
        entered = admission.enter

        def enter(statement: Any) -> None:
            counted.append(statement.charged)
            entered(statement)

        admission.enter = enter  # type: ignore[method-assign]
        for name in ("guest", "zoe", "ann"):
            assert Wire(door.url, **{"X-Trino-User": name}).run("SELECT 1").rows == [[1]]
        assert len(counted) == 3 and len(set(counted)) == 1
