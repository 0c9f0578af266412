"""Expressions as an engine's SQL. Each text is a primary expression: it can stand in any other one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from sqe.engine.render.names import lambda_name
from sqe.engine.render.renderings import Order
from sqe.engine.render.templates import escape, over_rows, restore
from sqe.errors import InternalError, NotSupported, Position
from sqe.functions.casts import SKETCHES
from sqe.functions.constants import FunctionCall
from sqe.functions.json_shapes import holds_json_to_read
from sqe.functions.registry import Function, can_fail, lookup
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
    Quantified,
    Ref,
    ScalarSubquery,
    SortKey,
    WindowCall,
    terms,
    walk,
)
from sqe.tree.relations import Relation
from sqe.types.sql_types import APPROXIMATE, BOOLEAN, UNKNOWN, Array, Map, Row, Type

# Field id -> text.
Scope = Mapping[int, str]

_SYMBOLS = {"$eq": "=", "$ne": "<>", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}
_CHAINED = {"$and": "AND", "$or": "OR"}
# Functions of a row's place in its partition: they take no frame.
FRAMELESS = frozenset(
    {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"}
)


_BOUNDS = {
    "unbounded_preceding": "UNBOUNDED PRECEDING",
    "preceding": "PRECEDING",
    "current_row": "CURRENT ROW",
    "following": "FOLLOWING",
    "unbounded_following": "UNBOUNDED FOLLOWING",
}


class ExpressionWriter(ABC):
    """`query` renders a subquery's relation in parentheses, given the scope around it and whether its
    columns matter."""

    def __init__(self, query: Callable[[Relation, Scope, bool], str]) -> None:
        self._query = query

    @abstractmethod
    def literal(self, node: Literal) -> str: ...

    @abstractmethod
    def cast(self, node: Cast, text: str) -> str: ...

    @abstractmethod
    def rendered(self, function: Function, call: FunctionCall, texts: Sequence[str], order: Order) -> str:
        """The engine's template of a call, with its arguments filled in."""

    @abstractmethod
    def marked(self, position: Position | None, text: str) -> str:
        """A text that may fail when it runs, and where it stands in the user's statement."""

    @abstractmethod
    def lambda_(self, node: Lambda, names: Sequence[str], body: str) -> str: ...

    @abstractmethod
    def field_of(self, row: str, t: Row, index: int) -> str: ...

    @abstractmethod
    def window_clauses(self, call: WindowCall, scope: Scope) -> list[str]:
        """ORDER BY and the frame."""

    @abstractmethod
    def offset(self, bound: FrameBound, call: WindowCall, scope: Scope) -> str:
        """How far a bound of a frame is; empty where it has no distance."""

    def text(self, expression: Expression, scope: Scope) -> str:
        # A stack, not recursion: a sum of thousands of terms is as deep as it is long.
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
                return self.literal(node)
            case Ref():
                return self._column(node, scope)
            case LambdaRef():
                return lambda_name(node)
            case Lambda():
                _refuse_bodies(node)
                return self.lambda_(node, [lambda_name(p) for p in node.parameters], texts[0])
            case Call():
                return self._call(node, texts)
            case Cast():
                cast = restore(self.cast(node, escape(texts[0])))
                return cast if node.implicit or node.safe else self.marked(node.position, cast)
            case Case():
                return _case(node, texts)
            case InList():
                return self._in_list(node, texts)
            case Dereference():
                row = node.operand.type
                assert isinstance(row, Row)
                return self.field_of(texts[0], row, node.index)
            case ScalarSubquery():
                return self.marked(node.position, self._subquery(node.relation, scope))
            case Exists():
                return f"(EXISTS {self._subquery(node.relation, scope, columns=False)})"
            case Quantified():
                word = "ALL" if node.all else "ANY"
                return f"({texts[0]} {_SYMBOLS[node.op]} {word} {self._subquery(node.relation, scope)})"
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
        text = restore(self.rendered(function, node, list(map(escape, texts)), ()))
        return self.marked(node.position, text) if can_fail(node) else text

    def _in_list(self, node: InList, texts: list[str]) -> str:
        operand, items = texts[0], texts[1:]
        if node.operand.type in APPROXIMATE and not all(isinstance(i, Literal) for i in node.items):
            by_operator = True  # to engines, NaN is equal to itself
        else:
            by_operator = isinstance(node.operand.type, (Array, Row, Map))
        if not by_operator:
            return f"({operand} IN ({', '.join(items)}))"
        equal = _function("$eq", None)
        tests = [
            restore(
                self.rendered(
                    equal, Call(BOOLEAN, "$eq", (node.operand, item)), (escape(operand), escape(text)), ()
                )
            )
            for item, text in zip(node.items, items, strict=True)
        ]
        return f"({' OR '.join(tests)})"

    def _subquery(self, relation: Relation, scope: Scope, *, columns: bool = True) -> str:
        return self._query(relation, scope, columns)

    def aggregate(self, call: AggregateCall, scope: Scope) -> str:
        function = _function(call.function, call.position)
        texts = [escape(self.text(a, scope)) for a in call.arguments]
        order = [(escape(self.text(k.expression, scope)), k) for k in call.order_by]
        template = self.rendered(function, call, texts, order)
        text = over_rows(template, distinct=call.distinct, filter=self._filter(call, scope))
        return self.marked(call.position, text) if can_fail(call) else text

    def window(self, call: WindowCall, scope: Scope) -> str:
        function = _function(call.function, call.position)
        texts = [escape(self.text(a, scope)) for a in call.arguments]
        clauses = []
        if call.partition_by:
            clauses.append("PARTITION BY " + ", ".join(self.text(e, scope) for e in call.partition_by))
        clauses += self.window_clauses(call, scope)
        text = over_rows(
            self.rendered(function, call, texts, ()),
            filter=self._filter(call, scope),
            nulls=" IGNORE NULLS" if call.ignore_nulls else "",
            window=f" OVER ({' '.join(clauses)})",
        )
        return self.marked(call.position, text) if can_fail(call) else text

    def _filter(self, call: AggregateCall | WindowCall, scope: Scope) -> str:
        return "" if call.filter is None else f" FILTER (WHERE {self.text(call.filter, scope)})"

    def frame(self, frame: Frame, call: WindowCall, scope: Scope) -> str:
        start, end = (self._bound(bound, call, scope) for bound in (frame.start, frame.end))
        return f"{frame.unit.upper()} BETWEEN {start} AND {end}"

    def _bound(self, bound: FrameBound, call: WindowCall, scope: Scope) -> str:
        offset = self.offset(bound, call, scope)
        return f"{offset} {_BOUNDS[bound.kind]}" if offset else _BOUNDS[bound.kind]

    def sort_key(self, key: SortKey, scope: Scope) -> str:
        return f"{self.sorted_by(key.expression.type, self.text(key.expression, scope))} {direction(key)}"

    def sorted_by(self, t: Type, text: str) -> str:
        """What a value of the type is sorted by."""
        return text


