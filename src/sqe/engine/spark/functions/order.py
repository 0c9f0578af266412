"""The order of arrays and rows as Trino has it, in Spark SQL: element by element, field by field.

A NULL that a comparison comes to is an error, and one that it does not come to is none. NaN is the largest
number to `<`, and the worst to whatever looks for an extreme.
"""

from __future__ import annotations

from sqe.engine.spark.functions.text import refuse
from sqe.engine.spark.types import quote_name
from sqe.types.sql_types import APPROXIMATE, UUID, Array, Char, Row, Type, row_field_names

_NULL_IN_ROW = "ROW comparison not supported for fields with null elements"
_NULL_IN_ARRAY = "ARRAY comparison not supported for arrays with null elements"


def order(t: Type, left: str, right: str, *, nan_first: bool = False, depth: int = 0) -> str:
    """A number: below 0, 0 or above 0, as the left value stands to the right. Neither is NULL."""
    if isinstance(t, Array):
        return _order_of_arrays(t, left, right, nan_first, depth)
    branches = _branches(t, left, right, nan_first, depth)
    return f"CASE {' '.join(branches)} ELSE 0 END"


def _branches(t: Type, left: str, right: str, nan_first: bool, depth: int) -> list[str]:
    """WHEN … of a CASE, of what decides."""
    if isinstance(t, Row):
        branches = []
        for name, field in zip(row_field_names(t), t.fields, strict=True):
            a, b = f"({left}).{quote_name(name)}", f"({right}).{quote_name(name)}"
            branches.append(_null(a, b, _NULL_IN_ROW))
            branches += _branches(field.type, a, b, nan_first, depth)
        return branches
    if isinstance(t, Array):
        decided = _order_of_arrays(t, left, right, nan_first, depth)
        return [f"WHEN {decided} <> 0 THEN {decided}"]
    if isinstance(t, Char):
        left, right = f"rtrim(' ', {left})", f"rtrim(' ', {right})"
    if t == UUID:
        left, right = f"lower({left})", f"lower({right})"
    branches = [f"WHEN {left} < {right} THEN -1", f"WHEN {left} > {right} THEN 1"]
    if t in APPROXIMATE and nan_first:
        worse = f"WHEN isnan({left}) AND NOT isnan({right}) THEN -1"
        branches = [worse, f"WHEN isnan({right}) AND NOT isnan({left}) THEN 1", *branches]
    return branches


def _order_of_arrays(t: Array, left: str, right: str, nan_first: bool, depth: int) -> str:
    s, p, x, y = (f"{name}{depth}o_" for name in "spxy")
    branches = [
        f"WHEN {s} <> 0 THEN {s}",
        _null(f"{p}.x", f"{p}.y", _NULL_IN_ARRAY),
        *_branches(t.element, f"{p}.x", f"{p}.y", nan_first, depth + 1),
    ]
    both = f"least(size({left}), size({right}))"
    pairs = (
        f"zip_with(slice({left}, 1, {both}), slice({right}, 1, {both}),"
        f" ({x}, {y}) -> named_struct('x', {x}, 'y', {y}))"
    )
    return (
        f"aggregate({pairs}, 0, ({s}, {p}) -> CASE {' '.join(branches)} ELSE 0 END,"
        f" {s} -> if({s} <> 0, {s}, size({left}) - size({right})))"
    )


def extreme(t: Type, first: str, others: str, *, largest: bool) -> str:
    """The largest or smallest of a value and an array of others, none of which is NULL."""
    better = order(t, "c_", "b_", nan_first=largest)
    sign = ">" if largest else "<"
    return f"aggregate({others}, {first}, (b_, c_) -> CASE WHEN {better} {sign} 0 THEN c_ ELSE b_ END)"


def extreme_of(t: Type, values: str, *, largest: bool) -> str:
    """The same of an array that is not empty."""
    return extreme(t, f"{values}[0]", f"slice({values}, 2, size({values}))", largest=largest)


def sorted_array(t: Type, values: str) -> str:
    """The elements of an array in order, NULLs last."""
    nulls = "WHEN p_ IS NULL AND q_ IS NULL THEN 0 WHEN p_ IS NULL THEN 1 WHEN q_ IS NULL THEN -1"
    return f"array_sort({values}, (p_, q_) -> CASE {nulls} ELSE {order(t, 'p_', 'q_')} END)"


def _null(left: str, right: str, message: str) -> str:
    return f"WHEN {left} IS NULL OR {right} IS NULL THEN {refuse(message, code='NOT_SUPPORTED')}"
