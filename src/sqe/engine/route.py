"""Which lane answers a statement, and why."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.catalog.iceberg_types import unsupported
from sqe.errors import NotSupported
from sqe.tree import statements as s
from sqe.tree import types as t
from sqe.tree.expressions import walk
from sqe.tree.relations import FileScan, Scan

NANOSECONDS = 9


@dataclass(frozen=True, slots=True)
class Route:
    """lane: spark, or catalog for what changes or reads metadata alone."""

    lane: str
    reason: str


def route(statement: s.Statement, asked: str) -> Route:
    """`asked` is the session's lane: auto, spark or fast."""
    chosen = _route(statement, asked)
    if chosen.lane == "spark":
        _check_columns(statement)
    return chosen


def _check_columns(statement: s.Statement) -> None:
    """Spark cannot open a table with such a column, whether the statement uses the column or not."""
    for node in walk(statement):
        if not isinstance(node, (Scan, FileScan, s.Target)):
            continue
        for field in node.fields:
            odd = unsupported(field.type)
            if isinstance(field.type, t.Time) or _is_nanoseconds(field.type):
                odd = str(field.type)
            if odd is not None:
                raise NotSupported(f"column '{field.name}' is of type {odd}, which no lane can read yet")


def _is_nanoseconds(type_: t.Type) -> bool:
    return isinstance(type_, (t.Timestamp, t.TimestampTz)) and type_.precision == NANOSECONDS


def _route(statement: s.Statement, asked: str) -> Route:
    match statement:
        case s.Explain():
            return _route(statement.statement, asked)
        case s.Query():
            if asked == "fast":
                raise NotSupported("the fast lane is not built yet", hint="SET SESSION lane = 'auto'")
            return Route("spark", "Spark is the only lane for queries so far")
        case s.CreateTable() if statement.source is not None:
            return Route("spark", "Spark writes all data")
        case s.Insert() | s.Update() | s.Merge() | s.Delete():
            return Route("spark", "Spark writes all data")
    return Route("catalog", "metadata only: no engine is needed")