def direction(key: SortKey) -> str:
    nulls = "FIRST" if key.nulls_first else "LAST"
    return f"{'DESC' if key.descending else 'ASC'} NULLS {nulls}"


def _refuse_bodies(node: Lambda) -> None:
    """Spark runs no Python inside a lambda, so no lane does."""
    for part in walk(node.body):
        function = lookup(part.function) if isinstance(part, Call) else None
        if function is not None and function.body is not None:
            raise NotSupported(f"{function.name} cannot stand in a lambda", position=part.position)
        if isinstance(part, Cast) and holds_json_to_read(part.operand.type, part.type):
            raise NotSupported("a cast from JSON cannot stand in a lambda", position=part.position)
        if isinstance(part, Cast) and part.type in SKETCHES and part.operand.type not in (part.type, UNKNOWN):
            raise NotSupported(f"a cast to {part.type} cannot stand in a lambda", position=part.position)
        if isinstance(part, Call) and part.function == "cardinality" and part.arguments[0].type in SKETCHES:
            raise NotSupported("cardinality of a sketch cannot stand in a lambda", position=part.position)


def _operands(node: Expression) -> Sequence[Expression]:
    match node:
        case Call() if node.function in _CHAINED:
            return terms(node, node.function)
        case Call():
            return node.arguments
        case Cast() | Dereference() | Quantified():
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


def _case(node: Case, texts: list[str]) -> str:
    pairs = zip(texts[0 : 2 * len(node.whens) : 2], texts[1 : 2 * len(node.whens) : 2], strict=True)
    whens = " ".join(f"WHEN {condition} THEN {result}" for condition, result in pairs)
    default = "" if node.default is None else f" ELSE {texts[-1]}"
    return f"(CASE {whens}{default} END)"


def _function(name: str, position: Position | None) -> Function:
    function = lookup(name)
    if function is None:
        raise InternalError(f"function {name} is not in the registry", position=position)
    return function
