"""Functions that choose among their arguments."""

from __future__ import annotations

from sqe.functions.function import Resolution, scalar
from sqe.types.sql_types import Type, common_type, is_comparable


def _nullif_rule(types: tuple[Type, ...]) -> Resolution | None:
    """The result is the first argument as it was; only the comparison is made in a common type."""
    common = common_type(*types) if len(types) == 2 else None
    return None if common is None or not is_comparable(common) else Resolution(types, types[0])


FUNCTIONS = (
    scalar("coalesce", "(T, ...) -> T", help="The first argument that is not NULL"),
    scalar("nullif", _nullif_rule, help="NULL where both arguments are equal, else the first"),
    scalar(
        "greatest",
        "(E:orderable, ...) -> E",
        help="The largest argument; NULL where any is NULL",
        nested_raises="a NULL inside a value that is ordered",
    ),
    scalar(
        "least",
        "(E:orderable, ...) -> E",
        help="The smallest argument; NULL where any is NULL",
        nested_raises="a NULL inside a value that is ordered",
    ),
)
