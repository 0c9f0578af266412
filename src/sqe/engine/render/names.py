"""The names that rendered SQL uses inside itself.

Columns, CTEs and views of ours end in a number that is unique within the statement, so that no name
needs a qualifier or quotes, and none can be taken for another one, whatever users call theirs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from sqe.tree.expressions import Field, LambdaRef
from sqe.tree.relations import Cte, FileScan, Scan, SystemScan, Values

_READABLE = 40


def readable(name: str) -> str:
    """What is left of a user's name: letters, digits and underscores, a letter first."""
    left = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_READABLE].strip("_") or "c"
    return f"c{left}" if left[0].isdigit() else left


def column_name(field: Field) -> str:
    return f"{readable(field.name)}_{field.id}"


def lambda_name(parameter: LambdaRef) -> str:
    return f"{readable(parameter.name)}_{parameter.id}"


def cte_name(cte: Cte) -> str:
    return f"{readable(cte.name)}_{cte.id}"


def file_view_name(scan: FileScan) -> str:
    """A temporary view's name, the same for the same files: statements of a session may share it."""
    content = "\0".join((scan.format, *scan.paths))
    return f"files_{hashlib.sha256(content.encode(errors='surrogatepass')).hexdigest()[:16]}"


def local_view_name(scan: SystemScan | Scan | Values, statement_id: str) -> str:
    """Of rows that belong to one statement alone."""
    return f"rows_{readable(statement_id)}_{scan.fields[0].id}"


def unused_alias(columns: Iterable[str]) -> str:
    """An alias that no column has, so that column.field cannot be read as table.column."""
    taken = set(columns)
    alias = "t"
    while alias in taken:
        alias += "t"
    return alias
