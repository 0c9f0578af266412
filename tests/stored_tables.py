"""Iceberg tables in a directory, written by PyIceberg without an engine, as our catalog finds them."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table as Written
from pyiceberg.transforms import parse_transform
from sqlalchemy import URL
from tests.local_files import to_path

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg.table import Table

Rows = Mapping[str, Sequence[Any]]
Entry = dict[str, Any]


class Lake:
    """`create` and `append` write; `table` is what our catalog reads of it."""

    def __init__(self, path: Path) -> None:
        self.catalog = EmbeddedCatalog("iceberg", path)
        if ("a",) not in self.catalog.namespaces():
            self.catalog.create_namespace(("a",))
        uri = URL.create("sqlite", database=str(path / "sqe.db")).render_as_string()
        self._writer = SqlCatalog("iceberg", uri=uri, warehouse=f"file://{path}/iceberg")
        self._numbers = itertools.count(1)

    def create(
        self, schema: Schema, *, partitioning: str = "", properties: Mapping[str, str] | None = None
    ) -> str:
        """A new table's name. `partitioning` is like `bucket[4] of id`."""
        name = f"t{next(self._numbers)}"
        spec = PartitionSpec()
        if partitioning:
            transform, column = partitioning.split(" of ")
            source = schema.find_field(column).field_id
            spec = PartitionSpec(PartitionField(source, 1000, parse_transform(transform), "part"))
        self._writer.create_table(
            ("a", name), schema, partition_spec=spec, properties={"format-version": "2", **(properties or {})}
        )
        return name

    def written(self, name: str) -> Written:
        return self._writer.load_table(("a", name))

    def append(self, name: str, rows: Rows) -> None:
        written = self.written(name)
        written.append(
            pa.table(dict(rows), schema=schema_to_pyarrow(written.schema(), include_field_ids=False))
        )

    def table(self, name: str) -> Table:
        return self.catalog.find_table(("a",), name)

    def doctored(
        self, name: str, change: Callable[[list[Entry]], list[Entry]], *, deletes: bool = False
    ) -> Table:
        """The table, with other entries in its only manifest, which then is one of delete files or not."""
        table = self.table(name)
        assert table.current_snapshot is not None and table.current_snapshot.manifest_list is not None
        listed = to_path(table.current_snapshot.manifest_list)
        list_schema, lines = _records(listed)
        [line] = lines
        manifest = to_path(line["manifest_path"])
        schema, entries = _records(manifest)
        _write(manifest, schema, change(entries))
        line |= {"manifest_length": manifest.stat().st_size, "content": int(deletes)}
        _write(listed, list_schema, lines)
        return table

    def close(self) -> None:
        self._writer.close()
        self.catalog.close()


def _records(path: Path) -> tuple[Any, list[Entry]]:
    reader: Any = fastavro.reader(io.BytesIO(path.read_bytes()))
    # Without logical types numbers are written as they are given, be they no dates of Python's.
    return _plain(reader.writer_schema), [dict(record) for record in reader]


def _write(path: Path, schema: Any, records: list[Entry]) -> None:
    with path.open("wb") as file:
        fastavro.writer(file, schema, records, codec="deflate")


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if isinstance(schema, dict):
        return {k: _plain(v) for k, v in schema.items() if k != "logicalType"}
    return schema
