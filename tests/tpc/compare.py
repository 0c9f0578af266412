"""Are two answers the same, up to what SQL leaves open?"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]


def difference(ours: list[Row], theirs: list[Row]) -> str | None:
    """None if they agree as bags of rows, else what differs."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, expected {len(theirs)}"
    left = sorted(ours, key=_sortable)
    right = sorted(theirs, key=_sortable)
    unmatched = [(a, b) for a, b in zip(left, right, strict=True) if not _same_row(a, b)]
    if not unmatched:
        return None
    # Values that are equal within tolerance may sort differently: look for a partner anywhere.
    rest = [b for _, b in unmatched]
    missing = []
    for a, _ in unmatched:
        partner = next((b for b in rest if _same_row(a, b)), None)
        if partner is None:
            missing.append(a)
        else:
            rest.remove(partner)
    if not missing:
        return None
    return f"{len(missing)} rows differ, e.g. {missing[0]} where {rest[0]} was expected"


def subset(ours: list[Row], everything: list[Row]) -> str | None:
    """None if each of our rows is one of theirs, for a LIMIT that cuts a tie."""
    rest = list(everything)
    for row in ours:
        partner = next((other for other in rest if _same_row(row, other)), None)
        if partner is None:
            return f"the row {row} is not in the whole answer"
        rest.remove(partner)
    return None


def _same_row(a: Row, b: Row) -> bool:
    return all(_same(x, y) for x, y in zip(a, b, strict=True))


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        exponent = a.as_tuple().exponent
        assert isinstance(exponent, int)
        return abs(a - b) <= Decimal(1).scaleb(exponent)
    return bool(a == b)


def _sortable(row: Row) -> list[tuple[int, str]]:
    return [(0, "") if v is None else (1, f"{v:.6g}" if isinstance(v, float) else str(v)) for v in row]
