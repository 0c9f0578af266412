"""A REST catalog that is Iceberg's own: what we send is what its Java library takes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from tests.catalog.backends.conformance import (
    DEFAULT,
    CatalogConformance,
    ProtocolConformance,
    ViewConformance,
)
from tests.catalog.backends.java_rest_server import java_rest_server
from tests.catalog.backends.local_places import ANYWHERE

from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.protocol import Catalog
from sqe.errors import NotSupported
from sqe.tree.relations import TableName

pytestmark = pytest.mark.integration

_numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with java_rest_server(tmp_path_factory.mktemp("served")) as url:
        yield url


class TestJavaRestCatalog(CatalogConformance, ViewConformance, ProtocolConformance):
    @pytest.fixture
    def catalog(self, server: str) -> Iterator[Catalog]:
        catalog = RestCatalog("lake", server, warehouse="served", allowed=ANYWHERE)
        for namespace in catalog.namespaces():
            if len(namespace) == 1:
                catalog.drop_namespace(namespace, cascade=True)
        catalog.create_namespace(DEFAULT)
        yield catalog
        catalog.close()

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, RestCatalog)
        plain = PlainRestCatalog("lake", uri=catalog.url, warehouse="served")
        stored = plain.load_table((*table.namespace, table.name))
        stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))

    def test_several_tables_are_committed_together(self, catalog: Catalog) -> None:
        """This server does not, and says so by what it serves."""
        with pytest.raises(NotSupported, match="several tables"):
            catalog.commit_all([])
