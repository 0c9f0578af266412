"""Parts of a table's metadata as others send them: what some reader of Iceberg would refuse is not taken.

Numbers are numbers here, and not texts that look like some: what is sent is stored as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqe.errors import InvalidArgument

Raw = Mapping[str, Any]
_INT, _LONG = 2**31, 2**63
_PRIMITIVES = frozenset(
    {
        *("boolean", "int", "long", "float", "double", "string", "uuid", "binary"),
        *("date", "time", "timestamp", "timestamptz"),
    }
)
_PRIMITIVES_OF_3 = frozenset(["unknown", "variant", "timestamp_ns", "timestamptz_ns"])
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
_FIXED = re.compile(r"fixed\[(\d{1,9})\]")
_GEO = re.compile(r"(geometry|geography)(\(.*\))?")
_TRANSFORM = re.compile(r"identity|void|year|month|day|hour|(bucket|truncate)\[0*[1-9]\d{0,8}\]")
_UUID = re.compile(r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_MOST_NESTED = 100


class InvalidCommit(InvalidArgument):
    """The commit cannot be applied to any table."""


def check_uuid(uuid: object) -> None:
    _require(isinstance(uuid, str) and _UUID.fullmatch(uuid) is not None, "a table's uuid is a UUID")


def check_schema(schema: Raw, version: int) -> None:
    fields = schema["fields"]
    _require(isinstance(fields, list), "a schema has fields")
    ids = list(_field_ids(fields, version, 0))
    _require(len(set(ids)) == len(ids), "two fields of a schema have one id")
    identifiers = schema.get("identifier-field-ids") or []
    _require(isinstance(identifiers, list) and set(identifiers) <= set(ids), "identifier fields are fields")


def _field_ids(fields: list[Any], version: int, depth: int) -> Iterable[int]:
    _require(depth < _MOST_NESTED, f"types are nested {_MOST_NESTED} deep at most")
    names = [_text(field["name"], "a field's name") for field in fields]
    _require(len(set(names)) == len(names), "two fields of a schema have one name")
    for field in fields:
        yield _number(field["id"], _INT, "a field's id")
        _require(isinstance(field["required"], bool), "a field is required or not")
        _require(isinstance(field.get("doc") or "", str), "a field's doc is a text")
        yield from _type_ids(field["type"], version, depth)


def _type_ids(kind: Any, version: int, depth: int) -> Iterable[int]:
    if not isinstance(kind, dict):
        return _check_primitive(kind, version)
    match kind["type"]:
        case "struct":
            return _field_ids(kind["fields"], version, depth + 1)
        case "list":
            return _element_ids(kind, ("element",), version, depth + 1)
        case "map":
            return _element_ids(kind, ("key", "value"), version, depth + 1)
    raise InvalidCommit(f"there is no type '{kind['type']}'")


def _element_ids(kind: Raw, parts: tuple[str, ...], version: int, depth: int) -> Iterable[int]:
    _require(depth < _MOST_NESTED, f"types are nested {_MOST_NESTED} deep at most")
    for part in parts:
        yield _number(kind[f"{part}-id"], _INT, "a field's id")
        if part != "key":
            _require(isinstance(kind[f"{part}-required"], bool), "an element is required or not")
        yield from _type_ids(kind[part], version, depth)


def _check_primitive(kind: Any, version: int) -> Iterable[int]:
    name = _text(kind, "a type")
    decimal, fixed = _DECIMAL.fullmatch(name), _FIXED.fullmatch(name)
    known = (
        name in _PRIMITIVES
        or (decimal is not None and int(decimal[2]) <= int(decimal[1]) and 0 < int(decimal[1]) <= 38)
        or (fixed is not None and int(fixed[1]) > 0)
        or (version >= 3 and (name in _PRIMITIVES_OF_3 or _GEO.fullmatch(name) is not None))
    )
    _require(known, f"format version {version} has no type '{name}'")
    return ()


def check_spec(fields: list[Any]) -> None:
    names = [_text(field["name"], "a partition field's name") for field in fields]
    _require(len(set(names)) == len(names), "two fields of a partition spec have one name")
    for field in fields:
        _check_transform(field)
        if field.get("field-id") is not None:
            _number(field["field-id"], _INT, "a partition field's id")


def check_sort_order(fields: list[Any]) -> None:
    for field in fields:
        _check_transform(field)
        _require(field["direction"] in ("asc", "desc"), "a direction is asc or desc")
        _require(field["null-order"] in ("nulls-first", "nulls-last"), "NULLs are first or last")


def _check_transform(field: Raw) -> None:
    transform = _text(field["transform"], "a transform")
    _require(_TRANSFORM.fullmatch(transform) is not None, f"there is no transform '{transform}'")
    for source in field.get("source-ids") or [field["source-id"]]:
        _number(source, _INT, "a source's id")


def check_snapshot(snapshot: Raw, version: int) -> None:
    for key in ("snapshot-id", "timestamp-ms"):
        _number(snapshot[key], _LONG, key)
    if version > 1:
        _number(snapshot["sequence-number"], _LONG, "sequence-number")
    for key, most in (("parent-snapshot-id", _LONG), ("schema-id", _INT)):
        # Some writers say -1 for none.
        if snapshot.get(key) not in (None, -1):
            _number(snapshot[key], most, key)
    if snapshot.get("first-row-id") is not None:
        _number(snapshot["first-row-id"], _LONG, "first-row-id")
    if snapshot.get("first-row-id") is not None or snapshot.get("added-rows") is not None:
        _number(snapshot["added-rows"], _LONG, "added-rows")
    summary = snapshot.get("summary") or {}
    _require(isinstance(summary, dict), "a summary is names and texts")
    _require(all(isinstance(value, str) for value in summary.values()), "a summary is names and texts")
    _text(snapshot["manifest-list"], "a manifest list")


def check_ref(ref: Raw) -> None:
    _number(ref["snapshot-id"], _LONG, "snapshot-id")
    limits = ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")
    for key in limits:
        if ref.get(key) is not None:
            _require(ref["type"] == "branch" or key == limits[0], f"a tag has no {key}")
            _require(_number(ref[key], _INT if key == limits[2] else _LONG, key) > 0, f"{key} is at least 1")


def check_statistics(file: Raw, *, partitions: bool) -> None:
    _number(file["snapshot-id"], _LONG, "snapshot-id")
    _text(file["statistics-path"], "statistics-path")
    for key in ("file-size-in-bytes", *(() if partitions else ("file-footer-size-in-bytes",))):
        _number(file[key], _LONG, key)
    if not partitions:
        blobs = file["blob-metadata"]
        _require(isinstance(blobs, list) and all(isinstance(b, dict) for b in blobs), "blobs are objects")


def _number(value: Any, most: int, what: str) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < most
    _require(is_number, f"{what} is a number from 0 up")
    return int(value)


def _text(value: Any, what: str) -> str:
    _require(isinstance(value, str) and bool(value), f"{what} is a text")
    return str(value)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise InvalidCommit(what)
