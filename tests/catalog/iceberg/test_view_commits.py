"""Commits to views: versions are counted, reused, kept and forgotten as Iceberg's own library does it."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.iceberg.commits import RequirementFailed
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.view_commits import apply_view_updates, check_view_requirements, view_updates

Raw = dict[str, Any]
FIELD = {"id": 1, "name": "a", "type": "long", "required": False}
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [FIELD]}


def version(sql: str, *dialects: str, number: int = 1, **more: object) -> Raw:
    return {
        "version-id": number,
        "timestamp-ms": 1000 + number,
        "schema-id": 0,
        "summary": {},
        "default-namespace": ["s"],
        "representations": [{"type": "sql", "sql": sql, "dialect": d} for d in dialects or ("spark",)],
        **more,
    }


def made(**properties: str) -> Raw:
    request = {"schema": SCHEMA, "view-version": version("SELECT 1"), "properties": properties}
    return apply_view_updates(None, view_updates(request, "/w/v"))


def replaced(base: Raw, *versions: Raw) -> Raw:
    updates: list[Raw] = [{"action": "add-view-version", "view-version": v} for v in versions]
    return apply_view_updates(base, [*updates, {"action": "set-current-view-version", "view-version-id": -1}])


def test_a_new_view() -> None:
    raw = made(comment="x")
    assert raw["current-version-id"] == 1
    assert raw["version-log"] == [{"timestamp-ms": 1001, "version-id": 1}]
    assert (raw["location"], raw["properties"], raw["schemas"]) == ("/w/v", {"comment": "x"}, [SCHEMA])


def test_a_version_gets_the_next_number_and_an_equal_one_is_used_again() -> None:
    two = replaced(made(), version("SELECT 2"))
    assert two["current-version-id"] == 2 and [v["version-id"] for v in two["versions"]] == [1, 2]
    back = replaced(two, version("SELECT 1", number=9))
    assert back["current-version-id"] == 1 and len(back["versions"]) == 2
    assert [entry["version-id"] for entry in back["version-log"]] == [1, 2, 1]
    # It is current again now, and not when it was made.
    assert back["version-log"][-1]["timestamp-ms"] > 1_000_000


def test_nothing_changes_nothing() -> None:
    raw = made()
    assert apply_view_updates(raw, []) is raw
    assert replaced(raw, version("SELECT 1")) is raw


def test_old_versions_are_forgotten_but_not_the_current_one() -> None:
    raw = made(**{"version.history.num-entries": "2"})
    for number in range(2, 6):
        raw = replaced(raw, version(f"SELECT {number}"))
    assert [v["version-id"] for v in raw["versions"]] == [4, 5]
    assert [entry["version-id"] for entry in raw["version-log"]] == [4, 5]


def test_a_dialect_is_not_lost_by_mistake() -> None:
    raw = replaced(made(), version("SELECT 2", "spark", "trino"))
    with pytest.raises(InvalidCommit, match="loss of view dialects"):
        replaced(raw, version("SELECT 3", "trino"))
    allowed = {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}
    raw = apply_view_updates(raw, [allowed])
    assert replaced(raw, version("SELECT 3", "trino"))["current-version-id"] == 3


@pytest.mark.parametrize(
    "updates",
    [
        [{"action": "no-such"}],
        [{"action": "assign-uuid", "uuid": "other"}],
        [{"action": "upgrade-format-version", "format-version": 2}],
        [{"action": "add-view-version", "view-version": version("x", "spark", "SPARK")}],
        [{"action": "add-view-version", "view-version": version("x", **{"schema-id": 7})}],
        [{"action": "add-view-version", "view-version": version("x", **{"schema-id": -1})}],
        [{"action": "add-view-version"}],
        [{"action": "set-current-view-version", "view-version-id": 7}],
        [{"action": "set-current-view-version", "view-version-id": -1}],
        [{"action": "set-properties", "updates": 1}],
    ],
)
def test_what_cannot_be_applied(updates: list[Raw]) -> None:
    with pytest.raises(InvalidCommit):
        apply_view_updates(made(), updates)


def test_requirements() -> None:
    raw = made()
    check_view_requirements(raw, [{"type": "assert-view-uuid", "uuid": raw["view-uuid"].upper()}])
    for requirement in ({"type": "assert-view-uuid", "uuid": "x"}, {"type": "assert-create"}):
        with pytest.raises(RequirementFailed):
            check_view_requirements(raw, [requirement])
    with pytest.raises(InvalidCommit):
        check_view_requirements(raw, [{"type": "assert-table-uuid"}])
