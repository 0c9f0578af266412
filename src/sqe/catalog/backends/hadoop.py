"""A catalog that is a directory and nothing else: schemas and tables are directories, as Hadoop's are.

`schema/table/metadata/v7.metadata.json` is the seventh metadata of a table, and `version-hint.text` beside
it says 7. A commit is the file of the next number, which only one can make. There are no views, and
nothing can be renamed: a name is a place.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from sqe.catalog.backends.committing import (
    CommittingCatalog,
    Namespace,
    Pointer,
    Raw,
    check_readable,
    name_conflict,
)
from sqe.catalog.backends.jdbc import METADATA_PLACE, not_writable, refuse_purge
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import Table, TableMetadata
from sqe.catalog.iceberg.view import View, ViewDefinition
from sqe.catalog.io import configured, file_system, shown, spell
from sqe.catalog.io.location import schema_directory
from sqe.catalog.io.protocol import DirectoryTree
from sqe.catalog.names import everything
from sqe.config.catalogs import storage_properties
from sqe.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    NotSupported,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.tree.changes import Change
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage
    from sqe.config.config import CatalogSettings

# How often a directory is looked at that may be half of a new table.
_LOOKS = 4
_HINT = "version-hint.text"
_VERSION = re.compile(r"v(\d+)(\.gz)?\.metadata\.json(\.gz)?")


def mount(settings: CatalogSettings) -> HadoopCatalog:
    from sqe.catalog.io.storage import warehouse_storage

    keys = warehouse_storage(settings.warehouse or "", storage_properties(settings.storage))
    return HadoopCatalog(settings.name, configured(settings.warehouse or "", keys), keys=keys)


class HadoopCatalog(CommittingCatalog):
    """The catalog `name` in the directory `warehouse`. One in an object store, which `keys` open, is read and
    not written: its other writers do not see to it that only one commit succeeds."""

    # A table that is dropped and made again begins with the same file name.
    _keeps_metadata = False

    def __init__(self, name: str, warehouse: str | os.PathLike[str], *, keys: Storage | None = None) -> None:
        super().__init__(name)
        self._keys = keys
        self.warehouse = spell(warehouse, keys)
        self._files = file_system(self.warehouse, keys)

    def check(self) -> None:
        self._directories(self.warehouse)

    def namespaces(self) -> list[Namespace]:
        return sorted(self._below(self.warehouse, ()))

    def tables(self, namespace: Namespace) -> list[str]:
        return sorted(self._names(namespace))

    def views(self, namespace: Namespace) -> list[str]:
        return []

    def namespace_location(self, namespace: Namespace) -> str | None:
        return None

    def check_writable(self, table: TableName) -> None:
        _ = self._writable

    def check_location(self, table: TableName, location: str) -> None:
        self._refuse_other_place(table.namespace, table.name, location)

    def namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        place = self._place(self._as_stored(namespace))
        if not self._has_directory(place) or self._is_table(place):
            raise NotFound(
                f"schema '{self.name}.{'.'.join(namespace)}' does not exist", code="SCHEMA_NOT_FOUND"
            )
        return {"location": place}

    def change_namespace(
        self, namespace: Namespace, changed: Mapping[str, str], removed: Collection[str]
    ) -> None:
        self.namespace_properties(namespace)
        raise self._unable("a schema has no properties")

    def create_namespace(
        self,
        namespace: Namespace,
        *,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        if location is not None or "location" in (properties or {}):
            raise self._unable("a schema cannot have a LOCATION of its own")
        if properties:
            raise self._unable("a schema has no properties")
        namespace = self._as_stored(namespace)
        place = self._place(namespace)
        dotted = ".".join(namespace)
        above = self._table_above(namespace)
        if above is not None:
            raise name_conflict(f"table '{self.name}.{above}'")
        try:
            is_new = self._writable.make_directory(place)
        except OSError as error:
            raise self._unusable(error) from error
        if not is_new:
            raise AlreadyExists(f"schema '{self.name}.{dotted}' already exists", code="SCHEMA_ALREADY_EXISTS")

    def drop_namespace(self, namespace: Namespace, *, cascade: bool = False) -> None:
        stored = self.find_namespace(namespace)
        place = self._place(stored)
        tree = self._writable
        try:
            if cascade:
                tree.remove_tree(place)
            else:
                tree.remove_directory(place)
        except OSError as error:
            if not cascade and tree.has_directory(place) and tree.entries(place):
                raise UserError(
                    f"schema '{self.name}.{'.'.join(stored)}' is not empty",
                    code="SCHEMA_NOT_EMPTY",
                    hint="DROP SCHEMA ... CASCADE drops what is in it",
                ) from None
            raise self._unusable(error) from error

    def rename_namespace(self, namespace: Namespace, to: Namespace) -> None:
        self._refuse_renaming()

    def rename_table(self, table: TableName, to: TableName) -> None:
        self._refuse_renaming()

    def rename_view(self, view: TableName, to: TableName) -> None:
        self._refuse_views()

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        self._refuse_views()

    def create_requested_view(self, view: TableName, request: Raw) -> TableMetadata:
        self._refuse_views()

    def stage(self, table: TableName, request: Raw) -> TableMetadata:
        # Before rows are written that could not be committed.
        _ = self._writable
        self._refuse_other_place(table.namespace, table.name, request.get("location"))
        return super().stage(table, {**request, "location": None})

    def alter_view(self, view: TableName, change: Change) -> None:
        self.find_view_name(view.namespace, view.name)
        self._refuse_views()

    def drop_view(self, namespace: Namespace, name: str) -> None:
        self.find_view_name(namespace, name)
        self._refuse_views()

    def create_table(self, statement: CreateTable) -> Table:
        if statement.table.name:
            self._refuse_other_place(statement.table.namespace, statement.table.name, statement.location)
        return super().create_table(replace(statement, location=None))

    def drop_table(self, namespace: Namespace, name: str, *, purge: bool = False) -> list[str]:
        """Its directory goes in any case, for it is the name; `purge` tells of its files elsewhere, which
        may be another's."""
        table, pointer = self._find_table(namespace, name, everything)
        place = self._place(table.namespace, table.name)
        tree = self._writable
        left: list[str] = []
        if purge:
            from sqe.catalog.backends.purged_files import Places, divided
            from sqe.catalog.iceberg.stored_files import every_file

            raw = self._read(pointer, table)
            refuse_purge(raw, table)
            own = Places((tree.resolve(place),), ())
            left = divided(every_file(raw, pointer.location, table, self._keys), own)[1]
        try:
            tree.remove_tree(place)
        except FileNotFoundError:
            raise self._not_found(table.namespace, name) from None
        except OSError as error:
            raise self._unusable(error) from error
        return left

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _names(self, namespace: Namespace) -> list[str]:
        place = self._place(namespace)
        return [name for name in self._directories(place) if self._is_table(f"{place}/{name}")]

    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        if not _is_plain((*namespace, name)):
            return None
        current = self._current(self._join((*namespace, name, "metadata")))
        return None if current is None else Pointer(current, False)

    def _as_stored(self, namespace: Namespace) -> Namespace:
        return tuple(".".join(namespace).split("."))

    def _new_location(self, namespace: Namespace, name: str) -> str:
        return self._join((*namespace, name))

    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> TableMetadata | None:
        tree = self._writable
        # Spark refuses such a table.
        if METADATA_PLACE in (raw.get("properties") or {}):
            raise self._unable(f"a table cannot have the property '{METADATA_PLACE}'")
        number = 1 if pointer is None else _number(pointer.location.rpartition("/")[2]) + 1
        place = self._place(name.namespace, name.name)
        directory = f"{place}/metadata"
        above = None if pointer is not None else self._table_above(name.namespace)
        if above is not None:
            raise name_conflict(f"table '{self.name}.{above}'")
        if pointer is None and self._stays_a_schema(tree, place, directory):
            raise name_conflict(f"schema '{self.name}.{'.'.join(name.namespace)}.{name.name}'")
        location = f"{directory}/v{number}.metadata.json"
        check_readable(raw, location, name, view=view)
        text = metadata.encode(raw)
        try:
            if not tree.create(location, text):
                return None
        except OSError as error:
            raise not_writable(name, location, error) from error
        # Whoever reads looks for later files too: a hint that could not be written costs a moment, no more.
        with contextlib.suppress(OSError):
            tree.write(f"{directory}/{_HINT}", str(number).encode())
        return TableMetadata(raw, location, text=text)

    @property
    def _writable(self) -> DirectoryTree:
        if not isinstance(self._files, DirectoryTree):
            raise self._unable("tables in an object store can only be read")
        return self._files

    def _has_directory(self, place: str) -> bool:
        if isinstance(self._files, DirectoryTree):
            return self._files.has_directory(place)
        return bool(self._files.entries(place))

    def _stays_a_schema(self, tree: DirectoryTree, place: str, directory: str) -> bool:
        """Whether a directory is one without metadata, and not that of a table which another is making: that
        makes its two directories one after the other."""
        for attempt in range(_LOOKS):
            if not tree.has_directory(place) or tree.has_directory(directory):
                return False
            time.sleep(0.01 * attempt)
        return True

    def _place(self, namespace: Namespace, name: str | None = None) -> str:
        """The directory of a schema or a table."""
        parts = namespace if name is None else (*namespace, name)
        if not namespace or not _is_plain(parts):
            raise InvalidArgument(
                f"'{'.'.join(parts)}' is not a name in catalog '{self.name}'",
                hint="its names are those of directories: letters, digits and _ . + = @ -",
            )
        return self._join(parts)

    def _join(self, parts: tuple[str, ...]) -> str:
        return "/".join((self.warehouse, *parts))

    def _below(self, place: str, above: Namespace) -> list[Namespace]:
        namespaces: list[Namespace] = []
        for name in self._directories(place):
            if not self._is_table(f"{place}/{name}"):
                namespace = (*above, name)
                namespaces += [namespace, *self._below(f"{place}/{name}", namespace)]
        return namespaces

    def _directories(self, place: str) -> list[str]:
        """The names of those that are a table or a schema."""
        try:
            entries = self._files.entries(place)
        except OSError as error:
            raise self._unusable(error) from error
        return [e.name for e in entries if e.is_directory and not e.name.startswith((".", "_"))]

    def _is_table(self, place: str) -> bool:
        return bool(self._versions(f"{place}/metadata"))

    def _versions(self, directory: str) -> list[str]:
        """The names of the metadata files that are there."""
        try:
            return [e.name for e in self._files.entries(directory) if _VERSION.fullmatch(e.name)]
        except OSError:
            return []

    def _current(self, directory: str) -> str | None:
        """The newest metadata. The hint is written after it, and may be late or missing."""
        with contextlib.suppress(ValueError, OSError):
            number = int(self._files.read(f"{directory}/{_HINT}"))
            newest = self._version(directory, number)
            while newest is not None:
                number += 1
                following = self._version(directory, number)
                if following is None:
                    return newest
                newest = following
        versions = self._versions(directory)
        return f"{directory}/{max(versions, key=_number)}" if versions else None

    def _version(self, directory: str, number: int) -> str | None:
        """Writers disagree about where .gz stands in the name."""
        for end in ("metadata.json", "gz.metadata.json", "metadata.json.gz"):
            location = f"{directory}/v{number}.{end}"
            if self._files.exists(location):
                return location
        return None

    def _refuse_other_place(self, namespace: Namespace, name: str, location: str | None) -> None:
        # SHOW CREATE TABLE tells where a table is, and what it tells can be run.
        place = self._place(namespace, name)
        if location is not None and self._spell(location) != place:
            raise self._unable("a table cannot have a LOCATION of its own")

    def _refuse_renaming(self) -> NoReturn:
        raise self._unable("nothing can be renamed")

    def _refuse_views(self) -> NoReturn:
        raise self._unable("there are no views")

    def _unable(self, what: str) -> NotSupported:
        return NotSupported(f"in catalog '{self.name}', of type hadoop, {what}")

    def _unusable(self, error: OSError) -> SqeError:
        reason = (error.strerror or str(error)).lower()
        return Unavailable(
            f"the warehouse {shown(self.warehouse)} cannot be used: {reason}",
            code="ICEBERG_CATALOG_ERROR",
            hint="check the permissions and the free space there",
        )


def _is_plain(parts: Namespace) -> bool:
    return all(
        part and "." not in (part[0], part[-1]) and part[0] != "_" and schema_directory(part) == part
        for part in parts
    )


def _number(file: str) -> int:
    version = _VERSION.fullmatch(file)
    return int(version[1]) if version else 0
