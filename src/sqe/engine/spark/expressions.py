"""Expressions as Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.expressions import FRAMELESS, ExpressionWriter, Scope
from sqe.engine.render.positions import marked
from sqe.engine.render.renderings import Order
from sqe.engine.spark.functions.casts import spark_cast
from sqe.engine.spark.functions.rendering import render
from sqe.engine.spark.literals import literal
from sqe.engine.spark.types import quote_name
from sqe.errors import InternalError, NotSupported, Position
from sqe.functions.constants import FunctionCall
from sqe.functions.registry import Function
from sqe.tree.expressions import (
    Cast,
    Expression,
    FrameBound,
    Lambda,
    Literal,
    WindowCall,
)
from sqe.types.sql_types import DATE, DAY_SECOND, Row, Type, is_integer, row_field_names


class SparkExpressions(ExpressionWriter):
    def literal(self, node: Literal) -> str:
        return literal(node.value, node.type)

    def cast(self, node: Cast, text: str) -> str:
        return spark_cast(text, node.operand.type, node.type, safe=node.safe)

    def rendered(self, function: Function, call: FunctionCall, texts: Sequence[str], order: Order) -> str:
        return render(function, call, texts, order)

    def marked(self, position: Position | None, text: str) -> str:
        return marked(position, text)

    def lambda_(self, node: Lambda, names: Sequence[str], body: str) -> str:
        # Spark takes parentheses around several parameters, and none around one.
        return (names[0] if len(names) == 1 else f"({', '.join(names)})") + f" -> {body}"

    def field_of(self, row: str, t: Row, index: int) -> str:
        # In parentheses, or Spark may read the text before the dot as the name of a table.
        return f"({row}).{quote_name(row_field_names(t)[index])}"

    def window_clauses(self, call: WindowCall, scope: Scope) -> list[str]:
        if call.filter is not None:
            raise InternalError("the filter of a window function is rewritten before")
        clauses = []
        if call.order_by:
            clauses.append("ORDER BY " + ", ".join(self.sort_key(k, scope) for k in call.order_by))
        elif call.function in FRAMELESS:
            clauses.append("ORDER BY 0")
        if call.frame is not None and call.function not in FRAMELESS:
            clauses.append(self.frame(call.frame, call, scope))
        return clauses

    def offset(self, bound: FrameBound, call: WindowCall, scope: Scope) -> str:
        offset = bound.offset
        if offset is None:
            return ""
        value = _constant(offset)
        if value is None:
            raise NotSupported("the bounds of a window frame must be constants", position=call.position)
        if isinstance(value, int) and is_integer(offset.type):
            # Spark wants an INT for ROWS, and widens it to the key's type for RANGE.
            return str(value) if abs(value) < 1 << 31 else f"{value}L"
        key: Type | None = call.order_by[0].expression.type if call.order_by else None
        days = getattr(value, "days", None)
        if key == DATE and offset.type == DAY_SECOND and days is not None:
            return f"INTERVAL '{days}' DAY"
        return self.text(offset, scope)


def _constant(expression: Expression) -> object | None:
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    return expression.value if isinstance(expression, Literal) else None
