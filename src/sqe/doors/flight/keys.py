"""Keys of tables. Iceberg knows the fields that identify a row, and no foreign keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqe.catalog.iceberg.table import Column, Table

# The column names and their numbers in the key.
Key = list[tuple[str, int]]


def primary_key(table: Table, visible: Sequence[Column]) -> Key:
    """The identifier fields of the current schema in the order of its columns, a field of a row as
    `column.field`. A key of which a part is hidden is none: its other columns identify nothing."""
    schema = table.stored_schemas.get(table.schema_id, {})
    key_ids = set(schema.get("identifier-field-ids") or ())
    shown = {column.field_id for column in visible}
    fields = [f for f in schema.get("fields", ()) if f["id"] in shown]
    names = [name for field_id, name in _named(fields) if field_id in key_ids]
    if len(names) < len(key_ids):
        return []
    return [(name, number) for number, name in enumerate(names, 1)]


def _named(fields: Sequence[Mapping[str, Any]], above: str = "") -> Iterator[tuple[int, str]]:
    """The ids and names of fields and of those within them; no key is within an array or a map."""
    for field in fields:
        name = above + field["name"]
        yield field["id"], name
        if isinstance(field["type"], dict) and field["type"].get("type") == "struct":
            yield from _named(field["type"]["fields"], name + ".")
