"""What the fast lane may answer. Whatever is not known to be equal on both lanes is for Spark, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqe.engine.duckdb.proven import call_refusal, cast_refusal
from sqe.engine.render.scope import free, has_subquery, references
from sqe.functions.registry import can_fail
from sqe.tree import expressions as e
from sqe.tree import relations as r
from sqe.tree.statements import Query
from sqe.types import sql_types as t

_MAX_FRACTION = 6
_RELATIONS = (
    r.Scan, r.SystemScan, r.FileScan, r.Values, r.Sequence, r.Project, r.Extend, r.Filter, r.Join,
    r.Aggregate, r.Window, r.Sort, r.Limit, r.SetOperation, r.Unnest, r.CteRef, r.With,
)  # fmt: skip
_PLAIN = (
    e.Literal, e.Ref, e.LambdaRef, e.Lambda, e.Dereference, e.ScalarSubquery, e.Exists, e.SortKey, e.Frame,
    e.FrameBound, e.Case,
)  # fmt: skip
_SIMPLE = frozenset((t.BOOLEAN, *t.INTEGERS, *t.APPROXIMATE, t.VARBINARY, t.DATE, t.UUID, t.JSON))


def refusal(query: Query) -> str | None:
    """Why the fast lane may not answer a query, whatever its tables are like; None where it may."""
    for field in query.relation.fields:
        if field.type != t.UNKNOWN and not _is_supported(field.type):
            return f"column {field.name} is of type {field.type}"
    for node in e.walk(query):
        reason = _node(node)
        if reason is not None:
            return reason
    return None


def _node(node: Any) -> str | None:
    match node:
        case Query():
            return None
        case r.Cte():
            return "recursion" if node.recursive else None
        case r.Relation():
            return _relation(node)
        case e.AggregateCall() | e.WindowCall() if node.filter is not None and _can_fail(node.arguments):
            return "a FILTER over what may fail: DuckDB computes it for the other rows too"
        case e.AggregateCall() | e.WindowCall() | e.Call():
            return call_refusal(str(node.function), [a.type for a in node.arguments])
        case e.Cast():
            return cast_refusal(node.operand.type, node.type, node.safe)
        case e.ScalarSubquery() | e.Exists() | e.InSubquery() | e.Quantified() if _of_nothing(node.relation):
            return _EMPTY
        case e.InList() if _can_fail(node.items):
            return "an IN list that may fail: DuckDB computes all of it"
        case e.InSubquery() if len(node.operands) > 1:
            return "IN of several columns"
        case e.InList():
            return call_refusal("$eq", (node.operand.type, node.operand.type))
        case e.InSubquery():
            return _compared(o.type for o in node.operands)
        case e.Quantified():
            return _compared((node.operand.type,)) or call_refusal(node.op, (node.operand.type,) * 2)
        case e.SortKey() if isinstance(node.expression.type, (t.Array, t.Map, t.Row)):
            return "the order of arrays, maps and rows is not proven"
        case _ if isinstance(node, _PLAIN):
            return None
    return f"{type(node).__name__} is not proven"


def _relation(relation: r.Relation) -> str | None:
    if not isinstance(relation, _RELATIONS):
        return f"{_WORDS.get(type(relation), type(relation).__name__)} not proven"
    if isinstance(relation, r.FileScan) and (len(relation.paths) > 1 or _PATTERN & set(relation.paths[0])):
        return "several files are read together"
    if isinstance(relation, (r.Scan, r.SystemScan, r.FileScan)) and (clash := _clash(relation.columns)):
        return f"columns {clash} differ in case alone"
    if isinstance(relation, (r.Scan, r.SystemScan, r.FileScan)):
        for field in relation.fields:
            if not _is_supported(field.type):
                return f"column {field.name} is of type {field.type}"
    if isinstance(relation, r.Join) and relation.lateral and _of_nothing(relation.right):
        return _EMPTY
    if any(t.has(kind, t.Map) for kind in _grouped(relation)):
        return "maps are grouped by the order of their entries"
    if isinstance(relation, r.Join) and relation.kind not in ("inner", "cross"):
        subquery = relation.condition is not None and has_subquery(relation.condition)
        return "DuckDB has no subquery in the ON of an outer join" if subquery else None
    return None


def _grouped(relation: r.Relation) -> Iterable[t.Type]:
    """Types of which equal values become one."""
    match relation:
        case r.Aggregate():
            distinct = (a.type for call in relation.calls if call.distinct for a in call.arguments)
            return (*(key.type for key in relation.keys), *distinct)
        case r.Window():
            return (key.type for call in relation.calls for key in call.partition_by)
        case r.SetOperation() if relation.op != "union" or relation.distinct:
            return (field.type for field in relation.fields)
    return ()


_WORDS: dict[type[r.Relation], str] = {r.Sample: "TABLESAMPLE is"}
# DuckDB takes such a path for a pattern.
_PATTERN = frozenset("*?[")


_EMPTY = "what stands beside a correlated aggregate without GROUP BY: DuckDB loses it where no row matches"


def _of_nothing(relation: r.Relation) -> bool:
    """Whether a correlated subquery has an aggregate that makes a row of no rows, and anything but
    expressions of that aggregate: constants, HAVING, DISTINCT, UNION."""
    if not any(map(_is_ungrouped, e.walk(relation))) or not free(relation):
        return False
    while isinstance(relation, r.Project):
        input_ids = {field.id for field in relation.input.fields}
        if not all(references([expression]) & input_ids for expression in relation.expressions):
            return True
        relation = relation.input
    return not _is_ungrouped(relation) or any(map(_is_ungrouped, list(e.walk(relation))[1:]))


def _is_ungrouped(node: Any) -> bool:
    return isinstance(node, r.Aggregate) and (not node.keys or () in (node.grouping_sets or ()))


def _can_fail(expressions: Iterable[e.Expression]) -> bool:
    return any(can_fail(node) for expression in expressions for node in e.walk(expression))


def _compared(types: Iterable[t.Type]) -> str | None:
    """IN, ANY and ALL compare as the engine does, to which NaN is equal to itself."""
    for kind in types:
        if kind in t.APPROXIMATE or isinstance(kind, (t.Array, t.Map, t.Row, t.Char)):
            return f"a subquery compared with {kind} is not proven"
    return None


def _is_supported(kind: t.Type) -> bool:
    match kind:
        case t.Array(element):
            return _is_supported(element)
        case t.Map(key, value):
            return _is_supported(key) and _is_supported(value)
        case t.Row(fields):
            named = [f.name or f"field{i}" for i, f in enumerate(fields)]
            return not _clash(named) and all(_is_supported(f.type) for f in fields)
        case t.Timestamp(precision) | t.TimestampTz(precision):
            return precision <= _MAX_FRACTION
        case t.Decimal() | t.Varchar() | t.Char() | t.Fixed() | t.Opaque():
            return True
    return kind in _SIMPLE


def _clash(names: Iterable[str]) -> str:
    """Two names that are one to DuckDB."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            return f"{other} and {name}"
    return ""
