"""Functions of the bits of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.spark.types import spark_type
from sqe.functions.function import scalar
from sqe.functions.spark_text import constant_integer, invalid, refuse, share
from sqe.tree.types import BIGINT, INTEGER, SMALLINT, TINYINT

_PAIR = "(bigint, bigint) -> bigint"
_SHIFTS = tuple(f"({t}, integer) -> {t}" for t in ("tinyint", "smallint", "integer", "bigint"))
_WIDTHS = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}


def _shift(name: str, beyond: str) -> Any:
    def render(call: Any, texts: Sequence[str]) -> str:
        width, kind = _WIDTHS[call.type], spark_type(call.type)
        shifted = f"{name}({{0}}, {{1}})" if width >= 32 else _narrow(name, width)
        return share(
            f"(CASE WHEN {{1}} >= {width} THEN CAST({beyond} AS {kind}) WHEN {{1}} < 0"
            f" THEN " + refuse("Shift must not be negative") + f" ELSE CAST({shifted} AS {kind}) END)",
            texts,
        )

    return render


def _narrow(name: str, width: int) -> str:
    """Spark shifts what is narrower as an integer: the bits above are cut off, and the top one is a sign."""
    mask = (1 << width) - 1
    if name == "shiftright":
        return "shiftright(CAST({0} AS INT), {1})"
    if name == "shiftrightunsigned":
        bits = f"shiftright(CAST({{0}} AS INT) & {mask}, {{1}})"
    else:
        bits = f"(shiftleft(CAST({{0}} AS INT), {{1}}) & {mask})"
    return f"if({bits} > {mask >> 1}, {bits} - {mask + 1}, {bits})"


def _bit_count(call: Any, texts: Sequence[str]) -> str:
    bits = constant_integer(call, 1, "the number of bits")
    if bits is None:
        return "CAST(NULL AS BIGINT)"
    if not 2 <= bits <= 64:
        raise invalid(call, "Bits specified in bit_count must be between 2 and 64")
    if bits == 64:
        return f"CAST(bit_count({texts[0]}) AS BIGINT)"
    top = 1 << (bits - 1)
    return share(
        f"(CASE WHEN {{0}} < {-top} OR {{0}} >= {top}"
        " THEN "
        + refuse("Number must be representable with the bits")
        + f" ELSE CAST(bit_count({{0}} & {(1 << bits) - 1}) AS BIGINT) END)",
        texts,
    )


FUNCTIONS = (
    scalar("bitwise_and", _PAIR, spark="({0} & {1})", help="Bits that are set in both"),
    scalar("bitwise_or", _PAIR, spark="({0} | {1})", help="Bits that are set in either"),
    scalar("bitwise_xor", _PAIR, spark="({0} ^ {1})", help="Bits that are set in one of both"),
    scalar("bitwise_not", "(bigint) -> bigint", spark="(~ {0})", help="All bits turned"),
    scalar(
        "bitwise_left_shift",
        *_SHIFTS,
        spark=_shift("shiftleft", "if({0} IS NULL, NULL, 0)"),
        help="Shifted to the left; what leaves is lost",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift",
        *_SHIFTS,
        spark=_shift("shiftrightunsigned", "if({0} IS NULL, NULL, 0)"),
        help="Shifted to the right, filled with zeros",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift_arithmetic",
        *_SHIFTS,
        spark=_shift("shiftright", "if({0} < 0, -1, if({0} IS NULL, NULL, 0))"),
        help="Shifted to the right, filled with the sign",
        raises="a negative shift",
    ),
    scalar(
        "bit_count",
        _PAIR,
        spark=_bit_count,
        help="How many bits are set, in so many bits",
        raises="a number that has more bits than given",
    ),
)
