"""The bound tree as text, one relation a line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from sqe.tree import expressions as e
from sqe.tree import relations as r
from sqe.tree import statements as s

_OPERATORS = {
    "$add": "+", "$sub": "-", "$mul": "*", "$div": "/", "$mod": "%", "$eq": "=", "$ne": "<>", "$lt": "<",
    "$le": "<=", "$gt": ">", "$ge": ">=", "$and": "AND", "$or": "OR", "$concat": "||", "$like": "LIKE",
    "$is_distinct": "IS DISTINCT FROM",
}  # fmt: skip


def describe(statement: s.Statement) -> list[str]:
    """A statement as indented lines."""
    return list(_node(statement, 0))


def _node(node: Any, depth: int) -> Iterator[str]:
    yield "  " * depth + _line(node)
    for child in e.parts(node):
        if isinstance(child, (r.Relation, r.Cte)):
            yield from _node(child, depth + 1)
        elif isinstance(child, (e.Expression, e.SortKey, s.Assignment, s.MergeClause)):
            for subquery in _subqueries(child):
                yield from _node(subquery, depth + 1)


def _subqueries(node: Any) -> Iterator[r.Relation]:
    for child in e.parts(node):
        if isinstance(child, r.Relation):
            yield child
        else:
            yield from _subqueries(child)


def _line(node: Any) -> str:
    name = type(node).__name__
    match node:
        case r.Scan():
            table = str(node.table) + (f"${node.metadata}" if node.metadata else "")
            past = f" as of {node.as_of.ref or node.as_of.snapshot_id}" if node.as_of else ""
            return f"Scan {table}{past} {_fields(node.fields)}"
        case r.SystemScan():
            return f"SystemScan {node.table} {_fields(node.fields)}"
        case r.FileScan():
            return f"FileScan {node.format} ({len(node.paths)} files) {_fields(node.fields)}"
        case r.Values():
            return f"Values ({len(node.rows)} rows)"
        case r.Project() | r.Extend():
            new = node.fields[len(node.fields) - len(node.expressions) :]
            pairs = zip(new, node.expressions, strict=True)
            return f"{name} " + ", ".join(f"{f.name} := {text(x)}" for f, x in pairs)
        case r.Filter():
            return f"Filter {text(node.condition)}"
        case r.Join():
            on = f" on {text(node.condition)}" if node.condition is not None else ""
            return f"Join {node.kind}{' lateral' if node.lateral else ''}{on}"
        case r.Aggregate():
            keys = ", ".join(f.name for f in node.keys)
            calls = ", ".join(text(c) for c in node.calls)
            sets = f" sets {node.grouping_sets}" if node.grouping_sets is not None else ""
            return f"Aggregate by [{keys}]{sets} [{calls}]"
        case r.Window():
            return "Window " + ", ".join(text(c) for c in node.calls)
        case r.Sort():
            return "Sort " + ", ".join(map(text, node.keys))
        case r.Limit():
            return f"Limit {node.count} offset {node.offset}" if node.offset else f"Limit {node.count}"
        case r.SetOperation():
            return f"{node.op.capitalize()} {'distinct' if node.distinct else 'all'}"
        case r.CteRef() | r.Cte():
            return f"{name} #{node.cte if isinstance(node, r.CteRef) else node.id}"
        case s.Insert() | s.Update() | s.Delete() | s.Merge():
            return f"{name} {node.target.table}"
        case s.CreateTable():
            return f"CreateTable {node.table} " + ", ".join(f"{c.name} {c.type}" for c in node.columns)
    return name


def _fields(fields: tuple[e.Field, ...]) -> str:
    return "[" + ", ".join(f.name for f in fields) + "]"


def text(node: Any) -> str:
    """An expression in the syntax of the dialect."""
    match node:
        case e.Literal():
            return (
                "NULL"
                if node.value is None
                else repr(node.value)
                if isinstance(node.value, str)
                else str(node.value)
            )
        case e.Ref():
            return node.field.name
        case e.LambdaRef():
            return node.name
        case e.Call() if node.function in _OPERATORS and len(node.arguments) > 1:
            return "(" + f" {_OPERATORS[node.function]} ".join(map(text, node.arguments)) + ")"
        case e.Call() | e.AggregateCall() | e.WindowCall():
            distinct = "DISTINCT " if isinstance(node, e.AggregateCall) and node.distinct else ""
            over = " OVER (...)" if isinstance(node, e.WindowCall) else ""
            return f"{node.function.strip('$')}({distinct}{', '.join(map(text, node.arguments))}){over}"
        case e.Cast():
            return text(node.operand) if node.implicit else f"CAST({text(node.operand)} AS {node.type})"
        case e.SortKey():
            return text(node.expression) + (" DESC" if node.descending else "")
        case e.InList():
            return f"{text(node.operand)} IN ({', '.join(map(text, node.items))})"
        case e.Dereference():
            return f"{text(node.operand)}.{node.name or node.index + 1}"
        case e.Case():
            whens = " ".join(f"WHEN {text(c)} THEN {text(v)}" for c, v in node.whens)
            return f"CASE {whens}" + (f" ELSE {text(node.default)}" if node.default else "") + " END"
    assert dataclasses.is_dataclass(node)
    return type(node).__name__.lower()
