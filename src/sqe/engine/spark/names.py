"""The names that rendered SQL uses inside itself.

Columns, CTEs and views of ours end in a number that is unique within the statement, so that no name
needs a qualifier and none can be taken for another one, whatever users call theirs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from sqe.engine.spark.types import quote_name
from sqe.tree.expressions import Field, LambdaRef
from sqe.tree.relations import Cte, FileScan, Scan, SystemScan, TableName, Values

_READABLE = 40


def readable(name: str) -> str:
    """What is left of a user's name: letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_READABLE].strip("_") or "c"


def column_name(field: Field) -> str:
    return quote_name(f"{readable(field.name)}_{field.id}")


def lambda_name(parameter: LambdaRef) -> str:
    return quote_name(f"{readable(parameter.name)}_{parameter.id}")


def cte_name(cte: Cte) -> str:
    return quote_name(f"{readable(cte.name)}_{cte.id}")


def table_name(table: TableName) -> str:
    parts = (table.catalog, *table.namespace, table.name)
    return ".".join(quote_name(part) for part in parts)


def file_view_name(scan: FileScan) -> str:
    """A temporary view's name, the same for the same files: statements of a session may share it."""
    content = "\0".join((scan.format, *scan.paths))
    return f"files_{hashlib.sha256(content.encode(errors='surrogatepass')).hexdigest()[:16]}"


def local_view_name(scan: SystemScan | Scan | Values, statement_id: str) -> str:
    """Of rows that belong to one statement alone."""
    return f"rows_{readable(statement_id)}_{scan.fields[0].id}"


def unused_alias(columns: Iterable[str]) -> str:
    """An alias that no column has, so that `column`.`field` cannot be read as `table`.`column`."""
    taken = set(columns)
    alias = "t"
    while alias in taken:
        alias += "t"
    return quote_name(alias)
