"""Are two answers the same, up to what SQL leaves open?"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]

# Beyond so many rows without a partner in their place, nobody needs to know which have one elsewhere.
_SEARCHED = 2000


def difference(ours: list[Row], theirs: list[Row], *, decimal_steps: int = 0) -> str | None:
    """None if they agree as bags of rows, else what differs. Doubles agree within 1e-9; decimals exactly, or
    within so many units of their last digit."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, expected {len(theirs)}"
    missing, rest = without_partner(ours, theirs, decimal_steps=decimal_steps)
    if not missing:
        return None
    return f"{len(missing)} rows differ, e.g. {missing[0]} where {rest[0]} was expected"


def without_partner(
    ours: list[Row], theirs: list[Row], *, decimal_steps: int = 0
) -> tuple[list[Row], list[Row]]:
    """The rows of either side that the other does not have."""
    left = sorted(ours, key=_sortable)
    right = sorted(theirs, key=_sortable)
    unmatched = [
        (a, b) for a, b in zip(left, right, strict=False) if not same_row(a, b, decimal_steps=decimal_steps)
    ]
    shorter = min(len(left), len(right))
    missing = [a for a, _ in unmatched] + left[shorter:]
    rest = [b for _, b in unmatched] + right[shorter:]
    if len(missing) > _SEARCHED:
        return missing, rest
    # Values that are equal within tolerance may sort differently: look for a partner anywhere.
    alone = []
    for a in missing:
        partner = next((i for i, b in enumerate(rest) if same_row(a, b, decimal_steps=decimal_steps)), None)
        if partner is None:
            alone.append(a)
        else:
            del rest[partner]
    return alone, rest


def same_row(a: Row, b: Row, *, decimal_steps: int = 0) -> bool:
    return len(a) == len(b) and all(
        same(x, y, decimal_steps=decimal_steps) for x, y in zip(a, b, strict=True)
    )


def same(a: Any, b: Any, *, decimal_steps: int = 0) -> bool:
    match a, b:
        case (None, _) | (_, None):
            return a is b
        case float(), float():
            return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
        case Decimal(), Decimal():
            return a == b or abs(a - b) <= decimal_steps * _step(a)
        case (Decimal(), float()) | (float(), Decimal()):
            # One engine has rounded what the other left as a double.
            exact, double = (a, b) if isinstance(a, Decimal) else (b, a)
            return math.isclose(exact, double, rel_tol=1e-9, abs_tol=float(_step(exact)) * 0.501)
    return bool(a == b)


def _step(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(1).scaleb(exponent)


def _sortable(row: Row) -> list[tuple[int, str]]:
    return [(0, "") if v is None else (1, _text(v)) for v in row]


def _text(value: Any) -> str:
    """Numbers of different types, and nearly equal ones, mostly get the same text."""
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return str(int(value)) if value == int(value) else f"{value:.6g}"
    return str(value)
