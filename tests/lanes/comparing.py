"""Two lanes, asked the same: how many expressions go into one query, and when two answers are one."""

from __future__ import annotations

import contextlib
import math
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from tests.bisecting import bisected

from sqe.api.connection import Connection
from sqe.engine.duckdb.errors import translate
from sqe.errors import SqeError

Run = Callable[[str], pa.Table]
# Aggregates of doubles add up in any order; what should cancel out leaves a little.
NEAR = 1e-9
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Failure:
    code: str
    message: str

    @property
    def refused(self) -> bool:
        """The lane does not have it; the statement would go to Spark."""
        return self.code == "NOT_SUPPORTED"

    @property
    def given_up(self) -> bool:
        """The lane found a value that it cannot compute with; Spark answers the statement again."""
        return self.code == "FAST_LANE_FAILED" and self.message.startswith("the fast lane has no ")


# The values of an expression, in the order of the rows' keys.
Answer: TypeAlias = pa.Array | Failure


@dataclass(frozen=True, slots=True)
class Query:
    """`{}` in the text is where expressions go; the first column tells the rows apart."""

    text: str

    def of(self, expressions: Sequence[str]) -> str:
        return self.text.replace("{}", ", ".join(expressions), 1)


class Lane:
    """Expressions go together, and apart where one fails."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def answers(self, query: Query, expressions: Sequence[str]) -> list[Answer]:
        def run(batch: Sequence[str]) -> list[pa.Array]:
            return _columns(self.run(query.of(batch)))

        return [
            Failure(answer.code, answer.message) if isinstance(answer, SqeError) else answer
            for answer in bisected(expressions, run)
        ]

    def answer(self, query: Query, expression: str) -> Answer:
        return self.answers(query, [expression])[0]

    def failing(self, query: str, expression: str, rows: Sequence[int]) -> dict[int, Failure]:
        """The rows on which the expression fails, each with how."""
        if not rows:
            return {}
        answer = self.answer(Query(f"{query} WHERE k IN ({', '.join(map(str, rows))})"), expression)
        if not isinstance(answer, Failure):
            return {}
        if len(rows) == 1:
            return {rows[0]: answer}
        middle = len(rows) // 2
        return {
            **self.failing(query, expression, rows[:middle]),
            **self.failing(query, expression, rows[middle:]),
        }


def _columns(table: pa.Table) -> list[pa.Array]:
    order = pc.sort_indices(table.column(0))
    return [plain(column.take(order).combine_chunks()) for column in table.columns[1:]]


def plain(array: Any) -> pa.Array:
    """Moments as numbers: Python has no year 10000."""
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    target = _plain(array.type)
    return array if target == array.type else array.cast(target)


def _plain(t: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(t) or pa.types.is_duration(t):
        return pa.int64()
    if pa.types.is_date(t):
        return pa.int32()
    if pa.types.is_list(t):
        return pa.list_(pa.field("element", _plain(t.value_type)))
    if pa.types.is_map(t):
        return pa.map_(_plain(t.key_type), _plain(t.item_type))
    if pa.types.is_struct(t):
        return pa.struct([pa.field(f.name, _plain(f.type)) for f in t])
    return t


def same(x: Answer, y: Answer, *, near: bool = False, as_sets: bool = False) -> bool:
    if isinstance(x, Failure) or isinstance(y, Failure):
        return isinstance(x, Failure) and isinstance(y, Failure) and x.code == y.code
    if x.type != y.type or len(x) != len(y):
        return False
    if not as_sets and x.equals(y) and not _has_zeros(x.type):
        return True
    return all(_same(a, b, near, as_sets) for a, b in zip(_values(x), _values(y), strict=True))


def _has_zeros(t: pa.DataType) -> bool:
    """Whether two different values may be equal: 0 and -0."""
    inner = (
        [t.field(i).type for i in range(t.num_fields)]
        if not pa.types.is_map(t)
        else [t.key_type, t.item_type]
    )
    return pa.types.is_floating(t) or any(map(_has_zeros, inner))


def _values(array: pa.Array) -> list[Any]:
    values: list[Any] = array.to_pylist()
    return [_unmapped(v, array.type) for v in values] if pa.types.is_nested(array.type) else values


def _unmapped(value: Any, t: pa.DataType) -> Any:
    """The entries of a map have no order."""
    if value is None:
        return None
    if pa.types.is_map(t):
        pairs = [(_unmapped(k, t.key_type), _unmapped(v, t.item_type)) for k, v in value]
        return sorted(pairs, key=repr)
    if pa.types.is_list(t):
        return [_unmapped(v, t.value_type) for v in value]
    if pa.types.is_struct(t):
        return [_unmapped(value[f.name], f.type) for f in t]
    return value


def _same(a: Any, b: Any, near: bool, as_sets: bool) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if near and (a == b or math.isclose(a, b, rel_tol=NEAR, abs_tol=NOTHING)):
            return True
        return struct.pack("d", a) == struct.pack("d", b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if as_sets:
            a, b = sorted(a, key=repr), sorted(b, key=repr)
        return len(a) == len(b) and all(_same(x, y, near, False) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and bool(a == b)


def difference(text: str, x: Answer, y: Answer, keys: Sequence[int] | None = None) -> str:
    """What a reader needs to see of two answers: the fast lane's first."""
    if isinstance(x, Failure) or isinstance(y, Failure):
        return f"{text}: fast {_short(x)}, Spark {_short(y)}"
    if x.type != y.type or len(x) != len(y):
        return f"{text}: fast {len(x)} {x.type}, Spark {len(y)} {y.type}"
    pairs = list(zip(_values(x), _values(y), strict=True))
    apart = [n for n, (a, b) in enumerate(pairs) if not _same(a, b, False, False)]
    shown = "; ".join(
        f"row {keys[n] if keys else n}: fast {_cut(pairs[n][0])}, Spark {_cut(pairs[n][1])}"
        for n in apart[:3]
    )
    return f"{text}: {len(apart)} of {len(pairs)} rows differ: {shown}"


