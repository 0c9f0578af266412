"""Statements in catalogs that servers of others hold: PostgreSQL, and Iceberg's own REST server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyiceberg.catalog import Catalog as PlainCatalog
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from tests.catalog.backends.java_rest_server import java_rest_server
from tests.catalog.backends.postgres_server import PASSWORD, new_database, postgres_server
from tests.catalog.backends.statement_conformance import StatementConformance, ViewStatementConformance
from tests.plain_spark import class_path, run_plain

from sqe.api.connection import Connection, connect

pytestmark = [pytest.mark.integration, pytest.mark.spark]

CONFIG = """
[catalogs.books.backend]
type = "jdbc"
url = "{database}"
warehouse = "{directory}/books"

[catalogs.served]
catalog_url = "{server}"
allowed_locations = ["/"]
warehouse = "lake"

[spark]
driver_memory = "1GB"
[spark.conf]
"spark.driver.extraClassPath" = "{drivers}"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with java_rest_server(tmp_path_factory.mktemp("served")) as url:
        yield url


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres_server() as address:
        yield new_database(address, "books")


@pytest.fixture(scope="module")
def both(server: str, database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    directory = tmp_path_factory.mktemp("catalogs")
    path = directory / "sqe.toml"
    names = {"directory": directory, "database": database, "server": server, "drivers": class_path()}
    path.write_text(CONFIG.format(**names))
    with connect(config=path) as connection:
        connection.coordinator.spark.start()
        connection.execute("CREATE SCHEMA IF NOT EXISTS books.aside")
        yield connection


class _Lake:
    catalog: str

    @pytest.fixture
    def lake(self, both: Connection) -> Iterator[Connection]:
        both.execute(f"CREATE SCHEMA {self.catalog}.s")
        both.execute(f"USE {self.catalog}.s")
        yield both
        both.execute("USE books.aside")
        both.execute(f"DROP SCHEMA {self.catalog}.s CASCADE")


def read_and_written_by_others(lake: Connection, plain: PlainCatalog) -> None:
    lake.execute("CREATE TABLE shared (n bigint, s varchar) WITH (partitioning = ARRAY['bucket(n, 2)'])")
    lake.execute("INSERT INTO shared VALUES (1, 'a'), (2, NULL)")
    lake.execute("ALTER TABLE shared ADD COLUMN d date")
    stored = plain.load_table(("s", "shared"))
    rows = stored.scan().to_arrow()
    assert sorted(rows["n"].to_pylist()) == [1, 2]
    assert rows.column_names == ["n", "s", "d"]
    stored.append(rows)
    assert lake.execute("SELECT count(*) FROM shared").fetchall() == [(4,)]
    assert run_plain(lake, f"SELECT count(*) FROM {lake.session.catalog}.s.shared") == [(4,)]


class TestPostgres(_Lake, ViewStatementConformance, StatementConformance):
    catalog = "books"

    def test_others_read_and_write_the_same(self, lake: Connection, database: str) -> None:
        with SqlCatalog("books", uri=database.replace("postgresql:", "postgresql+psycopg:")) as plain:
            read_and_written_by_others(lake, plain)

    def test_no_explanation_shows_the_password(self, lake: Connection) -> None:
        lake.execute("CREATE TABLE t (n bigint)")
        for explain in ("EXPLAIN", "EXPLAIN ANALYZE"):
            text = str(lake.execute(f"{explain} SELECT * FROM t").fetchall())
            assert PASSWORD not in text
        assert PASSWORD not in repr(lake.coordinator.config) + repr(lake.coordinator.catalogs)


class TestRest(_Lake, ViewStatementConformance, StatementConformance):
    catalog = "served"

    def test_others_read_and_write_the_same(self, lake: Connection, server: str) -> None:
        read_and_written_by_others(lake, PlainRestCatalog("other", uri=server, warehouse="lake"))


def test_one_statement_reads_from_both(both: Connection) -> None:
    for name in ("books", "served"):
        both.execute(f"CREATE SCHEMA {name}.joined")
        both.execute(f"CREATE TABLE {name}.joined.t AS SELECT 1 AS n")
    for lane in ("fast", "spark"):
        both.execute(f"SET SESSION lane = '{lane}'")
        query = "SELECT count(*) FROM books.joined.t AS a JOIN served.joined.t AS b ON a.n = b.n"
        assert both.execute(query).fetchall() == [(1,)]
    both.execute("RESET SESSION lane")
