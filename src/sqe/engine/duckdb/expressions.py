"""Expressions as DuckDB's SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.duckdb.functions.casts import duck_cast
from sqe.engine.duckdb.functions.rendering import render
from sqe.engine.duckdb.literals import literal
from sqe.engine.duckdb.types import quote_name
from sqe.engine.render.expressions import FRAMELESS, ExpressionWriter, Scope
from sqe.engine.render.failures import located
from sqe.engine.render.renderings import Order
from sqe.engine.render.scope import has_subquery
from sqe.errors import NotSupported, Position
from sqe.functions.constants import FunctionCall
from sqe.functions.registry import Function
from sqe.tree.expressions import Cast, FrameBound, Lambda, Literal, WindowCall
from sqe.types.sql_types import APPROXIMATE, Row, Type, row_field_names

_TOKENS = re.compile(r"'(?:''|[^'])*'|\"(?:\"\"|[^\"])*\"|[(\[)\]]|\blambda\b|\bSELECT\b")


def _has_subquery_in_lambda(text: str) -> bool:
    """A rendering may bind a text to a name, or use it in a lambda of its own."""
    depth = 0
    inside: list[int] = []
    for token in _TOKENS.findall(text):
        if token == "lambda":
            inside.append(depth)
        elif token == "SELECT" and inside:
            return True
        elif token in "([":
            depth += 1
        elif token in ")]":
            depth -= 1
            while inside and depth < inside[-1]:
                inside.pop()
    return False


class FastExpressions(ExpressionWriter):
    def literal(self, node: Literal) -> str:
        return literal(node.value, node.type)

    def cast(self, node: Cast, text: str) -> str:
        return duck_cast(text, node.operand.type, node.type, safe=node.safe)

    def rendered(self, function: Function, call: FunctionCall, texts: Sequence[str], order: Order) -> str:
        text = render(function, call, texts, order)
        if has_subquery(call) and _has_subquery_in_lambda(text):
            raise NotSupported("DuckDB has no subquery in a lambda")
        return text

    def marked(self, position: Position | None, text: str) -> str:
        return text if position is None else located(text, position)

    def lambda_(self, node: Lambda, names: Sequence[str], body: str) -> str:
        return f"lambda {', '.join(names)}: {body}"

    def field_of(self, row: str, t: Row, index: int) -> str:
        return f"({row}).{quote_name(row_field_names(t)[index])}"

    def window_clauses(self, call: WindowCall, scope: Scope) -> list[str]:
        clauses = []
        if call.order_by:
            clauses.append("ORDER BY " + ", ".join(self.sort_key(k, scope) for k in call.order_by))
        if call.frame is not None and call.function not in FRAMELESS:
            clauses.append(self.frame(call.frame, call, scope))
        return clauses

    def sorted_by(self, t: Type, text: str) -> str:
        # DuckDB gives back the key that it sorted by, in which both zeros are one.
        return f"({text} + 0)" if t in APPROXIMATE else text

    def offset(self, bound: FrameBound, call: WindowCall, scope: Scope) -> str:
        if bound.offset is None:
            return ""
        if not isinstance(bound.offset, (Literal, Cast)):
            raise NotSupported("the bounds of a window frame must be constants", position=call.position)
        return self.text(bound.offset, scope)
