from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg.table import Table
from sqe.catalog.io import spell
from sqe.errors import NotSupported, Unavailable
from sqe.types.iceberg import unsupported

FIELD = {"id": 1, "name": "a", "required": True, "type": "int", "doc": "first"}


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    return EmbeddedCatalog("iceberg", tmp_path / "warehouse")


def register(catalog: EmbeddedCatalog, content: bytes, *, suffix: str = ".metadata.json") -> None:
    """A table `t` with this metadata, as another engine would have left it."""
    catalog.namespaces()
    file = catalog.path / f"00000-x{suffix}"
    file.write_bytes(content)
    with sqlite3.connect(catalog.path / "sqe.db") as db:
        db.execute(
            "INSERT INTO iceberg_tables VALUES (?, 'default', 't', ?, NULL, NULL)",
            (catalog.name, spell(file)),
        )
    db.close()


def load(catalog: EmbeddedCatalog, raw: dict[str, Any]) -> Table:
    register(catalog, json.dumps(raw).encode())
    return catalog.find_table(DEFAULT, "t")


def version_2(**more: Any) -> dict[str, Any]:
    return {
        "format-version": 2,
        "table-uuid": "u",
        "location": "file:///x",
        "last-updated-ms": 5,
        "current-schema-id": 1,
        "schemas": [
            {"type": "struct", "schema-id": 0, "fields": [FIELD]},
            {"type": "struct", "schema-id": 1, "fields": [FIELD, {**FIELD, "id": 2, "name": "b"}]},
        ],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        **more,
    }


def snapshot(number: int, schema: int | None) -> dict[str, Any]:
    raw = {"snapshot-id": number, "timestamp-ms": number * 100, "summary": {"operation": "append"}}
    return raw if schema is None else {**raw, "schema-id": schema}


def test_the_oldest_version_1_has_a_schema_and_a_partition_spec(catalog: EmbeddedCatalog) -> None:
    table = load(
        catalog,
        {
            "format-version": 1,
            "location": "file:///x",
            "last-updated-ms": 5,
            "last-column-id": 1,
            "schema": {"type": "struct", "fields": [FIELD]},
            "partition-spec": [{"name": "a_bucket", "transform": "bucket[4]", "source-id": 1}],
            "current-snapshot-id": 7,
            "snapshots": [snapshot(7, None)],
        },
    )
    assert [(c.name, c.nullable, c.comment) for c in table.columns] == [("a", False, "first")]
    assert table.partitioning[0].column == "a"
    assert table.snapshot_of_ref("main") == 7
    assert table.columns_at(7) == table.columns


def test_the_past_has_the_columns_of_its_time(catalog: EmbeddedCatalog) -> None:
    table = load(
        catalog,
        version_2(
            **{
                "current-snapshot-id": 3,
                "snapshots": [snapshot(1, 0), snapshot(2, 0), snapshot(3, 1)],
                "snapshot-log": [
                    {"snapshot-id": 1, "timestamp-ms": 100},
                    {"snapshot-id": 3, "timestamp-ms": 300},
                    {"snapshot-id": 1, "timestamp-ms": 400},
                ],
                "refs": {
                    "main": {"type": "branch", "snapshot-id": 3},
                    "audit": {"type": "branch", "snapshot-id": 1},
                    "v1": {"type": "tag", "snapshot-id": 1},
                },
            }
        ),
    )
    assert [c.name for c in table.columns] == ["a", "b"]
    assert [c.name for c in table.columns_at(1)] == ["a"]
    # Snapshot 2 was never main's, and 1 became main's again.
    assert [table.snapshot_at(at) for at in (99, 100, 250, 300, 399, 400)] == [None, 1, 1, 3, 3, 1]


@pytest.mark.parametrize("suffix", [".gz.metadata.json", ".metadata.json.gz"])
def test_gzip_is_read(catalog: EmbeddedCatalog, suffix: str) -> None:
    register(catalog, gzip.compress(json.dumps(version_2()).encode()), suffix=suffix)
    assert len(catalog.find_table(DEFAULT, "t").columns) == 2


def test_a_table_with_a_type_of_the_future_loads(catalog: EmbeddedCatalog) -> None:
    fields = [FIELD, {**FIELD, "id": 2, "name": "shape", "type": "geometry('OGC:CRS84')"}]
    schemas = [{"type": "struct", "schema-id": 1, "fields": fields}]
    table = load(catalog, version_2(schemas=schemas))
    assert [unsupported(c.type) for c in table.columns] == [None, "geometry"]


def test_a_version_of_the_future_is_refused(catalog: EmbeddedCatalog) -> None:
    with pytest.raises(NotSupported, match="format version 4"):
        load(catalog, version_2(**{"format-version": 4}))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff garbage",
        b"[1, 2]",
        b"{}",
        b'{"format-version": "two"}',
        b'{"format-version": 2, "schemas": [], "location": "x"}',
        b"\x1f\x8b\x08 not really gzip",
        gzip.compress(b"{" * 10, mtime=0)[:-4],
        b"[" * 100_000,
    ],
)
def test_garbage_is_one_clear_error(catalog: EmbeddedCatalog, content: bytes) -> None:
    register(catalog, content)
    with pytest.raises(Unavailable) as error:
        catalog.find_table(DEFAULT, "t")
    assert error.value.code == "ICEBERG_INVALID_METADATA"
    assert "table 'iceberg.default.t' cannot be loaded" in str(error.value)
    assert "\n" not in str(error.value) and error.value.hint


def test_a_missing_file_is_named_and_the_table_can_still_be_dropped(catalog: EmbeddedCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t"))
    to_path(table.metadata_location).unlink()
    fresh = EmbeddedCatalog("iceberg", catalog.path)
    with pytest.raises(Unavailable, match="does not exist") as error:
        fresh.find_table(DEFAULT, "t")
    assert str(to_path(table.metadata_location)) in error.value.message
    with pytest.raises(Unavailable):
        fresh.drop_table(DEFAULT, "t", purge=True)
    assert fresh.tables(DEFAULT) == ["t"]
    fresh.drop_table(DEFAULT, "t")
    assert fresh.tables(DEFAULT) == []
