"""Which lane answers a statement, and why."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.errors import NotSupported
from sqe.tree import statements as s


@dataclass(frozen=True, slots=True)
class Route:
    """lane: spark, or catalog for what changes or reads metadata alone."""

    lane: str
    reason: str


def route(statement: s.Statement, asked: str) -> Route:
    """`asked` is the session's lane: auto, spark or fast."""
    match statement:
        case s.Explain():
            return route(statement.statement, asked)
        case s.Query():
            if asked == "fast":
                raise NotSupported("the fast lane is not built yet", hint="SET SESSION lane = 'auto'")
            return Route("spark", "Spark is the only lane for queries so far")
        case s.CreateTable() if statement.source is not None:
            return Route("spark", "Spark writes all data")
        case s.Insert() | s.Update() | s.Merge() | s.Delete():
            return Route("spark", "Spark writes all data")
    return Route("catalog", "metadata only: no engine is needed")
