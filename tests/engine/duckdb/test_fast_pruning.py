"""No file that holds a row of the answer is left out, and few others are read."""

from __future__ import annotations

import contextlib
import datetime as dt
import decimal
import random
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
)
from tests.stored_tables import Lake

from sqe.catalog.iceberg.data_files import FileCache, TableFiles
from sqe.catalog.iceberg.table import Table
from sqe.engine.duckdb.buckets import murmur3
from sqe.engine.duckdb.pruning import kept_files
from sqe.engine.ranges import narrowed
from sqe.tree.expressions import Call, Cast, Expression, Field, InList, Literal, Ref
from sqe.tree.relations import Scan
from sqe.types import sql_types as t

KINDS = {
    "id": LongType(), "i": IntegerType(), "r": FloatType(), "x": DoubleType(), "dec": DecimalType(12, 2),
    "big": DecimalType(38, 3), "ok": BooleanType(), "s": StringType(), "b": BinaryType(), "d": DateType(),
    "ts": TimestampType(), "tz": TimestamptzType(),
}  # fmt: skip
SCHEMA = Schema(*(NestedField(n, name, kind) for n, (name, kind) in enumerate(KINDS.items(), 1)))
TRANSFORMS = [
    "", "identity of i", "identity of s", "identity of d", "identity of dec", "identity of ok",
    "bucket[4] of id", "bucket[4] of s", "bucket[3] of dec", "bucket[3] of d", "bucket[3] of ts",
    "bucket[5] of b",
    "truncate[10] of id", "truncate[2] of s", "truncate[100] of dec",
    "year of d", "month of d", "day of d", "year of ts", "month of ts", "day of ts", "hour of ts",
    "year of tz", "hour of tz",
]  # fmt: skip
D = decimal.Decimal
DAY, STAMP = dt.date(2023, 1, 1), dt.datetime(2023, 1, 1, 0, 30)
TEXTS = ["", "a", "ab", "abc", "b", "zz", "é", "\U0001f600", "x" * 40, "x" * 40 + "y", "~", "a\0", "\0"]


def value(choose: random.Random, column: str, *, of_a_row: bool = True) -> Any:
    """Few different ones, so that conditions often hold."""
    n = choose.randint(-3, 40)
    extreme = choose.random() < 0.1
    match column:
        case "id":
            return choose.choice([2**63 - 1, -(2**63)]) if extreme else n
        case "i":
            return choose.choice([2**31 - 1, -(2**31)]) if extreme else n // 8
        case "r" | "x":
            odd = [0.0, -0.0, float("inf"), float("-inf"), 0.1, 1e30]
            if of_a_row:
                odd.append(float("nan"))
            return choose.choice(odd) if choose.random() < 0.4 else n / 4
        case "dec":
            return D("9999999999.99") if extreme else D(n) / 4
        case "big":
            return D("-99999999999999999999999999999999999.999") if extreme else D(n)
        case "ok":
            return n % 2 == 0
        case "s":
            return choose.choice(TEXTS)
        case "b":
            return choose.choice(TEXTS).encode() + choose.choice([b"", b"\0", b"\xff"])
        case "d":
            return dt.date(1583, 1, 1) if extreme else DAY + dt.timedelta(days=n * 20)
        case "ts":
            return dt.datetime(9999, 12, 31, 23, 59, 59, 999999) if extreme else STAMP + dt.timedelta(hours=n)
    return (STAMP + dt.timedelta(hours=n)).replace(tzinfo=dt.UTC)


TYPES: dict[str, t.Type] = {
    "id": t.BIGINT, "i": t.INTEGER, "r": t.REAL, "x": t.DOUBLE, "dec": t.Decimal(12, 2),
    "big": t.Decimal(38, 3), "ok": t.BOOLEAN, "s": t.VARCHAR, "b": t.VARBINARY, "d": t.DATE,
    "ts": t.Timestamp(6), "tz": t.TimestampTz(6),
}  # fmt: skip
FIELDS = {name: Field(100 + n, name, kind) for n, (name, kind) in enumerate(TYPES.items())}
SQL_TYPES = {"r": "FLOAT", "x": "DOUBLE", "dec": "DECIMAL(12,2)", "big": "DECIMAL(38,3)"}
OPS = {"$eq": "=", "$ne": "<>", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}


