"""What real clients have sent to a Trino 476, sent again: each is answered in the same shape.

`recorded_exchanges.json` has a line for each statement, in the order in which they were sent: its headers,
what the answers' headers told, the keys of the pages, the columns, and how it ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.trino.trino_door import Opened, Outcome, Wire, opened_door

from sqe.doors.trino.wire_types import signature, type_name
from sqe.engine.spark.spark import Spark
from sqe.types.text import read_type

HERE = Path(__file__).parent
EXCHANGES: list[dict[str, Any]] = json.loads((HERE / "recorded_exchanges.json").read_text())
NATION = "n_nationkey bigint, n_name varchar, n_regionkey bigint, n_comment varchar"
TABLES = ("customer", "lineitem", "orders", "part", "partsupp", "region", "supplier")
# Statements that only Spark runs, or that need what they have made.
WRITES = re.compile(
    r"insert into|\bupdate |delete from|merge into|wt2|statement2 using|\"dbt1\"", re.IGNORECASE
)
# What is not as recorded, and why.
NOT_BUILT = {
    "c_timetz": "there is no time with time zone",
    "analyze iceberg": "ANALYZE is not built",
    "execute optimize": "OPTIMIZE is not built",
}
OTHERWISE = {
    "update w1 set": "Trino's memory connector cannot change rows, and our catalogs can",
    "from tpch.tiny.orders": "it was cancelled when it was recorded",
    "SHOW FUNCTIONS": "it was not read to its end",
}
# There are no such types.
WANTING = {"c_ip", "c_hll"}
_COLUMN = r"(?:^SELECT|,)\s+((?:(?!\sAS c_).)+?) AS (c_\w+)"
# Which of these a page has depends on how far its statement was when it was asked for.
IN_PASSING = {"partialCancelUri", "nextUri"}


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with served(tmp_path_factory.mktemp("recorded"), None) as opened:
        yield opened


def served(home: Path, spark: Spark | None) -> Any:
    catalogs = "".join(
        f'[catalogs.{name}.backend]\ntype = "sqlite"\nwarehouse = "{home / name}"\n'
        for name in ("iceberg", "memory", "tpch")
    )
    return opened_door(home, catalogs, spark=spark)


def prepare(wire: Wire) -> None:
    for sql in (
        "CREATE SCHEMA iceberg.tpch",
        f"CREATE TABLE iceberg.tpch.nation ({NATION})",
        *(f"CREATE TABLE iceberg.tpch.{table} (a bigint)" for table in TABLES),
        "CREATE SCHEMA tpch.tiny",
        f"CREATE TABLE tpch.tiny.nation ({NATION})",
        "CREATE TABLE tpch.tiny.orders (orderkey bigint)",
    ):
        assert "error" not in wire.run(sql).pages[-1], sql


class Replay:
    """The client's part: the ids of transactions are others each time."""

    def __init__(self, door: Opened) -> None:
        self._url = door.url
        self._transactions: dict[str, str] = {}
        self._told: list[list[str]] = []

    def differences(self, exchange: dict[str, Any]) -> Iterator[str]:
        outcome = self._send(exchange)
        last, error = outcome.pages[-1], exchange["error"]
        if (error is None) != ("error" not in last):
            yield f"error: {last.get('error', {}).get('message')} instead of {error}"
            return
        if error is not None:
            if any(last["error"][key] != error[key] for key in ("errorName", "errorCode", "errorType")):
                yield f"{last['error']['errorName']} instead of {error['errorName']}"
            if not set(error["keys"]) - {"errorLocation"} <= set(last["error"]):
                yield f"the error has {sorted(last['error'])} instead of {error['keys']}"
            return
        keys = {key for page in outcome.pages for key in page} - IN_PASSING
        expected = set(exchange["keys"]) - IN_PASSING
        # Tables are empty here, so that there may be no data.
        if keys - expected or expected - keys - {"data", "updateCount"}:
            yield f"keys {sorted(keys)} instead of {sorted(expected)}"
        columns = [_column(column) for column in exchange["columns"] or []]
        if [_column(column) for column in outcome.columns] != columns:
            yield f"columns {[c['type'] for c in outcome.columns]}"
        if last.get("updateType") != exchange["updateType"]:
            yield f"updateType {last.get('updateType')} instead of {exchange['updateType']}"
        if _names(self._told) != _names(exchange["told"]):
            yield f"headers {self._told} instead of {exchange['told']}"

    def _send(self, exchange: dict[str, Any]) -> Outcome:
        wire = Wire(self._url)
        wire.headers = dict(exchange["headers"])
        id_ = wire.headers.get("X-Trino-Transaction-Id", "")
        wire.headers["X-Trino-Transaction-Id"] = self._transactions.get(id_, id_)
        self._told, outcome = [], Outcome()
        outcome.take(wire.send("POST", "/v1/statement", exchange["sql"]))
        while "nextUri" in outcome.pages[-1]:
            answer = wire.send("GET", outcome.pages[-1]["nextUri"])
            outcome.take(answer)
            self._told += [[k, v] for k, v in answer.headers.items() if k.lower().startswith("x-trino-")]
        started = {k.lower(): v for k, v in exchange["told"]}.get("x-trino-started-transaction-id")
        if started is not None:
            self._transactions[started] = outcome.headers["x-trino-started-transaction-id"]
        return outcome


