"""The snapshot that deletes every row, as PyIceberg reads it."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadataV2
from pyiceberg.transforms import BucketTransform, MonthTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
)
from sqlalchemy import URL
from tests.catalog.backends.conformance import DEFAULT
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg import delete_snapshot, manifest_schemas
from sqe.catalog.io.storage import Storage
from sqe.errors import CommitConflict, NotFound, Unavailable
from sqe.tree.relations import TableName

NAME = TableName("iceberg", DEFAULT, "t")


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    catalog = EmbeddedCatalog("iceberg", tmp_path / "w")
    catalog.namespaces()
    return catalog


@pytest.fixture
def plain(catalog: EmbeddedCatalog) -> Iterator[SqlCatalog]:
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db")).render_as_string()
    with SqlCatalog("iceberg", uri=uri, warehouse=f"file://{catalog.data}") as plain:
        yield plain  # type: ignore[misc]


def numbers(plain: SqlCatalog, version: int) -> Table:
    return plain.create_table(
        "default.t", Schema(NestedField(1, "n", LongType())), properties={"format-version": str(version)}
    )


def append(table: Table, *values: int) -> None:
    table.append(pa.table({"n": pa.array(values, pa.int64())}))


def files_of(catalog: EmbeddedCatalog) -> list[str]:
    return sorted(str(path) for path in catalog.data.rglob("*") if path.is_file())


INSTANT = dt.datetime(1969, 12, 31, 23, 59, 59, 999999)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (BooleanType(), True),
        (IntegerType(), -(2**31)),
        (LongType(), 2**62),
        (DoubleType(), -1.5),
        (StringType(), "ü 'x'"),
        (DateType(), dt.date(1, 1, 1)),
        (TimeType(), dt.time(23, 59, 59, 999999)),
        (TimestampType(), INSTANT),
        (TimestamptzType(), INSTANT.replace(tzinfo=dt.UTC)),
        (DecimalType(9, 2), Decimal("-1234567.89")),
        (DecimalType(38, 10), Decimal("1e20")),
        (FixedType(3), b"\x00\xff\x01"),
        (BinaryType(), b"\x80"),
    ],
)
def test_partitions_of_every_type(
    catalog: EmbeddedCatalog, plain: SqlCatalog, kind: object, value: object, version: int
) -> None:
    schema = Schema(NestedField(1, "p", kind), NestedField(2, "n", LongType()))  # type: ignore[arg-type]
    table = plain.create_table("default.t", schema, properties={"format-version": str(version)})
    with table.update_spec() as spec:
        spec.add_identity("p")
    rows = pa.Table.from_pylist([{"p": value, "n": 1}, {"p": None, "n": 2}], schema=schema.as_arrow())
    table.append(rows)
    before = table.inspect.entries().to_pylist()
    assert catalog.delete_all(NAME) == 2
    table = plain.load_table("default.t")
    assert table.scan().to_arrow().num_rows == 0
    after = table.inspect.entries().to_pylist()
    assert {entry["status"] for entry in after} == {2}
    assert sorted(repr(e["data_file"]["partition"]) for e in after) == sorted(
        repr(e["data_file"]["partition"]) for e in before
    )
    assert sorted(repr(e["readable_metrics"]) for e in after) == sorted(
        repr(e["readable_metrics"]) for e in before
    )
    table.append(rows)
    assert plain.load_table("default.t").scan().to_arrow().num_rows == 2
    assert catalog.find_table(DEFAULT, "t").current_snapshot is not None


def test_a_partition_of_uuids_is_written_as_it_was_read() -> None:
    """PyIceberg writes none."""
    kind = {"type": "fixed", "name": "uuid_fixed", "size": 16, "logicalType": "uuid"}
    schema = {"type": "record", "name": "r", "fields": [{"name": "u", "type": ["null", kind]}]}
    rows: list[dict[str, Any]] = [{"u": bytes(range(16))}, {"u": None}]
    stored = fastavro.block_reader(io.BytesIO(manifest_schemas.avro_file(schema, rows, {})))
    assert json.loads(stored.metadata["avro.schema"])["fields"][0]["type"][1]["logicalType"] == "uuid"
    plain = {**schema, "fields": [{"name": "u", "type": ["null", {**kind, "logicalType": None}]}]}
    block: Any  # its bytes are missing from its type
    (block,) = stored
    assert [fastavro.schemaless_reader(block.bytes_, plain, None) for _ in rows] == rows


@pytest.mark.parametrize("version", [1, 2])
def test_every_file_of_every_manifest_and_spec_goes(
    catalog: EmbeddedCatalog, plain: SqlCatalog, version: int
) -> None:
    schema = Schema(NestedField(1, "d", DateType()), NestedField(2, "n", LongType()))
    table = plain.create_table("default.t", schema, properties={"format-version": str(version)})
    day = pa.table({"d": [dt.date(2024, 2, 29), None], "n": pa.array([1, 2], pa.int64())})
    table.append(day)
    for source, transform in (("d", MonthTransform()), ("n", BucketTransform(4))):
        with table.update_spec() as spec:
            spec.add_field(source, transform, f"{source}_{type(transform).__name__}")
        table.append(day)
    assert catalog.delete_all(NAME) == 6
    table = plain.load_table("default.t")
    snapshot = table.current_snapshot()
    assert snapshot is not None and snapshot.summary is not None
    assert snapshot.summary.operation.value == "delete"
    said = snapshot.summary.additional_properties
    assert (said["deleted-records"], said["total-records"], said["total-data-files"]) == ("6", "0", "0")
    manifests = snapshot.manifests(table.io)
    assert sorted(m.partition_spec_id for m in manifests) == [0, 1, 2]
    assert sum(m.deleted_rows_count or 0 for m in manifests) == 6
    assert table.scan().to_arrow().num_rows == 0
    assert catalog.delete_all(NAME) == 0


def test_manifests_of_version_1_in_a_table_of_version_2(catalog: EmbeddedCatalog, plain: SqlCatalog) -> None:
    table = numbers(plain, 1)
    append(table, 1)
    with table.transaction() as transaction:
        transaction.upgrade_table_version(2)
    append(plain.load_table("default.t"), 2)
    before = plain.load_table("default.t")
    assert catalog.delete_all(NAME) == 2
    table = plain.load_table("default.t")
    entries = table.inspect.entries().to_pylist()
    assert sorted((e["status"], e["sequence_number"]) for e in entries) == [(2, 0), (2, 1)]
    assert isinstance(table.metadata, TableMetadataV2) and isinstance(before.metadata, TableMetadataV2)
    assert table.metadata.last_sequence_number == before.metadata.last_sequence_number + 1
    append(table, 3)
    assert plain.load_table("default.t").scan().to_arrow()["n"].to_pylist() == [3]


def test_branches_tags_and_the_past_stay(catalog: EmbeddedCatalog, plain: SqlCatalog) -> None:
    table = numbers(plain, 2)
    append(table, 1, 2)
    snapshot = table.metadata.current_snapshot_id
    assert snapshot is not None
    with table.manage_snapshots() as change:
        change.create_tag(snapshot, "kept").create_branch(snapshot, "b")
    assert catalog.delete_all(NAME) == 2
    table = plain.load_table("default.t")
    for ref in ("kept", "b"):
        assert table.scan().use_ref(ref).to_arrow().num_rows == 2
    assert table.history()[0].snapshot_id == snapshot
    assert len(table.history()) == 2


def test_what_others_add_meanwhile_is_not_deleted(
    catalog: EmbeddedCatalog, plain: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(numbers(plain, 2), 1)
    written: list[tuple[str, ...]] = []

    def others_first(raw: dict[str, object], name: TableName, storage: Storage | None) -> object:
        deletion = before(raw, name, storage)
        assert deletion is not None
        written.append(deletion.files)
        append(plain.load_table("default.t"), 2)
        return deletion

    before = delete_snapshot.delete_every_row
    monkeypatch.setattr(delete_snapshot, "delete_every_row", others_first)
    with pytest.raises(CommitConflict, match="changed by others"):
        catalog.delete_all(NAME)
    assert plain.load_table("default.t").scan().to_arrow().num_rows == 2
    assert written and not any(to_path(file).exists() for files in written for file in files)


def test_a_table_that_goes_meanwhile(
    catalog: EmbeddedCatalog, plain: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(numbers(plain, 2), 1)

    def drop_first(raw: dict[str, object], name: TableName, storage: Storage | None) -> object:
        plain.drop_table("default.t")
        return before(raw, name, storage)

    before = delete_snapshot.delete_every_row
    monkeypatch.setattr(delete_snapshot, "delete_every_row", drop_first)
    with pytest.raises(NotFound):
        catalog.delete_all(NAME)


def test_a_commit_that_fails_leaves_nothing(
    catalog: EmbeddedCatalog, plain: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(numbers(plain, 2), 1)
    files = files_of(catalog)

    def fail(*_: object, **__: object) -> bool:
        raise Unavailable("the database is away")

    monkeypatch.setattr(catalog._pointers, "put", fail)
    with pytest.raises(Unavailable, match="away"):
        catalog.delete_all(NAME)
    assert files_of(catalog) == files


def test_manifests_that_cannot_be_read(catalog: EmbeddedCatalog, plain: SqlCatalog) -> None:
    table = numbers(plain, 2)
    append(table, 1)
    snapshot = catalog.find_table(DEFAULT, "t").current_snapshot
    assert snapshot is not None and snapshot.manifest_list is not None
    to_path(snapshot.manifest_list).unlink()
    with pytest.raises(Unavailable, match="cannot be read"):
        catalog.delete_all(NAME)
