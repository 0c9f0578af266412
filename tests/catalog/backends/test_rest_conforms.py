from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from tests.catalog.backends.conformance import DEFAULT, CatalogConformance, ViewConformance
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server

from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.protocol import Catalog
from sqe.tree.relations import TableName


class TestRestCatalog(CatalogConformance, ViewConformance):
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[FakeRestServer]:
        with fake_rest_server(tmp_path) as server:
            yield server

    @pytest.fixture
    def catalog(self, server: FakeRestServer) -> Iterator[Catalog]:
        catalog = RestCatalog("lake", server.url, warehouse="lake")
        catalog.create_namespace(DEFAULT)
        yield catalog
        catalog.close()

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, RestCatalog)
        plain = PlainRestCatalog("lake", uri=catalog.url, warehouse="lake")
        stored = plain.load_table((*table.namespace, table.name))
        stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))
