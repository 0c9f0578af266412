"""Commits are applied as Iceberg's own library applies them."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.iceberg.commits import RequirementFailed, apply_updates, check_requirements
from sqe.catalog.iceberg.strict import InvalidCommit

Raw = dict[str, Any]
FIELDS = [{"id": 1, "name": "id", "required": False, "type": "long"}]
WITH_A = [*FIELDS, {"id": 2, "name": "a", "required": False, "type": "string"}]


def schema(fields: list[Raw], number: int = 0) -> Raw:
    return {"type": "struct", "schema-id": number, "fields": fields}


def creation(version: int = 2) -> list[Raw]:
    return [
        {"action": "assign-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
        {"action": "upgrade-format-version", "format-version": version},
        {"action": "add-schema", "schema": schema(FIELDS), "last-column-id": 1},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": 0, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": "file:/w/t"},
        {"action": "set-properties", "updates": {"owner": "joe"}},
    ]


def table(version: int = 2, *updates: Raw) -> Raw:
    return apply_updates(None, "", [*creation(version), *updates])


def snapshot(number: int, parent: int | None = None, *, sequence: int | None = None, **more: Any) -> Raw:
    return {
        "action": "add-snapshot",
        "snapshot": {
            "snapshot-id": number,
            "sequence-number": number if sequence is None else sequence,
            "timestamp-ms": 1_700_000_000_000 + number,
            "manifest-list": f"file:/w/t/metadata/snap-{number}.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
            **({} if parent is None else {"parent-snapshot-id": parent}),
            **more,
        },
    }


def main(number: int) -> Raw:
    return {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": number}


def committed(base: Raw, *updates: Raw) -> Raw:
    return apply_updates(base, "file:/w/t/metadata/00000-x.metadata.json", updates)


@pytest.mark.parametrize(("version", "current"), [(1, -1), (2, -1), (3, None)])
def test_a_table_is_made(version: int, current: int | None) -> None:
    raw = table(version)
    assert raw["format-version"] == version
    assert raw["current-schema-id"] == 0 and raw["last-column-id"] == 1
    assert raw["last-partition-id"] == 999 and raw["default-sort-order-id"] == 0
    assert raw["current-snapshot-id"] == current
    assert ("schema" in raw, "partition-spec" in raw) == ((True, True) if version == 1 else (False, False))
    assert ("last-sequence-number" in raw) == (version > 1)
    assert ("next-row-id" in raw) == (version > 2)
    assert raw["metadata-log"] == []


def test_a_snapshot_becomes_the_current_one() -> None:
    raw = committed(table(), snapshot(1), main(1))
    assert raw["current-snapshot-id"] == 1 and raw["last-sequence-number"] == 1
    assert raw["refs"] == {"main": {"snapshot-id": 1, "type": "branch"}}
    assert raw["last-updated-ms"] >= 1_700_000_000_001
    assert [e["snapshot-id"] for e in raw["snapshot-log"]] == [1]
    assert [e["metadata-file"] for e in raw["metadata-log"]] == ["file:/w/t/metadata/00000-x.metadata.json"]


def test_what_we_do_not_know_stays() -> None:
    base = {**table(), "x-of-another": {"a": [1]}}
    assert committed(base, snapshot(1, **{"x-new": 2}), main(1))["x-of-another"] == {"a": [1]}
    assert committed(base, snapshot(1, **{"x-new": 2}))["snapshots"][0]["x-new"] == 2


def test_the_log_of_metadata_has_the_time_of_each_and_an_end() -> None:
    base = committed(
        table(), {"action": "set-properties", "updates": {"write.metadata.previous-versions-max": "2"}}
    )
    for number in range(4):
        base = {**committed(base, {"action": "set-properties", "updates": {"n": str(number)}})}
    assert len(base["metadata-log"]) == 2


def test_rows_of_version_3_are_numbered_on() -> None:
    base = committed(table(3), snapshot(1, **{"first-row-id": 0, "added-rows": 10}), main(1))
    assert base["next-row-id"] == 10
    with pytest.raises(RequirementFailed, match="first-row-id is behind"):
        committed(base, snapshot(2, 1, **{"first-row-id": 5, "added-rows": 1}))
    with pytest.raises(InvalidCommit, match="first-row-id is null"):
        committed(base, snapshot(2, 1))
    assert committed(base, snapshot(2, 1, **{"first-row-id": 10, "added-rows": 1}))["next-row-id"] == 11


def test_a_commit_to_another_branch_is_worked_out_again() -> None:
    base = committed(table(), snapshot(1), main(1), snapshot(2, 1), {**main(2), "ref-name": "b"})
    with pytest.raises(RequirementFailed, match="older than last sequence number 2"):
        committed(base, snapshot(3, 1, sequence=2), main(3))


def test_schemas_are_reused() -> None:
    base = committed(
        table(),
        {"action": "add-schema", "schema": schema(WITH_A)},
        {"action": "set-current-schema", "schema-id": -1},
    )
    assert (base["current-schema-id"], base["last-column-id"]) == (1, 2)
    back = committed(base, {"action": "set-current-schema", "schema-id": 0})
    assert (back["current-schema-id"], len(back["schemas"]), back["last-column-id"]) == (0, 2, 2)
    with pytest.raises(InvalidCommit, match="no schema has been added"):
        committed(
            base,
            {"action": "add-schema", "schema": schema(FIELDS)},
            {"action": "set-current-schema", "schema-id": -1},
        )


def test_specs_and_orders_are_numbered_and_reused() -> None:
    spec = {"fields": [{"source-id": 1, "name": "id_bucket", "transform": "bucket[4]"}]}
    order = {
        "fields": [{"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}]
    }
    raw = committed(
        table(),
        {"action": "add-spec", "spec": spec},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": order},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    )
    assert raw["default-spec-id"] == 1 and raw["last-partition-id"] == 1000
    assert raw["partition-specs"][1]["fields"][0]["field-id"] == 1000
    assert raw["default-sort-order-id"] == 1
    again = committed(
        raw, {"action": "add-spec", "spec": spec}, {"action": "add-sort-order", "sort-order": order}
    )
    assert again is raw
    with pytest.raises(InvalidCommit, match="Cannot find source column"):
        committed(raw, {"action": "add-spec", "spec": {"fields": [{**spec["fields"][0], "source-id": 9}]}})


def test_a_removed_snapshot_takes_its_refs_statistics_and_history_along() -> None:
    sizes = {"file-size-in-bytes": 9, "file-footer-size-in-bytes": 4, "blob-metadata": []}
    statistics = {"snapshot-id": 1, "statistics-path": "file:/w/t/s.puffin", **sizes}
    base = committed(table(), snapshot(1), main(1), {"action": "set-statistics", "statistics": statistics})
    base = committed(base, snapshot(2, 1), main(2), {**main(1), "ref-name": "old", "type": "tag"})
    base = committed(base, snapshot(3, 2), main(3))
    raw = committed(base, {"action": "remove-snapshots", "snapshot-ids": [1]})
    assert [s["snapshot-id"] for s in raw["snapshots"]] == [2, 3]
    assert list(raw["refs"]) == ["main"] and raw["statistics"] == []
    assert [e["snapshot-id"] for e in raw["snapshot-log"]] == [2, 3]
    gap = committed(base, {"action": "remove-snapshots", "snapshot-ids": [2]})
    assert [e["snapshot-id"] for e in gap["snapshot-log"]] == [3]


def test_a_snapshot_that_was_current_inside_a_commit_alone_is_no_history() -> None:
    raw = committed(table(), snapshot(1), main(1), snapshot(2, 1), main(2))
    assert [e["snapshot-id"] for e in raw["snapshot-log"]] == [2]


def test_a_replaced_table_begins_anew_and_keeps_its_past() -> None:
    base = committed(table(), snapshot(1), main(1))
    raw = committed(base, {"action": "remove-snapshot-ref", "ref-name": "main"})
    assert raw["current-snapshot-id"] == -1 and len(raw["snapshots"]) == 1
    assert [entry["snapshot-id"] for entry in raw["snapshot-log"]] == [1]


def test_what_changes_nothing_makes_no_metadata() -> None:
    base = committed(table(), snapshot(1), main(1))
    assert committed(base, main(1), {"action": "set-properties", "updates": {"owner": "joe"}}) is base
    assert committed(base, {"action": "remove-snapshots", "snapshot-ids": [9]}) is base
    assert committed(base, {"action": "set-properties", "updates": {}}) is base
    assert committed(base, {"action": "remove-properties", "removals": []}) is base


@pytest.mark.parametrize(
    "update",
    [
        {"action": "fly"},
        {"action": "add-snapshot"},
        {"action": "add-snapshot", "snapshot": []},
        {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": 7},
        {"action": "set-snapshot-ref", "ref-name": "main", "type": "tag", "snapshot-id": 1},
        {"action": "upgrade-format-version", "format-version": 1},
        {"action": "upgrade-format-version", "format-version": 9},
        {"action": "set-current-schema", "schema-id": 5},
        {"action": "remove-schemas", "schema-ids": [0]},
        {"action": "remove-partition-specs", "spec-ids": [0]},
        {},
    ],
)
def test_what_fits_no_table_is_refused(update: Raw) -> None:
    with pytest.raises(InvalidCommit):
        committed(committed(table(), snapshot(1), main(1)), update)


@pytest.mark.parametrize(
    "requirement",
    [
        {"type": "assert-create"},
        {"type": "assert-table-uuid", "uuid": "other"},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 2},
        {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},
        {"type": "assert-ref-snapshot-id", "ref": "b", "snapshot-id": 1},
        {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 4},
        {"type": "assert-current-schema-id", "current-schema-id": 4},
        {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 4},
        {"type": "assert-default-spec-id", "default-spec-id": 4},
        {"type": "assert-default-sort-order-id", "default-sort-order-id": 4},
    ],
)
def test_a_requirement_that_fails(requirement: Raw) -> None:
    base = committed(table(), snapshot(1), main(1))
    with pytest.raises(RequirementFailed):
        check_requirements(base, [requirement])
    if requirement["type"] != "assert-create":
        with pytest.raises(RequirementFailed):
            check_requirements(None, [requirement])


def test_requirements_that_hold() -> None:
    base = committed(table(), snapshot(1), main(1))
    check_requirements(None, [{"type": "assert-create"}])
    check_requirements(
        base,
        [
            {"type": "assert-table-uuid", "uuid": base["table-uuid"].upper()},
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1},
            {"type": "assert-ref-snapshot-id", "ref": "b", "snapshot-id": None},
            {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 1},
            {"type": "assert-current-schema-id", "current-schema-id": 0},
        ],
    )
    with pytest.raises(InvalidCommit):
        check_requirements(base, [{"type": "assert-weather"}])
    with pytest.raises(InvalidCommit):
        check_requirements(base, [{"type": "assert-table-uuid"}])
