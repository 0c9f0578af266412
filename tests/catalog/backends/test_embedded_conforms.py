from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL
from tests.catalog.backends.conformance import (
    CatalogConformance,
    DeleteConformance,
    ProtocolConformance,
    SchemaRenameConformance,
    ViewConformance,
)

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.protocol import Catalog
from sqe.tree.relations import TableName


class TestEmbeddedCatalog(
    DeleteConformance, CatalogConformance, ViewConformance, ProtocolConformance, SchemaRenameConformance
):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> EmbeddedCatalog:
        # A place whose name has to be spelled with care.
        return EmbeddedCatalog("iceberg", tmp_path / "über 50%41 warehouse")

    def append(self, catalog: Catalog, table: TableName, rows: list[dict[str, Any]]) -> None:
        assert isinstance(catalog, EmbeddedCatalog)
        uri = URL.create("sqlite", database=str(catalog.path / "sqe.db")).render_as_string()
        with SqlCatalog(catalog.name, uri=uri) as plain:
            stored = plain.load_table((*table.namespace, table.name))
            stored.append(pa.Table.from_pylist(rows, schema=stored.schema().as_arrow()))