def scan_of(table: Table) -> Scan:
    return Scan(tuple(FIELDS.values()), table.name, tuple(FIELDS), secured=True)


class Both:
    """A condition in our tree, and in DuckDB's SQL with its constants."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.constants: list[Any] = []

    def place(self, constant: Any, kind: str | None = None) -> str:
        self.constants.append(constant)
        return "?" if kind is None else f"CAST(? AS {kind})"

    def condition(self, depth: int = 2) -> tuple[Expression, str]:
        if depth and self.choose.random() < 0.5:
            name, word = self.choose.choice([("$and", "AND"), ("$or", "OR"), ("$not", "NOT")])
            terms = [
                self.condition(depth - 1) for _ in range(1 if name == "$not" else self.choose.randint(2, 3))
            ]
            text = f"NOT {terms[0][1]}" if name == "$not" else f" {word} ".join(text for _, text in terms)
            return Call(t.BOOLEAN, name, tuple(tree for tree, _ in terms)), f"({text})"
        return self.test()

    def test(self) -> tuple[Expression, str]:
        column = self.choose.choice(list(TYPES))
        kind, ref = TYPES[column], Ref(TYPES[column], FIELDS[column])
        match self.choose.randint(0, 9):
            case 0:
                return Call(t.BOOLEAN, "$is_null", (ref,)), f"({column} IS NULL)"
            case 1:
                constants = [
                    value(self.choose, column, of_a_row=False) for _ in range(self.choose.choice([1, 3, 130]))
                ]
                items = tuple(Literal(kind, c) for c in constants)
                texts = [f"{column} = {self.place(c, SQL_TYPES.get(column))}" for c in constants]
                return InList(t.BOOLEAN, ref, items), f"({' OR '.join(texts)})"
            case 2 if column == "s":
                start = self.choose.choice(TEXTS).replace("%", "").replace("_", "")
                rest = self.choose.choice(["%", "", "_%", "%x"])
                like = Call(t.BOOLEAN, "$like", (ref, Literal(t.VARCHAR, start + rest)))
                return like, f"(s LIKE {self.place(start + rest)})"
            case 3:
                constant = self.choose.choice([None, value(self.choose, column, of_a_row=False)])
                tree = Call(t.BOOLEAN, "$is_distinct", (ref, Literal(kind, constant)))
                return tree, f"({column} IS DISTINCT FROM {self.place(constant, SQL_TYPES.get(column))})"
            case 4 if column in ("id", "dec", "d"):
                return self.widened(column)
        constant = value(self.choose, column, of_a_row=False)
        op = self.choose.choice(list(OPS))
        literal = Literal(kind, constant)
        mirrored = {"$lt": "$gt", "$le": "$ge", "$gt": "$lt", "$ge": "$le"}
        tree = Call(t.BOOLEAN, op, (ref, literal))
        if self.choose.random() < 0.3:
            tree = Call(t.BOOLEAN, mirrored.get(op, op), (literal, ref))
        text = f"{column} {OPS[op]} {self.place(constant, SQL_TYPES.get(column))}"
        # To us NaN is not greater than anything.
        nan = f" AND NOT isnan({column})" if column in ("r", "x") and op in ("$gt", "$ge") else ""
        return tree, f"({text}{nan})"

    def widened(self, column: str) -> tuple[Expression, str]:
        constant, kind, sql = {
            "id": (D(self.choose.randint(-2, 80)) / 2, t.Decimal(20, 1), "DECIMAL(20,1)"),
            "dec": (D(self.choose.randint(-9, 99)) / 8, t.Decimal(15, 3), "DECIMAL(15,3)"),
            "d": (STAMP + dt.timedelta(days=self.choose.randint(-60, 800)), t.Timestamp(6), "TIMESTAMP"),
        }[column]
        op = self.choose.choice(list(OPS))
        side = Cast(kind, Ref(TYPES[column], FIELDS[column]), implicit=True)
        tree = Call(t.BOOLEAN, op, (side, Literal(kind, constant)))
        return tree, f"(CAST({column} AS {sql}) {OPS[op]} {self.place(constant, sql)})"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    yield lake
    lake.close()


def filled(lake: Lake, partitioning: str, *, seed: int, properties: dict[str, str] | None = None) -> Table:
    name = lake.create(SCHEMA, partitioning=partitioning, properties=properties)
    choose = random.Random(seed)
    for _ in range(4):
        # In one file values lie near each other, some columns are all NULL, and others never are.
        rows: dict[str, list[Any]] = {}
        size = choose.randint(1, 4)
        for column in KINDS:
            nulls = choose.choice([0, 0, 0.3, 1])
            rows[column] = [None if choose.random() < nulls else value(choose, column) for _ in range(size)]
        lake.append(name, rows)
    return lake.table(name)


@contextlib.contextmanager
def rows_of(files: TableFiles) -> Iterator[duckdb.DuckDBPyConnection]:
    """All rows, in memory: with nothing for DuckDB to leave out."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        read = "read_parquet(?, hive_partitioning = false, filename = true)"
        connection.execute(f"CREATE TABLE everything AS FROM {read}", [files.paths()])
        yield connection


