"""A catalog to try queries on: the tables of TPC-H, made when the first statement reads them.

Its tables are Iceberg tables like any other's, in a temporary directory, so that both lanes read them. Their
columns are known without rows: those of a scale are made when a statement that may read them is planned.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalog.backends.committing import CommittingCatalog, Namespace, Pointer, Raw
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.definition import first_metadata
from sqe.catalog.iceberg.first_snapshot import NewFile, with_first_snapshot, write_first_snapshot
from sqe.catalog.iceberg.table import Column, MetadataText, Table, TableMetadata
from sqe.catalog.io import spell
from sqe.catalog.names import Visible, everything
from sqe.catalog.tpch.generator import extension, generate
from sqe.catalog.tpch.tables import LISTED, OF_EVERY_SCALE, TABLES, TINY, scale_of
from sqe.errors import LimitExceeded, NotFound, NotSupported, Unavailable
from sqe.foundation.scratch import Scratch, remove_stale
from sqe.tree.relations import TableName
from sqe.types.iceberg import to_iceberg

if TYPE_CHECKING:
    from sqe.config.config import CatalogSettings

_PREFIX = "sqe-tpch-catalog-"
# Measured: what a unit of scale takes as files, and a step of the generator beside them.
_UNIT_BYTES, _STEP_BYTES = 400 << 20, 1 << 30
# No more than this share of what is free.
_SHARE = 0.5
_LOOK_SECONDS = 0.05


def mount(settings: CatalogSettings) -> TpchCatalog:
    """Unavailable at the start, and not at the first statement, where rows could never be made."""
    extension()
    remove_stale(_PREFIX)
    return TpchCatalog(settings.name)


class TpchCatalog(CommittingCatalog):
    """Read-only. Its directory is made with its first rows, and goes away with `close`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._scratch: Scratch | None = None
        self._began_ms = time.time_ns() // 1_000_000
        self._raw: dict[tuple[str, str], Raw] = {}
        self._ready: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        # One generator at a time: it takes the memory and the cores of a large statement.
        self._generating = threading.Lock()

    def namespaces(self) -> list[Namespace]:
        return sorted((name,) for name in LISTED)

    def find_namespace(self, parts: Namespace, *, visible: Visible = everything) -> Namespace:
        stored = self._as_stored(tuple(part.lower() for part in parts))
        if scale_of(".".join(stored)) is not None and visible(stored, None):
            return stored
        return super().find_namespace(parts, visible=visible)

    def tables(self, namespace: Namespace) -> list[str]:
        return sorted(TABLES) if scale_of(".".join(namespace)) is not None else []

    def views(self, namespace: Namespace) -> list[str]:
        return []

    def namespace_location(self, namespace: Namespace) -> str | None:
        return None

    def namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        self.find_namespace(namespace)
        return {}

    def prepare(self, table: Table, check: Callable[[], None]) -> None:
        schema, name = ".".join(table.name.namespace), table.name.name
        if (schema, name) in self._ready:
            return
        while not self._generating.acquire(timeout=_LOOK_SECONDS):
            check()
        try:
            if (schema, name) not in self._ready:
                self._generate(schema, name, check)
        finally:
            self._generating.release()

    def metadata_as_bound(self, table: Table) -> bytes:
        return metadata.encode(self._metadata(".".join(table.name.namespace), table.name.name))

    def load(self, table: TableName) -> TableMetadata:
        self.prepare(self.find_table(table.namespace, table.name), _nobody_stops)
        return super().load(table)

    def load_text(self, table: TableName) -> MetadataText:
        self.prepare(self.find_table(table.namespace, table.name), _nobody_stops)
        return super().load_text(table)

    def check_writable(self, table: TableName) -> None:
        raise self._read_only()

    def create_namespace(
        self,
        namespace: Namespace,
        *,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        raise self._read_only()

    def change_namespace(
        self, namespace: Namespace, changed: Mapping[str, str], removed: Collection[str]
    ) -> None:
        raise self._read_only()

    def drop_namespace(self, namespace: Namespace, *, cascade: bool = False) -> None:
        raise self._read_only()

    def rename_namespace(self, namespace: Namespace, to: Namespace) -> None:
        raise self._read_only()

    def drop_table(self, namespace: Namespace, name: str, *, purge: bool = False) -> list[str]:
        raise self._read_only()

    def rename_table(self, table: TableName, to: TableName) -> None:
        raise self._read_only()

    def drop_view(self, namespace: Namespace, name: str) -> None:
        raise self._not_found(namespace, name, kind="view")

    def rename_view(self, view: TableName, to: TableName) -> None:
        raise self._not_found(view.namespace, view.name, kind="view")

    def delete_all(self, table: TableName) -> int | None:
        raise self._read_only()

    def close(self) -> None:
        with self._lock:
            scratch, self._scratch = self._scratch, None
            self._ready.clear()
        if scratch is not None:
            scratch.remove()

    def _names(self, namespace: Namespace) -> list[str]:
        return sorted(TABLES)

    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        schema = ".".join(namespace)
        if name not in TABLES or scale_of(schema) is None:
            return None
        raw = self._metadata(schema, name)
        return Pointer(f"{raw['location']}/metadata/v1.metadata.json", False, raw)

    def _as_stored(self, namespace: Namespace) -> Namespace:
        return tuple(".".join(namespace).split("."))

    def _table_above(self, namespace: Namespace) -> str | None:
        return None

    def _load(self, name: TableName, pointer: Pointer) -> Table:
        """With the lengths of texts, which Iceberg's types do not tell."""
        table = super()._load(name, pointer)
        types = dict(TABLES[name.name])
        columns = tuple(replace(column, type=types[column.name]) for column in table.columns)
        schemas: Mapping[int, tuple[Column, ...]] = {table.schema_id: columns}
        return replace(table, columns=columns, schemas=schemas)

    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> TableMetadata | None:
        raise self._read_only()

    def _new_location(self, namespace: Namespace, name: str) -> str:
        raise self._read_only()

    def _read_only(self) -> NotSupported:
        return NotSupported(
            f"catalog '{self.name}' is read-only: the rows of TPC-H are generated",
            hint="CREATE TABLE ... AS SELECT copies a table to another catalog",
        )

    def _directory(self) -> Path:
        with self._lock:
            if self._scratch is None:
                try:
                    self._scratch = Scratch(_PREFIX)
                except OSError as error:
                    raise Unavailable(
                        f"a temporary warehouse cannot be made: {(error.strerror or str(error)).lower()}",
                        code="ICEBERG_CATALOG_ERROR",
                        hint="set TMPDIR to a directory that has room",
                    ) from error
            return self._scratch.path

    def _metadata(self, schema: str, name: str) -> Raw:
        raw = self._raw.get((schema, name))
        if raw is None:
            fields = [
                {
                    "id": number,
                    "name": column,
                    "required": False,
                    "type": to_iceberg(kind, lambda: 0, column=column),
                }
                for number, (column, kind) in enumerate(TABLES[name], 1)
            ]
            location = spell(self._directory() / schema / name, None)
            definition = {"type": "struct", "schema-id": 0, "fields": fields}
            first = first_metadata(2, location, definition, len(fields), [], [], {})
            raw = with_first_snapshot({**first, "last-updated-ms": self._began_ms})
            # Whoever was first decides: a table has one uuid.
            raw = self._raw.setdefault((schema, name), raw)
        return raw

    def _generate(self, schema: str, name: str, check: Callable[[], None]) -> None:
        scale = scale_of(schema)
        if scale is None:
            raise NotFound(f"schema '{self.name}.{schema}' does not exist", code="SCHEMA_NOT_FOUND")
        if name in OF_EVERY_SCALE:
            scale, names = TINY, OF_EVERY_SCALE
        else:
            names = frozenset(TABLES) - OF_EVERY_SCALE
        root = self._directory()
        _check_room(scale, root)
        directory = root / schema
        try:
            directory.mkdir(exist_ok=True)
            files = generate(scale, names, directory, check)
            for table in sorted(names):
                raw = self._metadata(schema, table)
                new = [NewFile(spell(file.path, None), file.rows, file.size) for file in files[table]]
                write_first_snapshot(raw, new)
                metadata.write(raw, f"{raw['location']}/metadata/v1.metadata.json")
        except OSError as error:
            self._remove(directory, names)
            raise Unavailable(
                f"the rows of TPC-H cannot be written: {(error.strerror or str(error)).lower()}",
                code="ICEBERG_FILESYSTEM_ERROR",
                hint="set TMPDIR to a directory that has room",
            ) from error
        except BaseException:
            self._remove(directory, names)
            raise
        self._ready.update((schema, table) for table in names)

    def _remove(self, directory: Path, names: Collection[str]) -> None:
        for table in (*names, "spilled"):
            shutil.rmtree(directory / table, ignore_errors=True)


def _check_room(scale: float, directory: Path) -> None:
    needed = int(scale * _UNIT_BYTES) + (_STEP_BYTES if scale > TINY else 0)
    free = shutil.disk_usage(directory).free
    if needed > free * _SHARE:
        raise LimitExceeded(
            f"TPC-H at scale {scale:g} takes about {needed / (1 << 30):.0f} GB of temporary files,"
            f" and half of what is free there is {free * _SHARE / (1 << 30):.0f} GB",
            code="GENERIC_INSUFFICIENT_RESOURCES",
            hint="read a smaller scale, or set TMPDIR to a directory that has more room",
        )


def _nobody_stops() -> None:
    """Of a request that is answered however long it takes."""
