"""A catalog in a PostgreSQL database, which the test run starts."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
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
from tests.catalog.backends.postgres_server import PASSWORD, QUOTED, connect, new_database, postgres_server

from sqe.catalog.backends.postgres_pointers import parse_url
from sqe.catalog.mount import mount
from sqe.catalog.protocol import Catalog
from sqe.config.config import CatalogSettings
from sqe.errors import Unavailable
from sqe.tree.relations import TableName

pytestmark = pytest.mark.integration

_numbers = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture
def url(server: str) -> str:
    return new_database(server, f"Lake {next(_numbers)}").replace(" ", "%20")


def jdbc(url: str, warehouse: Path, name: str = "lake") -> Catalog:
    return mount(CatalogSettings(name, "jdbc", str(warehouse), options={"url": url}))


class TestPostgresDatabase(
    DeleteConformance, CatalogConformance, ViewConformance, ProtocolConformance, SchemaRenameConformance
):
    @pytest.fixture
    def catalog(self, url: str, tmp_path: Path) -> Iterator[Catalog]:
        self.url = url
        catalog = jdbc(url, tmp_path / "warehouse")
        yield catalog
        catalog.close()

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        with SqlCatalog("lake", uri=self.url.replace("postgresql:", "postgresql+psycopg:")) as plain:
            stored = plain.load_table((*table.namespace, table.name))
            stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))


def _database(url: str) -> tuple[int, str]:
    address, _, name = url.rpartition("/")
    return int(address.rpartition(":")[2]), name.replace("%20", " ")


def test_many_openers_of_an_empty_database_agree(url: str, tmp_path: Path) -> None:
    catalogs = [jdbc(url, tmp_path) for _ in range(6)]
    found: list[Any] = []
    threads = [threading.Thread(target=lambda c=c: found.append(c.namespaces())) for c in catalogs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[DEFAULT]] * 6
    for catalog in catalogs:
        catalog.close()


def test_a_reader_needs_no_right_to_write(url: str, tmp_path: Path) -> None:
    own = jdbc(url, tmp_path)
    own.create_table(definition(own, "t"))
    own.close()
    port, name = _database(url)
    with connect(port, name) as db:
        role = f"reader{next(_numbers)}"
        db.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'x'")
        db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    other = f"postgresql://{role}:x@127.0.0.1:{port}/{name}"
    for catalog_name, tables in (("lake", ["t"]), ("unknown", [])):
        reader = jdbc(other, tmp_path, catalog_name)
        assert reader.tables(DEFAULT) == tables
        with pytest.raises(Unavailable, match="does not allow this to its user"):
            reader.create_namespace(("x",))
        reader.close()


def test_a_server_that_went_and_came_back_is_no_matter(url: str, tmp_path: Path) -> None:
    catalog = jdbc(url, tmp_path)
    catalog.create_namespace(("a",))
    port, name = _database(url)
    with connect(port) as db:
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
    # For as long a connection is trusted to be alive.
    time.sleep(1.1)
    catalog.create_namespace(("b",))
    assert catalog.namespaces() == [("a",), ("b",), DEFAULT]
    catalog.close()


def test_no_error_holds_the_password(server: str, tmp_path: Path) -> None:
    host = server.rpartition("@")[2]
    for url, words in (
        (f"{server}/nosuch", "does not exist"),
        (f"postgresql://nobody:{QUOTED}@{host}/postgres", "refuses the login"),
        (f"{server.rpartition(':')[0]}:1/postgres", "cannot be reached"),
    ):
        catalog = jdbc(url, tmp_path)
        with pytest.raises(Unavailable, match=words) as error:
            catalog.namespaces()
        assert PASSWORD not in str(error.value) and QUOTED not in str(error.value)
        assert error.value.__cause__ is None
        assert PASSWORD not in repr(parse_url(url, catalog="lake")) + repr(catalog)


def test_what_others_changed_between_is_seen(url: str, tmp_path: Path) -> None:
    """A schema that goes while a table is made in it: one of the two does not happen."""
    catalog = jdbc(url, tmp_path)
    outcomes: list[str] = []

    def attempt(what: str, work: Any) -> None:
        try:
            work()
            outcomes.append(what)
        except Exception as error:
            outcomes.append(getattr(error, "code", repr(error)))

    for number in range(10):
        schema = (f"s{number}",)
        catalog.create_namespace(schema)
        made = definition(catalog, "t", namespace=schema)
        threads = [
            threading.Thread(target=attempt, args=("made", lambda made=made: catalog.create_table(made))),
            threading.Thread(target=attempt, args=("gone", lambda s=schema: catalog.drop_namespace(s))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(outcomes) <= {"made", "gone", "SCHEMA_NOT_FOUND", "SCHEMA_NOT_EMPTY"}
    assert outcomes.count("made") + outcomes.count("gone") == 10
    catalog.close()