def answering(connection: duckdb.DuckDBPyConnection, condition: str, constants: list[Any]) -> set[str]:
    """The files that hold a row of the answer."""
    found = connection.execute(f"SELECT DISTINCT filename FROM everything WHERE {condition}", constants)
    return {name for (name,) in found.fetchall()}


METRICS = [(p, m) for p in TRANSFORMS for m in ("full", "none")] + [("", "truncate(2)"), ("", "counts")]


@pytest.mark.parametrize(("partitioning", "metrics"), METRICS)
def test_no_row_is_lost(lake: Lake, partitioning: str, metrics: str) -> None:
    mode = {"write.metadata.metrics.default": metrics}
    table = filled(lake, partitioning, seed=len(partitioning) + len(metrics), properties=mode)
    files = FileCache().files_of(table)
    choose = random.Random(f"{partitioning} {metrics}")
    read = present = 0
    with rows_of(files) as everything:
        for _ in range(100):
            both = Both(choose)
            tree, text = both.condition()
            kept = set(files.paths(kept_files(scan_of(table), table, files, narrowed(tree))))
            needed = answering(everything, text, both.constants)
            assert needed <= kept, (text, both.constants)
            read, present = read + len(kept), present + len(files)
    assert read < present or metrics == "none"


ROWS: dict[str, list[Any]] = {
    **{name: [None] * 25 for name in KINDS},
    "id": [*range(24), None],
    "i": [*(n % 8 for n in range(24)), None],
    "s": [*(chr(97 + n % 8) + str(n) for n in range(24)), None],
    "dec": [*(D(n % 8) for n in range(24)), None],
    "d": [*(DAY + dt.timedelta(days=45 * n) for n in range(24)), None],
    "ts": [*(STAMP + dt.timedelta(hours=1081 * n) for n in range(24)), None],
}


def over(column: str) -> Ref:
    return Ref(TYPES[column], FIELDS[column])


def compared(op: str, column: str, constant: Any) -> Expression:
    return Call(t.BOOLEAN, op, (over(column), Literal(TYPES[column], constant)))


def within(column: str, low: Any, high: Any) -> Expression:
    return Call(t.BOOLEAN, "$and", (compared("$ge", column, low), compared("$le", column, high)))


def among(column: str, *constants: Any) -> Expression:
    return InList(t.BOOLEAN, over(column), tuple(Literal(TYPES[column], c) for c in constants))


