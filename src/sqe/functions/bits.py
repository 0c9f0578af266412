"""Functions of the bits of integers."""

from __future__ import annotations

from sqe.functions.function import scalar
from sqe.types.sql_types import BIGINT, INTEGER, SMALLINT, TINYINT, Type

_PAIR = "(bigint, bigint) -> bigint"
_SHIFTS = tuple(f"({t}, integer) -> {t}" for t in ("tinyint", "smallint", "integer", "bigint"))
WIDTHS: dict[Type, int] = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}


FUNCTIONS = (
    scalar("bitwise_and", _PAIR, help="Bits that are set in both"),
    scalar("bitwise_or", _PAIR, help="Bits that are set in either"),
    scalar("bitwise_xor", _PAIR, help="Bits that are set in one of both"),
    scalar("bitwise_not", "(bigint) -> bigint", help="All bits turned"),
    scalar(
        "bitwise_left_shift",
        *_SHIFTS,
        help="Shifted to the left; what leaves is lost",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift",
        *_SHIFTS,
        help="Shifted to the right, filled with zeros",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift_arithmetic",
        *_SHIFTS,
        help="Shifted to the right, filled with the sign",
        raises="a negative shift",
    ),
    scalar(
        "bit_count",
        _PAIR,
        help="How many bits are set, in so many bits",
        raises="a number that has more bits than given",
    ),
)
