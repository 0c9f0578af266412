"""A change of metadata in the words of the Iceberg REST protocol: what it needs, and what it does.

Worked out from the metadata before and after, so that every change that we can make of a file can also be
sent to a server. -1 means what the update before has added: the server gives the numbers.
"""

from __future__ import annotations

from typing import Any

from sqe.catalog.iceberg.table import MAIN

Raw = dict[str, Any]
_LAST_ADDED = -1


def table_creation(name: str, raw: Raw) -> Raw:
    """The request for a new table."""
    properties = {**raw["properties"], "format-version": str(raw["format-version"])}
    request: Raw = {
        "name": name,
        "schema": raw["schemas"][0],
        "partition-spec": raw["partition-specs"][0],
        "write-order": raw["sort-orders"][0],
        "stage-create": False,
        "properties": properties,
    }
    return {**request, "location": raw["location"]} if raw["location"] else request


def table_requirements(base: Raw, raw: Raw) -> list[Raw]:
    """That what the change was worked out from is still so. A change of properties alone needs nothing."""
    requirements: list[Raw] = [{"type": "assert-table-uuid", "uuid": base["table-uuid"]}]
    if all(base.get(key) == raw.get(key) for key in ("schemas", "current-schema-id", "partition-specs")):
        return requirements
    main = base.get("current-snapshot-id")
    return [
        *requirements,
        {"type": "assert-current-schema-id", "current-schema-id": base["current-schema-id"]},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": base["last-column-id"]},
        {"type": "assert-default-spec-id", "default-spec-id": base["default-spec-id"]},
        {"type": "assert-default-sort-order-id", "default-sort-order-id": base["default-sort-order-id"]},
        # Whether there are rows decides what may be changed.
        {"type": "assert-ref-snapshot-id", "ref": MAIN, "snapshot-id": None if main in (None, -1) else main},
    ]


def table_updates(base: Raw, raw: Raw) -> list[Raw]:
    updates: list[Raw] = []
    if raw["format-version"] != base["format-version"]:
        updates.append({"action": "upgrade-format-version", "format-version": raw["format-version"]})
    if MAIN in (base.get("refs") or {}) and MAIN not in (raw.get("refs") or {}):
        updates.append({"action": "remove-snapshot-ref", "ref-name": MAIN})
    for schema in _added(base, raw, "schemas", "schema-id"):
        updates.append({"action": "add-schema", "schema": schema, "last-column-id": raw["last-column-id"]})
    updates += _current(
        base, raw, "schemas", "schema-id", "current-schema-id", "set-current-schema", "schema-id"
    )
    for spec in _added(base, raw, "partition-specs", "spec-id"):
        updates.append({"action": "add-spec", "spec": spec})
    updates += _current(
        base, raw, "partition-specs", "spec-id", "default-spec-id", "set-default-spec", "spec-id"
    )
    for order in _added(base, raw, "sort-orders", "order-id"):
        updates.append({"action": "add-sort-order", "sort-order": order})
    updates += _current(
        base,
        raw,
        "sort-orders",
        "order-id",
        "default-sort-order-id",
        "set-default-sort-order",
        "sort-order-id",
    )
    return [*updates, *_common_updates(base, raw)]


def view_creation(name: str, raw: Raw) -> Raw:
    request = {
        "name": name,
        "schema": raw["schemas"][0],
        "view-version": raw["versions"][0],
        "properties": raw["properties"],
    }
    return {**request, "location": raw["location"]} if raw["location"] else request


def view_requirements(base: Raw) -> list[Raw]:
    return [{"type": "assert-view-uuid", "uuid": base["view-uuid"]}]


def view_updates(base: Raw, raw: Raw) -> list[Raw]:
    updates: list[Raw] = []
    schemas = _added(base, raw, "schemas", "schema-id")
    for schema in schemas:
        updates.append({"action": "add-schema", "schema": schema})
    new = {schema["schema-id"] for schema in schemas}
    for version in _added(base, raw, "versions", "version-id"):
        schema_id = _LAST_ADDED if version["schema-id"] in new else version["schema-id"]
        updates.append({"action": "add-view-version", "view-version": {**version, "schema-id": schema_id}})
        updates.append({"action": "set-current-view-version", "view-version-id": _LAST_ADDED})
    return [*updates, *_common_updates(base, raw)]


def _common_updates(base: Raw, raw: Raw) -> list[Raw]:
    updates: list[Raw] = []
    if raw["location"] != base["location"]:
        updates.append({"action": "set-location", "location": raw["location"]})
    before, after = base.get("properties") or {}, raw.get("properties") or {}
    changed = {key: value for key, value in after.items() if before.get(key) != value}
    removed = sorted(before.keys() - after.keys())
    if changed:
        updates.append({"action": "set-properties", "updates": changed})
    if removed:
        updates.append({"action": "remove-properties", "removals": removed})
    return updates


def _added(base: Raw, raw: Raw, kind: str, key: str) -> list[Raw]:
    before = {entry[key] for entry in base.get(kind) or ()}
    return [entry for entry in raw.get(kind) or () if entry[key] not in before]


def _current(base: Raw, raw: Raw, kind: str, key: str, current: str, action: str, argument: str) -> list[Raw]:
    """The update that makes another schema, spec or order the current one."""
    if raw.get(current) == base.get(current):
        return []
    new = any(entry[key] == raw[current] for entry in _added(base, raw, kind, key))
    return [{"action": action, argument: _LAST_ADDED if new else raw[current]}]