def year(column: str, number: int) -> Expression:
    return Call(t.BOOLEAN, "$eq", (Call(t.BIGINT, "year", (over(column),)), Literal(t.BIGINT, number)))


NULL = {name: Call(t.BOOLEAN, "$is_null", (over(name),)) for name in TYPES}
COUNTED: list[tuple[str, Expression, int, int]] = [
    # partitioning, condition, files kept, files present
    ("identity of i", compared("$eq", "i", 3), 1, 9),
    ("identity of i", compared("$lt", "i", 2), 2, 9),
    ("identity of i", Call(t.BOOLEAN, "$not", (compared("$lt", "i", 2),)), 6, 9),
    ("identity of i", compared("$ne", "i", 3), 7, 9),
    ("identity of i", NULL["i"], 1, 9),
    ("identity of i", Call(t.BOOLEAN, "$not", (NULL["i"],)), 8, 9),
    ("identity of s", compared("$eq", "s", "e12"), 1, 25),
    ("identity of dec", among("dec", D(1), D("2.5")), 1, 9),
    ("bucket[4] of id", compared("$eq", "id", 12), 1, 5),
    ("bucket[4] of id", among("id", 3, 3), 1, 5),
    ("bucket[4] of id", NULL["id"], 1, 5),
    ("bucket[4] of s", compared("$eq", "s", "e12"), 1, 5),
    ("bucket[4] of d", compared("$eq", "d", DAY + dt.timedelta(days=45)), 1, 5),
    ("bucket[4] of ts", compared("$eq", "ts", STAMP + dt.timedelta(hours=1081)), 1, 5),
    ("bucket[4] of dec", compared("$eq", "dec", D("3.00")), 1, 4),
    ("truncate[10] of id", compared("$lt", "id", 5), 1, 4),
    ("truncate[10] of id", within("id", 8, 11), 2, 4),
    ("truncate[1] of s", Call(t.BOOLEAN, "$like", (over("s"), Literal(t.VARCHAR, "e%"))), 1, 9),
    ("truncate[1] of s", Call(t.BOOLEAN, "starts_with", (over("s"), Literal(t.VARCHAR, "e1"))), 1, 9),
    ("year of d", year("d", 2024), 1, 4),
    ("month of d", compared("$lt", "d", dt.date(2023, 3, 1)), 2, 25),
    ("day of d", compared("$eq", "d", DAY + dt.timedelta(days=45)), 1, 25),
    ("year of ts", year("ts", 2024), 1, 4),
    ("month of ts", within("ts", dt.datetime(2023, 3, 1), dt.datetime(2023, 5, 31)), 2, 25),
    ("day of ts", compared("$eq", "ts", STAMP), 1, 25),
    ("hour of ts", compared("$gt", "ts", STAMP + dt.timedelta(hours=1081 * 21)), 2, 25),
]  # fmt: skip


@pytest.mark.parametrize(("partitioning", "condition", "kept", "present"), COUNTED)
def test_as_few_files_as_the_partitioning_tells(
    lake: Lake, counted: dict[str, Table], partitioning: str, condition: Expression, kept: int, present: int
) -> None:
    table = counted.get(partitioning)
    if table is None:
        name = lake.create(SCHEMA, partitioning=partitioning)
        lake.append(name, ROWS)
        table = counted[partitioning] = lake.table(name)
    files = FileCache().files_of(table)
    found = kept_files(scan_of(table), table, files, narrowed(condition))
    assert (len(found), len(files)) == (kept, present)


@pytest.fixture(scope="module")
def counted() -> dict[str, Table]:
    """The tables of that test, by partitioning."""
    return {}


def test_the_hash_of_buckets_is_icebergs() -> None:
    # The examples of Iceberg's specification.
    assert murmur3((34).to_bytes(8, "little")) == 2017239379
    assert murmur3(b"iceberg") == 1210000089
    assert murmur3(bytes([0, 1, 2, 3])) == 0xFFFFFFFF & -188683207
    assert murmur3((1420).to_bytes(2, "big")) == 0xFFFFFFFF & -500754589
