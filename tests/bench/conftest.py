"""A small Star Schema Benchmark in a directory of `sqe bench`, written without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.bench.generators import database
from sqe.bench.load import create_empty, schema_of
from sqe.bench.place import Kept

SCALE = 0.001


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    made = Kept(tmp_path_factory.mktemp("bench"), lambda _: None)
    schema = schema_of("ssb", SCALE)
    files = made.files("ssb", SCALE)
    with made.connect() as connection:
        create_empty(connection, "ssb", schema=schema)
    catalog = SqlCatalog(
        "iceberg",
        uri=f"sqlite:///{made.warehouse / 'sqe.db'}",
        warehouse=f"file://{made.warehouse / 'iceberg'}",
    )
    with database("ssb", SCALE) as source:
        for table in files:
            catalog.load_table(f"{schema}.{table}").append(source.table(table).to_arrow_table())
    catalog.engine.dispose()
    return made


@pytest.fixture
def scale() -> float:
    return SCALE


@pytest.fixture
def directory(kept: Kept) -> Path:
    return kept.directory
