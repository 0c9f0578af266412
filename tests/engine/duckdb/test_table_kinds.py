"""The fast lane reads files themselves only where that is right, and what it would read wrongly never."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)
from tests.engine.duckdb.table_kinds import KINDS, TableKind, build
from tests.local_files import to_path
from tests.stored_tables import Lake

from sqe.api.connection import Connection
from sqe.catalog.iceberg.data_files import FileCache, TableFiles
from sqe.catalog.iceberg.table import Table
from sqe.engine.duckdb.table_kinds import Denied, IcebergScan, Plain, kind_of
from sqe.errors import NotSupported
from sqe.tree.relations import AsOf

SCHEMA = Schema(
    NestedField(1, "a", IntegerType()),
    NestedField(2, "f", FloatType()),
    NestedField(3, "dec", DecimalType(5, 2)),
    NestedField(4, "p", StructType(NestedField(5, "x", IntegerType()), NestedField(6, "y", StringType()))),
    NestedField(7, "l", ListType(8, IntegerType())),
)
ROWS: dict[str, list[Any]] = {"a": [1], "f": [0.5], "dec": [None], "p": [{"x": 1, "y": "z"}], "l": [[1]]}


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    lake = Lake(tmp_path)
    yield lake
    lake.close()


@pytest.fixture
def name(lake: Lake) -> str:
    name = lake.create(SCHEMA)
    lake.append(name, ROWS)
    return name


def kind(table: Table, **asked: Any) -> Plain | IcebergScan | Denied:
    return kind_of(table, FileCache().files_of(table), **asked)


def changed(
    lake: Lake, name: str, change: Callable[[dict[str, Any]], None], *, deletes: bool = False
) -> Table:
    """The table, with what its manifest says of its file changed."""

    def entries(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for entry in stored:
            change(entry["data_file"])
        return stored

    return lake.doctored(name, entries, deletes=deletes)


def test_a_table_as_it_was_written_is_plain(lake: Lake, name: str) -> None:
    found = kind(lake.table(name))
    assert isinstance(found, Plain)
    assert [(c.name, c.field_id) for c in found.columns] == [
        ("a", 1),
        ("f", 2),
        ("dec", 3),
        ("p", 4),
        ("l", 5),
    ]
    assert kind(lake.table(name), column_names=["a"]) == Plain(found.columns[:1])
    assert isinstance(kind(lake.table(lake.create(SCHEMA))), Plain), "without a snapshot"


def test_columns_may_come_go_and_widen(lake: Lake, name: str) -> None:
    with lake.written(name).update_schema() as update:
        update.update_column("a", LongType())
        update.update_column("dec", DecimalType(20, 2))
        update.rename_column("p", "renamed")
        update.add_column("e", TimestampType())
        update.delete_column("f")
    assert isinstance(kind(lake.table(name)), Plain)


def test_a_widened_real_is_compared_as_a_real(lake: Lake, name: str) -> None:
    with lake.written(name).update_schema() as update:
        update.update_column("f", DoubleType())
    assert kind(lake.table(name)) == Denied("column 'f' was real and is double")
    assert isinstance(kind(lake.table(name), column_names=["a", "p"]), Plain), "nobody reads it"


@pytest.mark.parametrize("change", ["add", "rename", "drop", "widen"])
def test_fields_of_rows_are_found_by_name_and_not_by_id(lake: Lake, name: str, change: str) -> None:
    with lake.written(name).update_schema() as update:
        match change:
            case "add":
                update.add_column(("p", "z"), LongType())
            case "rename":
                update.rename_column("p.x", "xx")
            case "drop":
                update.delete_column("p.x")
            case _:
                update.update_column("p.x", LongType())
    table = lake.table(name)
    found = kind(table)
    assert isinstance(found, IcebergScan)
    assert found.reason == "the fields of column 'p' have changed"
    assert (found.metadata_path, found.snapshot_id) == (str(to_path(table.metadata_location)), None)
    assert isinstance(kind(table, column_names=["a", "l"]), Plain)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("00003-5f.metadata.json", None),
        ("v3.metadata.json", "its metadata file may be another one under the same name"),
        ("v3.gz.metadata.json", "its metadata file may be another one under the same name"),
        ("x?s3_endpoint=elsewhere", "the path of its metadata has '*', '?' or '['"),
        ("../../other/metadata/1.metadata.json", "its metadata is where DuckDB cannot read it"),
    ],
)
def test_metadata_in_a_store_is_cached_by_its_name(
    lake: Lake, name: str, file: str, reason: str | None
) -> None:
    table = replace(
        lake.table(name),
        location="s3://lake/t",
        metadata_location=f"s3://lake/t/metadata/{file}",
        properties={"schema.name-mapping.default": "[]"},
        current_snapshot_id=None,
    )
    found = kind_of(table, TableFiles(()))
    if reason is None:
        assert isinstance(found, IcebergScan) and found.metadata_path == table.metadata_location
    else:
        assert found == Denied(f"it has files without field ids, and {reason}")


def test_schemas_that_were_removed_may_have_been_anything(lake: Lake, name: str) -> None:
    table = lake.table(name)
    later = replace(
        table, metadata_location="file:///x", stored_schemas={3: table.stored_schemas[0]}, schema_id=3
    )
    assert isinstance(kind(later, column_names=["a", "dec"]), Plain)
    found = kind(later, column_names=["p"])
    assert found == Denied("the fields of column 'p' have changed, and its metadata is outside its directory")


def test_names_that_differ_in_case_are_one_to_duckdb(lake: Lake) -> None:
    name = lake.create(Schema(NestedField(1, "a", LongType()), NestedField(2, "A", LongType())))
    assert kind(lake.table(name)) == Denied("names of columns differ in case alone")
    assert isinstance(kind(lake.table(name), column_names=["A"]), Plain)
    fields = StructType(NestedField(2, "x", LongType()), NestedField(3, "X", LongType()))
    name = lake.create(Schema(NestedField(1, "p", fields)))
    assert kind(lake.table(name)) == Denied("column 'p' has fields whose names differ in case alone")


def test_files_without_field_ids(lake: Lake) -> None:
    name = lake.create(SCHEMA, properties={"schema.name-mapping.default": "[]"})
    found = kind(lake.table(name))
    assert isinstance(found, IcebergScan) and found.reason == "it has files without field ids"


def test_bloom_filters_of_doubles_miss_a_negative_zero(lake: Lake) -> None:
    key = "write.parquet.bloom-filter-enabled.column."
    name = lake.create(SCHEMA, properties={f"{key}a": "true", f"{key}f": "true", f"{key}p.x": "true"})
    denied = Denied("column 'f' has Bloom filters of floating-point numbers")
    assert kind(lake.table(name)) == denied
    assert isinstance(kind(lake.table(name), column_names=["a", "p"]), Plain)


def test_initial_defaults(lake: Lake, name: str) -> None:
    table = lake.table(name)
    schema = table.stored_schemas[0]
    fields = [{**f, "initial-default": 5} if f["name"] == "a" else f for f in schema["fields"]]
    later = replace(
        table,
        metadata_location=table.metadata_location + "x",
        stored_schemas={0: {**schema, "fields": fields}},
    )
    found = kind(later)
    assert isinstance(found, IcebergScan) and found.reason == "column 'a' has an initial default"
    assert isinstance(kind(later, column_names=["f"]), Plain)


def test_a_column_that_may_stand_in_the_partitions_alone(lake: Lake) -> None:
    name = lake.create(SCHEMA, partitioning="identity of a")
    lake.append(name, ROWS)
    assert isinstance(kind(lake.table(name)), Plain)
    table = changed(lake, name, lambda file: file.update(value_counts=file["value_counts"][1:]))
    found = kind(table)
    assert isinstance(found, IcebergScan)
    assert found.reason == "column 'a' may stand in the partitions and not in the files"
    assert isinstance(kind(table, column_names=["f"]), Plain)


@pytest.mark.parametrize(("change", "reason"), [
    ({"file_format": "ORC"}, "it has ORC files"),
    ({"file_format": "avro"}, "it has AVRO files"),
    ({"key_metadata": b"key"}, "its files are encrypted"),
    ({"file_path": "s3://bucket/x.parquet"}, "some of its files are outside its directory"),
    ({"file_path": "s3://bucket/../x.parquet"}, "its files are where DuckDB cannot read them"),
    ({"file_path": "/elsewhere/x.parquet"}, "some of its files are outside its directory"),
])  # fmt: skip
def test_files_that_duckdb_cannot_read(lake: Lake, name: str, change: dict[str, Any], reason: str) -> None:
    assert kind(changed(lake, name, lambda file: file.update(change))) == Denied(reason)


def test_a_path_that_duckdb_takes_for_a_pattern(lake: Lake, name: str) -> None:
    def rename(file: dict[str, Any]) -> None:
        file["file_path"] = file["file_path"].replace(".parquet", "*.parquet")

    assert kind(changed(lake, name, rename)) == Denied("the path of a file has '*', '?' or '['")


def test_a_path_that_climbs_out_of_its_directory(lake: Lake, name: str) -> None:
    def climb(file: dict[str, Any]) -> None:
        place, _, last = file["file_path"].rpartition("/")
        file["file_path"] = f"{place}/../../../other/{last}"

    assert kind(changed(lake, name, climb)) == Denied("some of its files are outside its directory")


@pytest.mark.parametrize(("content", "form", "expected"), [
    (1, "PARQUET", IcebergScan), (1, "PUFFIN", IcebergScan), (1, "AVRO", Denied), (2, "PARQUET", Denied),
])  # fmt: skip
def test_delete_files(lake: Lake, name: str, content: int, form: str, expected: type) -> None:
    change = {"content": content, "file_format": form}
    table = changed(lake, name, lambda file: file.update(change), deletes=True)
    found = kind(table)
    assert isinstance(found, expected)
    if content == 2:
        assert found == Denied("it has equality deletes")


def test_a_branch_is_read_with_the_columns_of_the_table(lake: Lake, name: str) -> None:
    written = lake.written(name)
    first = written.current_snapshot()
    assert first is not None
    written.manage_snapshots().create_branch(first.snapshot_id, "audit").create_tag(
        first.snapshot_id, "eom"
    ).commit()
    assert isinstance(kind(lake.table(name), as_of=AsOf(first.snapshot_id, "audit")), Plain)
    with lake.written(name).update_schema() as update:
        update.rename_column("a", "b")
    table = lake.table(name)
    denied = Denied("branch 'audit' has other columns than the table")
    assert kind(table, as_of=AsOf(first.snapshot_id, "audit")) == denied
    for as_of in (AsOf(first.snapshot_id, "eom"), AsOf(first.snapshot_id)):
        found = kind(table, as_of=as_of)
        assert isinstance(found, Plain) and found.columns[0].name == "a"


@pytest.fixture(scope="module")
def made(connect: Callable[..., Connection]) -> Connection:
    connection = connect(memory=True)
    connection.execute("CREATE SCHEMA kinds")
    connection.execute("USE kinds")
    return connection


@pytest.mark.spark
@pytest.mark.parametrize("table_kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_table(made: Connection, table_kind: TableKind) -> None:
    source = build(made, table_kind)
    table = made.coordinator.catalogs.get("iceberg").find_table(made.session.namespace, table_kind.name)
    as_of = _as_of(table, source)
    files = FileCache().files_of(table, None if as_of is None else as_of.snapshot_id)
    found = kind_of(table, files, as_of)
    kinds = {"plain": Plain, "iceberg": IcebergScan, "denied": Denied}
    assert isinstance(found, kinds[table_kind.kind]), found
    if isinstance(found, Denied):
        with pytest.raises(NotSupported, match="the fast lane cannot answer this"):
            rows_of(made, source, "fast")
        return
    rows = rows_of(made, source, "spark")
    assert rows_of(made, source, "fast") == rows
    if isinstance(found, Plain):
        assert files.rows == len(rows)


def rows_of(connection: Connection, source: str, lane: str) -> list[str]:
    connection.execute(f"SET SESSION lane = '{lane}'")
    try:
        return sorted(map(repr, connection.execute(f"SELECT * FROM {source}").fetchall()))
    finally:
        connection.execute("RESET SESSION lane")


def _as_of(table: Table, source: str) -> AsOf | None:
    _, _, version = source.partition(" FOR VERSION AS OF ")
    if not version:
        return None
    ref = table.refs.get(version.strip("'"))
    return AsOf(int(version)) if ref is None else AsOf(ref.snapshot_id, ref.name)
