"""Which lane answers a statement, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.errors import NotSupported
from sqe.foundation.record import record
from sqe.tree import statements as s
from sqe.tree.expressions import walk
from sqe.tree.names import expands, unspeakable
from sqe.tree.relations import FileScan, Scan
from sqe.types import sql_types as t
from sqe.types.iceberg import unsupported

if TYPE_CHECKING:
    from sqe.engine.duckdb.plan import Admitted

NANOSECONDS = 9


@record
class Route:
    """lane: fast, spark, or catalog for what changes or reads metadata alone. `admitted` is a query as the
    fast lane runs it."""

    lane: str
    reason: str
    admitted: Admitted | None = None


Admit = Callable[[s.Query], "Admitted | str"]


def route(statement: s.Statement, asked: str, admit: Admit) -> Route:
    """`asked` is the session's lane: auto, spark or fast. `admit` makes a query ready for the fast lane, or
    says why it cannot enter."""
    chosen = _route(statement, asked, admit)
    if chosen.lane == "spark":
        _check_columns(statement)
    return chosen


def _check_columns(statement: s.Statement) -> None:
    """Spark cannot open a table with a column of such a type, whether the statement uses it or not. And names
    with control characters are no names to us."""
    for node in walk(statement):
        if not isinstance(node, (Scan, FileScan, s.Target)):
            continue
        for field in node.fields:
            character = unspeakable(field.name, field.type)
            if character is not None:
                raise NotSupported(
                    f"a column has the control character {character} in its name, or in that of a field",
                    hint="rename it: ALTER TABLE ... RENAME COLUMN",
                )
            if isinstance(node, FileScan) and expands(field.name, field.type):
                raise NotSupported(
                    f"column '{field.name}' of a file: Spark takes ${{...}} in its name for a variable",
                    hint="SET SESSION lane = 'fast', or rename the column in the file",
                )
            odd = unsupported(field.type)
            if isinstance(field.type, t.Time) or _is_nanoseconds(field.type):
                odd = str(field.type)
            if odd is not None:
                raise NotSupported(f"column '{field.name}' is of type {odd}, which no lane can read yet")


def _is_nanoseconds(type_: t.Type) -> bool:
    return isinstance(type_, (t.Timestamp, t.TimestampTz)) and type_.precision == NANOSECONDS


def _route(statement: s.Statement, asked: str, admit: Admit) -> Route:
    match statement:
        case s.Explain():
            return _route(statement.statement, asked, admit)
        case s.Query() if asked == "spark":
            return Route("spark", "the session asks for it")
        case s.Query():
            admitted = admit(statement)
            if not isinstance(admitted, str):
                return Route("fast", admitted.reason, admitted)
            if asked == "fast":
                raise NotSupported(
                    f"the fast lane cannot answer this: {admitted}", hint="SET SESSION lane = 'auto'"
                )
            return Route("spark", admitted)
        case s.CreateTable() if statement.source is not None:
            return Route("spark", "Spark writes all data")
        case s.Insert() | s.Update() | s.Merge() | s.Delete():
            return Route("spark", "Spark writes all data")
    return Route("catalog", "metadata only: no engine is needed")
