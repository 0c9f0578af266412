"""Catalogs that keep their own pointers, with tables in an object store whose keys are configured."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.catalog.backends.conformance import (
    DEFAULT,
    CatalogConformance,
    DeleteConformance,
    ProtocolConformance,
    ViewConformance,
    definition,
)
from tests.catalog.backends.statement_conformance import StatementConformance, on_both_lanes
from tests.stack.lake import Lake

from sqe.api.connection import Connection, connect
from sqe.catalog.backends.hadoop import HadoopCatalog
from sqe.catalog.backends.jdbc import JdbcCatalog
from sqe.catalog.backends.sqlite_pointers import SqlitePointers
from sqe.catalog.io import file_system
from sqe.catalog.io.storage import FixedStorage
from sqe.catalog.mount import mount
from sqe.catalog.protocol import Catalog
from sqe.config.catalogs import storage_properties
from sqe.config.config import CatalogSettings, load
from sqe.errors import AccessDenied, NotSupported, SqeError
from sqe.tree import changes as c
from sqe.tree.relations import TableName

pytestmark = pytest.mark.integration


@pytest.fixture
def storage(lake: Lake) -> dict[str, object]:
    """As `[storage]` has it."""
    return storage_of(lake)


def storage_of(lake: Lake) -> dict[str, object]:
    store = lake.servers["s3"].facts
    return {
        "s3_endpoint": store["url"],
        "s3_region": store["region"],
        "s3_access_key": store["access_key"],
        "s3_secret_key": store["secret_key"],
        "s3_path_style": True,
        "s3_allow_http": True,
    }


def new_place(lake: Lake) -> str:
    return f"s3://{lake.servers['s3'].facts['bucket']}/own/{uuid.uuid4().hex}"


@pytest.fixture
def catalog(lake: Lake, storage: dict[str, object], tmp_path: Path) -> Catalog:
    options = {"url": f"sqlite:{tmp_path}/catalog.db"}
    return mount(CatalogSettings("lake", "jdbc", new_place(lake), options=options, storage=storage))


@pytest.fixture
def properties_of_others(lake: Lake) -> dict[str, str]:
    """As PyIceberg takes them."""
    store = lake.servers["s3"].facts
    return {
        "s3.endpoint": store["url"],
        "s3.access-key-id": store["access_key"],
        "s3.secret-access-key": store["secret_key"],
    }


class TestJdbcInS3(DeleteConformance, CatalogConformance, ViewConformance, ProtocolConformance):
    @pytest.fixture(autouse=True)
    def remember(self, properties_of_others: dict[str, str]) -> None:
        self.properties_of_others = properties_of_others

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, JdbcCatalog) and isinstance(catalog._pointers, SqlitePointers)
        uri = f"sqlite:///{catalog._pointers.path}"
        with SqlCatalog("lake", uri=uri, **self.properties_of_others) as plain:
            stored = plain.load_table((*table.namespace, table.name))
            stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))


def test_keys_are_for_the_warehouse_alone(catalog: Catalog, lake: Lake) -> None:
    elsewhere = f"s3://{lake.servers['s3'].facts['bucket']}/elsewhere"
    with pytest.raises(AccessDenied, match="outside the warehouse"):
        catalog.create_table(definition(catalog, "t", location=elsewhere))
    assert catalog.tables(DEFAULT) == []


def test_a_catalog_of_directories_is_read(catalog: Catalog, lake: Lake, storage: dict[str, object]) -> None:
    place = new_place(lake)
    shelf = mount(CatalogSettings("shelf", "hadoop", place, storage=storage))
    assert isinstance(shelf, HadoopCatalog)
    table = catalog.create_table(definition(catalog, "t"))
    text = catalog.metadata_as_bound(table)
    assert table.storage is not None
    files = file_system(place, shelf._keys)
    files.write(f"{place}/s/t/metadata/v1.metadata.json", text)
    files.write(f"{place}/s/t/metadata/version-hint.text", b"1")
    assert (shelf.namespaces(), shelf.tables(("s",))) == ([("s",)], ["t"])
    assert shelf.find_table(("s",), "t").uuid == table.uuid
    stored = TableName("shelf", ("s",), "t")
    for write in (
        lambda: shelf.create_namespace(("new",)),
        lambda: shelf.create_table(definition(shelf, "u", namespace=("s",))),
        lambda: shelf.alter_table(stored, c.SetComment("x")),
        lambda: shelf.check_writable(stored),
        lambda: shelf.drop_table(("s",), "t"),
        lambda: shelf.drop_namespace(("s",), cascade=True),
    ):
        with pytest.raises(NotSupported, match="of type hadoop, tables in an object store can only be read"):
            write()


@contextmanager
def connected(lake: Lake, home: Path) -> Iterator[Connection]:
    """To a catalog `own` whose warehouse is in the store of the lake."""
    keys = "".join(f"{key} = {json.dumps(value)}\n" for key, value in storage_of(lake).items())
    (home / "sqe.toml").write_text(
        f"[storage]\n{keys}[catalogs.own.backend]\ntype = 'jdbc'\n"
        f"url = 'sqlite:{home}/catalog.db'\nwarehouse = '{new_place(lake)}'\n"
    )
    with connect(config=load(home / "sqe.toml", {})) as connection:
        connection.execute("CREATE SCHEMA s")
        connection.execute("USE own.s")
        yield connection


@pytest.mark.spark
def test_no_lane_takes_keys_to_another_place(
    lake: Lake, properties_of_others: dict[str, str], tmp_path: Path
) -> None:
    """By its manifest a file of a table may be anywhere in the store, or on the disk of the server."""
    keys = FixedStorage(storage_properties(storage_of(lake)))
    with connected(lake, tmp_path) as connection:
        connection.execute("CREATE TABLE plain AS SELECT 1 AS a")
        ((file,),) = connection.execute('SELECT file_path FROM "plain$files"').fetchall()
        content = file_system(file, keys).read(file)
        stored, local = f"{new_place(lake)}/a.parquet", f"file://{tmp_path}/a.parquet"
        file_system(stored, keys).write(stored, content)
        file_system(local).write(local, content)
        before = len(lake.object_log())
        for name, place in (("moved", stored), ("local", local)):
            connection.execute(f"CREATE TABLE {name} (a INTEGER)")
            with SqlCatalog("own", uri=f"sqlite:///{tmp_path}/catalog.db", **properties_of_others) as plain:
                plain.load_table(("s", name)).add_files([place])
            for lane in ("spark", "fast"):
                connection.execute(f"SET SESSION lane = '{lane}'")
                assert connection.execute("SELECT a FROM plain").fetchall() == [(1,)]
                with pytest.raises(SqeError):
                    connection.execute(f"SELECT a FROM {name}").fetchall()
            connection.execute("RESET SESSION lane")
    asked = [line for line in lake.object_log()[before:] if line["object"].endswith("/a.parquet")]
    assert {line["status"] for line in asked if line["access_key"] != keys.given["s3.access-key-id"]} <= {403}
    # pyiceberg's own, which made the table of it.
    assert len([line for line in asked if line["status"] in (200, 206)]) <= 4


@pytest.mark.spark
class TestStatementsInS3(StatementConformance):
    @pytest.fixture(scope="class")
    @classmethod
    def lake(cls, lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
        with connected(lake, tmp_path_factory.mktemp("own")) as connection:
            yield connection

    def test_both_lanes_say_whose_keys(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE whose AS SELECT 1 AS a")
        assert on_both_lanes(lake, "SELECT a FROM whose") == [(1,)]
        for lane in ("fast", "spark"):
            lake.execute(f"SET SESSION lane = '{lane}'")
            (text,) = lake.execute("EXPLAIN SELECT a FROM whose").fetchall()[0]
            assert "Keys of own.s.whose: of the configuration, for " in text
        lake.execute("RESET SESSION lane")
