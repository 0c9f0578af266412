"""Functions that only rewrites put into a tree, in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import Rendering
from sqe.functions.unguarded import COMPARED, NARROWED
from sqe.types.sql_types import as_decimal

Texts = Sequence[str]


def _narrow(symbol: str) -> Any:
    """In the 64 bits that DuckDB gives to 18 digits; it makes a sum one digit wider than its operands."""

    def render(call: Any, texts: Texts) -> str:
        scales = (
            [as_decimal(a.type).scale for a in call.arguments] if symbol == "*" else [call.type.scale] * 2
        )
        digits = 18 if symbol == "*" else 17
        left, right = (
            f"CAST({text} AS DECIMAL({digits},{scale}))" for text, scale in zip(texts, scales, strict=True)
        )
        return f"({left} {symbol} {right})"

    return render


RENDERINGS: dict[str, Rendering] = {
    "$plus_zero": "({0} + 0)",
    "$narrow": lambda call, texts: f"CAST({texts[0]} AS DECIMAL(18,{call.type.scale}))",
    "$sum_small": lambda call, texts: f"CAST(sum({{distinct}}{texts[0]}){{over}} AS {duck_type(call.type)})",
    **{f"${name}_narrow": _narrow(symbol) for name, symbol in NARROWED.items()},
    "$div_positive": "({0} // {1})",
    "$mod_positive": "({0} % {1})",
    **{f"${name}_numbers": f"({{0}} {symbol} {{1}})" for name, symbol in COMPARED.items()},
}
