"""Expressions as Spark SQL. Each text is a primary expression: it can stand in any other one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqe.engine.spark.block import derived
from sqe.engine.spark.literals import literal
from sqe.engine.spark.names import lambda_name
from sqe.engine.spark.positions import marked
from sqe.engine.spark.types import quote_name, row_field_names
from sqe.errors import InternalError, NotSupported, Position
from sqe.functions.casts import spark_cast
from sqe.functions.registry import Function, lookup
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Dereference,
    Exists,
    Expression,
    Frame,
    FrameBound,
    InList,
    InSubquery,
    Lambda,
    LambdaRef,
    Literal,
    Ref,
    ScalarSubquery,
    SortKey,
    WindowCall,
    walk,
)
from sqe.tree.relations import Relation
from sqe.tree.types import APPROXIMATE, BOOLEAN, DATE, DAY_SECOND, Array, Map, Row, Type, is_integer

# Field id -> text.
Scope = Mapping[int, str]

_CHAINED = {"$and": "AND", "$or": "OR"}
# Functions whose place among the rows is their argument: Spark wants an order and takes no frame.
_PLACED = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})
_BOUNDS = {
    "unbounded_preceding": "UNBOUNDED PRECEDING",
    "preceding": "{} PRECEDING",
    "current_row": "CURRENT ROW",
    "following": "{} FOLLOWING",
    "unbounded_following": "UNBOUNDED FOLLOWING",
}


class ExpressionWriter:
    """`query` renders a subquery's relation, given the scope around it and whether its columns matter."""

    def __init__(self, query: Callable[[Relation, Scope, bool], str]) -> None:
        self._query = query

    def text(self, expression: Expression, scope: Scope) -> str:
        # By hand rather than by recursion: a sum of thousands of terms is as deep as it is long.
        done: dict[int, str] = {}
        stack: list[tuple[Expression, bool]] = [(expression, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in done:
                continue
            operands = _operands(node)
            if ready or not operands:
                done[id(node)] = self._compose(node, [done[id(o)] for o in operands], scope)
            else:
                stack.append((node, True))
                stack.extend((o, False) for o in operands)
        return done[id(expression)]

    def _compose(self, node: Expression, texts: list[str], scope: Scope) -> str:
        match node:
            case Literal():
                return literal(node.value, node.type)
            case Ref():
                return self._column(node, scope)
            case LambdaRef():
                return lambda_name(node)
            case Lambda():
                _refuse_bodies(node)
                # Spark takes parentheses around several parameters, and none around one.
                names = ", ".join(lambda_name(p) for p in node.parameters)
                return f"{names if len(node.parameters) == 1 else f'({names})'} -> {texts[0]}"
            case Call():
                return self._call(node, texts)
            case Cast():
                cast = spark_cast(texts[0], node.operand.type, node.type, safe=node.safe)
                return cast if node.implicit or node.safe else marked(node.position, cast)
            case Case():
                return _case(node, texts)
            case InList():
                return self._in_list(node, texts)
            case Dereference():
                row = node.operand.type
                assert isinstance(row, Row)
                # In parentheses, or Spark may read the text before the dot as the name of a table.
                return f"({texts[0]}).{quote_name(row_field_names(row)[node.index])}"
            case ScalarSubquery():
                return marked(node.position, self._subquery(node.relation, scope))
            case Exists():
                return f"EXISTS {self._subquery(node.relation, scope, columns=False)}"
            case InSubquery():
                operands = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
                return f"({operands} IN {self._subquery(node.relation, scope)})"
            case _:
                raise InternalError(f"{type(node).__name__} cannot stand in an expression")

    def _column(self, node: Ref, scope: Scope) -> str:
        text = scope.get(node.field.id)
        if text is None:
            raise InternalError(f"column {node.field.name} ({node.field.id}) is not in sight")
        return text

    def _call(self, node: Call, texts: list[str]) -> str:
        word = _CHAINED.get(node.function)
        if word is not None:
            return f"({f' {word} '.join(texts)})" if len(texts) > 1 else texts[0]
        function = _function(node.function, node.position)
        text = _restored(function.render_spark(node, _hidden(texts)))
        return marked(node.position, text) if function.leaks(a.type for a in node.arguments) else text

    def _in_list(self, node: InList, texts: list[str]) -> str:
        operand, items = texts[0], texts[1:]
        if node.operand.type in APPROXIMATE and not all(isinstance(i, Literal) for i in node.items):
            by_operator = True  # to Spark, NaN is equal to itself
        else:
            by_operator = isinstance(node.operand.type, (Array, Row, Map))
        if not by_operator:
            return f"({operand} IN ({', '.join(items)}))"
        equal = _function("$eq", None)
        tests = [
            _restored(
                equal.render_spark(Call(BOOLEAN, "$eq", (node.operand, item)), _hidden([operand, text]))
            )
            for item, text in zip(node.items, items, strict=True)
        ]
        return f"({' OR '.join(tests)})"

    def _subquery(self, relation: Relation, scope: Scope, *, columns: bool = True) -> str:
        return derived(self._query(relation, scope, columns))

    # Aggregates and windows ---------------------------------------------------------------------------

    def aggregate(self, call: AggregateCall, scope: Scope) -> str:
        function = _function(call.function, call.position)
        texts = [self.text(a, scope) for a in call.arguments]
        order = [(self.text(k.expression, scope), k) for k in call.order_by]
        hidden = list(zip(_hidden([t for t, _ in order]), (k for _, k in order), strict=True))
        template = function.render_spark(call, _hidden(texts), hidden)
        over = f" FILTER (WHERE {self.text(call.filter, scope)})" if call.filter is not None else ""
        text = _filled(template, distinct=call.distinct, over=over)
        return text if function.leakproof else marked(call.position, text)

    def window(self, call: WindowCall, scope: Scope) -> str:
        function = _function(call.function, call.position)
        if call.filter is not None:
            raise InternalError("the filter of a window function is rewritten before")
        texts = [self.text(a, scope) for a in call.arguments]
        clauses = []
        if call.partition_by:
            clauses.append("PARTITION BY " + ", ".join(self.text(e, scope) for e in call.partition_by))
        if call.order_by:
            clauses.append("ORDER BY " + ", ".join(self.sort_key(k, scope) for k in call.order_by))
        elif call.function in _PLACED:
            clauses.append("ORDER BY 0")
        if call.frame is not None and call.function not in _PLACED:
            clauses.append(self._frame(call.frame, call, scope))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        template = function.render_spark(call, _hidden(texts))
        text = _filled(template, distinct=False, over=f"{nulls} OVER ({' '.join(clauses)})")
        return text if function.leakproof else marked(call.position, text)

    def sort_key(self, key: SortKey, scope: Scope) -> str:
        return f"{self.text(key.expression, scope)} {direction(key)}"

    def _frame(self, frame: Frame, call: WindowCall, scope: Scope) -> str:
        bounds = [
            _BOUNDS[b.kind].format(self._offset(b, frame, call, scope)) for b in (frame.start, frame.end)
        ]
        return f"{frame.unit.upper()} BETWEEN {bounds[0]} AND {bounds[1]}"

    def _offset(self, bound: FrameBound, frame: Frame, call: WindowCall, scope: Scope) -> str:
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


def direction(key: SortKey) -> str:
    nulls = "FIRST" if key.nulls_first else "LAST"
    return f"{'DESC' if key.descending else 'ASC'} NULLS {nulls}"


def _refuse_bodies(node: Lambda) -> None:
    for part in walk(node.body):
        if isinstance(part, Call):
            function = lookup(part.function)
            if function is not None and function.body is not None:
                raise NotSupported(f"{part.function} cannot stand in a lambda", position=part.position)


def _operands(node: Expression) -> Sequence[Expression]:
    match node:
        case Call() if node.function in _CHAINED:
            return terms(node)
        case Call():
            return node.arguments
        case Cast() | Dereference():
            return (node.operand,)
        case Lambda():
            return (node.body,)
        case Case():
            conditions = [part for when in node.whens for part in when]
            return conditions if node.default is None else [*conditions, node.default]
        case InList():
            return (node.operand, *node.items)
        case InSubquery():
            return node.operands
        case _:
            return ()


def terms(node: Call) -> list[Expression]:
    """The terms of a AND b AND c, however they are nested."""
    found: list[Expression] = []
    stack: list[Expression] = [node]
    while stack:
        term = stack.pop()
        if isinstance(term, Call) and term.function == node.function:
            stack.extend(reversed(term.arguments))
        else:
            found.append(term)
    return found


def _case(node: Case, texts: list[str]) -> str:
    pairs = zip(texts[0 : 2 * len(node.whens) : 2], texts[1 : 2 * len(node.whens) : 2], strict=True)
    whens = " ".join(f"WHEN {condition} THEN {result}" for condition, result in pairs)
    default = "" if node.default is None else f" ELSE {texts[-1]}"
    return f"(CASE {whens}{default} END)"


def _constant(expression: Expression) -> object | None:
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    return expression.value if isinstance(expression, Literal) else None


def _function(name: str, position: Position | None) -> Function:
    function = lookup(name)
    if function is None:
        raise InternalError(f"function {name} is not in the registry", position=position)
    return function


# Users' names may contain what looks like a place in a template.


def _hidden(texts: Sequence[str]) -> list[str]:
    return [t.replace("{", "\1").replace("}", "\2") if "{" in t or "}" in t else t for t in texts]


def _restored(text: str) -> str:
    return text.replace("\1", "{").replace("\2", "}")


def _filled(template: str, *, distinct: bool, over: str) -> str:
    if "{over}" not in template:
        template += "{over}"
    text = template.replace("{distinct}", "DISTINCT " if distinct else "")
    return _restored(text.replace("{over}", over.replace("{", "\1").replace("}", "\2")))
