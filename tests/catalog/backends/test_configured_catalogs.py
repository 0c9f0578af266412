"""Several catalogs of a configuration at once, each through statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from tests.catalog.backends.statement_conformance import (
    NoViewStatements,
    StatementConformance,
    ViewStatementConformance,
)
from tests.doors.iceberg.iceberg_door import opened_door

if TYPE_CHECKING:
    from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

CONFIG = """
[catalogs.home]
type = "sqlite"
warehouse = "{directory}/home"

[catalogs.books.backend]
type = "jdbc"
url = "sqlite:{directory}/catalog.db"
warehouse = "{directory}/books"

[catalogs.files.backend]
type = "hadoop"
warehouse = "{directory}/files"

[catalogs.served]
catalog_url = "{url}"
allowed_locations = ["/"]
warehouse = "lake"
[catalogs.served.auth]
type = "anonymous"

[query]
default_catalog = "home"
"""


@pytest.fixture(scope="module")
def served_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of our own door, on catalogs of another server."""
    with opened_door(tmp_path_factory.mktemp("served"), anybody=True) as (_, url):
        yield url


@pytest.fixture(scope="module")
def all_catalogs(
    connect: Callable[..., Connection], tmp_path_factory: pytest.TempPathFactory, served_at: str
) -> Connection:
    directory = tmp_path_factory.mktemp("catalogs")
    path = directory / "sqe.toml"
    path.write_text(CONFIG.format(directory=directory, url=served_at))
    return connect(config=path)


class _In:
    catalog: str

    @pytest.fixture
    def lake(self, all_catalogs: Connection) -> Iterator[Connection]:
        all_catalogs.execute(f"CREATE SCHEMA {self.catalog}.s")
        all_catalogs.execute(f"USE {self.catalog}.s")
        yield all_catalogs
        all_catalogs.execute("USE home.default")
        all_catalogs.execute(f"DROP SCHEMA {self.catalog}.s CASCADE")


class TestDatabase(_In, ViewStatementConformance, StatementConformance):
    catalog = "books"


class TestHadoop(_In, NoViewStatements, StatementConformance):
    catalog = "files"


class TestRest(_In, ViewStatementConformance, StatementConformance):
    catalog = "served"

    def test_others_read_and_write_the_same(self, lake: Connection, served_at: str) -> None:
        lake.execute("CREATE TABLE shared (n bigint)")
        lake.execute("INSERT INTO shared VALUES (1)")
        plain = PlainRestCatalog("other", uri=served_at, warehouse="lake")
        stored = plain.load_table(("s", "shared"))
        rows = stored.scan().to_arrow()
        assert rows.to_pylist() == [{"n": 1}]
        stored.append(rows)
        assert lake.execute("SELECT count(*) FROM shared").fetchall() == [(2,)]


def test_one_statement_reads_from_all(all_catalogs: Connection) -> None:
    names = ("books", "files", "home", "served")
    assert all_catalogs.execute("SHOW CATALOGS").fetchall()[: len(names)] == [(name,) for name in names]
    for number, name in enumerate(names):
        all_catalogs.execute(f"CREATE SCHEMA {name}.joined")
        all_catalogs.execute(f"CREATE TABLE {name}.joined.t AS SELECT {number} AS n")
    total = " UNION ALL ".join(f"SELECT n FROM {name}.joined.t" for name in names)
    for lane in ("spark", "fast"):
        all_catalogs.execute(f"SET SESSION lane = '{lane}'")
        assert all_catalogs.execute(f"SELECT sum(n) FROM ({total})").fetchall() == [(6,)]
    all_catalogs.execute("RESET SESSION lane")
    all_catalogs.execute("INSERT INTO files.joined.t SELECT n FROM served.joined.t")
    assert all_catalogs.execute("SELECT count(*) FROM files.joined.t").fetchall() == [(2,)]


def test_a_server_that_is_away_does_not_stop_the_others(
    connect: Callable[..., Connection], tmp_path: Path
) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text(CONFIG.format(directory=tmp_path, url="http://127.0.0.1:1/nobody"))
    connection = connect(config=path)
    assert connection.execute("SELECT 1").fetchall() == [(1,)]
    assert connection.execute("SHOW SCHEMAS FROM home").fetchall()
    with pytest.raises(Exception, match="catalog 'served' cannot be reached"):
        connection.execute("SHOW SCHEMAS FROM served")
