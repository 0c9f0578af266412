"""CREATE VIEW and COMMENT as Iceberg view metadata: the first file of a view, or its next one.

Each change of the text or the columns is a new version, and the versions before it stay for a while.
Fields that we do not know are kept.
"""

from __future__ import annotations

import itertools
import time
import uuid
from typing import Any

from sqe.catalog.iceberg.evolution import change_field, commented
from sqe.catalog.iceberg.view import COMMENT, DEFINER, SECURITY, ViewDefinition
from sqe.errors import NotSupported, UserError
from sqe.foundation.version import __version__
from sqe.tree.changes import Change, SetColumnComment, SetComment
from sqe.tree.definitions import ColumnDefinition
from sqe.types.iceberg import to_iceberg

_KEPT_VERSIONS = "version.history.num-entries"
_DEFAULT_KEPT_VERSIONS = 10
# What a new definition says anew, or leaves out on purpose.
_OF_THE_DEFINITION = (COMMENT, SECURITY, DEFINER)


def new_view_metadata(view: ViewDefinition, location: str) -> dict[str, Any]:
    base = {
        "view-uuid": str(uuid.uuid4()),
        "format-version": 1,
        "location": location,
        "schemas": [],
        "versions": [],
        "version-log": [],
        "properties": {},
    }
    return replaced_view(view, base)


def replaced_view(view: ViewDefinition, base: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a view that has a new text. It keeps its uuid, and properties that are not ours."""
    properties = {k: v for k, v in (base.get("properties") or {}).items() if k not in _OF_THE_DEFINITION}
    version = {
        "default-catalog": view.default_catalog,
        "default-namespace": list(view.default_namespace),
        "representations": [
            {"type": "sql", "sql": sql, "dialect": dialect} for dialect, sql in view.texts.items()
        ],
    }
    raw = _with_version(base, version, _fields(view.columns))
    raw["properties"] = properties | dict(view.properties)
    return raw


def changed_view(change: Change, base: dict[str, Any]) -> dict[str, Any]:
    match change:
        case SetComment(comment):
            properties = {k: v for k, v in (base.get("properties") or {}).items() if k != COMMENT}
            if comment is not None:
                properties[COMMENT] = comment
            return {**base, "properties": properties}
        case SetColumnComment(column, comment):
            version = next(v for v in base["versions"] if v["version-id"] == base["current-version-id"])
            schema = next(s for s in base["schemas"] if s["schema-id"] == version["schema-id"])
            fields = change_field(schema["fields"], column, lambda field, _: commented(field, comment))
            return base if fields == schema["fields"] else _with_version(base, version, fields)
    raise NotSupported(f"a view has no {change.words}")


def _with_version(base: dict[str, Any], version: dict[str, Any], fields: list[Any]) -> dict[str, Any]:
    now = max(time.time_ns() // 1_000_000, *(int(v["timestamp-ms"]) for v in base["versions"]), 0)
    number = 1 + max((int(v["version-id"]) for v in base["versions"]), default=0)
    schemas, schema_id = _with_schema(base["schemas"], fields)
    new = {
        **version,
        "version-id": number,
        "schema-id": schema_id,
        "timestamp-ms": now,
        "summary": {"engine-name": "sqe", "engine-version": __version__},
    }
    versions = [*base["versions"], new][-kept_versions(base) :]
    log = [*base["version-log"], {"timestamp-ms": now, "version-id": number}]
    return {
        **base,
        "schemas": schemas,
        "current-version-id": number,
        "versions": versions,
        "version-log": without_gaps(log, {v["version-id"] for v in versions}),
    }


def kept_versions(base: dict[str, Any]) -> int:
    try:
        return max(1, int((base.get("properties") or {}).get(_KEPT_VERSIONS, _DEFAULT_KEPT_VERSIONS)))
    except ValueError:
        return _DEFAULT_KEPT_VERSIONS


def without_gaps(log: list[dict[str, Any]], versions: set[int]) -> list[dict[str, Any]]:
    """The end of a log, from where on all its versions are known: readers refuse gaps."""
    recent = itertools.takewhile(lambda entry: entry["version-id"] in versions, reversed(log))
    return list(recent)[::-1]


def _with_schema(schemas: list[Any], fields: list[Any]) -> tuple[list[Any], int]:
    for schema in schemas:
        if schema["fields"] == fields:
            return schemas, int(schema["schema-id"])
    schema_id = 1 + max((int(s["schema-id"]) for s in schemas), default=-1)
    return [*schemas, {"type": "struct", "schema-id": schema_id, "fields": fields}], schema_id


def _fields(columns: tuple[ColumnDefinition, ...]) -> list[dict[str, Any]]:
    if not columns:
        raise UserError("a view needs a column", code="MISSING_COLUMN_NAME")
    numbers = itertools.count(1)
    ids = [next(numbers) for _ in columns]
    return [
        commented(
            {
                "id": field_id,
                "name": column.name,
                "required": False,
                "type": to_iceberg(column.type, lambda: next(numbers), column=column.name),
            },
            column.comment,
        )
        for field_id, column in zip(ids, columns, strict=True)
    ]
