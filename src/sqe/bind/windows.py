"""Window functions: named windows, and the Window relation below a select list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.expressions import own_calls
from sqe.errors import UserError
from sqe.tree.expressions import Expression, Ref, WindowCall, transform
from sqe.tree.relations import Relation, Window


def inline_named_windows(b: Binder, node: exp.Select) -> None:
    """WINDOW w AS (...): put the definition where `OVER w` stands."""
    definitions = node.args.get("windows") or []
    if not definitions:
        return
    named: dict[str, exp.Expr] = {}
    for definition in definitions:
        name = definition.this.name.lower()
        if name in named:
            raise UserError(
                f"window '{name}' is defined twice",
                code="DUPLICATE_WINDOW_NAME",
                position=b.position(definition),
            )
        _extend(b, definition, named)
        named[name] = definition
    for use in node.find_all(exp.Window):
        if use.find_ancestor(exp.Select) is node:
            _extend(b, use, named)


def _extend(b: Binder, use: exp.Expr, named: dict[str, exp.Expr]) -> None:
    """OVER w, OVER (w ORDER BY …) and w2 AS (w …): what w says, and what is said here."""
    alias = use.args.get("alias")
    base = named.get(alias.name.lower()) if alias is not None else None
    if base is None:
        return
    if use.args.get("partition_by"):
        raise UserError(
            "a window that extends another cannot have PARTITION BY",
            code="INVALID_PARTITION_BY",
            position=b.position(use),
        )
    if use.args.get("order") and base.args.get("order"):
        raise UserError(
            "a window that extends another with ORDER BY cannot have one of its own",
            code="INVALID_ORDER_BY",
            position=b.position(use),
        )
    # `OVER w` takes the frame too; `OVER (w)` cannot.
    extends = any(use.args.get(k) for k in ("order", "spec"))
    if extends and base.args.get("spec"):
        raise UserError(
            "a window with a frame cannot be extended",
            code="INVALID_WINDOW_REFERENCE",
            position=b.position(use),
        )
    use.set("alias", None)
    for argument in ("partition_by", "order", "spec"):
        value = base.args.get(argument)
        if not value or use.args.get(argument):
            continue
        use.set(argument, [v.copy() for v in value] if isinstance(value, list) else value.copy())


def add_windows(
    b: Binder, relation: Relation, expressions: Sequence[Expression]
) -> tuple[Relation, Callable[[Expression], Expression]]:
    """Compute the window calls of these expressions in a relation of their own; the second result says
    an expression over it."""
    calls: list[WindowCall] = []
    for expression in expressions:
        for call in own_calls(expression, WindowCall):
            if call not in calls:
                calls.append(call)
    if not calls:
        return relation, lambda e: e
    fields = {call: b.fresh(call.function, call.type) for call in calls}

    def change(node: Any) -> Any:
        if isinstance(node, WindowCall) and node in fields:
            return Ref(node.type, fields[node])
        return node

    return Window((*relation.fields, *fields.values()), relation, tuple(calls)), lambda e: transform(
        e, change
    )