def _short(answer: Answer) -> str:
    if isinstance(answer, Failure):
        return f"{answer.code} ({_cut(answer.message)})"
    return "a value"


def _cut(value: Any) -> str:
    text = re.sub(r"(.)\1{30,}", r"\1…", repr(value))
    return text if len(text) <= 120 else text[:117] + "…"


class FastLane(Lane):
    """A connection whose session is on the fast lane."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(lambda sql: connection.execute(sql).fetch_arrow_table())
        self._connection = connection
        self._engine = duckdb.connect(config={"memory_limit": "2GB"})
        self._engine.execute("SET TimeZone = 'UTC'")

    def failing(self, query: str, expression: str, rows: Sequence[int]) -> dict[int, Failure]:
        """By the rendered text here, once a row: a statement of ours each would take minutes."""
        if not rows:
            return {}
        cursor = self._connection.cursor()
        # The number only tells where in the text a row's number goes.
        with contextlib.suppress(SqeError):
            cursor.execute(Query(f"{query} WHERE k IN ({rows[0]})").of([expression])).fetch_arrow_table()
        assert cursor.statement is not None
        sql = cursor.statement.engine_sql
        place = f'"k" IN ({rows[0]})'
        if sql is None or sql.count(place) != 1 or "sqe_" in sql:
            return super().failing(query, expression, rows)
        prepared = sql.replace(place, '"k" = ?')
        failed: dict[int, Failure] = {}
        for row in rows:
            try:
                self._engine.execute(prepared, [row]).to_arrow_table()
            except duckdb.Error as error:
                told = translate(str(error))
                failed[row] = Failure(told.code, told.message)
        return failed


def difference_of_tables(x: pa.Table, y: pa.Table, *, ordered: bool) -> str:
    """Empty where two results are one: their columns, their rows, and the order if it was asked for."""
    if x.schema != y.schema:
        return f"columns {x.schema}, Spark {y.schema}"
    if x.num_rows != y.num_rows:
        return f"{x.num_rows} rows, Spark {y.num_rows}"
    left, right = _rows(x), _rows(y)
    if not ordered:
        left, right = sorted(left, key=_sortable), sorted(right, key=_sortable)
    for a, b in zip(left, right, strict=True):
        if not _same(a, b, True, False):
            return f"row {_cut(a)}, Spark {_cut(b)}"
    return ""


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    columns = [[_unsigned(v) for v in _values(plain(column))] for column in table.columns]
    return list(zip(*columns, strict=True))


def _unsigned(value: Any) -> Any:
    """To SQL both zeros are one value: of a group, a partition or a maximum either may be shown."""
    if isinstance(value, float):
        return value + 0.0
    return [_unsigned(v) for v in value] if isinstance(value, (list, tuple)) else value


def _sortable(row: tuple[Any, ...]) -> str:
    """Sums of doubles may differ in their last digits, which must not move a row."""
    return repr(tuple(f"{v:.6e}" if isinstance(v, float) else v for v in row))
