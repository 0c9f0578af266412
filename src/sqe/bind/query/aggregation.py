"""GROUP BY: keys, grouping sets, and the rewriting of what stands above them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import matches, name_of
from sqe.bind.query.constant_times import refuse_constant_times
from sqe.bind.query.expressions import bind_expression, refuse_calls
from sqe.bind.query.scope import Scope
from sqe.errors import NotFound, NotSupported, SyntaxFault, TypeMismatch, UserError
from sqe.tree.expressions import AggregateCall, Call, Expression, Field, Literal, Ref, rebuild, walk
from sqe.tree.relations import Aggregate, Extend, Relation
from sqe.types import sql_types as t

MAX_GROUPING_SETS = 2048
# Above this, the message does not say how many there are.
_MAX_COUNTED = (1 << 31) - 1


@dataclass(slots=True)
class Grouping:
    """The keys of a GROUP BY; `sets` index them where GROUPING SETS, ROLLUP or CUBE were given."""

    keys: list[Expression] = field(default_factory=list)
    sets: list[tuple[int, ...]] | None = None

    def index(self, key: Expression) -> int:
        if key not in self.keys:
            self.keys.append(key)
        return self.keys.index(key)


def bind_grouping(
    b: Binder,
    node: exp.Expr | None,
    scope: Scope,
    items: Sequence[tuple[str, Expression, exp.Expr]],
) -> Grouping | None:
    if node is None:
        return None
    # `all` is True for GROUP BY ALL, False for GROUP BY DISTINCT, and absent where neither is written.
    check_arguments(node, {"expressions", "grouping_sets", "rollup", "cube", "all"}, b.text)
    grouping = Grouping()
    elements: list[list[tuple[int, ...]]] = []
    special = False
    nodes = list(node.expressions)
    for name in ("grouping_sets", "rollup", "cube"):
        nodes.extend(node.args.get(name) or ())
    if not nodes:
        raise SyntaxFault(
            "GROUP BY needs something to group by",
            position=b.position(node),
            hint="GROUP BY AUTO takes all that is no aggregate",
        )
    total = math.prod(_size(element) for element in nodes)
    if total > MAX_GROUPING_SETS:
        count = str(total) if total <= _MAX_COUNTED else f"more than {_MAX_COUNTED}"
        raise UserError(
            f"GROUP BY has {count} grouping sets but can contain at most {MAX_GROUPING_SETS}",
            code="TOO_MANY_GROUPING_SETS",
            position=b.position(nodes[0]) or b.position(node),
        )
    for element in nodes:
        if isinstance(element, (exp.GroupingSets, exp.Rollup, exp.Cube)):
            special = True
        elements.append(_element(b, element, scope, items, grouping))
    if special or any(len(e) != 1 for e in elements):
        grouping.sets = [
            tuple(dict.fromkeys(itertools.chain.from_iterable(combination)))
            for combination in itertools.product(*elements)
        ]
        if node.args.get("all") is False:
            grouping.sets = list({frozenset(indexes): indexes for indexes in grouping.sets}.values())
    return grouping


def _size(node: exp.Expr) -> int:
    """How many grouping sets an element stands for, without making them."""
    match node:
        case exp.GroupingSets():
            return sum(_size(e) for e in node.expressions)
        case exp.Rollup():
            return len(node.expressions) + 1
        case exp.Cube():
            return 1 << len(node.expressions)
        case _:
            return 1


def _element(
    b: Binder, node: exp.Expr, scope: Scope, items: Any, grouping: Grouping
) -> list[tuple[int, ...]]:
    """The grouping sets that one element of GROUP BY stands for."""
    if isinstance(node, exp.GroupingSets):
        check_arguments(node, {"expressions"}, b.text)
        return [s for e in node.expressions for s in _element(b, e, scope, items, grouping)]
    if isinstance(node, (exp.Rollup, exp.Cube)):
        check_arguments(node, {"expressions"}, b.text)
        if not node.expressions:
            word = type(node).__name__.upper()
            raise NotSupported(
                f"GROUP BY ... WITH {word} is written GROUP BY {word} (...)", position=b.position(node)
            )
        columns = [_columns(b, e, scope, items, grouping) for e in node.expressions]
        if isinstance(node, exp.Rollup):
            subsets = [columns[:n] for n in range(len(columns), -1, -1)]
        else:
            columns = list({frozenset(part): part for part in columns}.values())
            subsets = [
                [p for p, keep in zip(columns, mask, strict=True) if keep]
                for mask in itertools.product((True, False), repeat=len(columns))
            ]
        return [tuple(itertools.chain.from_iterable(c)) for c in subsets]
    if _is_auto(node, scope):
        plain = [(e, n) for _, e, n in items if not isinstance(e, AggregateCall)]
        for expression, syntax in plain:
            refuse_calls(b, expression, syntax, "GROUP BY")
        return [tuple(dict.fromkeys(grouping.index(expression) for expression, _ in plain))]
    return [_columns(b, node, scope, items, grouping)]


def _is_auto(node: exp.Expr, scope: Scope) -> bool:
    """GROUP BY AUTO, where no column has that name."""
    if not (isinstance(node, exp.Column) and len(node.parts) == 1):
        return False
    name = name_of(node.this)
    names = (v.name.lower() for around in scope.chain() for v in around.columns)
    return not name.quoted and name.folded == "auto" and "auto" not in names


def _columns(b: Binder, node: exp.Expr, scope: Scope, items: Any, grouping: Grouping) -> tuple[int, ...]:
    if isinstance(node, exp.Tuple):
        return tuple(i for e in node.expressions for i in _columns(b, e, scope, items, grouping))
    if isinstance(node, exp.Paren):
        return _columns(b, node.this, scope, items, grouping)
    return (grouping.index(_key(b, node, scope, items)),)


def _key(b: Binder, node: exp.Expr, scope: Scope, items: Any) -> Expression:
    position = b.position(node)
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        index = int(node.this)
        if not 1 <= index <= len(items):
            raise UserError(
                f"GROUP BY position {index} is not in the select list",
                code="INVALID_COLUMN_REFERENCE",
                position=position,
            )
        key = items[index - 1][1]
    else:
        try:
            key = bind_expression(b, node, scope)
        except NotFound:
            # The name of a select item, as DuckDB and Spark allow.
            if not (isinstance(node, exp.Column) and len(node.parts) == 1):
                raise
            candidates = matches(name_of(node.this).folded, [(n, e) for n, e, _ in items])
            if len(candidates) != 1:
                raise
            key = candidates[0]
    refuse_calls(b, key, node, "GROUP BY")
    refuse_constant_times(key.type, "GROUP BY", position)
    if not t.is_comparable(key.type):
        raise TypeMismatch(f"GROUP BY cannot compare {key.type}", position=position)
    assert isinstance(key, Expression)
    return key


@dataclass(slots=True)
class Grouped:
    """An Aggregate, and how expressions over its input are rewritten over its output."""

    b: Binder
    relation: Relation
    inputs: frozenset[int]
    replacements: dict[Expression, Expression]

    def replace(self, expression: Expression, node: exp.Expr) -> Expression:
        """`node` is where the expression was written, for the error."""
        try:
            result = self._replace(expression)
        except UserError as error:
            error.position = error.position or self.b.position(node)
            raise
        assert isinstance(result, Expression)
        return result

    def _replace(self, node: Any) -> Any:
        if isinstance(node, Relation):
            return rebuild(node, self._replace_below)
        if isinstance(node, Expression):
            replacement = self._replace_here(node)
            if replacement is not None:
                return replacement
        return rebuild(node, self._replace)

    def _replace_here(self, node: Expression) -> Expression | None:
        replacement = self.replacements.get(node)
        if replacement is None and isinstance(node, Ref) and node.field.id in self.inputs:
            raise UserError(
                f"'{node.field.name}' must be an aggregate or appear in GROUP BY",
                code="EXPRESSION_NOT_AGGREGATE",
            )
        return replacement

    def _replace_below(self, node: Any) -> Any:
        """In a subquery, whose own count(*) looks like this query's."""
        if isinstance(node, AggregateCall):
            return rebuild(node, self._replace_below)
        if isinstance(node, Expression):
            replacement = self._replace_here(node)
            if replacement is not None:
                return replacement
        return rebuild(node, self._replace_below)


