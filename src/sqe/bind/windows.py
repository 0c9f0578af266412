"""Window functions: named windows, and the Window relation below a select list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.expressions import own_calls
from sqe.errors import NotSupported, UserError
from sqe.tree.expressions import Expression, Ref, WindowCall, transform
from sqe.tree.relations import Relation, Window


def inline_named_windows(b: Binder, node: exp.Select) -> None:
    """WINDOW w AS (...): put the definition where `OVER w` stands."""
    definitions = node.args.get("windows") or []
    if not definitions:
        return
    named: dict[str, exp.Expr] = {}
    for definition in definitions:
        if definition.args.get("alias") is not None:
            raise NotSupported("a window cannot extend another here", position=b.position(definition))
        name = definition.this.name.lower()
        if name in named:
            raise UserError(
                f"window '{name}' is defined twice",
                code="DUPLICATE_WINDOW_NAME",
                position=b.position(definition),
            )
        named[name] = definition
    for use in node.find_all(exp.Window):
        alias = use.args.get("alias")
        if alias is None or use.find_ancestor(exp.Select) is not node or alias.name.lower() not in named:
            continue
        if any(use.args.get(k) for k in ("partition_by", "order", "spec")):
            raise NotSupported("a window cannot extend another here", position=b.position(use))
        definition = named[alias.name.lower()]
        use.set("alias", None)
        for argument in ("partition_by", "order", "spec"):
            value = definition.args.get(argument)
            copied = [v.copy() for v in value] if isinstance(value, list) else value.copy() if value else None
            use.set(argument, copied)


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
