"""Functions that only rewrites put into a tree, in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.functions.internal import COMPARED, NARROWED
from sqe.tree.expressions import Call
from sqe.types.sql_types import as_decimal

Texts = Sequence[str]


def _narrow(symbol: str) -> Renderer:
    """In the 64 bits that DuckDB gives to 18 digits; it makes a sum one digit wider than its operands."""

    def render(call: Call, texts: Texts) -> str:
        sources = [a.type for a in call.arguments] if symbol == "*" else [call.type] * 2
        scales = [as_decimal(source).scale for source in sources]
        digits = 18 if symbol == "*" else 17
        left, right = (
            f"CAST({text} AS DECIMAL({digits},{scale}))" for text, scale in zip(texts, scales, strict=True)
        )
        return f"({left} {symbol} {right})"

    return render


RENDERINGS: dict[str, Rendering] = {
    "$plus_zero": "({0} + 0)",
    "$narrow": lambda call, texts: f"CAST({texts[0]} AS DECIMAL(18,{as_decimal(call.type).scale}))",
    "$sum_small": lambda call, texts: f"CAST(sum({{distinct}}{texts[0]}){{over}} AS {duck_type(call.type)})",
    **{f"${name}_narrow": _narrow(symbol) for name, symbol in NARROWED.items()},
    "$div_positive": "({0} // {1})",
    "$mod_positive": "({0} % {1})",
    **{f"${name}_numbers": f"({{0}} {symbol} {{1}})" for name, symbol in COMPARED.items()},
}
