"""Tables of every kind are read alike by both lanes, or by Spark alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from tests.engine.duckdb.table_kinds import KINDS, TableKind, build
from tests.lanes.both import Lanes, open_lanes
from tests.lanes.comparing import difference_of_tables

from sqe.api.connection import Connection
from sqe.errors import NotSupported

_numbers = itertools.count(1)
# Values with which columns are compared: some that rows have, and some beside them.
_CONSTANTS = {
    "integer": ("1", "-7", "0"),
    "bigint": ("1", "20", "5000000000"),
    "double": ("1.5e0", "0e0", "nan()"),
    "real": ("REAL '0.1'", "REAL '3'"),
    "boolean": ("true",),
    "varchar": ("'x'", "'Bob'", "''", "'Zoë 😀'"),
    "varbinary": ("X'ff'", "X''"),
    "date": ("DATE '2024-02-29'", "DATE '1969-12-31'"),
    "decimal": ("1.23", "-0.01", "0"),
    "timestamp": ("TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2024-03-01 00:00:00'"),
}
# NaN and -0.0 in a column, a column of NULLs alone, and names that are no ASCII.
OF_VALUES = (
    TableKind(
        "not_a_number",
        "plain",
        (
            "CREATE TABLE {t} (id integer, x double, r real, s varchar)",
            "INSERT INTO {t} VALUES (1, nan(), CAST(nan() AS real), 'a'), (2, -0e0, REAL '-0.0', 'a')",
            "INSERT INTO {t} VALUES (3, 0e0, REAL '0', NULL), (4, infinity(), REAL '1.5', 'b')",
            "INSERT INTO {t} VALUES (5, NULL, NULL, NULL), (6, -infinity(), REAL '-1', '')",
        ),
    ),
    TableKind(
        "nothing_but_nulls",
        "plain",
        (
            "CREATE TABLE {t} (a integer, x double, s varchar, d date, dec decimal(12,2))",
            "INSERT INTO {t} VALUES (NULL, NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL, NULL)",
        ),
    ),
)


@pytest.fixture(scope="module")
def both(connect: Callable[..., Connection], tmp_path_factory: pytest.TempPathFactory) -> Lanes:
    return open_lanes(connect, tmp_path_factory.mktemp("kinds"))


def _queries(source: str, columns: list[tuple[str, str]]) -> Iterator[str]:
    yield f"SELECT * FROM {source}"
    yield f"SELECT count(*) FROM {source}"
    for name, kind in columns:
        yield f"SELECT count({name}), count(*) FROM {source} WHERE {name} IS NULL"
        if kind.startswith(("array", "map", "row")):
            continue
        yield f"SELECT {name}, count(*) FROM {source} GROUP BY {name}"
        yield f"SELECT min({name}), max({name}), count(DISTINCT {name}) FROM {source}"
        yield f"SELECT * FROM {source} ORDER BY {name}, 1"
        if kind.startswith(("decimal", "double", "bigint")):
            yield f"SELECT sum({name}), avg({name}) FROM {source} WHERE {name} < 1000"
        family = kind.partition("(")[0]
        if "zone" in kind:
            continue
        for constant in _CONSTANTS.get(family, ()):
            for word in ("=", "<>", "<", ">="):
                yield f"SELECT * FROM {source} WHERE {name} {word} {constant}"
            # Iceberg's filters on Spark fail for a NULL among constants of bytes.
            absent = "" if family == "varbinary" else ", NULL"
            yield f"SELECT count(*) FROM {source} WHERE {name} IN ({constant}{absent})"


def _answers_alike(both: Lanes, kind: TableKind, each: int) -> int:
    """How many queries the fast lane took; every `each`-th of them is asked."""
    schema = f"kinds_{next(_numbers)}"
    both.spark_connection.execute(f"CREATE SCHEMA {schema}")
    for connection in (both.fast_connection, both.spark_connection):
        connection.execute(f"USE {schema}")
    source = build(both.spark_connection, kind)
    cursor = both.spark_connection.execute(f"SELECT * FROM {source} LIMIT 0")
    assert cursor.columns is not None
    columns = [(f'"{name.replace(chr(34), chr(34) * 2)}"', str(type_)) for name, type_ in cursor.columns]
    taken = 0
    for sql in list(_queries(source, columns))[::each]:
        try:
            fast = both.fast.run(sql)
        except NotSupported:
            continue
        taken += 1
        told = difference_of_tables(fast, both.spark.run(sql), ordered=False)
        assert not told, f"{sql}: {told}"
    return taken


@pytest.mark.lanes
@pytest.mark.spark
@pytest.mark.parametrize("kind", (*KINDS, *OF_VALUES), ids=lambda kind: kind.name)
def test_all_kinds(both: Lanes, kind: TableKind) -> None:
    taken = _answers_alike(both, kind, each=1)
    assert (taken == 0) == (kind.kind == "denied")


@pytest.mark.spark
def test_some_kinds(both: Lanes) -> None:
    """What the default run has of it."""
    some = [k for k in KINDS if k.name in ("unpartitioned", "column_added", "position_deletes", "odd_names")]
    for kind in (*some, *OF_VALUES):
        assert _answers_alike(both, kind, each=9) > 0, kind.name
