"""Functions of the bits of integers in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import refuse, share
from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.functions.bits import WIDTHS
from sqe.functions.constants import constant_integer, invalid
from sqe.tree.expressions import Call


def _shift(template: str, beyond: str = "0") -> Renderer:
    """In 128 bits, of which {mask} are the value's; the top one of these is a sign."""

    def render(call: Call, texts: Sequence[str]) -> str:
        width, kind = WIDTHS[call.type], duck_type(call.type)
        mask = f"CAST({(1 << width) - 1} AS HUGEINT)"
        bits = template.replace("{width}", str(width)).replace("{mask}", mask)
        if "{mask}" in template:
            half = 1 << (width - 1)
            # The same distance from the middle, and the middle is 0.
            bits = f"({bits} + {half}) % {half * 2} - {half}"
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
            f" WHEN {{1}} >= {width} THEN CAST({beyond} AS {kind}) WHEN {{1}} < 0"
            " THEN " + refuse("Shift must not be negative") + f" ELSE CAST({bits} AS {kind}) END)",
            texts,
        )

    return render


_LEFT = _shift("((CAST({0} AS HUGEINT) & ({mask} >> {1})) << {1})")
_RIGHT = _shift("((CAST({0} AS HUGEINT) & {mask}) >> {1})")
_ARITHMETIC = _shift(
    "CASE WHEN {0} < 0 THEN -1 - ((-1 - CAST({0} AS BIGINT)) >> {1}) ELSE CAST({0} AS BIGINT) >> {1} END",
    "CASE WHEN {0} < 0 THEN -1 ELSE 0 END",
)


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
        texts[:1],
    )


RENDERINGS: dict[str, Rendering] = {
    "bitwise_and": "({0} & {1})",
    "bitwise_or": "({0} | {1})",
    "bitwise_xor": "xor({0}, {1})",
    "bitwise_not": "(~ {0})",
    "bitwise_left_shift": _LEFT,
    "bitwise_right_shift": _RIGHT,
    "bitwise_right_shift_arithmetic": _ARITHMETIC,
    "bit_count": _bit_count,
}
