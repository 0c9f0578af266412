"""Functions of the bits of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.duckdb.types import duck_type
from sqe.engine.spark.types import spark_type
from sqe.functions import duck_text
from sqe.functions.function import scalar
from sqe.functions.spark_text import constant_integer, invalid, refuse, share
from sqe.types.sql_types import BIGINT, INTEGER, SMALLINT, TINYINT

_PAIR = "(bigint, bigint) -> bigint"
_SHIFTS = tuple(f"({t}, integer) -> {t}" for t in ("tinyint", "smallint", "integer", "bigint"))
_WIDTHS = {TINYINT: 8, SMALLINT: 16, INTEGER: 32, BIGINT: 64}


def _shift(name: str, beyond: str) -> Any:
    def render(call: Any, texts: Sequence[str]) -> str:
        width, kind = _WIDTHS[call.type], spark_type(call.type)
        shifted = f"{name}({{0}}, {{1}})" if width >= 32 else _narrow(name, width)
        return share(
            f"(CASE WHEN {{1}} >= {width} THEN CAST({beyond} AS {kind}) WHEN {{1}} < 0"
            " AND {0} IS NOT NULL THEN "
            + refuse("Shift must not be negative")
            + f" ELSE CAST({shifted} AS {kind}) END)",
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


def _duck_shift(made: str, beyond: str = "0") -> Any:
    """In 128 bits, of which {mask} are the value's; the top one of these is a sign."""

    def render(call: Any, texts: Sequence[str]) -> str:
        width, kind = _WIDTHS[call.type], duck_type(call.type)
        mask = f"CAST({(1 << width) - 1} AS HUGEINT)"
        bits = made.replace("{width}", str(width)).replace("{mask}", mask)
        if "{mask}" in made:
            half = 1 << (width - 1)
            # The same distance from the middle, and the middle is 0.
            bits = f"({bits} + {half}) % {half * 2} - {half}"
        return duck_text.share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
            f" WHEN {{1}} >= {width} THEN CAST({beyond} AS {kind}) WHEN {{1}} < 0"
            " THEN " + duck_text.refuse("Shift must not be negative") + f" ELSE CAST({bits} AS {kind}) END)",
            texts,
        )

    return render


_DUCK_LEFT = _duck_shift("((CAST({0} AS HUGEINT) & ({mask} >> {1})) << {1})")
_DUCK_RIGHT = _duck_shift("((CAST({0} AS HUGEINT) & {mask}) >> {1})")
_DUCK_ARITHMETIC = _duck_shift(
    "CASE WHEN {0} < 0 THEN -1 - ((-1 - CAST({0} AS BIGINT)) >> {1}) ELSE CAST({0} AS BIGINT) >> {1} END",
    "CASE WHEN {0} < 0 THEN -1 ELSE 0 END",
)


def _duck_bit_count(call: Any, texts: Sequence[str]) -> str:
    bits = constant_integer(call, 1, "the number of bits")
    if bits is None:
        return "CAST(NULL AS BIGINT)"
    if not 2 <= bits <= 64:
        raise invalid(call, "Bits specified in bit_count must be between 2 and 64")
    if bits == 64:
        return f"CAST(bit_count({texts[0]}) AS BIGINT)"
    top = 1 << (bits - 1)
    return duck_text.share(
        f"(CASE WHEN {{0}} < {-top} OR {{0}} >= {top}"
        " THEN "
        + duck_text.refuse("Number must be representable with the bits")
        + f" ELSE CAST(bit_count({{0}} & {(1 << bits) - 1}) AS BIGINT) END)",
        texts[:1],
    )


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
    scalar("bitwise_and", _PAIR, spark="({0} & {1})", fast="({0} & {1})", help="Bits that are set in both"),
    scalar("bitwise_or", _PAIR, spark="({0} | {1})", fast="({0} | {1})", help="Bits that are set in either"),
    scalar(
        "bitwise_xor",
        _PAIR,
        spark="({0} ^ {1})",
        fast="xor({0}, {1})",
        help="Bits that are set in one of both",
    ),
    scalar("bitwise_not", "(bigint) -> bigint", spark="(~ {0})", fast="(~ {0})", help="All bits turned"),
    scalar(
        "bitwise_left_shift",
        *_SHIFTS,
        spark=_shift("shiftleft", "if({0} IS NULL, NULL, 0)"),
        fast=_DUCK_LEFT,
        help="Shifted to the left; what leaves is lost",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift",
        *_SHIFTS,
        spark=_shift("shiftrightunsigned", "if({0} IS NULL, NULL, 0)"),
        fast=_DUCK_RIGHT,
        help="Shifted to the right, filled with zeros",
        raises="a negative shift",
    ),
    scalar(
        "bitwise_right_shift_arithmetic",
        *_SHIFTS,
        spark=_shift("shiftright", "if({0} < 0, -1, if({0} IS NULL, NULL, 0))"),
        fast=_DUCK_ARITHMETIC,
        help="Shifted to the right, filled with the sign",
        raises="a negative shift",
    ),
    scalar(
        "bit_count",
        _PAIR,
        spark=_bit_count,
        fast=_duck_bit_count,
        help="How many bits are set, in so many bits",
        raises="a number that has more bits than given",
    ),
)
