"""Values at the edges of their types: each expression's type and value, or its error, on each lane.

values.json has what a Trino 476 answered. The fast lane is asked for everything that it renders, proven or
not; where it refuses, Spark would answer, and the entry says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.bisecting import bisected
from tests.lanes.outcome import EVERYTHING
from tests.parity.answers import same
from tests.parity.wire import column, type_name

from sqe.api.connection import Connection
from sqe.engine.duckdb import proven
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

GROUPS: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "values.json").read_text())
ELSEWHERE = ("NOT_SUPPORTED", "FAST_LANE_FAILED")
# Types and rows, or the code of an error.
Answer = tuple[list[str], list[list[Any]]] | str


@pytest.fixture(scope="module", params=["spark", "fast"])
def lane(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def asked(connect: Callable[..., Connection], lane: str) -> Iterator[Connection]:
    connection = connect(memory=True)
    connection.execute(f"SET SESSION lane = '{lane}'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proven, "outcome", lambda: EVERYTHING)
        yield connection


@pytest.mark.parametrize("group", GROUPS)
def test_values_are_trinos(asked: Connection, lane: str, group: str) -> None:
    entries = GROUPS[group]
    together = [e for e in entries if "value" in e and not (lane == "fast" and "fast" in e)]
    answers = list(zip(together, _together(asked, [e["sql"] for e in together]), strict=True))
    answers += [(e, _answer(asked, e["sql"])) for e in entries if e not in together]
    wrong = [f"{e['sql']}: {answer}" for e, answer in answers if not _right(e, answer, lane)]
    assert not wrong, "\n" + "\n".join(wrong)


def _right(entry: dict[str, Any], answer: Answer, lane: str) -> bool:
    if isinstance(answer, str):
        refused = answer in ELSEWHERE and lane == "fast" and entry.get("fast") == "refused"
        return refused or answer == entry.get("error")
    if "error" in entry:
        return False
    types, rows = answer
    wanted = entry.get("types", [entry.get("type")]), entry.get("rows", [[entry.get("value")]])
    return [*map(type_name, types)] == [*map(type_name, wanted[0])] and same(
        sorted(rows, key=repr), sorted(wanted[1], key=repr), tolerance=0
    )


def _together(connection: Connection, expressions: Sequence[str]) -> list[Answer]:
    def run(batch: Sequence[str]) -> list[Answer]:
        types, (row,) = _run(connection, f"SELECT {', '.join(batch)}")
        return [([kind], [[value]]) for kind, value in zip(types, row, strict=True)]

    answers = bisected(expressions, run)
    return [answer.code if isinstance(answer, SqeError) else answer for answer in answers]


def _answer(connection: Connection, sql: str) -> Answer:
    try:
        return _run(connection, sql if sql.startswith("SELECT ") else f"SELECT {sql}")
    except SqeError as error:
        return error.code


def _run(connection: Connection, sql: str) -> tuple[list[str], list[list[Any]]]:
    cursor = connection.execute(sql)
    table: pa.Table = cursor.fetch_arrow_table()
    assert cursor.columns is not None
    columns = [column(values, kind) for values, (_, kind) in zip(table.columns, cursor.columns, strict=True)]
    return [str(kind) for _, kind in cursor.columns], [list(row) for row in zip(*columns, strict=True)]
