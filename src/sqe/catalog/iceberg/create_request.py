"""The request of the REST protocol for a new table, as its first metadata.

The ids in it are the engine's own: columns are numbered anew, and what refers to them with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from sqe.catalog.iceberg.definition import (
    DEFAULT_CODEC,
    DEFAULT_VERSION,
    FIRST_PARTITION_ID,
    RESERVED,
    first_metadata,
)
from sqe.catalog.iceberg.metadata import NEWEST_VERSION
from sqe.catalog.iceberg.strict import InvalidCommit, check_schema, check_sort_order, check_spec

Raw = dict[str, Any]


def requested_metadata(request: Mapping[str, Any], location: str) -> Raw:
    try:
        return _requested(request, location)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidCommit("the request for a table is not complete") from error


def _requested(request: Mapping[str, Any], location: str) -> Raw:
    properties = {str(k): str(v) for k, v in (request.get("properties") or {}).items() if k not in RESERVED}
    version = int(properties.pop("format-version", DEFAULT_VERSION))
    if not 1 <= version <= NEWEST_VERSION:
        raise InvalidCommit(f"there is no format version {version}")
    properties.setdefault(*DEFAULT_CODEC)
    check_schema(request["schema"], version)
    check_spec((request.get("partition-spec") or {}).get("fields") or [])
    check_sort_order((request.get("write-order") or {}).get("fields") or [])
    numbers = itertools.count(1)
    new_ids: dict[int, int] = {}
    fields = _renumbered(request["schema"]["fields"], lambda old: new_ids.setdefault(old, next(numbers)))
    schema: Raw = {"type": "struct", "schema-id": 0, "fields": fields}
    identifiers = request["schema"].get("identifier-field-ids")
    if identifiers:
        schema["identifier-field-ids"] = [new_ids[i] for i in identifiers]
    partitions = [
        {**_with_source(field, new_ids), "field-id": FIRST_PARTITION_ID + number}
        for number, field in enumerate((request.get("partition-spec") or {}).get("fields") or ())
    ]
    order = [_with_source(field, new_ids) for field in (request.get("write-order") or {}).get("fields") or ()]
    return first_metadata(version, location.rstrip("/"), schema, len(new_ids), partitions, order, properties)


def _with_source(field: Raw, new_ids: Mapping[int, int]) -> Raw:
    if "source-ids" in field:
        return {**field, "source-ids": [new_ids[i] for i in field["source-ids"]]}
    return {**field, "source-id": new_ids[field["source-id"]]}


def _renumbered(fields: list[Raw], number: Callable[[int], int]) -> list[Raw]:
    """Siblings first, then what is in them, as Iceberg counts."""
    ids = [number(int(field["id"])) for field in fields]
    return [
        {**field, "id": new, "type": _renumbered_type(field["type"], number)}
        for new, field in zip(ids, fields, strict=True)
    ]


def _renumbered_type(kind: Any, number: Callable[[int], int]) -> Any:
    if not isinstance(kind, dict):
        return kind
    match kind["type"]:
        case "struct":
            return {**kind, "fields": _renumbered(kind["fields"], number)}
        case "list":
            element = number(int(kind["element-id"]))
            return {**kind, "element-id": element, "element": _renumbered_type(kind["element"], number)}
        case "map":
            ids = {"key-id": number(int(kind["key-id"])), "value-id": number(int(kind["value-id"]))}
            inner = {part: _renumbered_type(kind[part], number) for part in ("key", "value")}
            return {**kind, **ids, **inner}
    raise ValueError(kind["type"])
