"""The catalogs of type jdbc, as a configuration mounts them."""

from __future__ import annotations

import contextlib
import sqlite3
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
    SchemaRenameConformance,
    ViewConformance,
    definition,
)

from sqe.catalog.backends.jdbc import JdbcCatalog
from sqe.catalog.backends.postgres_pointers import parse_url
from sqe.catalog.backends.sqlite_pointers import SqlitePointers
from sqe.catalog.mount import mount
from sqe.catalog.protocol import Catalog
from sqe.config.config import CatalogSettings
from sqe.errors import ConfigError, Unavailable
from sqe.tree.relations import TableName


def jdbc(name: str, url: str, warehouse: Path) -> Catalog:
    return mount(CatalogSettings(name, "jdbc", str(warehouse), options={"url": url}))


class TestSqliteDatabase(
    DeleteConformance, CatalogConformance, ViewConformance, ProtocolConformance, SchemaRenameConformance
):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Catalog:
        return jdbc("lake", f"sqlite:{tmp_path}/db/catalog.db", tmp_path / "warehouse")

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, JdbcCatalog) and isinstance(catalog._pointers, SqlitePointers)
        with SqlCatalog("lake", uri=f"sqlite:///{catalog._pointers.path}") as plain:
            stored = plain.load_table((*table.namespace, table.name))
            stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))


@pytest.mark.parametrize("form", ["sqlite:{0}", "sqlite://{0}", "sqlite:////{0}", "sqlite:{0}?mode=rwc"])
def test_the_url_of_a_file(tmp_path: Path, form: str) -> None:
    catalog = jdbc("lake", form.format(f"{tmp_path}/c.db"), tmp_path / "w")
    catalog.create_table(definition(catalog, "t"))
    assert (tmp_path / "c.db").is_file()
    assert catalog.find_table(DEFAULT, "t").location.startswith(f"file://{tmp_path}/w/default/t-")


@pytest.mark.parametrize("url", ["sqlite:", "sqlite::memory:", "sqlite:/x?mode=ro", "sqlite:/x?cache=shared"])
def test_a_url_without_a_file_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match="'lake'"):
        jdbc("lake", url, tmp_path)


def test_catalogs_share_a_database_by_their_names(tmp_path: Path) -> None:
    one, two = (jdbc(name, f"sqlite:{tmp_path}/c.db", tmp_path / name) for name in ("one", "two"))
    one.create_table(definition(one, "t"))
    assert (one.tables(DEFAULT), two.tables(DEFAULT)) == (["t"], [])
    two.drop_namespace(DEFAULT)
    assert one.namespaces() == [DEFAULT]


def test_a_database_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"no database" * 100)
    with pytest.raises(Unavailable, match=f"the catalog database {tmp_path}/c.db is corrupt") as error:
        jdbc("lake", f"sqlite:{tmp_path}/c.db", tmp_path / "w").namespaces()
    assert "--warehouse" not in str(error.value)


def test_a_database_of_schema_version_0_is_brought_forward(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "c.db")) as db, db:
        db.execute(
            "CREATE TABLE iceberg_tables (catalog_name TEXT NOT NULL, table_namespace TEXT NOT NULL, "
            "table_name TEXT NOT NULL, metadata_location TEXT, previous_metadata_location TEXT, "
            "PRIMARY KEY (catalog_name, table_namespace, table_name))"
        )
        db.execute("INSERT INTO iceberg_tables VALUES ('lake', 'old', 't', 'file:///nowhere', NULL)")
    catalog = jdbc("lake", f"sqlite:{tmp_path}/c.db", tmp_path / "w")
    assert catalog.namespaces() == [("old",)]
    assert (catalog.tables(("old",)), catalog.views(("old",))) == (["t"], [])


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://",
        "postgresql://host",
        "postgresql:///db",
        "postgresql://u:hush@host:x/db",
        "postgresql://u:hush@host/db?options=-c",
        "postgresql://u:hush@host/a/b",
    ],
)
def test_a_url_that_is_no_database_is_refused(url: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_url(url, catalog="lake")
    assert "hush" not in str(error.value)


def test_a_password_is_shown_nowhere(tmp_path: Path) -> None:
    catalog = jdbc("lake", "postgres://me:p%40ss@one:1,[::1]:2/a%20db?sslmode=require", tmp_path)
    assert "p@ss" not in repr(catalog) + repr(parse_url("postgresql://me:p%40ss@h/d", catalog="lake"))
