"""Hidden columns of a table that an engine has no name for, joined to its rows by the path of their file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqe.tree.expressions import Call, Field, Ref
from sqe.tree.relations import FILE_COLUMNS, PATH, Join, Project, Relation, Scan
from sqe.types.sql_types import BOOLEAN, VARCHAR, Type


def with_file_columns(scan: Scan, fresh: Callable[[str, Type], Field]) -> Relation:
    """The scan of a user who sees all of its table, which alone has hidden columns."""
    joined = [name for name in scan.hidden if name != PATH]
    if not joined:
        return scan
    fields = dict(zip(scan.columns, scan.fields, strict=True))
    stored = [name for name in scan.columns if name not in scan.hidden]
    path = fields.get(PATH) if PATH in scan.hidden else None
    path, key = path or fresh(PATH, VARCHAR), fresh(PATH, VARCHAR)
    rows = replace(
        scan,
        fields=(*(fields[name] for name in stored), path),
        columns=(*stored, PATH),
        hidden=(PATH,),
    )
    # What was secured stays so: it is of the same table.
    files = replace(
        scan,
        fields=(key, *(fields[name] for name in joined)),
        columns=(PATH, *joined),
        hidden=(),
        metadata=FILE_COLUMNS,
    )
    same = Call(BOOLEAN, "$eq", (Ref(VARCHAR, path), Ref(VARCHAR, key)))
    join = Join((*rows.fields, *files.fields), "left", rows, files, same)
    return Project(scan.fields, join, tuple(Ref(f.type, f) for f in scan.fields))
