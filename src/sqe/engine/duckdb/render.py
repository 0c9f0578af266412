"""The bound tree as DuckDB's SQL: the only way that text for the fast lane is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqe.engine.duckdb.literals import string
from sqe.engine.duckdb.relations import FastRelations
from sqe.engine.duckdb.sources import IcebergMetadata, ScanFiles, Source, totals
from sqe.engine.duckdb.types import QUOTE
from sqe.engine.lane import Rendered
from sqe.engine.render.failures import replace_failures
from sqe.engine.render.layout import laid_out
from sqe.engine.render.quoting import spelled
from sqe.errors import InternalError
from sqe.foundation.record import record
from sqe.foundation.recursion import deep_recursion
from sqe.functions.bodies import called
from sqe.tree.expressions import walk
from sqe.tree.relations import FileScan, Scan, SystemScan, TableName, Values
from sqe.tree.statements import Query


@record
class FastRendered(Rendered):
    """`bodies` are the Python functions that it calls, `extensions` those that DuckDB has to load for it,
    `locations` the only places that it may read, `scans` the files that it needs, `stores` the prefixes of
    tables in object stores."""

    sql: str
    tables: Mapping[str, SystemScan | Scan | Values] = field(default_factory=dict)
    bodies: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    scans: tuple[ScanFiles, ...] = ()
    stores: Mapping[TableName, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[int, int, int] | None:
        return totals(self.scans)


@deep_recursion()
def render(
    query: Query, sources: Mapping[Scan | FileScan, Source], *, statement_id: str = "statement"
) -> FastRendered:
    """A query's columns are positional: their names are ours, and those of the fields are put back later.
    Its zones have been lowered."""
    for node in walk(query):
        if isinstance(node, (Scan, FileScan)) and not node.secured:
            raise InternalError(f"{getattr(node, 'table', 'a file')} was not secured")
    writer = FastRelations(sources, statement_id=statement_id)
    sql = laid_out(writer.answer(query.relation))
    needs_iceberg = any(isinstance(source, IcebergMetadata) for source in sources.values())
    extensions = ("avro", "iceberg") if needs_iceberg else ()
    text = spelled(replace_failures(sql, lambda failure: f"error({string(failure.text)})"), QUOTE)
    return FastRendered(text, writer.tables, called(sql), extensions)
