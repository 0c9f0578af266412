"""The ranges of the values in a query's columns, by the statistics in manifests.

A bound is never wrong, and often wider than need be. What it proves unneeded (a test for zero, for NaN, for
an overflow) is left out of the rendered SQL: see elide_guards.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Context
from decimal import Decimal as Number
from functools import partial

from sqe.foundation.record import record
from sqe.tree import expressions as e
from sqe.tree import relations as r
from sqe.tree.statements import Query
from sqe.types import sql_types as t

_EXACTLY = Context(prec=200)
_BITS: dict[t.Type, int] = {t.TINYINT: 7, t.SMALLINT: 15, t.INTEGER: 31, t.BIGINT: 63}
_MIXED = frozenset({"coalesce", "if", "nullif", "greatest", "least"})


@record
class Range:
    """From `low` to `high`, both included; of exact numbers alone. `nan`: a float may be NaN."""

    low: Number | None = None
    high: Number | None = None
    nan: bool = True

    @property
    def is_bounded(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def largest(self) -> Number | None:
        """The largest absolute value."""
        return None if self.low is None or self.high is None else max(abs(self.low), abs(self.high))


UNKNOWN = Range()


class Bounds:
    """`of_scan` gives the range of a stored column and `rows_of` the rows of a table. `small_sums` are those
    that cannot overflow, in whatever order rows come."""

    def __init__(
        self,
        query: Query,
        of_scan: Callable[[r.Scan, str, t.Type], Range],
        rows_of: Callable[[r.Scan], int | None],
    ) -> None:
        self._of_scan = of_scan
        self._rows_of = rows_of
        # Computed on demand: statistics are compared column by column.
        self._ranges: dict[int, Range] = {}
        self._makers: dict[int, Callable[[], Range]] = {}
        self._rows: dict[int, int | None] = {}
        self._cte_rows: dict[int, int | None] = {}
        self.small_sums: set[e.AggregateCall] = set()
        self._relation(query.relation)

    def rows(self, relation: r.Relation) -> int | None:
        """An upper bound of its rows; None where nothing is known."""
        return self._rows.get(id(relation))

    def of(self, node: e.Expression) -> Range:
        range_ = self._of(node)
        if not range_.is_bounded and t.is_exact(node.type):
            return of_type(node.type)
        return range_

    def _of(self, node: e.Expression) -> Range:
        match node:
            case e.Ref():
                return self._of_field(node.field)
            case e.Literal(value=int() | Number() as value) if not isinstance(value, bool):
                return Range(Number(value), Number(value), False)
            case e.Literal(value=float() as value):
                return Range(nan=value != value)
            case e.Cast(operand=operand) if t.is_exact(operand.type) and t.is_exact(node.type):
                # A cast to fewer digits rounds: half a unit more, at most one.
                inner = self.of(operand)
                return inner if _keeps_digits(operand.type, node.type) else _widened(inner, 1)
            case e.Cast(operand=operand) if t.is_exact(operand.type) and node.type in t.APPROXIMATE:
                return Range(nan=False)
            case e.Call(function="$add" | "$sub" | "$mul" | "$neg") if t.is_exact(node.type):
                return _arithmetic(node.function, [self.of(a) for a in node.arguments])
            case e.Literal(value=None):
                # It is no value, and so outside no range.
                return Range(Number(0), Number(0), False)
            case e.Call(function=name) if name in _MIXED:
                return _union(self.of(a) for a in node.arguments if a.type == node.type)
            case e.Case():
                results = [value for _, value in node.whens]
                return _union(self.of(v) for v in [*results, *([node.default] if node.default else [])])
        return UNKNOWN

    def _of_field(self, field: e.Field) -> Range:
        maker = self._makers.pop(field.id, None)
        if maker is not None:
            self._ranges[field.id] = maker()
        return self._ranges.get(field.id, UNKNOWN)

    def _of_both(self, left: e.Field, right: e.Field) -> Range:
        return _union(map(self._of_field, (left, right)))

    def _relation(self, relation: r.Relation) -> None:
        for part in e.parts(relation):
            self._below(part)
        self._rows[id(relation)] = self._count(relation)
        match relation:
            case r.Scan() if relation.metadata is None:
                for field, column in zip(relation.fields, relation.columns, strict=True):
                    self._makers[field.id] = partial(self._of_scan, relation, column, field.type)
            case r.Project() | r.Extend():
                new = relation.fields[len(relation.fields) - len(relation.expressions) :]
                for field, expression in zip(new, relation.expressions, strict=True):
                    self._makers[field.id] = partial(self.of, expression)
            case r.CteRef():
                for field, source in zip(relation.fields, relation.columns, strict=True):
                    self._makers[field.id] = partial(self._of_field, source)
            case r.SetOperation():
                for field, left, right in zip(
                    relation.fields, relation.left.fields, relation.right.fields, strict=True
                ):
                    self._makers[field.id] = partial(self._of_both, left, right)
            case r.Aggregate():
                self._aggregate(relation)

    def _below(self, node: object) -> None:
        if isinstance(node, r.Relation):
            self._relation(node)
        elif isinstance(node, r.Cte):
            self._relation(node.relation)
            self._cte_rows[node.id] = self.rows(node.relation)
        elif isinstance(node, e.Node):
            for part in e.parts(node):
                self._below(part)

    def _aggregate(self, aggregate: r.Aggregate) -> None:
        for field, key in zip(aggregate.fields, aggregate.keys, strict=False):
            self._makers[field.id] = partial(self._of_field, key)
        rows = self.rows(aggregate.input)
        for field, call in zip(aggregate.fields[len(aggregate.keys) :], aggregate.calls, strict=False):
            if call.function == "count" and rows is not None:
                self._ranges[field.id] = Range(Number(0), Number(rows), False)
            elif call.function in ("min", "max") and len(call.arguments) == 1:
                self._makers[field.id] = partial(self.of, call.arguments[0])
            elif call.function == "sum" and t.is_exact(call.type) and rows is not None:
                most, limit = self.of(call.arguments[0]).largest, of_type(call.type).high
                if most is not None and limit is not None and _EXACTLY.multiply(most, Number(rows)) <= limit:
                    self.small_sums.add(call)

    def _count(self, relation: r.Relation) -> int | None:
        match relation:
            case r.Scan() if relation.metadata is None:
                return self._rows_of(relation)
            case r.Values():
                return len(relation.rows)
            case r.CteRef():
                return self._cte_rows.get(relation.cte)
            case r.Limit(count=int(most)):
                return most
            case r.Project() | r.Extend() | r.Filter() | r.Sort() | r.Limit() | r.Window() | r.With():
                return self.rows(relation.input)
            case r.Aggregate(grouping_sets=None):
                rows = self.rows(relation.input)
                return None if rows is None else max(1, rows)
            case r.Join():
                left, right = self.rows(relation.left), self.rows(relation.right)
                # An outer join adds a row for each that has no match.
                return None if left is None or right is None else left * right + left + right
            case r.SetOperation():
                left, right = self.rows(relation.left), self.rows(relation.right)
                return None if left is None or right is None else left + right
        return None


def of_type(kind: t.Type) -> Range:
    """All values of an exact type."""
    if isinstance(kind, t.Decimal):
        most = _EXACTLY.scaleb(Number(10**kind.precision - 1), -kind.scale)
        return Range(-most, most, False)
    bits = _BITS[kind]
    return Range(Number(-(1 << bits)), Number((1 << bits) - 1), False)


def _keeps_digits(source: t.Type, target: t.Type) -> bool:
    return t.as_decimal(target).scale >= t.as_decimal(source).scale


def _widened(source: Range, by: int) -> Range:
    if source.low is None or source.high is None:
        return UNKNOWN
    return Range(_EXACTLY.subtract(source.low, Number(by)), _EXACTLY.add(source.high, Number(by)), False)


def _union(ranges: Iterable[Range]) -> Range:
    sources = list(ranges)
    lows = [x.low for x in sources if x.low is not None]
    highs = [x.high for x in sources if x.high is not None]
    nan = any(x.nan for x in sources)
    if not sources or len(lows) < len(sources) or len(highs) < len(sources):
        return Range(nan=nan or not sources)
    return Range(min(lows), max(highs), nan)


def _arithmetic(op: str, ranges: list[Range]) -> Range:
    if not all(operand.is_bounded for operand in ranges):
        return UNKNOWN
    pairs = [(operand.low, operand.high) for operand in ranges]
    (a, b) = pairs[0]
    assert a is not None and b is not None
    if op == "$neg":
        return Range(-b, -a, False)
    (c, d) = pairs[1]
    assert c is not None and d is not None
    match op:
        case "$add":
            ends = [_EXACTLY.add(a, c), _EXACTLY.add(b, d)]
        case "$sub":
            ends = [_EXACTLY.subtract(a, d), _EXACTLY.subtract(b, c)]
        case _:
            ends = [_EXACTLY.multiply(x, y) for x in (a, b) for y in (c, d)]
    return Range(min(ends), max(ends), False)
