"""Commits of the Iceberg REST protocol, applied to a table's metadata: requirements, then updates.

The metadata stays JSON: what we do not know in it is kept. Numbers are given, entries reused and logs kept as
Iceberg's own library does it, so that a table looks the same whoever has committed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqe.catalog.iceberg.definition import (
    DEFAULT_VERSION,
    FIRST_PARTITION_ID,
    complete,
    empty_metadata,
    in_version,
    metadata_log,
)
from sqe.catalog.iceberg.metadata import NEWEST_VERSION
from sqe.catalog.iceberg.strict import (
    InvalidCommit,
    check_ref,
    check_schema,
    check_snapshot,
    check_sort_order,
    check_spec,
    check_statistics,
    check_uuid,
)
from sqe.catalog.iceberg.table import MAIN
from sqe.errors import CommitConflict

Raw = dict[str, Any]

LAST_ADDED = -1
_NO_SNAPSHOT = (None, -1)
# How far the times of a log may run backwards before Iceberg takes the metadata for broken.
_CLOCK_SKEW_MS = 60_000


class RequirementFailed(CommitConflict):
    """What the commit was worked out from is no longer so: its author may load the table and try again."""


def check_requirements(base: Raw | None, requirements: Iterable[Raw]) -> None:
    table = None if base is None else complete(base)
    for requirement in requirements:
        kind = requirement.get("type")
        check = _REQUIREMENTS.get(str(kind))
        if check is None:
            raise InvalidCommit(f"unknown requirement '{kind}'")
        with _complete(f"the requirement '{kind}'"):
            check(table, requirement)


def apply_updates(base: Raw | None, base_location: str, updates: Sequence[Raw]) -> Raw:
    """The next metadata of a table, its first where `base` is None; `base` itself where nothing changes."""
    with _complete("the commit"):
        builder = _Builder(base, updates)
    for update in updates:
        action = update.get("action")
        apply = _UPDATES.get(str(action))
        if apply is None:
            raise InvalidCommit(f"unknown update '{action}'")
        with _complete(f"the update '{action}'"):
            apply(builder, update)
    return builder.build(base_location)


@contextmanager
def _complete(what: str) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidCommit(f"{what} is not complete") from error


def _same(actual: object, expected: object, what: str) -> None:
    if actual != expected:
        raise RequirementFailed(f"Requirement failed: {what} changed: expected {expected} != {actual}")


def _number_of(key: str, field: str, what: str) -> Callable[[Raw | None, Raw], None]:
    def check(table: Raw | None, requirement: Raw) -> None:
        _same(_existing(table)[key], requirement[field], what)

    return check


def _existing(table: Raw | None) -> Raw:
    if table is None:
        raise RequirementFailed("Requirement failed: the table does not exist")
    return table


def _is_new(table: Raw | None, requirement: Raw) -> None:
    if table is not None:
        raise RequirementFailed("Requirement failed: table already exists")


def _has_uuid(table: Raw | None, requirement: Raw) -> None:
    uuid, expected = _existing(table)["table-uuid"], requirement["uuid"]
    if str(uuid).lower() != str(expected).lower():
        raise RequirementFailed(f"Requirement failed: UUID does not match: expected {uuid} != {expected}")


def _has_ref(table: Raw | None, requirement: Raw) -> None:
    name, expected = requirement["ref"], requirement.get("snapshot-id")
    ref = refs_of(_existing(table)).get(name)
    kind = "branch" if ref is None else ref["type"]
    if ref is None and expected is not None:
        raise RequirementFailed(f"Requirement failed: {kind} {name} is missing, expected {expected}")
    if ref is not None and expected is None:
        raise RequirementFailed(f"Requirement failed: {kind} {name} was created concurrently")
    if ref is not None and expected is not None and int(ref["snapshot-id"]) != int(expected):
        raise RequirementFailed(
            f"Requirement failed: {kind} {name} has changed: expected id {expected} != {ref['snapshot-id']}"
        )


_REQUIREMENTS: Mapping[str, Callable[[Raw | None, Raw], None]] = {
    "assert-create": _is_new,
    "assert-table-uuid": _has_uuid,
    "assert-ref-snapshot-id": _has_ref,
    "assert-last-assigned-field-id": _number_of(
        "last-column-id", "last-assigned-field-id", "last assigned field id"
    ),
    "assert-current-schema-id": _number_of("current-schema-id", "current-schema-id", "current schema"),
    "assert-last-assigned-partition-id": _number_of(
        "last-partition-id", "last-assigned-partition-id", "last assigned partition id"
    ),
    "assert-default-spec-id": _number_of("default-spec-id", "default-spec-id", "default partition spec"),
    "assert-default-sort-order-id": _number_of(
        "default-sort-order-id", "default-sort-order-id", "default sort order"
    ),
}


def refs_of(raw: Raw) -> dict[str, Raw]:
    """Branches and tags. A table of an old writer has no ref for its current snapshot."""
    refs = dict(raw.get("refs") or {})
    current = raw.get("current-snapshot-id")
    if current not in _NO_SNAPSHOT and MAIN not in refs:
        refs[MAIN] = {"snapshot-id": current, "type": "branch"}
    return refs


class _Builder:
    """The metadata while updates are applied. `_added` has the ids that this commit has added, by kind, and
    `_last` the last of each."""

    def __init__(self, base: Raw | None, updates: Sequence[Raw]) -> None:
        self._base = base
        self._now: int | None = None
        self._added: dict[str, set[int]] = {}
        self._last: dict[str, int | None] = {}
        self._removed_snapshots = False
        self._changed = base is None
        self._main_ids: list[int] = []
        self.raw = _empty(updates) if base is None else complete(base)
        self.raw["refs"] = refs_of(self.raw)

    @property
    def version(self) -> int:
        return int(self.raw["format-version"])

    def assign_uuid(self, update: Raw) -> None:
        check_uuid(update["uuid"])
        self._set("table-uuid", str(update["uuid"]))

    def upgrade_format_version(self, update: Raw) -> None:
        version = int(update["format-version"])
        if version > NEWEST_VERSION:
            raise InvalidCommit(
                f"Cannot upgrade table to unsupported format version: v{version} (up to v{NEWEST_VERSION})"
            )
        if version < max(self.version, 1):
            raise InvalidCommit(f"Cannot downgrade v{self.version} table to v{version}")
        self._set("format-version", version)

    def add_schema(self, update: Raw) -> None:
        schema = update["schema"]
        check_schema(schema, self.version)
        highest = max((int(field["id"]) for field in _all_fields(schema["fields"])), default=0)
        # Older writers send it too; what counts is what the schema has.
        last_column = max(int(self.raw["last-column-id"]), highest)
        schema_id = int(self.raw["current-schema-id"])
        for known in self.raw["schemas"]:
            if _same_schema(known, schema):
                schema_id = int(known["schema-id"])
                break
            schema_id = max(schema_id, int(known["schema-id"]) + 1)
        else:
            # Another order of keys is nothing that a reader sees; what comes with a schema stays in it.
            self.raw["schemas"] = [*self.raw["schemas"], {**schema, "type": "struct", "schema-id": schema_id}]
            self._add("schema", schema_id)
            self._set("last-column-id", last_column)
            return
        if last_column != self.raw["last-column-id"]:
            self._set("last-column-id", last_column)
            self._add("schema", schema_id)
        else:
            self._reuse("schema", schema_id)

    def set_current_schema(self, update: Raw) -> None:
        schema_id = self._resolved("schema", update["schema-id"])
        self._check_known("schema", "schemas", "schema-id", schema_id)
        self._set("current-schema-id", schema_id)

    def add_spec(self, update: Raw) -> None:
        spec = update["spec"]
        check_spec(spec["fields"])
        fields = _numbered(spec["fields"])
        self._check_sources(fields)
        spec_id = 0
        for known in self.raw["partition-specs"]:
            if _spec_key(known["fields"]) == _spec_key(fields):
                return self._reuse("spec", int(known["spec-id"]))
            spec_id = max(spec_id, int(known["spec-id"]) + 1)
        ids = [int(field["field-id"]) for field in fields]
        if self.version == 1 and ids != list(range(FIRST_PARTITION_ID, FIRST_PARTITION_ID + len(ids))):
            raise InvalidCommit("Spec does not use sequential IDs that are required in v1")
        self.raw["partition-specs"] = [
            *self.raw["partition-specs"], {**spec, "spec-id": spec_id, "fields": fields},
        ]  # fmt: skip
        self._add("spec", spec_id)
        self._set("last-partition-id", max([int(self.raw["last-partition-id"]), *ids]))

    def set_default_spec(self, update: Raw) -> None:
        spec_id = self._resolved("spec", update["spec-id"])
        self._check_known("spec", "partition-specs", "spec-id", spec_id)
        self._set("default-spec-id", spec_id)

    def add_sort_order(self, update: Raw) -> None:
        order = update["sort-order"]
        check_sort_order(order["fields"])
        self._check_sources(order["fields"])
        order_id = 1 if order["fields"] else 0
        for known in self.raw["sort-orders"]:
            if known["fields"] == order["fields"]:
                return self._reuse("order", int(known["order-id"]))
            if order["fields"]:
                order_id = max(order_id, int(known["order-id"]) + 1)
        self.raw["sort-orders"] = [*self.raw["sort-orders"], {**order, "order-id": order_id}]
        self._add("order", order_id)

    def set_default_sort_order(self, update: Raw) -> None:
        order_id = self._resolved("order", update["sort-order-id"])
        self._check_known("order", "sort-orders", "order-id", order_id)
        self._set("default-sort-order-id", order_id)

    def add_snapshot(self, update: Raw) -> None:
        snapshot = dict(update["snapshot"])
        check_snapshot(snapshot, self.version)
        snapshot_id, moment = int(snapshot["snapshot-id"]), int(snapshot["timestamp-ms"])
        if not (self.raw["schemas"] and self.raw["partition-specs"] and self.raw["sort-orders"]):
            raise InvalidCommit("Attempting to add a snapshot before a schema, spec and sort order are added")
        if self._snapshot(snapshot_id) is not None:
            raise InvalidCommit(f"Snapshot already exists for id: {snapshot_id}")
        if self.version == 1:
            snapshot.pop("sequence-number", None)
        else:
            self._advance_sequence(snapshot)
        if self.version >= 3:
            self._advance_rows(snapshot)
        self._now = moment
        self.raw["snapshots"] = [*(self.raw.get("snapshots") or ()), snapshot]
        self._added.setdefault("snapshot", set()).add(snapshot_id)
        self._changed = True

    def _advance_sequence(self, snapshot: Raw) -> None:
        number, last = int(snapshot["sequence-number"]), int(self.raw["last-sequence-number"])
        if number <= last and snapshot.get("parent-snapshot-id") is not None:
            # Another branch has moved on, which no requirement sees: worked out again it fits.
            raise RequirementFailed(
                f"Cannot add snapshot with sequence number {number} older than last sequence number {last}"
            )
        self._set("last-sequence-number", max(number, last))

    def _advance_rows(self, snapshot: Raw) -> None:
        first, following = snapshot.get("first-row-id"), int(self.raw.get("next-row-id") or 0)
        if first is None:
            raise InvalidCommit("Cannot add a snapshot: first-row-id is null")
        if int(first) < following:
            raise RequirementFailed(
                f"Cannot add a snapshot, first-row-id is behind table next-row-id: {first} < {following}"
            )
        self._set("next-row-id", following + int(snapshot.get("added-rows") or 0))

    def set_snapshot_ref(self, update: Raw) -> None:
        name = str(update["ref-name"])
        ref = {key: value for key, value in update.items() if key not in ("action", "ref-name")}
        ref = {key: value for key, value in ref.items() if value is not None}
        check_ref(ref)
        snapshot_id = int(ref["snapshot-id"])
        if ref["type"] not in ("branch", "tag") or (name == MAIN and ref["type"] != "branch"):
            raise InvalidCommit(f"Cannot set {name} to a {ref['type']}")
        snapshot = self._snapshot(snapshot_id)
        if snapshot is None:
            raise InvalidCommit(f"Cannot set {name} to unknown snapshot: {snapshot_id}")
        if self.raw["refs"].get(name) == ref:
            return
        if snapshot_id in self._added.get("snapshot", ()):
            self._now = int(snapshot["timestamp-ms"])
        if name == MAIN:
            self._now = _now_ms() if self._now is None else self._now
            self._set("current-snapshot-id", snapshot_id)
            self._main_ids.append(snapshot_id)
            log = self.raw.get("snapshot-log") or []
            # Readers refuse a log that runs backwards, as a client's clock may.
            latest = max((int(entry["timestamp-ms"]) for entry in log), default=self._now)
            entry = {"timestamp-ms": max(self._now, latest), "snapshot-id": snapshot_id}
            self.raw["snapshot-log"] = [*log, entry]
        self.raw["refs"] = {**self.raw["refs"], name: ref}
        self._changed = True

    def remove_snapshot_ref(self, update: Raw) -> None:
        self._remove_ref(str(update["ref-name"]))

    def _remove_ref(self, name: str) -> None:
        if name == MAIN:
            self._set("current-snapshot-id", LAST_ADDED)
        if name in self.raw["refs"]:
            self._set("refs", {n: ref for n, ref in self.raw["refs"].items() if n != name})

    def remove_snapshots(self, update: Raw) -> None:
        ids = {int(snapshot_id) for snapshot_id in update["snapshot-ids"]}
        snapshots = self.raw.get("snapshots") or []
        remaining = [s for s in snapshots if int(s["snapshot-id"]) not in ids]
        if len(remaining) == len(snapshots):
            return
        self._removed_snapshots = True
        self._set("snapshots", remaining)
        for key in ("statistics", "partition-statistics"):
            self._remove_by_snapshot(key, ids)
        for name, ref in list(self.raw["refs"].items()):
            if int(ref["snapshot-id"]) in ids:
                self._remove_ref(name)

    def set_statistics(self, update: Raw) -> None:
        check_statistics(update["statistics"], partitions=False)
        self._set_by_snapshot("statistics", update["statistics"])

    def remove_statistics(self, update: Raw) -> None:
        self._remove_by_snapshot("statistics", {int(update["snapshot-id"])})

    def set_partition_statistics(self, update: Raw) -> None:
        check_statistics(update["partition-statistics"], partitions=True)
        self._set_by_snapshot("partition-statistics", update["partition-statistics"])

    def remove_partition_statistics(self, update: Raw) -> None:
        self._remove_by_snapshot("partition-statistics", {int(update["snapshot-id"])})

    def _set_by_snapshot(self, key: str, file: Raw) -> None:
        snapshot_id = int(file["snapshot-id"])
        others = [f for f in self.raw.get(key) or () if int(f["snapshot-id"]) != snapshot_id]
        self._set(key, [*others, file])

    def _remove_by_snapshot(self, key: str, ids: set[int]) -> None:
        files = self.raw.get(key) or []
        remaining = [f for f in files if int(f["snapshot-id"]) not in ids]
        if len(remaining) != len(files):
            self._set(key, remaining)

    def set_location(self, update: Raw) -> None:
        self._set("location", str(update["location"]).rstrip("/"))

    def set_properties(self, update: Raw) -> None:
        changes = {str(k): str(v) for k, v in update["updates" if "updates" in update else "updated"].items()}
        self._set("properties", {**(self.raw.get("properties") or {}), **changes})

    def remove_properties(self, update: Raw) -> None:
        names = set(update["removals" if "removals" in update else "removed"])
        properties = self.raw.get("properties") or {}
        self._set("properties", {k: v for k, v in properties.items() if k not in names})

    def remove_partition_specs(self, update: Raw) -> None:
        ids = {int(spec_id) for spec_id in update["spec-ids"]}
        if self.raw["default-spec-id"] in ids:
            raise InvalidCommit("Cannot remove the default partition spec")
        specs = self.raw["partition-specs"]
        self._set("partition-specs", [s for s in specs if int(s["spec-id"]) not in ids])

    def remove_schemas(self, update: Raw) -> None:
        ids = {int(schema_id) for schema_id in update["schema-ids"]}
        if self.raw["current-schema-id"] in ids:
            raise InvalidCommit("Cannot remove the current schema")
        schemas = self.raw["schemas"]
        self._set("schemas", [s for s in schemas if int(s["schema-id"]) not in ids])

    def add_encryption_key(self, update: Raw) -> None:
        key = update["encryption-key"]
        keys = self.raw.get("encryption-keys") or []
        if all(known["key-id"] != key["key-id"] for known in keys):
            self._set("encryption-keys", [*keys, key])

    def remove_encryption_key(self, update: Raw) -> None:
        keys = self.raw.get("encryption-keys") or []
        self._set("encryption-keys", [key for key in keys if key["key-id"] != update["key-id"]])

    def build(self, base_location: str) -> Raw:
        if not self._changed:
            assert self._base is not None
            return self._base
        raw = self.raw
        self._check_complete()
        raw["snapshot-log"] = self._snapshot_log()
        moment = _now_ms() if self._now is None else self._now
        if self._base is not None:
            before = int(self._base["last-updated-ms"])
            # A clock that was set back must not make metadata that no reader takes.
            moment = moment if moment > before - _CLOCK_SKEW_MS else before
            raw["metadata-log"] = metadata_log(self._base, base_location, raw.get("properties") or {})
        raw["last-updated-ms"] = moment
        return in_version(raw, self.version)

    def _check_complete(self) -> None:
        for key in ("table-uuid", "location"):
            if not self.raw.get(key):
                raise InvalidCommit(f"the table gets no {key.removeprefix('table-')}")
        self._check_known("schema", "schemas", "schema-id", self.raw["current-schema-id"])
        self._check_known("spec", "partition-specs", "spec-id", self.raw["default-spec-id"])
        self._check_known("order", "sort-orders", "order-id", self.raw["default-sort-order-id"])

    def _snapshot_log(self) -> list[Raw]:
        """Without snapshots that were current inside this commit alone, and without the history before one
        that was removed."""
        log = self.raw.get("snapshot-log") or []
        current = self.raw.get("current-snapshot-id")
        added = self._added.get("snapshot", set())
        intermediate = {i for i in self._main_ids if i in added and i != current}
        if not intermediate and not self._removed_snapshots:
            return log
        ids = {int(s["snapshot-id"]) for s in self.raw.get("snapshots") or ()}
        remaining: list[Raw] = []
        for entry in log:
            if int(entry["snapshot-id"]) not in ids:
                remaining = []
            elif int(entry["snapshot-id"]) not in intermediate:
                remaining.append(entry)
        return remaining

    def _snapshot(self, snapshot_id: int) -> Raw | None:
        snapshots = self.raw.get("snapshots") or ()
        return next((s for s in reversed(snapshots) if int(s["snapshot-id"]) == snapshot_id), None)

    def _set(self, key: str, value: object) -> None:
        if self.raw.get(key) != value:
            self.raw[key] = value
            self._changed = True

    def _add(self, kind: str, number: int) -> None:
        self._added.setdefault(kind, set()).add(number)
        self._last[kind] = number
        self._changed = True

    def _reuse(self, kind: str, number: int) -> None:
        """What was there before this commit is no last addition, as Iceberg's library sees it."""
        self._last[kind] = number if number in self._added.get(kind, ()) else None

    def _resolved(self, kind: str, number: object) -> int:
        if number != LAST_ADDED:
            return int(str(number))
        last = self._last.get(kind)
        if last is None:
            raise InvalidCommit(f"Cannot set last added {kind}: no {kind} has been added")
        return last

    def _check_known(self, kind: str, key: str, id_key: str, number: object) -> None:
        if all(int(entry[id_key]) != number for entry in self.raw[key]):
            raise InvalidCommit(f"Cannot set {kind} to unknown {kind}: {number}")

    def _check_sources(self, fields: Iterable[Raw]) -> None:
        schema_id = self.raw["current-schema-id"]
        schema = next((s for s in self.raw["schemas"] if s["schema-id"] == schema_id), None)
        if schema is None:
            raise InvalidCommit("Attempting to add a spec or sort order before a schema is set")
        ids = {int(field["id"]) for field in _all_fields(schema["fields"])}
        for field in fields:
            sources = field.get("source-ids") or [field["source-id"]]
            # A column that was dropped may be the source of a field that partitions nothing any more.
            if field["transform"] != "void" and not ids.issuperset(map(int, sources)):
                raise InvalidCommit(f"Cannot find source column for field: {field}")


