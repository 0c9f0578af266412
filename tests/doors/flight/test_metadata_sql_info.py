"""Each value of SqlInfo is in the child of the union that the drivers take it from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from tests.doors.flight.metadata_commands import ask

import sqe
from sqe.api.connection import Connection, connect
from sqe.doors.flight import flight_sql_pb2 as sql

# What the JDBC driver casts to; 562 too, which the protocol's text calls an int32.
TEXTS = {0, 1, 2, 6, 7, 504, 513, 514, 529, 530, 531}
FLAGS = {
    *(3, 4, 5, 9, 10, 11, 500, 501, 502, 506, 515, 516, 518, 519, 520, 521, 523, 524, 527, 532, 536, 537),
    *(539, 556, 563, 565, 566, 572, 573, 574, 575, 576),
}
LONGS = {*range(541, 556), *range(557, 563)}
INTEGERS = {
    *(8, 100, 101, 503, 505, 507, 522, 525, 526, 528, 533, 534, 535, 538, 540, 564),
    *range(567, 572),
}
LISTS = set(range(508, 513))
MAPS = {517}
CHILDREN = (TEXTS, FLAGS, LONGS, INTEGERS, LISTS, MAPS)


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        yield connection


def info(connection: Connection, *numbers: int) -> dict[int, tuple[int, Any]]:
    table = ask(connection, sql.CommandGetSqlInfo(info=numbers))
    values = table["value"].combine_chunks() if table.num_rows else []
    return {
        number: (value.type_code, value.as_py())
        for number, value in zip(table["info_name"].to_pylist(), values, strict=True)
    }


def test_everything_is_told_where_drivers_look(connection: Connection) -> None:
    everything = info(connection)
    assert set(everything) == {*range(12), 100, 101, *range(500, 577)}
    for code, numbers in enumerate(CHILDREN):
        assert {n for n, (child, _) in everything.items() if child == code} == numbers


def test_those_that_are_asked_for_in_their_order(connection: Connection) -> None:
    assert list(info(connection, 513, 0, 8, 513)) == [513, 0, 8]


def test_unknown_numbers_are_left_out(connection: Connection) -> None:
    assert list(info(connection, 8, 400, 4_000_000_000)) == [8]
    assert info(connection, 12) == {}


def test_what_matters_most(connection: Connection) -> None:
    told = {number: value for number, (_, value) in info(connection).items()}
    assert (told[0], told[1], told[2]) == ("SQE", sqe.__version__, pa.__version__)
    assert (told[3], told[4], told[5], told[8]) == (False, True, False, 0)
    assert (told[504], told[513], told[531], told[532]) == ('"', "\\", "catalog", True)
    assert told[557] == connection.coordinator.config.query.max_sql_bytes
    assert "SELECT" in told[508]
    assert {"abs", "round"} <= set(told[509])
    assert {"lower", "regexp_like"} <= set(told[510])
    assert "current_user" in told[511]
    assert {"date_trunc", "now"} <= set(told[512]) and "now" not in told[511]


def test_conversions_are_those_of_cast(connection: Connection) -> None:
    [(_, value)] = info(connection, 517).values()
    conversions = dict(value)
    bigint, date, integer, varchar, timestamp, varbinary = 0, 4, 7, 19, 16, 18
    assert set(conversions) == set(range(20))
    assert {bigint, date, integer, varchar, timestamp} <= set(conversions[varchar])
    assert date not in conversions[bigint] and timestamp in conversions[date]
    assert varchar not in conversions[varbinary]


def test_names_fold_as_announced(connection: Connection) -> None:
    """503: lower case; 505: stored as written, found in any case."""
    told = info(connection, 503, 505)
    assert [value for _, value in told.values()] == [3, 1]
    connection.execute("CREATE TABLE Unquoted (a bigint)")
    connection.execute('CREATE TABLE "Quoted" (a bigint)')
    assert connection.execute("SHOW TABLES").fetchall() == [("Quoted",), ("unquoted",)]
    assert connection.execute('DESCRIBE "QUOTED"').fetchall() == [("a", "bigint", "", "")]
