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
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqe.catalog import metadata
from sqe.catalog.backends.pointers import Pointer, Pointers
from sqe.catalog.catalog import Visible, everything
from sqe.catalog.location import schema_directory, spell, table_directory, to_path
from sqe.catalog.names import match, nearest
from sqe.catalog.table import Table
from sqe.catalog.view import View, ViewDefinition
from sqe.errors import (
    AlreadyExists,
    CommitConflict,
    InvalidArgument,
    NotFound,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.tree.changes import Change
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable

_CACHED_TABLES = 256
_COMMIT_ATTEMPTS = 12

# The metadata of a table or view, None if there is none, and its location to the metadata that it gets.
_Change = Callable[[dict[str, Any] | None, str], dict[str, Any]]


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

    def views(self, namespace: tuple[str, ...]) -> list[str]:
        return sorted(self._pointers.views(_join(namespace)))

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

    def find_view_name(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> TableName:
        found, pointer = self._find(namespace, name, visible, kind="view")
        if not pointer.is_view:
            raise NotFound(f"view '{found}' does not exist", hint="that is a table")
        return found

    def namespace_location(self, namespace: tuple[str, ...]) -> str | None:
        return self._pointers.namespace_location(_join(namespace))

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
        if not self._pointers.remove_namespace(stored, cascade=cascade):
            # Not how much is in it: some of that may be hidden from who asks.
            raise UserError(
                f"schema '{self.name}.{stored}' is not empty",
                code="SCHEMA_NOT_EMPTY",
                hint="DROP SCHEMA ... CASCADE drops what is in it",
            )

    def rename_namespace(self, namespace: tuple[str, ...], to: tuple[str, ...]) -> None:
        before, after = _join(self.find_namespace(namespace)), _join(to)
        if after.startswith(before + "."):
            raise InvalidArgument(f"schema '{self.name}.{before}' cannot be moved into itself")
        if not self._pointers.rename_namespace(before, after):
            raise AlreadyExists(f"schema '{self.name}.{after}' already exists", code="SCHEMA_ALREADY_EXISTS")

    def create_table(self, statement: CreateTable) -> Table:
        namespace = self.find_namespace(statement.table.namespace)
        if not statement.table.name:
            raise InvalidArgument("a table needs a name")
        name = TableName(self.name, namespace, statement.table.name)
        statement = replace(statement, table=name)
        place = spell(statement.location) if statement.location else None
        from sqe.catalog.definition import new_metadata, replacement

        def change(base: dict[str, Any] | None, base_location: str) -> dict[str, Any]:
            if base is None:
                return new_metadata(statement, place or self._new_location(_join(namespace), name.name))
            location = place or str(base["location"])
            return replacement(statement, base, base_location=base_location, location=location)

        raw, location = self._commit(name, change, create=True, replace=statement.replace)
        return metadata.parse(raw, location, name)

    def alter_table(self, table: TableName, change: Change) -> Table:
        from sqe.catalog.definition import committed
        from sqe.catalog.evolution import evolved

        name = self.find_table_name(table.namespace, table.name)

        def changed(base: dict[str, Any] | None, base_location: str) -> dict[str, Any]:
            assert base is not None
            raw = evolved(base, change, proven=_has_no_null)
            return base if raw == base else committed(raw, base, base_location)

        raw, location = self._commit(name, changed)
        return metadata.parse(raw, location, name)

    def rename_table(self, table: TableName, to: TableName) -> None:
        self._rename(self.find_table_name(table.namespace, table.name), to, view=False)

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        namespace = self.find_namespace(view.name.namespace)
        if not view.name.name:
            raise InvalidArgument("a view needs a name")
        name = TableName(self.name, namespace, view.name.name)
        from sqe.catalog.view_definition import new_view_metadata, replaced_view

        def change(base: dict[str, Any] | None, base_location: str) -> dict[str, Any]:
            if base is None:
                return new_view_metadata(view, self._new_location(_join(namespace), name.name))
            return replaced_view(view, base)

        raw, location = self._commit(name, change, view=True, create=True, replace=replace)
        return metadata.parse_view(raw, location, name)

    def alter_view(self, view: TableName, change: Change) -> None:
        from sqe.catalog.view_definition import changed_view

        name = self.find_view_name(view.namespace, view.name)

        def changed(base: dict[str, Any] | None, base_location: str) -> dict[str, Any]:
            assert base is not None
            return changed_view(change, base)

        self._commit(name, changed, view=True)

    def drop_view(self, namespace: tuple[str, ...], name: str) -> None:
        view = self.find_view_name(namespace, name)
        if not self._pointers.remove(_join(view.namespace), view.name, view=True):
            raise self._not_found(view.namespace, name, (), kind="view")

    def rename_view(self, view: TableName, to: TableName) -> None:
        self._rename(self.find_view_name(view.namespace, view.name), to, view=True)

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
        if not self._pointers.remove(_join(table.namespace), table.name, view=False):
            raise self._not_found(table.namespace, name, ())
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

    def _find(
        self, namespace: tuple[str, ...], name: str, visible: Visible, *, kind: str = "table"
    ) -> tuple[TableName, Pointer]:
        """A table or a view: they share their names."""
        stored = ".".join(namespace)
        # Most names are written as they are stored: one look-up by key.
        pointer = self._pointers.pointer(stored, name)
        if pointer is None or not visible(_split(stored), name):
            stored = ".".join(self.find_namespace(namespace, visible=visible))
            names = [n for n in self._pointers.names(stored) if visible(_split(stored), n)]
            found = match(name, names, kind=kind)
            pointer = None if found is None else self._pointers.pointer(stored, found)
            if found is None or pointer is None:
                raise self._not_found(_split(stored), name, names, kind=kind)
            name = found
        return TableName(self.name, _split(stored), name), pointer

    def _not_found(
        self, namespace: tuple[str, ...], name: str, names: Iterable[str], *, kind: str = "table"
    ) -> NotFound:
        return NotFound(
            f"{kind} '{TableName(self.name, namespace, name)}' does not exist", hint=nearest(name, names)
        )

    def _rename(self, name: TableName, to: TableName, *, view: bool) -> None:
        namespace = self.find_namespace(to.namespace)
        target = TableName(self.name, namespace, to.name)
        if not to.name:
            raise InvalidArgument("a table needs a name")
        done = self._pointers.rename(
            (_join(name.namespace), name.name), (_join(namespace), to.name), view=view
        )
        if done is None:
            raise self._not_found(name.namespace, name.name, (), kind="view" if view else "table")
        if not done:
            raise AlreadyExists(f"'{target}' already exists", code="TABLE_ALREADY_EXISTS")

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

    def _commit(
        self,
        name: TableName,
        change: _Change,
        *,
        view: bool = False,
        create: bool = False,
        replace: bool = True,
    ) -> tuple[dict[str, Any], str]:
        """The metadata with the change, and where it is: a new file, then the pointer to it. Made again,
        on what is there by then, for as long as others are faster."""
        kind = "view" if view else "table"
        for attempt in range(_COMMIT_ATTEMPTS):
            pointer = self._pointers.pointer(_join(name.namespace), name.name)
            if pointer is None and not create:
                raise self._not_found(name.namespace, name.name, (), kind=kind)
            if pointer is not None and (not replace or pointer.is_view != view):
                there = "view" if pointer.is_view else "table"
                raise AlreadyExists(f"{there} '{name}' already exists", code="TABLE_ALREADY_EXISTS")
            before = "" if pointer is None else pointer.location
            base = None if pointer is None else metadata.read(before, name, kind=kind)
            raw = _changed(change, base, before, name, kind)
            if raw is base:
                return raw, before
            number = 0 if pointer is None else _number(before) + 1
            location = f"{raw['location']}/metadata/{number:05d}-{uuid.uuid4()}.metadata.json"
            # What cannot be read again must not be written.
            (metadata.parse_view if view else metadata.parse)(raw, location, name)
            if self._swap(name, raw, location, previous=before or None, view=view):
                return raw, location
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 7)))
        raise CommitConflict(f"{kind} '{name}' was changed by others at the same time", hint="try again")

    def _swap(
        self, name: TableName, raw: dict[str, Any], location: str, *, previous: str | None, view: bool
    ) -> bool:
        """Writes a metadata file, then the pointer to it. False if another was faster."""
        stored = False
        try:
            metadata.write(raw, location)
            stored = self._pointers.put(
                _join(name.namespace), name.name, location, previous=previous, view=view
            )
        except OSError as error:
            raise Unavailable(
                f"'{name}' cannot be written: {to_path(location).parent}: {_reason(error)}",
                code="ICEBERG_FILESYSTEM_ERROR",
                hint="check the permissions and the free space there",
            ) from error
        finally:
            if not stored:
                self._discard_unused(name, location, str(raw["location"]))
        return stored

    def _discard_unused(self, name: TableName, location: str, table_location: str) -> None:
        """Removes a metadata file that was not committed. An interrupt can fall between the commit and its
        answer, so the pointer is asked; where it cannot be, the file stays."""
        with contextlib.suppress(SqeError):
            pointer = self._pointers.pointer(_join(name.namespace), name.name)
            if pointer is None or pointer.location != location:
                metadata.discard(location, root=self._prunable(table_location))


def _changed(
    change: _Change, base: dict[str, Any] | None, location: str, name: TableName, kind: str
) -> dict[str, Any]:
    try:
        return change(base, location)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        if base is None:
            raise
        raise metadata.broken(
            name, f"its metadata file {to_path(location)} is not Iceberg metadata", kind=kind
        ) from error


def _has_no_null(raw: dict[str, Any], field_id: int) -> bool:
    from sqe.catalog.backends.table_files import has_no_null

    return has_no_null(raw, field_id)


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