def _empty(updates: Sequence[Raw]) -> Raw:
    """What a new table's updates start from; they tell its version."""
    versions = [int(u["format-version"]) for u in updates if u.get("action") == "upgrade-format-version"]
    return empty_metadata(versions[0] if versions else DEFAULT_VERSION)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _all_fields(fields: Iterable[Raw]) -> Iterable[Raw]:
    """Columns and what is in them: fields of structs, elements, keys and values."""
    for field in fields:
        yield field
        yield from _nested(field["type"])


def _nested(kind: object) -> Iterable[Raw]:
    if not isinstance(kind, dict):
        return
    match kind["type"]:
        case "struct":
            yield from _all_fields(kind["fields"])
        case "list":
            yield {"id": kind["element-id"]}
            yield from _nested(kind["element"])
        case "map":
            yield {"id": kind["key-id"]}
            yield {"id": kind["value-id"]}
            yield from _nested(kind["key"])
            yield from _nested(kind["value"])


def _same_schema(one: Raw, other: Raw) -> bool:
    return (
        one["fields"] == other["fields"]
        and set(one.get("identifier-field-ids") or ()) == set(other.get("identifier-field-ids") or ())
    )  # fmt: skip


def _spec_key(fields: Iterable[Raw]) -> list[tuple[object, ...]]:
    return [(str(f.get("source-ids") or [f["source-id"]]), f["transform"], f["name"]) for f in fields]


