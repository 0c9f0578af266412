"""What some reader of Iceberg would refuse is not committed."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.iceberg import strict
from sqe.catalog.iceberg.strict import InvalidCommit

Raw = dict[str, Any]


def field(number: Any = 1, name: Any = "a", kind: Any = "long", **more: Any) -> Raw:
    return {"id": number, "name": name, "type": kind, "required": False, **more}


def nested(depth: int) -> Any:
    kind: Any = "long"
    for number in range(depth):
        kind = {"type": "list", "element-id": number + 2, "element": kind, "element-required": False}
    return kind


@pytest.mark.parametrize(
    "fields",
    [
        [field(), field(name="b")],
        [field(), field(2)],
        [field("3")],
        [field(3.5)],
        [field(True)],
        [field(2**31)],
        [field(-1)],
        [field(name=5)],
        [field(name="")],
        [field(required="no")],
        [field(doc=5)],
        [field(kind="blah")],
        [field(kind=5)],
        [field(kind="decimal(50,2)")],
        [field(kind="decimal(10, 20)")],
        [field(kind="fixed[0]")],
        [field(kind="timestamp_ns")],
        [field(kind={"type": "list", "element-id": 2, "element": "long"})],
        [field(kind={"type": "map", "key-id": 2, "key": "long", "value-id": 2, "value": "long"})],
        [field(kind={"type": "set"})],
        [field(kind=nested(2000))],
        [{"id": 1, "name": "a", "type": "long"}],
        5,
    ],
)
def test_schemas(fields: Any) -> None:
    with pytest.raises((InvalidCommit, KeyError)):
        strict.check_schema({"fields": fields}, 2)


def test_what_is_a_schema() -> None:
    kinds = ("decimal(38, 10)", "fixed[16]", "timestamptz", "uuid", nested(20))
    fields = [field(100 + number, f"c{number}", kind) for number, kind in enumerate(kinds)]
    strict.check_schema({"fields": fields, "identifier-field-ids": [100]}, 2)
    later = ("variant", "unknown", "timestamp_ns", "geometry(EPSG:4326)")
    strict.check_schema({"fields": [field(n, f"c{n}", kind) for n, kind in enumerate(later)]}, 3)
    for identifiers in ([999], "x", 5):
        with pytest.raises((InvalidCommit, TypeError)):
            strict.check_schema({"fields": fields, "identifier-field-ids": identifiers}, 2)


@pytest.mark.parametrize(
    ("transform", "valid"),
    [
        *[(name, True) for name in ("identity", "void", "year", "hour", "bucket[16]", "truncate[4]")],
        *[
            (name, False)
            for name in ("wat", "bucket[0]", "bucket[-1]", "bucket", "truncate[99999999999]", 5, None)
        ],
    ],
)
def test_transforms(transform: Any, valid: bool) -> None:
    fields = [{"name": "p", "transform": transform, "source-id": 1, "field-id": 1000}]
    order = [{"transform": transform, "source-id": 1, "direction": "asc", "null-order": "nulls-first"}]
    for check, given in ((strict.check_spec, fields), (strict.check_sort_order, order)):
        if valid:
            check(given)
        else:
            with pytest.raises(InvalidCommit):
                check(given)
    for wrong in ({"direction": "up"}, {"null-order": "x"}, {"source-id": "1"}):
        with pytest.raises(InvalidCommit):
            strict.check_sort_order([{**order[0], "transform": "identity", **wrong}])


SNAPSHOT = {"snapshot-id": 1, "timestamp-ms": 2, "sequence-number": 3, "manifest-list": "/x", "summary": {}}


@pytest.mark.parametrize(
    "wrong",
    [
        *[
            {key: value}
            for key in ("snapshot-id", "timestamp-ms", "sequence-number")
            for value in ("1", 1.5, 10**30)
        ],
        {"parent-snapshot-id": "x"},
        {"schema-id": 10**30},
        {"summary": [1]},
        {"summary": {"x": 1}},
        {"manifest-list": None},
        {"added-rows": -1},
    ],
)
def test_snapshots(wrong: Raw) -> None:
    strict.check_snapshot(SNAPSHOT, 2)
    with pytest.raises(InvalidCommit):
        strict.check_snapshot({**SNAPSHOT, **wrong}, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        *[{"min-snapshots-to-keep": value} for value in (0, -1, "x", 10**30)],
        {"max-ref-age-ms": -5},
        {"snapshot-id": "1"},
        {"type": "tag", "min-snapshots-to-keep": 1},
    ],
)
def test_refs(wrong: Raw) -> None:
    ref = {"type": "branch", "snapshot-id": 1, "max-ref-age-ms": 5, "min-snapshots-to-keep": 1}
    strict.check_ref(ref)
    with pytest.raises(InvalidCommit):
        strict.check_ref({**ref, **wrong})
