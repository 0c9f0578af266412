"""A table of many small files, written in a few commits: what many small inserts leave, in seconds."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqe.api.connection import Connection

SCHEMA = "files"
ROWS_EACH = 100
_FILES_A_COMMIT = 1000


def table_of_files(connection: Connection, files: int) -> str:
    """The name of the table, which is made if it is not there: `files.of_1000`, ids 0, 1, 2, ... in order."""
    name = f"of_{files}"
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    existing = {table for (table,) in connection.execute(f"SHOW TABLES FROM {SCHEMA}").fetchall()}
    if name not in existing:
        # Under its name only when it is complete.
        unfinished = f"{SCHEMA}.unfinished_{uuid.uuid4().hex}"
        connection.execute(
            f"CREATE TABLE {unfinished} (id bigint, name varchar, price decimal(10, 2), day date)"
        )
        _append(connection, unfinished, files)
        connection.execute(f"ALTER TABLE {unfinished} RENAME TO {SCHEMA}.{name}")
    return f"{SCHEMA}.{name}"


@contextmanager
def as_pyiceberg_sees_it(connection: Connection, name: str) -> Iterator[Any]:
    """A table of ours through PyIceberg's catalog on the same database, to write files without Spark."""
    from pyiceberg.catalog.sql import SqlCatalog

    owner = connection.coordinator.catalogs.get(connection.coordinator.catalogs.default)
    place = Path(owner.path)  # type: ignore[attr-defined]
    catalog = SqlCatalog(
        owner.name, uri=f"sqlite:///{place / 'sqe.db'}", warehouse=f"file://{place / 'iceberg'}"
    )
    try:
        yield catalog.load_table(name)
    finally:
        catalog.engine.dispose()


def _append(connection: Connection, name: str, files: int) -> None:
    """Spark would take minutes for so many files."""
    with as_pyiceberg_sees_it(connection, name) as table:
        append_files(table, files)


def append_files(table: Any, files: int) -> None:
    """To a table of PyIceberg's with the columns above, wherever its files are."""
    for begin in range(0, files, _FILES_A_COMMIT):
        with table.transaction() as transaction, transaction.update_snapshot().fast_append() as snapshot:
            for data_file in _written(table, range(begin, min(begin + _FILES_A_COMMIT, files))):
                snapshot.append_data_file(data_file)


def _written(table: Any, numbers: range) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyiceberg.io.pyarrow import (
        compute_statistics_plan,
        data_file_statistics_from_parquet_metadata,
        parquet_path_to_id_mapping,
        schema_to_pyarrow,
    )
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
    from pyiceberg.typedef import Record

    schema = table.schema()
    plan = compute_statistics_plan(schema, table.metadata.properties)
    mapping = parquet_path_to_id_mapping(schema)
    shape = schema_to_pyarrow(schema)
    for number in numbers:
        location = f"{table.location()}/data/{number:06}.parquet"
        ids = range(number * ROWS_EACH, (number + 1) * ROWS_EACH)
        columns = [
            list(ids),
            [f"name {i}" for i in ids],
            [Decimal(i % 1000) for i in ids],
            [date(2020, 1, 1) + timedelta(i % 1000) for i in ids],
        ]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, shape, strict=True)]
        collected: list[Any] = []
        content = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(arrays, schema=shape), content, metadata_collector=collected)
        stored = content.getvalue()
        with table.io.new_output(location).create(overwrite=True) as file:
            file.write(stored)
        statistics = data_file_statistics_from_parquet_metadata(collected[0], plan, mapping)
        yield DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=location,
            file_format=FileFormat.PARQUET,
            partition=Record(),
            file_size_in_bytes=stored.size,
            sort_order_id=None,
            spec_id=table.metadata.default_spec_id,
            equality_ids=None,
            key_metadata=None,
            **statistics.to_serialized_dict(),
        )
