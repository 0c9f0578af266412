from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from sqlalchemy import URL
from tests.catalog.backends.conformance import COLUMNS, DEFAULT, ROWS, definition
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import UserError
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.relations import TableName
from sqe.types import sql_types as t


@pytest.fixture
def catalog(tmp_path: Path) -> EmbeddedCatalog:
    catalog = EmbeddedCatalog("iceberg", tmp_path / "ware house")
    catalog.create_namespace(("a", "b"))
    return catalog


@pytest.fixture
def plain(catalog: EmbeddedCatalog) -> Iterator[SqlCatalog]:
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db")).render_as_string()
    with SqlCatalog("iceberg", uri=uri, warehouse=f"file://{catalog.data}") as plain:
        yield plain  # type: ignore[misc]


def write(plain: SqlCatalog, name: str) -> None:
    table = plain.load_table(name)
    table.append(pa.Table.from_pylist(ROWS, schema=table.schema().as_arrow()))


def test_each_sees_what_the_other_made(catalog: EmbeddedCatalog, plain: SqlCatalog) -> None:
    catalog.create_table(definition(catalog, "ours", namespace=("a", "b")))
    write(plain, "a.b.ours")
    assert plain.load_table("a.b.ours").scan().to_arrow().to_pylist() == ROWS

    schema = Schema(NestedField(1, "n", LongType(), required=True, doc="number"))
    plain.create_namespace("theirs")
    plain.create_table("theirs.t", schema)
    table = catalog.find_table(("Theirs",), "T")
    assert [(c.name, c.type, c.nullable, c.comment) for c in table.columns] == [
        ("n", t.BIGINT, False, "number")
    ]
    plain.rename_table("theirs.t", "a.b.t")
    assert catalog.tables(("a", "b")) == ["ours", "t"]
    assert catalog.find_table(("a", "b"), "t").name == TableName("iceberg", ("a", "b"), "t")
    plain.drop_table("a.b.t")
    assert catalog.tables(("a", "b")) == ["ours"]


def test_a_replaced_table_is_written_and_its_past_is_read(
    catalog: EmbeddedCatalog, plain: SqlCatalog
) -> None:
    catalog.create_table(definition(catalog, "t"))
    write(plain, "default.t")
    old = catalog.find_table(DEFAULT, "t").current_snapshot_id
    catalog.create_table(definition(catalog, "t", (ColumnDefinition("name", t.BIGINT),), replace=True))
    table = plain.load_table("default.t")
    assert table.scan().to_arrow().num_rows == 0
    table.append(pa.table({"name": pa.array([7], pa.int64())}))
    assert table.scan().to_arrow().to_pylist() == [{"name": 7}]
    assert table.scan(snapshot_id=old).to_arrow().to_pylist() == ROWS


def test_dropping_keeps_the_files_and_purging_removes_them(
    catalog: EmbeddedCatalog, plain: SqlCatalog
) -> None:
    for name in ("kept", "purged"):
        table = catalog.create_table(definition(catalog, name))
        write(plain, f"default.{name}")
        write(plain, f"default.{name}")
        assert catalog.delete_all(table.name) == 2 * len(ROWS)
        # As Hadoop leaves it beside each file.
        data = next((to_path(table.location) / "data").glob("*.parquet"))
        data.with_name(f".{data.name}.crc").touch()
        (to_path(table.location) / "data" / "day=1" / "emptied").mkdir(parents=True)
        catalog.drop_table(DEFAULT, name, purge=name == "purged")
    kept = list((catalog.data / "default").iterdir())
    assert [directory.name.split("-")[0] for directory in kept] == ["kept"]
    assert list(kept[0].glob("data/*.parquet"))


def test_a_table_may_forbid_purging(catalog: EmbeddedCatalog) -> None:
    catalog.create_table(definition(catalog, "t", properties=(("gc.enabled", "false"),)))
    with pytest.raises(UserError, match=r"gc\.enabled"):
        catalog.drop_table(DEFAULT, "t", purge=True)
    assert catalog.tables(DEFAULT) == ["t"]


@pytest.mark.parametrize("version", ["1", "2"])
def test_deleting_all_is_a_snapshot_like_any_other(
    catalog: EmbeddedCatalog, plain: SqlCatalog, version: str
) -> None:
    name = catalog.create_table(definition(catalog, "t", properties=(("format-version", version),))).name
    write(plain, "default.t")
    before = catalog.find_table(DEFAULT, "t").current_snapshot_id
    assert catalog.delete_all(name) == len(ROWS)
    table = plain.load_table("default.t")
    assert table.scan().to_arrow().num_rows == 0
    assert table.scan(snapshot_id=before).to_arrow().num_rows == len(ROWS)
    write(plain, "default.t")
    assert plain.load_table("default.t").scan().to_arrow().num_rows == len(ROWS)


def test_deleting_all_leaves_version_3_to_an_engine(catalog: EmbeddedCatalog, plain: SqlCatalog) -> None:
    name = catalog.create_table(definition(catalog, "t")).name
    write(plain, "default.t")
    pointer = rewrite(catalog, {"format-version": 3, "next-row-id": 0})
    assert catalog.delete_all(name) is None
    assert catalog.find_table(DEFAULT, "t").metadata_location == pointer


def test_deleting_all_keeps_what_is_not_known_of_the_metadata(
    catalog: EmbeddedCatalog, plain: SqlCatalog
) -> None:
    name = catalog.create_table(definition(catalog, "t")).name
    write(plain, "default.t")
    rewrite(catalog, {"of-the-future": 1})
    assert catalog.delete_all(name) == len(ROWS)
    raw = json.loads(to_path(catalog.find_table(DEFAULT, "t").metadata_location).read_text())
    assert raw["of-the-future"] == 1


def rewrite(catalog: EmbeddedCatalog, change: dict[str, int]) -> str:
    pointer = catalog.find_table(DEFAULT, "t").metadata_location
    raw = json.loads(to_path(pointer).read_text())
    to_path(pointer).write_text(json.dumps(raw | change))
    return pointer


def test_a_catalog_of_schema_version_0_is_brought_to_1(tmp_path: Path) -> None:
    tmp_path.joinpath("iceberg").mkdir()
    with sqlite3.connect(tmp_path / "sqe.db") as db:
        db.execute(
            "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) "
            "NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
            "previous_metadata_location VARCHAR(1000), "
            "PRIMARY KEY (catalog_name, table_namespace, table_name))"
        )
        db.execute("INSERT INTO iceberg_tables VALUES ('iceberg', 'old', 't', 'file:///x', NULL)")
    db.close()
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    assert catalog.tables(("old",)) == ["t"]
    catalog.create_table(definition(catalog, "new", COLUMNS, namespace=("old",)))
    assert catalog.tables(("old",)) == ["new", "t"]


def test_a_catalog_that_pyiceberg_began_is_taken_over(tmp_path: Path) -> None:
    uri = URL.create("sqlite", database=str(tmp_path / "sqe.db")).render_as_string()
    with SqlCatalog("iceberg", uri=uri, warehouse=f"file://{tmp_path}/iceberg") as plain:
        plain.create_namespace("x")
        plain.create_table("x.t", Schema(NestedField(1, "n", LongType())))
    catalog = EmbeddedCatalog("iceberg", tmp_path)
    assert catalog.find_table(("x",), "t").columns[0].name == "n"
