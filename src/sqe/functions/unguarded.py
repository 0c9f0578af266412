"""Functions that only rendering puts into a tree, and no statement can name: on the fast lane in the place of
others, where statistics prove that their arguments need no guard; and what hides a value from an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.duckdb.types import duck_type
from sqe.functions.function import Function, aggregate, scalar
from sqe.types.sql_types import REAL, as_decimal

Texts = Sequence[str]
_HELP = "As its namesake, of arguments that need no guard"


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


def _hidden(name: str, fast: Any) -> Function:
    return scalar(name, "(T, T) -> T", spark=None, fast=fast, help=_HELP)


FUNCTIONS = (
    scalar(
        "$plus_zero",
        "(T) -> T",
        spark=lambda call, texts: f"({texts[0]} + {'CAST(0 AS FLOAT)' if call.type == REAL else '0D'})",
        fast="({0} + 0)",
        help="The same number; both zeros become one",
    ),
    scalar(
        "$narrow",
        "(T) -> T",
        spark=None,
        fast=lambda call, texts: f"CAST({texts[0]} AS DECIMAL(18,{call.type.scale}))",
        help=_HELP,
    ),
    *(
        _hidden(f"${name}_narrow", _narrow(symbol))
        for name, symbol in (("add", "+"), ("sub", "-"), ("mul", "*"))
    ),
    _hidden("$div_positive", "({0} // {1})"),
    _hidden("$mod_positive", "({0} % {1})"),
    *(
        _hidden(f"${name}_numbers", f"({{0}} {symbol} {{1}})")
        for name, symbol in (("eq", "="), ("ne", "<>"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
    ),
    aggregate(
        "$sum_small",
        "(bigint) -> bigint",
        spark="sum({distinct}{0}){over}",
        fast=lambda call, texts: f"CAST(sum({{distinct}}{texts[0]}){{over}} AS {duck_type(call.type)})",
        help=_HELP,
    ),
)
