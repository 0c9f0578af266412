"""Clients of other makers create, fill, change and drop tables, and see what the others commit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField, StringType
from tests.doors.iceberg.components import from_pypi
from tests.doors.iceberg.plain_pyspark import plain_pyspark
from tests.doors.iceberg.trino_server import trino

pytestmark = pytest.mark.integration

CLIENTS = ("spark", "pyiceberg", "duckdb", "trino")
Rows = list[tuple[Any, ...]]
_numbers = itertools.count(1)


class Client(Protocol):
    """Tables are in the namespace `clients`, and begin with the columns `id` and `name`."""

    def create(self, table: str) -> None: ...
    def insert(self, table: str, *values: Any) -> None: ...
    def rows(self, table: str) -> Rows: ...
    def add_column(self, table: str, column: str) -> None: ...
    def drop(self, table: str) -> None: ...
    def tables(self) -> list[str]: ...


class SqlClient:
    def __init__(self, run: Callable[[str], Rows], *, string: str = "varchar", using: str = "") -> None:
        self._run = run
        self._string = string
        self._using = using

    def create(self, table: str) -> None:
        self._run(f"CREATE TABLE lake.clients.{table} (id bigint, name {self._string}) {self._using}")

    def insert(self, table: str, *values: Any) -> None:
        literals = ", ".join("NULL" if value is None else repr(value) for value in values)
        self._run(f"INSERT INTO lake.clients.{table} VALUES ({literals})")

    def rows(self, table: str) -> Rows:
        return self._run(f"SELECT * FROM lake.clients.{table} ORDER BY id")

    def add_column(self, table: str, column: str) -> None:
        self._run(f"ALTER TABLE lake.clients.{table} ADD COLUMN {column} int")

    def drop(self, table: str) -> None:
        self._run(f"DROP TABLE lake.clients.{table}")

    def tables(self) -> list[str]:
        return [table for row in self._run("SHOW TABLES FROM lake.clients") for table in row if table]


class DuckdbClient(SqlClient):
    def __init__(self, run: Callable[[str], Rows], attach: str) -> None:
        super().__init__(run)
        self._attach = attach
        run(attach)

    def tables(self) -> list[str]:
        # What it has once read it lists also after another client has dropped it.
        self._run("DETACH lake")
        self._run(self._attach)
        return super().tables()


class PyIcebergClient:
    def __init__(self, catalog: RestCatalog) -> None:
        self._catalog = catalog

    def create(self, table: str) -> None:
        schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "name", StringType()))
        self._catalog.create_table(("clients", table), schema)

    def insert(self, table: str, *values: Any) -> None:
        stored = self._catalog.load_table(("clients", table))
        schema = stored.schema().as_arrow()
        stored.append(pa.Table.from_pylist([dict(zip(schema.names, values, strict=True))], schema=schema))

    def rows(self, table: str) -> Rows:
        content = self._catalog.load_table(("clients", table)).scan().to_arrow().sort_by("id")
        return [tuple(row.values()) for row in content.to_pylist()]

    def add_column(self, table: str, column: str) -> None:
        with self._catalog.load_table(("clients", table)).update_schema() as update:
            update.add_column(column, IntegerType())

    def drop(self, table: str) -> None:
        self._catalog.drop_table(("clients", table))

    def tables(self) -> list[str]:
        return [name[-1] for name in self._catalog.list_tables("clients")]


@pytest.fixture(scope="module")
def catalog(client_properties: dict[str, str]) -> RestCatalog:
    catalog = RestCatalog("lake", **client_properties)
    catalog.create_namespace_if_not_exists("clients")
    return catalog


@pytest.fixture(scope="module")
def pyiceberg_client(catalog: RestCatalog) -> Client:
    return PyIcebergClient(catalog)


@pytest.fixture(scope="module")
def spark_client(catalog: RestCatalog, client_properties: dict[str, str]) -> Iterator[Client]:
    with plain_pyspark({"lake": {"type": "rest", **client_properties}}) as session:

        def run(sql: str) -> Rows:
            return [tuple(row) for row in session.sql(sql).collect()]

        yield SqlClient(run, string="string", using="USING iceberg")


@pytest.fixture(scope="module")
def duckdb_client(catalog: RestCatalog, client_properties: dict[str, str]) -> Iterator[Client]:
    token = client_properties.get("token")
    log_in = "AUTHORIZATION_TYPE 'none'" if token is None else f"AUTHORIZATION_TYPE 'oauth2', TOKEN '{token}'"
    attach = (
        f"ATTACH '{client_properties['warehouse']}' AS lake"
        f" (TYPE iceberg, ENDPOINT '{client_properties['uri']}', {log_in})"
    )
    with duckdb.connect() as connection:
        for file in _duckdb_extensions():
            connection.execute(f"LOAD '{file}'")
        yield DuckdbClient(lambda sql: connection.execute(sql).fetchall(), attach)


def _duckdb_extensions() -> list[Path]:
    specs = [find_spec(f"duckdb_extension_{name}") for name in ("avro", "iceberg")]
    packages = [Path(spec.origin).parent for spec in specs if spec and spec.origin]
    packages.append(from_pypi("duckdb-extension-httpfs==1.5.5") / "duckdb_extension_httpfs")
    return [file for package in packages for file in package.rglob("*.duckdb_extension")]


@pytest.fixture(scope="module")
def trino_client(
    catalog: RestCatalog, client_properties: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    with trino(client_properties, tmp_path_factory.mktemp("trino")) as run:
        yield SqlClient(run)


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Callable[[str], Client]:
    """A client by its name."""

    def client(name: str) -> Client:
        found: Client = request.getfixturevalue(f"{name}_client")
        return found

    return client


@pytest.fixture
def table() -> str:
    return f"table_{next(_numbers)}"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_does_everything(client: Callable[[str], Client], name: str, table: str) -> None:
    one = client(name)
    one.create(table)
    assert one.rows(table) == []
    one.insert(table, 1, "a")
    one.insert(table, 2, "b")
    assert one.rows(table) == [(1, "a"), (2, "b")]
    one.add_column(table, "extra")
    one.insert(table, 3, None, 30)
    assert one.rows(table) == [(1, "a", None), (2, "b", None), (3, None, 30)]
    assert table in one.tables()
    one.drop(table)
    assert table not in one.tables()


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(CLIENTS, 2)))
def test_each_sees_what_the_other_commits(
    client: Callable[[str], Client], first: str, second: str, table: str
) -> None:
    one, other = client(first), client(second)
    one.create(table)
    one.insert(table, 1, "a")
    assert table in other.tables()
    assert other.rows(table) == [(1, "a")]
    other.insert(table, 2, "b")
    other.add_column(table, "extra")
    assert one.rows(table) == [(1, "a", None), (2, "b", None)]
    one.insert(table, 3, "c", 30)
    assert other.rows(table) == [(1, "a", None), (2, "b", None), (3, "c", 30)]
    other.drop(table)
    assert table not in one.tables()
