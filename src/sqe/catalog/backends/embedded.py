"""The embedded catalog: one SQLite file of pointers and a directory of tables, on this machine.

`sqe.db` is an Iceberg JDBC catalog of schema version 1, which PyIceberg's SqlCatalog and Spark's
JdbcCatalog read and write too, under the same catalog name. A table is one row that points to its
current metadata file; a change of a table is a new file and an update of that row, if it still points
to the file that the change began with.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sqe.catalog import metadata
from sqe.catalog.backends.pointers import Pointer, Pointers
from sqe.catalog.catalog import Visible, everything
from sqe.catalog.definition import new_metadata, replacement
from sqe.catalog.location import schema_directory, spell, table_directory, to_path
from sqe.catalog.names import match, nearest
from sqe.catalog.table import Table
from sqe.catalog.view import View
from sqe.errors import (
    AlreadyExists,
    CommitConflict,
    InvalidArgument,
    NotFound,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable

_CACHED_TABLES = 256
_COMMIT_ATTEMPTS = 12


class EmbeddedCatalog:
    """The catalog `name` in the directory `path`, which is made on first use."""

    def __init__(self, name: str, path: str | os.PathLike[str], *, lock_timeout: float = 30.0) -> None:
        self.name = name
        self.path = Path(os.path.abspath(os.path.expanduser(path)))
        self.data = self.path / "iceberg"
        self._warehouse = spell(self.data)
        self._pointers = Pointers(
            name, self.path / "sqe.db", directories=(self.path, self.data), lock_timeout=lock_timeout
        )
        self._lock_timeout = lock_timeout
        # Metadata files never change, so what one says is kept by its location.
        self._known: OrderedDict[str, Table] = OrderedDict()
        self._known_lock = threading.Lock()

    def namespaces(self) -> list[tuple[str, ...]]:
        return sorted(_split(name) for name in self._pointers.namespaces())

    def tables(self, namespace: tuple[str, ...]) -> list[str]:
        return sorted(self._pointers.tables(_join(namespace)))

    def find_namespace(self, parts: tuple[str, ...], *, visible: Visible = everything) -> tuple[str, ...]:
        stored = [name for name in self._pointers.namespaces() if visible(_split(name), None)]
        wanted = ".".join(parts)
        found = match(wanted, stored, kind="schema")
        if found is None:
            raise NotFound(
                f"schema '{self.name}.{wanted}' does not exist",
                code="SCHEMA_NOT_FOUND",
                hint=nearest(wanted, stored),
            )
        return _split(found)

    def find_table_name(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> TableName:
        return self._find_table(namespace, name, visible)[0]

    def find_table(self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything) -> Table:
        table, location = self._find_table(namespace, name, visible)
        return self._load(table, location)

    def find_view(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> View | None:
        try:
            view, pointer = self._find(namespace, name, visible)
        except NotFound:
            return None
        if not pointer.is_view:
            return None
        return metadata.parse_view(metadata.read(pointer.location, view, kind="view"), pointer.location, view)

    def table_location(self, namespace: tuple[str, ...], name: str) -> str | None:
        stored = _join(namespace)
        plain = all(schema_directory(part) == part for part in (*_split(stored), name))
        if plain and self._pointers.namespace_location(stored) is None:
            return None
        return self._new_location(stored, name)

    def create_namespace(self, namespace: tuple[str, ...], *, location: str | None = None) -> None:
        stored = _join(namespace)
        properties = {"exists": "true"}
        if location is not None:
            properties["location"] = spell(location)
        if not self._pointers.add_namespace(stored, properties):
            raise AlreadyExists(f"schema '{self.name}.{stored}' already exists", code="SCHEMA_ALREADY_EXISTS")

    def drop_namespace(self, namespace: tuple[str, ...], *, cascade: bool = False) -> None:
        stored = ".".join(self.find_namespace(namespace))
        left = self._pointers.remove_namespace(stored, cascade=cascade)
        if left:
            raise UserError(
                f"schema '{self.name}.{stored}' is not empty: it has {left}",
                code="SCHEMA_NOT_EMPTY",
                hint="DROP SCHEMA ... CASCADE drops what is in it",
            )

    def create_table(self, statement: CreateTable) -> Table:
        namespace = self.find_namespace(statement.table.namespace)
        if not statement.table.name:
            raise InvalidArgument("a table needs a name")
        name = TableName(self.name, namespace, statement.table.name)
        statement = replace(statement, table=name)
        for attempt in range(_COMMIT_ATTEMPTS):
            base = self._pointers.pointer(_join(namespace), name.name)
            if base is not None and (not statement.replace or base.is_view):
                raise AlreadyExists(
                    f"{'view' if base.is_view else 'table'} '{name}' already exists",
                    code="TABLE_ALREADY_EXISTS",
                )
            location = None if base is None else base.location
            table = self._commit(statement, location)
            if table is not None:
                return table
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 7)))
        raise CommitConflict(f"table '{name}' was changed by others at the same time", hint="try again")

    def drop_table(self, namespace: tuple[str, ...], name: str, *, purge: bool = False) -> None:
        table, location = self._find_table(namespace, name, everything)
        files: set[str] = set()
        place, root = "", self.data
        if purge:
            # Listed before the name is gone: a table whose files cannot be listed stays.
            from sqe.catalog.backends.table_files import every_file

            raw = metadata.read(location, table)
            if (raw.get("properties") or {}).get("gc.enabled", "true").lower() == "false":
                raise UserError(
                    f"table '{table}' does not let its files be deleted (gc.enabled is false)",
                    code="NOT_SUPPORTED",
                    hint="DROP TABLE without PURGE",
                )
            files = every_file(raw, location, table)
            place = str(raw["location"])
            root = self._prunable(place)
        if not self._pointers.remove_table(_join(table.namespace), table.name):
            raise self._table_not_found(table.namespace, name, ())
        for file in sorted(files):
            metadata.discard(file, root=root)
        if purge:
            metadata.prune(to_path(place), root=root)

    def delete_all(self, table: TableName) -> int | None:
        stored, location = self._find_table(table.namespace, table.name, everything)
        snapshot = self._load(stored, location).current_snapshot
        if snapshot is None:
            return 0
        # Most of the time the summary says enough to do without PyIceberg.
        if snapshot.summary.get("total-delete-files", "0") != "0":
            return None
        if snapshot.summary.get("total-data-files") == "0":
            return 0
        from sqe.catalog.backends.table_files import delete_every_row

        return delete_every_row(
            stored,
            raw=metadata.read(location, stored),
            database=self._pointers.path,
            warehouse=self._warehouse,
            lock_timeout=self._lock_timeout,
        )

    def spark_conf(self) -> dict[str, str]:
        prefix = f"spark.sql.catalog.{self.name}"
        wait = int(self._lock_timeout * 1000)
        return {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "jdbc",
            f"{prefix}.uri": f"jdbc:sqlite:{self._pointers.path}?busy_timeout={wait}",
            f"{prefix}.jdbc.schema-version": "V1",
            # A table is made only in a schema that exists.
            f"{prefix}.jdbc.strict-mode": "true",
            f"{prefix}.warehouse": self._warehouse,
            # As `table_directory`, and for its reasons.
            f"{prefix}.unique-table-location": "true",
            # Others write too, so that every statement looks at the pointer again.
            f"{prefix}.cache-enabled": "false",
        }

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _find_table(self, namespace: tuple[str, ...], name: str, visible: Visible) -> tuple[TableName, str]:
        """The stored name and the location of its metadata."""
        found, pointer = self._find(namespace, name, visible)
        if pointer.is_view:
            raise NotFound(f"table '{found}' does not exist", hint="that is a view")
        return found, pointer.location

    def _find(self, namespace: tuple[str, ...], name: str, visible: Visible) -> tuple[TableName, Pointer]:
        """A table or a view: they share their names."""
        stored = ".".join(namespace)
        # Most names are written as they are stored: one look-up by key.
        pointer = self._pointers.pointer(stored, name)
        if pointer is None or not visible(_split(stored), name):
            stored = ".".join(self.find_namespace(namespace, visible=visible))
            names = [n for n in self._pointers.names(stored) if visible(_split(stored), n)]
            found = match(name, names, kind="table")
            pointer = None if found is None else self._pointers.pointer(stored, found)
            if found is None or pointer is None:
                raise self._table_not_found(_split(stored), name, names)
            name = found
        return TableName(self.name, _split(stored), name), pointer

    def _table_not_found(self, namespace: tuple[str, ...], name: str, names: Iterable[str]) -> NotFound:
        return NotFound(
            f"table '{TableName(self.name, namespace, name)}' does not exist", hint=nearest(name, names)
        )

    def _load(self, name: TableName, location: str) -> Table:
        with self._known_lock:
            table = self._known.get(location)
            if table is not None:
                self._known.move_to_end(location)
        if table is None:
            table = metadata.parse(metadata.read(location, name), location, name)
            with self._known_lock:
                self._known[location] = table
                if len(self._known) > _CACHED_TABLES:
                    self._known.popitem(last=False)
        # A renamed table has the same metadata under another name.
        return table if table.name == name else replace(table, name=name)

    def _new_location(self, namespace: str, name: str) -> str:
        place = self._pointers.namespace_location(namespace)
        if place is None:
            place = "/".join((self._warehouse, *map(schema_directory, _split(namespace))))
        return f"{spell(place)}/{table_directory(name)}"

    def _prunable(self, location: str) -> Path:
        """Below which directory empty ones may be removed with a table's files: never one of the user's."""
        place = to_path(location)
        return place.parent if place.is_relative_to(self.data) else place

    def _commit(self, statement: CreateTable, base_location: str | None) -> Table | None:
        """Writes the metadata of a table that is made or replaced, then the pointer. None if another
        was faster."""
        name = statement.table
        base = None if base_location is None else metadata.read(base_location, name)
        place = spell(statement.location) if statement.location else None
        if base is None or base_location is None:
            raw = new_metadata(statement, place or self._new_location(_join(name.namespace), name.name))
            number = 0
        else:
            raw = replacement(
                statement, base, base_location=base_location, location=place or str(base["location"])
            )
            number = _number(base_location) + 1
        location = f"{raw['location']}/metadata/{number:05d}-{uuid.uuid4()}.metadata.json"
        table = metadata.parse(raw, location, name)
        stored = False
        try:
            metadata.write(raw, location)
            stored = self._pointers.put_table(
                _join(name.namespace), name.name, location, previous=base_location
            )
        except OSError as error:
            raise Unavailable(
                f"table '{name}' cannot be written: {to_path(location).parent}: {_reason(error)}",
                code="ICEBERG_FILESYSTEM_ERROR",
                hint="check the permissions and the free space there",
            ) from error
        finally:
            if not stored:
                self._discard_unused(name, location, str(raw["location"]))
        return table if stored else None

    def _discard_unused(self, name: TableName, location: str, table_location: str) -> None:
        """Removes a metadata file that was not committed. An interrupt can fall between the commit and its
        answer, so the pointer is asked; where it cannot be, the file stays."""
        with contextlib.suppress(SqeError):
            pointer = self._pointers.pointer(_join(name.namespace), name.name)
            if pointer is None or pointer.location != location:
                metadata.discard(location, root=self._prunable(table_location))


def _join(namespace: tuple[str, ...]) -> str:
    """A namespace as JDBC catalogs store it, where "a.b" as one part and as two is the same."""
    stored = ".".join(namespace)
    if any(not part.strip() or part != part.strip() for part in stored.split(".")):
        raise InvalidArgument(f"'{stored}' is not a schema name", hint="no part of it may be blank")
    return stored


def _split(stored: str) -> tuple[str, ...]:
    return tuple(stored.split("."))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _number(location: str) -> int:
    """The running number in a metadata file's name, `00007-...` or `v7.metadata.json`."""
    digits = location.rsplit("/", 1)[-1].split("-", 1)[0].split(".", 1)[0].lstrip("v")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
