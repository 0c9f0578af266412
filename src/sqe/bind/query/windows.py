"""Window functions: named windows, and the Window relation below a select list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.query.expressions import call as scalar
from sqe.bind.query.expressions import own_calls
from sqe.errors import NotSupported, UserError
from sqe.tree.expressions import Case, Expression, Field, Literal, Ref, SortKey, WindowCall, transform
from sqe.tree.relations import Relation, Window
from sqe.types import sql_types as t


def inline_named_windows(b: Binder, node: exp.Select) -> None:
    """WINDOW w AS (...): put the definition where `OVER w` stands."""
    definitions = node.args.get("windows") or []
    if not definitions:
        return
    windows: dict[str, exp.Expr] = {}
    for definition in definitions:
        name = definition.this.name.lower()
        if name in windows:
            raise UserError(
                f"window '{name}' is defined twice",
                code="DUPLICATE_WINDOW_NAME",
                position=b.position(definition),
            )
        _extend(b, definition, windows)
        windows[name] = definition
    for use in node.find_all(exp.Window):
        if use.find_ancestor(exp.Select) is node:
            _extend(b, use, windows)


def _extend(b: Binder, use: exp.Expr, windows: dict[str, exp.Expr]) -> None:
    """OVER w, OVER (w ORDER BY …) and w2 AS (w …): the definition of w, and what is added to it."""
    alias = use.args.get("alias")
    base = windows.get(alias.name.lower()) if alias is not None else None
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
    """Compute the window calls of these expressions in a relation of their own; the second result rewrites
    an expression over it."""
    calls: list[WindowCall] = []
    for expression in expressions:
        for call in own_calls(expression, WindowCall):
            if call not in calls:
                calls.append(call)
    if not calls:
        return relation, lambda e: e
    fields: dict[WindowCall, Field] = {}

    def computed(call: WindowCall) -> Expression:
        field = fields.setdefault(call, b.fresh(call.function, call.type))
        return Ref(call.type, field)

    relation, first = _first_of_equals(b, relation, calls)
    values = {
        call: _distinct(call, first.get(call), computed) if call.distinct else computed(call)
        for call in calls
    }

    def change(node: Any) -> Any:
        return values.get(node, node) if isinstance(node, WindowCall) else node

    return Window((*relation.fields, *fields.values()), relation, tuple(fields)), lambda e: transform(
        e, change
    )


# Their DISTINCT changes nothing: duplicates do not matter to them.
_BLIND_TO_REPETITION = frozenset(
    ("min", "max", "bool_and", "bool_or", "every", "any_value", "arbitrary", "approx_distinct")
)
_ONE_BY_ONE = ("count", "array_agg")


def _first_of_equals(
    b: Binder, relation: Relation, calls: Sequence[WindowCall]
) -> tuple[Relation, dict[WindowCall, WindowCall]]:
    """No engine has DISTINCT in every window. Where a frame begins with its partition, a FILTER keeps the
    first of equal values."""
    distinct_calls = [call for call in calls if call.distinct and _begins_with_partition(call)]
    # ROWS tells rows apart that ORDER BY does not: both windows have to see them in one order.
    by_row = [c for c in distinct_calls if c.frame is not None and c.frame.unit == "rows" and c.order_by]
    row_numbers = {c: WindowCall(t.BIGINT, "row_number", (), c.partition_by, c.order_by) for c in by_row}
    relation, places = _added(b, relation, list(row_numbers.values()))
    ordered = {
        c: replace(c, order_by=(SortKey(places[row_numbers[c]]),)) if c in row_numbers else c
        for c in distinct_calls
    }
    occurrences = {
        call: WindowCall(
            t.BIGINT, "row_number", (), (*call.partition_by, *call.arguments), ordered[call].order_by
        )
        for call in distinct_calls
    }
    relation, places = _added(b, relation, list(occurrences.values()))
    one = Literal(t.BIGINT, 1)
    return relation, {
        call: replace(ordered[call], filter=scalar("$eq", (places[occurrences[call]], one)), distinct=False)
        for call in distinct_calls
    }


def _begins_with_partition(call: WindowCall) -> bool:
    if call.function in (*_BLIND_TO_REPETITION, "array_agg"):
        return False
    return call.frame is None or call.frame.start.kind == "unbounded_preceding"


def _added(
    b: Binder, relation: Relation, calls: Sequence[WindowCall]
) -> tuple[Relation, dict[WindowCall, Ref]]:
    """The relation with a column for each of these calls."""
    fields = {call: b.fresh(call.function, call.type) for call in calls}
    if not fields:
        return relation, {}
    window = Window((*relation.fields, *fields.values()), relation, tuple(fields))
    return window, {call: Ref(field.type, field) for call, field in fields.items()}


def _distinct(
    call: WindowCall, first: WindowCall | None, computed: Callable[[WindowCall], Expression]
) -> Expression:
    """A call with DISTINCT, expressed without it."""
    plain = replace(call, distinct=False)
    if call.function in _BLIND_TO_REPETITION:
        return computed(plain)
    if first is not None:
        return computed(first)
    if call.function not in _ONE_BY_ONE:
        raise NotSupported(
            f"{call.function}(DISTINCT) over a frame whose beginning moves is not supported",
            position=call.position,
        )
    kind = t.Array(call.arguments[0].type)
    values = scalar("array_distinct", (computed(replace(plain, type=kind, function="array_agg")),))
    if call.function == "array_agg":
        return values
    # NULL is an element of the array, but is not counted.
    rows = computed(replace(plain, arguments=()))
    nulls = scalar("$gt", (rows, computed(plain)))
    one, zero = Literal(t.BIGINT, 1), Literal(t.BIGINT, 0)
    counted = scalar("coalesce", (scalar("cardinality", (values,)), zero))
    return scalar("$sub", (counted, Case(t.BIGINT, ((nulls, one),), zero)))
