"""Commits of the Iceberg REST protocol, applied to a view's metadata; see commits.py for tables."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqe.catalog.iceberg.commits import LAST_ADDED, RequirementFailed
from sqe.catalog.iceberg.metadata import NEWEST_VIEW_VERSION
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.view_definition import kept_versions, without_gaps

Raw = dict[str, Any]
# A new version must have a text for every dialect of the one before, unless the view allows it.
_MAY_DROP_DIALECTS = "replace.drop-dialect.allowed"
_INCOMPLETE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def check_view_requirements(base: Raw | None, requirements: Iterable[Raw]) -> None:
    for requirement in requirements:
        match requirement.get("type"):
            case "assert-create":
                if base is not None:
                    raise RequirementFailed("Requirement failed: the view already exists")
            case "assert-view-uuid":
                actual, expected = str((base or {}).get("view-uuid")), str(requirement.get("uuid"))
                if actual.lower() != expected.lower():
                    raise RequirementFailed(
                        f"Requirement failed: view UUID does not match: expected {expected} != {actual}"
                    )
            case kind:
                raise InvalidCommit(f"unknown requirement '{kind}'")


def apply_view_updates(base: Raw | None, updates: Sequence[Raw]) -> Raw:
    """The next metadata of a view, its first where `base` is None; `base` itself where nothing changes."""
    builder = _ViewBuilder(base)
    for update in updates:
        apply = _UPDATES.get(str(update.get("action")))
        if apply is None:
            raise InvalidCommit(f"unknown update '{update.get('action')}'")
        try:
            apply(builder, update)
        except _INCOMPLETE as error:
            raise InvalidCommit(f"the update '{update.get('action')}' is not complete") from error
    return builder.build()


def view_updates(request: Mapping[str, Any], location: str) -> list[Raw]:
    """The updates of a request for a new view."""
    try:
        version = {**request["view-version"], "schema-id": LAST_ADDED}
        return [
            {"action": "assign-uuid", "uuid": str(uuid.uuid4())},
            {"action": "set-location", "location": location},
            {"action": "set-properties", "updates": dict(request.get("properties") or {})},
            {"action": "add-schema", "schema": request["schema"]},
            {"action": "add-view-version", "view-version": version},
            {"action": "set-current-view-version", "view-version-id": LAST_ADDED},
        ]
    except _INCOMPLETE as error:
        raise InvalidCommit("the request for a view is not complete") from error


class _ViewBuilder:
    """The metadata while updates are applied."""

    def __init__(self, base: Raw | None) -> None:
        self._base = base
        self.raw: Raw = dict(base) if base is not None else _empty()
        self._last_schema: int | None = None
        self._last_version: int | None = None
        self._added: set[int] = set()

    def assign_uuid(self, update: Raw) -> None:
        if self.raw.get("view-uuid") not in (None, update["uuid"]):
            raise InvalidCommit("Cannot reassign uuid")
        self.raw["view-uuid"] = str(update["uuid"])

    def upgrade_format_version(self, update: Raw) -> None:
        version = int(update["format-version"])
        if not self.raw["format-version"] <= version <= NEWEST_VIEW_VERSION:
            raise InvalidCommit(f"Cannot change a v{self.raw['format-version']} view to v{version}")
        self.raw["format-version"] = version

    def set_location(self, update: Raw) -> None:
        self.raw["location"] = str(update["location"]).rstrip("/")

    def set_properties(self, update: Raw) -> None:
        changes = update["updates" if "updates" in update else "updated"]
        properties = {str(key): str(value) for key, value in changes.items()}
        self.raw["properties"] = {**(self.raw.get("properties") or {}), **properties}

    def remove_properties(self, update: Raw) -> None:
        names = set(update["removals" if "removals" in update else "removed"])
        properties = self.raw.get("properties") or {}
        self.raw["properties"] = {k: v for k, v in properties.items() if k not in names}

    def add_schema(self, update: Raw) -> None:
        schema = update["schema"]
        for known in self.raw["schemas"]:
            if known["fields"] == schema["fields"]:
                self._last_schema = int(known["schema-id"])
                return
        schema_id = 1 + max((int(known["schema-id"]) for known in self.raw["schemas"]), default=-1)
        self.raw["schemas"] = [*self.raw["schemas"], {**schema, "type": "struct", "schema-id": schema_id}]
        self._last_schema = schema_id

    def add_view_version(self, update: Raw) -> None:
        version = dict(update["view-version"])
        if version["schema-id"] == LAST_ADDED:
            if self._last_schema is None:
                raise InvalidCommit("Cannot set last added schema: no schema has been added")
            version["schema-id"] = self._last_schema
        if all(int(known["schema-id"]) != version["schema-id"] for known in self.raw["schemas"]):
            raise InvalidCommit(f"Cannot add version with unknown schema: {version['schema-id']}")
        _check_dialects(version)
        number = int(version["version-id"])
        for known in self.raw["versions"]:
            if _content(known) == _content(version):
                self._last_version = int(known["version-id"])
                return
            number = max(number, int(known["version-id"]) + 1)
        self.raw["versions"] = [*self.raw["versions"], {**version, "version-id": number}]
        self._last_version = number
        self._added.add(number)

    def set_current_view_version(self, update: Raw) -> None:
        number = int(update["view-version-id"])
        if number == LAST_ADDED:
            if self._last_version is None:
                raise InvalidCommit("Cannot set last version id: no current version id has been set")
            number = self._last_version
        if number == self.raw.get("current-version-id"):
            return
        version = _version(self.raw, number)
        if version is None:
            raise InvalidCommit(f"Cannot set current version to unknown version: {number}")
        self.raw["current-version-id"] = number
        # One that was current before becomes it again now.
        moment = int(version["timestamp-ms"]) if number in self._added else time.time_ns() // 1_000_000
        entry = {"timestamp-ms": moment, "version-id": number}
        self.raw["version-log"] = [*self.raw["version-log"], entry]

    def build(self) -> Raw:
        raw = self.raw
        if not raw.get("location") or not raw.get("view-uuid"):
            raise InvalidCommit("the view gets no location, or no uuid")
        if _version(raw, raw.get("current-version-id")) is None:
            raise InvalidCommit("Invalid view: no versions were added")
        if raw == self._base:
            assert self._base is not None
            return self._base
        self._check_dropped_dialects()
        kept = max(kept_versions(raw), len(self._added))
        if len(raw["versions"]) > kept:
            current = raw["current-version-id"]
            newest = sorted((int(v["version-id"]) for v in raw["versions"]), reverse=True)
            others = [number for number in newest if number != current][: kept - 1]
            raw["versions"] = [v for v in raw["versions"] if v["version-id"] in (current, *others)]
            raw["version-log"] = without_gaps(raw["version-log"], {current, *others})
        return raw

    def _check_dropped_dialects(self) -> None:
        allowed = (self.raw.get("properties") or {}).get(_MAY_DROP_DIALECTS, "false").lower() == "true"
        if self._base is None or allowed:
            return
        before = _dialects(_version(self._base, self._base["current-version-id"]) or {})
        after = _dialects(_version(self.raw, self.raw["current-version-id"]) or {})
        if not set(before) <= set(after):
            raise InvalidCommit(
                f"Cannot replace view due to loss of view dialects ({_MAY_DROP_DIALECTS}=false):\n"
                f"Previous dialects: [{', '.join(before)}]\nNew dialects: [{', '.join(after)}]"
            )


def _empty() -> Raw:
    return {
        "view-uuid": None,
        "format-version": NEWEST_VIEW_VERSION,
        "location": "",
        "schemas": [],
        "current-version-id": None,
        "versions": [],
        "version-log": [],
        "properties": {},
    }


def _version(raw: Raw, number: object) -> Raw | None:
    return next((v for v in raw["versions"] if int(v["version-id"]) == number), None)


def _content(version: Raw) -> list[object]:
    """What makes two versions the same; numbers and times do not."""
    keys = ("summary", "representations", "default-catalog", "default-namespace", "schema-id")
    return [version.get(key) for key in keys]


def _dialects(version: Raw) -> list[str]:
    texts = version.get("representations") or ()
    return [str(text["dialect"]).lower() for text in texts if text["type"] == "sql"]


def _check_dialects(version: Raw) -> None:
    dialects = _dialects(version)
    for dialect in dialects:
        if dialects.count(dialect) > 1:
            raise InvalidCommit(f"Invalid view version: Cannot add multiple queries for dialect {dialect}")


_UPDATES: Mapping[str, Callable[[_ViewBuilder, Raw], None]] = {
    "assign-uuid": _ViewBuilder.assign_uuid,
    "upgrade-format-version": _ViewBuilder.upgrade_format_version,
    "set-location": _ViewBuilder.set_location,
    "set-properties": _ViewBuilder.set_properties,
    "remove-properties": _ViewBuilder.remove_properties,
    "add-schema": _ViewBuilder.add_schema,
    "add-view-version": _ViewBuilder.add_view_version,
    "set-current-view-version": _ViewBuilder.set_current_view_version,
}