def _column(column: dict[str, Any]) -> tuple[str, str, str]:
    """Without lengths of texts, which Trino takes from the rows of an answer."""
    return (
        column["name"],
        re.sub(r"varchar\(\d+\)", "varchar", column["type"]),
        re.sub(r'("varchar".*?"value": )\d+', r"\1", json.dumps(column["typeSignature"])),
    )


def _names(told: list[list[str]]) -> list[str]:
    """Ids are others each time, and so is the layout of a statement's text."""
    free = ("transaction-id", "added-prepare")
    return sorted(
        name.lower() + (f"={value}" if not name.lower().endswith(free) else "") for name, value in told
    )


def _is(sql: str, words: dict[str, str]) -> bool:
    return any(word in sql for word in words)


def _expected(exchange: dict[str, Any]) -> bool:
    return not _is(exchange["sql"], OTHERWISE) and not _is(exchange["sql"], NOT_BUILT)


def _all_differences(door: Opened, exchanges: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    prepare(Wire(door.url))
    replay = Replay(door)
    return [
        (exchange["file"], exchange["sql"][:100], difference)
        for exchange in exchanges
        for difference in replay.differences(exchange)
        if _expected(exchange)
    ]


def test_what_needs_no_spark(replay: Opened) -> None:
    exchanges = [e for e in EXCHANGES if not WRITES.search(e["sql"])]
    assert len(exchanges) > 100
    assert _all_differences(replay, exchanges) == []


@pytest.mark.trino
def test_everything(tmp_path: Path, spark_lane: Spark) -> None:
    with served(tmp_path, spark_lane) as door:
        assert _all_differences(door, EXCHANGES) == []


def test_what_is_not_built_is_not_supported(replay: Opened) -> None:
    wire = Wire(replay.url)
    for exchange in EXCHANGES:
        if _is(exchange["sql"], NOT_BUILT):
            assert wire.run(exchange["sql"]).error["errorName"] == "NOT_SUPPORTED"


@pytest.mark.trino
@pytest.mark.parametrize("kind", ["parametric", "legacy"])
def test_types_and_values(spark_lane: Spark, tmp_path: Path, kind: str) -> None:
    """Every column of the recorded row that we have a type for."""
    recorded = json.loads((HERE / "recorded_types.json").read_text())
    expressions = {name: text for text, name in re.findall(_COLUMN, recorded["sql"], re.S)}
    columns = [column for column in recorded[kind] if column["name"] not in WANTING]
    names = [column["name"] for column in columns]
    row = ", ".join(f"{expressions[name]} AS {name}" for name in names)
    with served(tmp_path, spark_lane) as door:
        wire = Wire(door.url)
        wire.headers["X-Trino-Client-Capabilities"] = "PARAMETRIC_DATETIME" if kind == "parametric" else ""
        outcome = wire.run(f"SELECT {row}")
    assert "error" not in outcome.pages[-1], outcome.error["message"]
    [values] = outcome.rows
    for told, value, column in zip(outcome.columns, values, columns, strict=True):
        assert (told["name"], told["type"]) == (column["name"], column["type"])
        assert told["typeSignature"] == column["signature"]
        assert value == column["value"], column["name"]


@pytest.mark.parametrize("kind", ["parametric", "legacy"])
def test_types(kind: str) -> None:
    recorded = json.loads((HERE / "recorded_types.json").read_text())
    precise = kind == "parametric"
    for exact, column in zip(recorded["parametric"], recorded[kind], strict=True):
        if column["name"] not in WANTING:
            text = exact["type"]
            type_ = read_type(text.lower() if text.isupper() else text)
            assert type_name(type_, precise=precise) == column["type"]
            assert signature(type_, precise=precise) == column["signature"]
