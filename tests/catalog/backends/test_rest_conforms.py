"""A REST catalog whose server is our own door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog as PlainRestCatalog
from tests.catalog.backends.conformance import CatalogConformance, ProtocolConformance, ViewConformance
from tests.catalog.backends.local_places import ANYWHERE
from tests.doors.iceberg.iceberg_door import opened_door

from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.protocol import Catalog
from sqe.tree.relations import TableName


class TestRestCatalog(CatalogConformance, ViewConformance, ProtocolConformance):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Iterator[Catalog]:
        with opened_door(tmp_path, anybody=True) as (_, url):
            catalog = RestCatalog("lake", url, warehouse="lake", allowed=ANYWHERE)
            yield catalog
            catalog.close()

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, RestCatalog)
        plain = PlainRestCatalog("lake", uri=catalog.url, warehouse="lake")
        stored = plain.load_table((*table.namespace, table.name))
        stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))
