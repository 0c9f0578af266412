"""Which files of a table may hold a row that a condition keeps, by the statistics of the manifests.

Each step answers for all files at once, in arrays. What is not understood keeps a file.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.data_files import Statistics, TableFiles
from sqe.catalog.iceberg.table import Column, PartitionField, Table
from sqe.engine.duckdb.buckets import bucket
from sqe.functions.constants import MISSING, constant
from sqe.tree.expressions import Call, Cast, Expression, InList, Literal, Ref
from sqe.tree.relations import Scan
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np

    # True for each file that may hold such a row; None is all of them.
    Mask = np.ndarray[Any, np.dtype[np.bool_]] | None

_MIRRORED = {"$eq": "$eq", "$ne": "$ne", "$lt": "$gt", "$le": "$ge", "$gt": "$lt", "$ge": "$le"}
_OPPOSITE = {"$eq": "$ne", "$ne": "$eq", "$lt": "$ge", "$le": "$gt", "$gt": "$le", "$ge": "$lt"}
_EPOCH = dt.datetime(1970, 1, 1)
_DAY = 86_400_000_000
_MICROSECONDS = 6
# A longer list is compared by its least and its greatest.
_MOST_ITEMS = 100


def kept_files(scan: Scan, table: Table, files: TableFiles, condition: Expression | None) -> Sequence[int]:
    """The positions of the files, in order. `condition` is over the fields of the scan."""
    everything = range(len(files))
    if condition is None or not files:
        return everything
    mask = _Files(scan, table, files).may(condition, True)
    if mask is None or mask.all():
        return everything
    return mask.nonzero()[0].tolist()


class _Files:
    def __init__(self, scan: Scan, table: Table, files: TableFiles) -> None:
        stored = table.columns if scan.as_of is None else table.columns_at(scan.as_of.snapshot_id)
        by_name = {c.name: c for c in stored}
        self._columns: Mapping[int, Column] = {
            f.id: by_name[name] for f, name in zip(scan.fields, scan.columns, strict=True) if name in by_name
        }
        self._partitions = [f for spec_id in files.spec_ids for f in table.specs.get(spec_id, ())]
        self._files = files

    def may(self, condition: Expression, outcome: bool) -> Mask:
        """The files that may hold a row for which the condition is `outcome`, and not NULL."""
        match condition:
            case Literal(value=value):
                return None if value is outcome else self._none()
            case Call(function="$not", arguments=(operand,)):
                return self.may(operand, not outcome)
            case Call(function="$and" | "$or", arguments=terms):
                masks = [self.may(term, outcome) for term in terms]
                return _all(masks) if (condition.function == "$and") == outcome else _some(masks)
            case Call(function="$is_null", arguments=(operand,)):
                return self._null(operand, outcome)
            case Call(function="$is_distinct", arguments=(left, right)):
                return self._distinct(left, right, outcome)
            case Call(function=op, arguments=(left, right)) if op in _MIRRORED:
                return _all([self._compared(op, left, right, outcome),
                             self._compared(_MIRRORED[op], right, left, outcome)])  # fmt: skip
            case Call(function="$like" | "$like_escape" | "starts_with", arguments=(operand, *rest)):
                return self._starts(condition.function, operand, rest) if outcome else None
            case InList(operand=operand, items=items):
                return self._in(operand, items) if outcome else None
            case Ref(type=t.BOOLEAN):
                return self._compared("$eq", condition, Literal(t.BOOLEAN, outcome), True)
        return None

    def _null(self, operand: Expression, outcome: bool) -> Mask:
        stored = self._statistics(operand)
        if stored is None:
            return None
        _, statistics = stored
        return (statistics.nulls != 0) | statistics.all_null if outcome else ~statistics.all_null

    def _distinct(self, left: Expression, right: Expression, outcome: bool) -> Mask:
        for column, other in ((left, right), (right, left)):
            value = constant(other)
            if value is None:
                return self._null(column, not outcome)
            if value is not MISSING and not outcome:
                return self._compared("$eq", column, other, True)
        return None

    def _in(self, operand: Expression, items: Sequence[Expression]) -> Mask:
        if len(items) <= _MOST_ITEMS:
            return _some([self._compared("$eq", operand, item, True) for item in items])
        # All constants of one type sort as their values do.
        values: list[Any] = [constant(item) for item in items]
        non_null = [v for v in values if v is not None]
        if not non_null or any(type(v) is not type(non_null[0]) or v != v or v is MISSING for v in non_null):
            return None
        kind = items[0].type
        low, high = Literal(kind, min(non_null)), Literal(kind, max(non_null))
        return _all([
            self._compared("$ge", operand, low, True), self._compared("$le", operand, high, True)
        ])  # fmt: skip

    def _starts(self, function: str, operand: Expression, rest: Sequence[Expression]) -> Mask:
        stored = self._statistics(operand)
        texts = [constant(r) for r in rest]
        if stored is None or not isinstance(stored[0].type, t.Varchar):
            return None
        pattern, escape = (*texts, None)[:2]
        if not isinstance(pattern, str) or not isinstance(escape, str | None):
            return None
        start = _encoded(pattern if function == "starts_with" else _start(pattern, escape))
        if not start:
            return None
        _, statistics = stored
        # No byte of a text is 255, so that there is a next.
        after = start[:-1] + bytes([start[-1] + 1])
        below, above = statistics.upper < _one(start), statistics.lower >= _one(after)
        outside: Mask = (
            (statistics.has_upper & below) | (statistics.has_lower & above) | statistics.all_null
        ).astype(bool)
        return None if outside is None else ~outside

    def _compared(self, op: str, column: Expression, other: Expression, outcome: bool) -> Mask:
        stored = self._statistics(column)
        value = constant(other)
        if stored is None or value is MISSING:
            return None
        if value is None:
            return self._none()
        stored_column, statistics = stored
        if not outcome:
            op = _OPPOSITE[op]
        if stored_column.type in t.APPROXIMATE:
            return self._floats(op, statistics, value, column.type, nan_counts=not outcome or op == "$ne")
        exact: bytes | Fraction | None
        if _is_text(stored_column.type):
            exact = _bytes(value, stored_column.type)
        else:
            exact = _number(value, stored_column.type, column.type)
        if exact is None:
            return None
        if isinstance(exact, bytes):
            mask = self._ordered(op, statistics, _one(exact), _one(exact))
        elif op in ("$eq", "$ne") and exact.denominator != 1:
            return self._none() if op == "$eq" else ~statistics.all_null
        else:
            # Below 2.5 is at most 2, which is below 3.
            up = op in ("$lt", "$ge")
            whole = math.ceil(exact) if up else math.floor(exact)
            mask = self._ordered(op, statistics, whole, whole)
        return mask if op != "$eq" else _all([mask, self._in_bucket(stored_column, exact)])

    def _floats(
        self, op: str, statistics: Statistics, value: object, compared: t.Type, *, nan_counts: bool
    ) -> Mask:
        """Bounds leave NaN out: it compares false with everything, and differs from it."""
        if not isinstance(value, (int, float, decimal.Decimal)):
            return None
        try:
            low = high = float(value)
            if compared == t.REAL:
                # Once or twice rounded, it is one of these.
                middle = struct.unpack("<f", struct.pack("<f", low))[0]
                low, high = _beside(middle)
        except OverflowError:
            return None
        if low != low:
            return None
        mask = self._ordered(op, statistics, low, high)
        return mask | (statistics.nans != 0) if nan_counts and mask is not None else mask

    def _ordered(self, op: str, statistics: Statistics, low: Any, high: Any) -> Mask:
        """Whether a value between the bounds may compare so with one from `low` to `high`."""
        lower, upper = statistics.lower, statistics.upper
        # A bound that is NaN says nothing, and compares false with all.
        no_lower = ~statistics.has_lower | (lower != lower)
        no_upper = ~statistics.has_upper | (upper != upper)
        match op:
            case "$eq":
                fits = (no_lower | (lower <= high)) & (no_upper | (upper >= low))
            case "$ne":
                fits = no_lower | no_upper | (lower != upper) | (lower != low) | (low != high)
            case "$lt":
                fits = no_lower | (lower < high)
            case "$le":
                fits = no_lower | (lower <= high)
            case "$gt":
                fits = no_upper | (upper > low)
            case _:
                fits = no_upper | (upper >= low)
        return fits.astype(bool) & ~statistics.all_null  # type: ignore[no-any-return]

    def _in_bucket(self, column: Column, exact: Any) -> Mask:
        masks: list[Mask] = []
        for field in self._partitions:
            if field.source_id == column.field_id and field.transform.startswith("bucket["):
                number = bucket(exact, column.type, int(field.transform[7:-1]))
                if number is not None:
                    value, has, is_null = self._files.partition_values(field, t.INTEGER)
                    masks.append(~is_null & (~has | (value == number)))
        return _all(masks)

    def _statistics(self, side: Expression) -> tuple[Column, Statistics] | None:
        """Of a column, or of one that we widened for the comparison."""
        while isinstance(side, Cast) and side.implicit and _keeps_order(side.operand.type, side.type):
            side = side.operand
        column = self._columns.get(side.field.id) if isinstance(side, Ref) else None
        if column is None or isinstance(column.type, (t.Row, t.Array, t.Map)):
            return None
        identities = tuple(f for f in self._partitions if _is_identity(f, column))
        return column, self._files.statistics(column.field_id, column.type, identities)

    def _none(self) -> Mask:
        import numpy as np

        return np.zeros(len(self._files), bool)


def _is_identity(field: PartitionField, column: Column) -> bool:
    return field.source_id == column.field_id and field.transform == "identity"


def _all(masks: Sequence[Mask]) -> Mask:
    result: Mask = None
    for mask in masks:
        result = mask if result is None else result if mask is None else result & mask
    return result


def _some(masks: Sequence[Mask]) -> Mask:
    result: Mask = None
    for mask in masks:
        if mask is None:
            return None
        result = mask if result is None else result | mask
    return result


def _keeps_order(source: t.Type, target: t.Type) -> bool:
    """Whether a value and what it is cast to are compared alike, with a constant of either type."""
    match source, target:
        case (t.Varchar(), t.Varchar()) | (t.REAL, t.DOUBLE):
            return True
        case (t.DATE | t.Timestamp(), t.Timestamp()) | (t.TimestampTz(), t.TimestampTz()):
            return True
    return t.is_exact(source) and t.is_exact(target)


def _is_text(kind: t.Type) -> bool:
    return isinstance(kind, (t.Varchar, t.Fixed)) or kind == t.VARBINARY


def _bytes(value: object, kind: t.Type) -> bytes | None:
    if isinstance(value, str) and isinstance(kind, t.Varchar):
        return _encoded(value)
    return bytes(value) if isinstance(value, (bytes, bytearray)) and kind != t.VARCHAR else None


def _encoded(text: str) -> bytes | None:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _number(value: object, kind: t.Type, compared: t.Type) -> Fraction | None:
    """A constant as the ordinals of a column count, which need not be a whole one of them."""
    from fractions import Fraction

    match kind:
        case t.BOOLEAN:
            return Fraction(int(value)) if isinstance(value, bool) else None
        case t.Decimal() | t.TINYINT | t.SMALLINT | t.INTEGER | t.BIGINT:
            if not isinstance(value, (int, decimal.Decimal)) or not t.is_exact(compared):
                return None
            return Fraction(value) * (Fraction(10) ** kind.scale if isinstance(kind, t.Decimal) else 1)
        case t.DATE:
            moment = _moment(value, zoned=False)
            return None if moment is None else Fraction(moment, _DAY)
        case t.Timestamp(precision) | t.TimestampTz(precision) if precision <= _MICROSECONDS:
            moment = _moment(value, zoned=isinstance(kind, t.TimestampTz))
            return None if moment is None else Fraction(moment)
    return None


def _moment(value: object, *, zoned: bool) -> int | None:
    """Microseconds since 1970."""
    if isinstance(value, dt.datetime):
        if (value.tzinfo is not None) != zoned:
            return None
        plain = value.astimezone(dt.UTC).replace(tzinfo=None) if zoned else value
        return (plain - _EPOCH) // dt.timedelta(microseconds=1)
    if isinstance(value, dt.date) and not zoned:
        return (value - _EPOCH.date()).days * _DAY
    return None


def _start(pattern: str, escape: str | None) -> str:
    """What every text that a pattern of LIKE matches begins with."""
    text, escaped = "", False
    for char in pattern:
        if not escaped and char == escape:
            escaped = True
            continue
        if not escaped and char in "%_":
            break
        text, escaped = text + char, False
    return text


def _one(value: bytes) -> Any:
    """An array of one object, to compare with many: of mere bytes NumPy would ignore trailing zeros."""
    import numpy as np

    one = np.empty((), object)
    one[()] = value
    return one


def _beside(value: float) -> tuple[float, float]:
    """The reals next to one, below and above."""
    import numpy as np

    middle, end = np.float32(value), np.float32(math.inf)
    return float(np.nextafter(middle, -end)), float(np.nextafter(middle, end))
