"""ALTER TABLE on Iceberg metadata: one change, and the metadata with it.

Pure functions from JSON to JSON, so that a change that lost a race is made again on what won it. Field
ids are never used twice; fields that we do not know are kept.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

from sqe.catalog.iceberg.definition import checked_properties, complete, in_version, next_version_of
from sqe.catalog.names import match, nearest
from sqe.errors import InternalError, NotFound, NotSupported, TypeMismatch, UserError
from sqe.tree import changes as c
from sqe.types.iceberg import from_iceberg, needs_version_3, to_iceberg
from sqe.types.sql_types import Type

Fields = list[dict[str, Any]]
# A field and its siblings to what becomes of it; None drops it.
FieldChange = Callable[[dict[str, Any], Fields], dict[str, Any] | None]
# Whether no live row has NULL in the column of that id.
HasNoNull = Callable[[dict[str, Any], int], bool]

# Properties with the name of a column at their end.
_OF_COLUMNS = (
    "write.metadata.metrics.column.",
    "write.parquet.bloom-filter-enabled.column.",
    "write.parquet.bloom-filter-fpp.column.",
    "write.parquet.bloom-filter-ndv.column.",
    "write.parquet.stats-enabled.column.",
)
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)")


def evolved(raw: dict[str, Any], change: c.Change, *, has_no_null: HasNoNull) -> dict[str, Any]:
    """The metadata with the change; `raw` itself where there is nothing to change."""
    match change:
        case c.AddColumn():
            return _add(raw, change)
        case c.DropColumn():
            return _drop(raw, change)
        case c.RenameColumn():
            return _rename(raw, change)
        case c.SetColumnType():
            return _edit(raw, change.column, lambda field, _: _promoted(field, change.type))
        case c.SetNullable():
            return _set_nullable(raw, change, has_no_null)
        case c.SetColumnComment():
            return _edit(raw, change.column, lambda field, _: commented(field, change.comment))
        case c.SetComment():
            return _with_properties(raw, {"comment": change.comment})
        case c.SetProperties():
            return _set_properties(raw, dict(change.properties))
    raise InternalError(f"not a change of a table: {type(change).__name__}")


def commented(field: dict[str, Any], comment: str | None) -> dict[str, Any]:
    without = {k: v for k, v in field.items() if k != "doc"}
    return without if comment is None else {**without, "doc": comment}


def change_field(fields: Fields, path: c.Path, change: FieldChange, *, above: str = "") -> Fields:
    """The fields with one of them changed; its name is found as column names are."""
    name, *rest = path
    stored = match(name, [f["name"] for f in fields], kind="column")
    if stored is None:
        raise NotFound(
            f"column '{above}{name}' does not exist",
            code="COLUMN_NOT_FOUND",
            hint=nearest(name, [f["name"] for f in fields]),
        )
    changed: Fields = []
    for field in fields:
        if field["name"] != stored:
            changed.append(field)
        elif not rest:
            new = change(field, fields)
            changed += [] if new is None else [new]
        else:
            inner = _change_type(field["type"], tuple(rest), change, f"{above}{stored}.")
            changed.append({**field, "type": inner})
    return changed


def _change_type(stored: Any, path: c.Path, change: FieldChange, above: str) -> Any:
    kind = stored.get("type") if isinstance(stored, dict) else None
    if kind == "struct":
        return {**stored, "fields": change_field(stored["fields"], path, change, above=above)}
    if kind == "list":
        return _change_part(stored, ("element",), path, change, above)
    if kind == "map":
        if path[0].lower() == "key":
            raise NotSupported(f"the keys of the map '{above[:-1]}' cannot be changed")
        return _change_part(stored, ("key", "value"), path, change, above)
    raise NotFound(
        f"column '{above}{path[0]}' does not exist: '{above[:-1]}' is {from_iceberg(stored)}",
        code="COLUMN_NOT_FOUND",
    )


def _change_part(stored: Any, parts: tuple[str, ...], path: c.Path, change: FieldChange, above: str) -> Any:
    """The element of an array or the value of a map, as if it were a field."""
    part = parts[-1]
    as_fields = [
        {
            "id": stored[f"{name}-id"],
            "name": name,
            "required": stored.get(f"{name}-required", True),
            "type": stored[name],
        }
        for name in parts
    ]
    changed = change_field(as_fields, path, change, above=above)
    if [f["name"] for f in changed] != list(parts) or "doc" in changed[-1]:
        raise NotSupported(f"'{above}{part}' cannot be dropped, renamed or commented: it is part of a type")
    return {**stored, part: changed[-1]["type"], f"{part}-required": changed[-1]["required"]}


def _edit(raw: dict[str, Any], path: c.Path, change: FieldChange) -> dict[str, Any]:
    schema = _current_schema(raw)
    return _with_fields(raw, change_field(schema["fields"], path, change))


def _add(raw: dict[str, Any], change: c.AddColumn) -> dict[str, Any]:
    column = change.column
    ids = itertools.count(int(raw["last-column-id"]) + 1)
    new: dict[str, Any] = {
        "id": next(ids),
        "name": column.name,
        "required": not column.nullable,
        "type": to_iceberg(column.type, lambda: next(ids), column=column.name),
    }
    if needs_version_3(new["type"]) and int(raw["format-version"]) < 3:
        raise NotSupported(
            f"column '{column.name}': its type needs format version 3",
            hint="ALTER TABLE ... SET PROPERTIES format_version = 3",
        )

    def added(siblings: Fields) -> Fields | None:
        if not column.name:
            raise UserError("a column needs a name", code="MISSING_COLUMN_NAME")
        if any(f["name"].lower() == column.name.lower() for f in siblings):
            if change.if_not_exists:
                return None
            raise UserError(f"column '{column.name}' already exists", code="COLUMN_ALREADY_EXISTS")
        if not column.nullable and has_rows(raw):
            raise NotSupported(
                f"column '{column.name}' cannot be NOT NULL: the rows that are there have no value for it",
                hint="add it without NOT NULL",
            )
        return [*siblings, commented(new, column.comment)]

    def within(field: dict[str, Any], _: Fields) -> dict[str, Any]:
        if not isinstance(field["type"], dict) or field["type"]["type"] != "struct":
            raise NotSupported(f"'{'.'.join(change.within)}' is no row, and cannot have fields")
        inner = added(field["type"]["fields"])
        return field if inner is None else {**field, "type": {**field["type"], "fields": inner}}

    schema = _current_schema(raw)
    if change.within:
        fields = change_field(schema["fields"], change.within, within)
    else:
        _refuse_partition_name(raw, column.name, None)
        fields = added(schema["fields"]) or schema["fields"]
    changed = _with_fields(raw, fields)
    return raw if changed is raw else {**changed, "last-column-id": next(ids) - 1}


def _drop(raw: dict[str, Any], change: c.DropColumn) -> dict[str, Any]:
    schema = _current_schema(raw)

    def dropped(field: dict[str, Any], siblings: Fields) -> None:
        if len(siblings) == 1:
            what = "column of the table" if len(change.column) == 1 else "field of its row"
            raise NotSupported(f"column '{field['name']}' cannot be dropped: it is the only {what}")
        ids = set(_ids(field))
        for used, how in _uses(raw):
            if used in ids:
                raise NotSupported(f"column '{field['name']}' cannot be dropped: {how}")

    try:
        fields = change_field(schema["fields"], change.column, dropped)
    except NotFound:
        if not change.if_exists:
            raise
        return raw
    return _renamed_properties(_with_fields(raw, fields), _stored_path(schema["fields"], change.column), None)


def _rename(raw: dict[str, Any], change: c.RenameColumn) -> dict[str, Any]:
    def renamed(field: dict[str, Any], siblings: Fields) -> dict[str, Any]:
        if not change.to:
            raise UserError("a column needs a name", code="MISSING_COLUMN_NAME")
        if any(f is not field and f["name"].lower() == change.to.lower() for f in siblings):
            raise UserError(f"column '{change.to}' already exists", code="COLUMN_ALREADY_EXISTS")
        if len(change.column) == 1:
            _refuse_partition_name(raw, change.to, field["id"])
        return {**field, "name": change.to}

    schema = _current_schema(raw)
    try:
        fields = change_field(schema["fields"], change.column, renamed)
    except NotFound:
        if not change.if_exists:
            raise
        return raw
    before = _stored_path(schema["fields"], change.column)
    return _renamed_properties(_with_fields(raw, fields), before, (*before[:-1], change.to))


def _promoted(field: dict[str, Any], target: Type) -> dict[str, Any]:
    stored = field["type"]
    # Only Iceberg's promotions: files keep the old type, and readers know these.
    new_type = None if isinstance(stored, dict) else to_iceberg(target, _no_id, column=field["name"])
    if new_type is not None and new_type == stored:
        return field
    if new_type is None or not _is_promotion(str(stored), str(new_type)):
        raise TypeMismatch(
            f"column '{field['name']}' is {from_iceberg(stored)}, and cannot become {target}",
            hint="integer can become bigint, real double, and a decimal can get a higher precision",
        )
    return {**field, "type": new_type}


def _no_id() -> int:
    raise TypeMismatch("a column cannot become an array, a map or a row")


def _is_promotion(stored: str, target: str) -> bool:
    if (stored, target) in (("int", "long"), ("float", "double")):
        return True
    before, after = _DECIMAL.fullmatch(stored), _DECIMAL.fullmatch(target)
    if before is None or after is None:
        return False
    return before[2] == after[2] and int(after[1]) >= int(before[1])


def _set_nullable(raw: dict[str, Any], change: c.SetNullable, has_no_null: HasNoNull) -> dict[str, Any]:
    keys = _current_schema(raw).get("identifier-field-ids") or ()

    def changed(field: dict[str, Any], _: Fields) -> dict[str, Any]:
        if change.nullable and field["id"] in keys:
            raise NotSupported(f"column '{field['name']}' stays NOT NULL: it is part of the table's key")
        safe = change.nullable or field["required"] or not has_rows(raw)
        if not safe and (len(change.column) > 1 or not has_no_null(raw, field["id"])):
            raise NotSupported(
                f"column '{field['name']}' cannot be NOT NULL: the statistics of the table's files do not "
                "show that no row is NULL there"
            )
        return {**field, "required": not change.nullable}

    return _edit(raw, change.column, changed)


def _set_properties(raw: dict[str, Any], changes: dict[str, str | None]) -> dict[str, Any]:
    properties: dict[str, str | None] = {k: None for k, v in changes.items() if v is None}
    properties |= checked_properties({k: v for k, v in changes.items() if v is not None})
    version = int(raw["format-version"])
    if "format-version" in properties:
        requested = properties.pop("format-version")
        if requested is None:
            raise UserError("a table always has a format version", code="INVALID_TABLE_PROPERTY")
        version = next_version_of(requested, at_least=version)
    changed = _with_properties(raw, properties)
    return changed if version == int(raw["format-version"]) else in_version(complete(changed), version)


def _with_properties(raw: dict[str, Any], properties: dict[str, str | None]) -> dict[str, Any]:
    before = dict(raw.get("properties") or {})
    after = {k: v for k, v in before.items() if k not in properties}
    after |= {k: v for k, v in properties.items() if v is not None}
    return raw if after == before else {**raw, "properties": after}


def _renamed_properties(
    raw: dict[str, Any], before: tuple[str, ...], after: tuple[str, ...] | None
) -> dict[str, Any]:
    """Writers refuse a table whose properties name a column that it does not have."""
    old = ".".join(before)
    changed: dict[str, str | None] = {}
    for key, value in (raw.get("properties") or {}).items():
        for prefix in _OF_COLUMNS:
            column = key.removeprefix(prefix)
            if key.startswith(prefix) and (column == old or column.startswith(old + ".")):
                changed[key] = None
                if after is not None:
                    changed[prefix + ".".join(after) + column[len(old) :]] = value
    return _with_properties(raw, changed)


def _stored_path(fields: Fields, path: c.Path) -> tuple[str, ...]:
    """A path in stored spellings; the rest as written where it leads out of rows."""
    name, *rest = path
    stored = match(name, [f["name"] for f in fields], kind="column") or name
    if not rest:
        return (stored,)
    inner = next((f["type"] for f in fields if f["name"] == stored), None)
    nested = inner["fields"] if isinstance(inner, dict) and inner.get("type") == "struct" else []
    return (stored, *_stored_path(nested, tuple(rest)))


def _current_schema(raw: dict[str, Any]) -> dict[str, Any]:
    schemas = _schemas(raw)
    current = raw.get("current-schema-id", schemas[0]["schema-id"])
    return next(s for s in schemas if s["schema-id"] == current)


def _schemas(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"schema-id": 0, **s} for s in raw.get("schemas") or [raw["schema"]]]


def _with_fields(raw: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """The metadata with these as its current columns; a schema that was there before is used again."""
    current = _current_schema(raw)
    if fields == current["fields"]:
        return raw
    schemas = _schemas(raw)
    schema = {**current, "fields": fields}
    same = [s for s in schemas if {**s, "schema-id": 0} == {**schema, "schema-id": 0}]
    if same:
        schema = same[0]
    else:
        schema["schema-id"] = 1 + max(int(s["schema-id"]) for s in schemas)
        schemas.append(schema)
    changed = {**raw, "schemas": schemas, "current-schema-id": schema["schema-id"]}
    if "schema" in raw or raw["format-version"] == 1:
        changed["schema"] = schema
    return changed


def has_rows(raw: dict[str, Any]) -> bool:
    """Whether the table, or a branch or tag of it, may have rows."""
    snapshots = {s["snapshot-id"]: s for s in raw.get("snapshots") or ()}
    heads = {raw.get("current-snapshot-id")} | {r["snapshot-id"] for r in (raw.get("refs") or {}).values()}
    live = [snapshots[head] for head in heads if head in snapshots]
    return any((s.get("summary") or {}).get("total-records") != "0" for s in live)


def _ids(field: dict[str, Any]) -> Iterator[int]:
    """The ids of a field and of all that is in it."""
    yield field["id"]
    stored = field["type"]
    if isinstance(stored, dict):
        for part in ("element", "key", "value"):
            if part in stored:
                yield from _ids({"id": stored[f"{part}-id"], "type": stored[part]})
        for inner in stored.get("fields", ()):
            yield from _ids(inner)


def _uses(raw: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """The ids of columns that something else of the table needs, and what."""
    specs = raw.get("partition-specs") or [{"fields": raw.get("partition-spec") or []}]
    default = raw.get("default-spec-id", 0)
    for spec in specs:
        is_current = spec.get("spec-id", default) == default
        for field in spec["fields"]:
            if field["transform"] != "void":
                how = "the table is partitioned by it" if is_current else "older files are partitioned by it"
                yield field["source-id"], how
    for order in raw.get("sort-orders") or ():
        if order["order-id"] == raw.get("default-sort-order-id"):
            for field in order["fields"]:
                yield field["source-id"], "the table is sorted by it"
    for key in _current_schema(raw).get("identifier-field-ids") or ():
        yield key, "it is part of the table's key"


def _refuse_partition_name(raw: dict[str, Any], name: str, field_id: int | None) -> None:
    # Iceberg's Java library cannot load a table in which a column and a foreign partition field share a name.
    for spec in raw.get("partition-specs") or ():
        for field in spec["fields"]:
            if field["name"] == name and field["source-id"] != field_id:
                raise UserError(
                    f"column '{name}' would have the name of a partition field",
                    code="COLUMN_ALREADY_EXISTS",
                    hint="choose another name",
                )