def _numbered(fields: Iterable[Raw]) -> list[Raw]:
    """Partition fields with ids; those that have none are counted on."""
    last = FIRST_PARTITION_ID - 1
    numbered = []
    for field in fields:
        last = max(last, int(field["field-id"])) if field.get("field-id") is not None else last + 1
        numbered.append({**field, "field-id": field.get("field-id") or last})
    return numbered


_UPDATES: Mapping[str, Callable[[_Builder, Raw], None]] = {
    "assign-uuid": _Builder.assign_uuid,
    "upgrade-format-version": _Builder.upgrade_format_version,
    "add-schema": _Builder.add_schema,
    "set-current-schema": _Builder.set_current_schema,
    "add-spec": _Builder.add_spec,
    "set-default-spec": _Builder.set_default_spec,
    "add-sort-order": _Builder.add_sort_order,
    "set-default-sort-order": _Builder.set_default_sort_order,
    "add-snapshot": _Builder.add_snapshot,
    "set-snapshot-ref": _Builder.set_snapshot_ref,
    "remove-snapshot-ref": _Builder.remove_snapshot_ref,
    "remove-snapshots": _Builder.remove_snapshots,
    "set-statistics": _Builder.set_statistics,
    "remove-statistics": _Builder.remove_statistics,
    "set-partition-statistics": _Builder.set_partition_statistics,
    "remove-partition-statistics": _Builder.remove_partition_statistics,
    "set-location": _Builder.set_location,
    "set-properties": _Builder.set_properties,
    "remove-properties": _Builder.remove_properties,
    "remove-partition-specs": _Builder.remove_partition_specs,
    "remove-schemas": _Builder.remove_schemas,
    "add-encryption-key": _Builder.add_encryption_key,
    "remove-encryption-key": _Builder.remove_encryption_key,
}
