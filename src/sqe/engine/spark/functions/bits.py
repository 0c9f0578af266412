"""Functions of the bits of integers in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.text import refuse, share
from sqe.engine.spark.types import spark_type
from sqe.functions.bits import WIDTHS
from sqe.functions.constants import constant_integer, invalid
from sqe.tree.expressions import Call


def _shift(name: str, beyond: str) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        width, kind = WIDTHS[call.type], spark_type(call.type)
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


def _bit_count(call: Call, texts: Sequence[str]) -> str:
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


RENDERINGS: dict[str, Rendering] = {
    "bitwise_and": "({0} & {1})",
    "bitwise_or": "({0} | {1})",
    "bitwise_xor": "({0} ^ {1})",
    "bitwise_not": "(~ {0})",
    "bitwise_left_shift": _shift("shiftleft", "if({0} IS NULL, NULL, 0)"),
    "bitwise_right_shift": _shift("shiftrightunsigned", "if({0} IS NULL, NULL, 0)"),
    "bitwise_right_shift_arithmetic": _shift("shiftright", "if({0} < 0, -1, if({0} IS NULL, NULL, 0))"),
    "bit_count": _bit_count,
}