def group(b: Binder, relation: Relation, grouping: Grouping, above: Sequence[Expression]) -> Grouped:
    """Aggregate `relation` by `grouping`, computing the aggregates and grouping() calls found `above`."""
    inputs = frozenset(f.id for f in relation.fields)
    keys: list[Field] = []
    computed: list[tuple[Field, Expression]] = []
    for key in grouping.keys:
        if isinstance(key, Ref) and key.field.id in inputs:
            keys.append(key.field)
        else:
            new = b.fresh("_key", key.type)
            keys.append(new)
            computed.append((new, key))
    if computed:
        relation = Extend(
            (*relation.fields, *(f for f, _ in computed)), relation, tuple(e for _, e in computed)
        )
    calls: list[AggregateCall] = []
    groupings: list[Call] = []
    for expression in above:
        for node in walk(expression):
            if isinstance(node, AggregateCall) and node not in calls and _belongs(node, above):
                calls.append(node)
            elif isinstance(node, Call) and node.function == "grouping" and node not in groupings:
                groupings.append(node)
    for call in calls:
        _refuse_outer(call, inputs)
    key_fields = [b.fresh(f.name, f.type) for f in keys]
    call_fields = [b.fresh(c.function, c.type) for c in calls]
    sets = grouping.sets
    grouping_indexes = tuple(
        tuple(_grouping_index(grouping, a, node) for a in node.arguments) for node in groupings
    )
    grouping_fields = [b.fresh("grouping", node.type) for node in groupings] if sets is not None else []
    aggregate = Aggregate(
        (*key_fields, *call_fields, *grouping_fields),
        relation,
        tuple(keys),
        tuple(calls),
        tuple(sets) if sets is not None else None,
        grouping_indexes if sets is not None else (),
    )
    replacements: dict[Expression, Expression] = {}
    for key, new_field in zip(grouping.keys, key_fields, strict=True):
        replacements[key] = Ref(new_field.type, new_field)
    for node, new_field in zip(calls, call_fields, strict=True):
        replacements[node] = Ref(new_field.type, new_field)
    for i, node in enumerate(groupings):
        if sets is not None:
            replacements[node] = Ref(grouping_fields[i].type, grouping_fields[i])
        else:
            replacements[node] = Literal(node.type, 0)
    return Grouped(b, aggregate, inputs, replacements)


def _belongs(call: AggregateCall, above: Sequence[Expression]) -> bool:
    """Whether an aggregate is of this query rather than of a subquery inside an expression: those sit in
    an Aggregate relation, whose own calls are never loose in an expression."""
    from sqe.bind.query.expressions import own_calls

    return any(call == own for e in above for own in own_calls(e, AggregateCall))


def _refuse_outer(call: AggregateCall, inputs: frozenset[int]) -> None:
    """An aggregate over columns of an enclosing query alone: engines disagree on whose aggregate it is."""
    columns = [
        node.field.id for argument in call.arguments for node in walk(argument) if isinstance(node, Ref)
    ]
    if columns and inputs.isdisjoint(columns):
        raise NotSupported(
            f"{call.function} of an enclosing query's columns is not supported", position=call.position
        )


def _grouping_index(grouping: Grouping, argument: Expression, node: Call) -> int:
    if argument not in grouping.keys:
        raise UserError(
            "the arguments of grouping() must be GROUP BY expressions",
            code="INVALID_ARGUMENTS",
            position=node.position,
        )
    return grouping.keys.index(argument)
