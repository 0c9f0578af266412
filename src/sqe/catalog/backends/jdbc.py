"""A catalog of pointers in a database, and of tables in a directory of a file system.

The database is an Iceberg JDBC catalog of schema version 1, which PyIceberg's SqlCatalog and Spark's
JdbcCatalog read and write too, under the same catalog name. A table is one row that points to its
current metadata file; a change of a table is a new file and an update of that row, if it still points
to the file that the change began with.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalog.backends.committing import (
    CommittingCatalog,
    Namespace,
    Pointer,
    Raw,
    check_readable,
)
from sqe.catalog.backends.pointers import EXISTS, Moved, Pointers
from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import TableCommit, TableMetadata
from sqe.catalog.io import configured, file_system, resolve, shown, spell
from sqe.catalog.io.location import is_within, parent, schema_directory, table_directory
from sqe.catalog.names import everything
from sqe.config.catalogs import storage_properties
from sqe.errors import (
    AlreadyExists,
    CommitConflict,
    ConfigError,
    InvalidArgument,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage
    from sqe.config.config import CatalogSettings

LOCK_SECONDS = 30.0
METADATA_PLACE = "write.metadata.path"
"""The property of a table whose metadata files are not in its own directory."""


def mount(settings: CatalogSettings) -> JdbcCatalog:
    pointers: Pointers
    if settings.database == "postgresql":
        from sqe.catalog.backends.postgres_pointers import PostgresPointers, parse_url

        address = parse_url(settings.url, catalog=settings.name)
        pointers = PostgresPointers(settings.name, address, lock_timeout=LOCK_SECONDS)
    else:
        from sqe.catalog.backends.sqlite_pointers import SqlitePointers

        file = _sqlite_file(settings)
        pointers = SqlitePointers(
            settings.name, file, directories=(file.parent,), lock_timeout=LOCK_SECONDS, own=False
        )
    from sqe.catalog.io.storage import warehouse_storage

    keys = warehouse_storage(settings.warehouse or "", storage_properties(settings.storage))
    return JdbcCatalog(settings.name, pointers, configured(settings.warehouse or "", keys), keys=keys)


def _sqlite_file(settings: CatalogSettings) -> Path:
    """Of `sqlite:path`; as in any other URL, `//` before the path changes nothing."""
    text, _, options = settings.url[len("sqlite:") :].partition("?")
    path = text[2:] if text.startswith("//") else text
    # The option that other programs need to make the file, which is what we do anyway.
    if not path or path == ":memory:" or options not in ("", "mode=rwc"):
        raise ConfigError(
            f"catalog '{settings.name}': its url names no database file",
            hint='write "sqlite:/path/to/catalog.db"',
        )
    return Path(os.path.abspath(os.path.expanduser(path)))


class JdbcCatalog(CommittingCatalog):
    """The catalog `name`: its rows in `pointers`, new tables below the directory `warehouse`, which `keys`
    open where it is in an object store."""

    def __init__(
        self,
        name: str,
        pointers: Pointers,
        warehouse: str | os.PathLike[str],
        *,
        keys: Storage | None = None,
    ) -> None:
        super().__init__(name)
        self._keys = keys
        self._warehouse = spell(warehouse, keys)
        self._pointers = pointers

    def namespaces(self) -> list[Namespace]:
        return sorted(_split(name) for name in self._pointers.namespaces())

    def tables(self, namespace: Namespace) -> list[str]:
        return sorted(self._pointers.tables(_join(namespace)))

    def views(self, namespace: Namespace) -> list[str]:
        return sorted(self._pointers.views(_join(namespace)))

    def namespace_location(self, namespace: Namespace) -> str | None:
        return self._pointers.namespace_location(_join(namespace))

    def namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        stored = _join(namespace)
        properties = self._pointers.namespace_properties(stored)
        own = {key: value for key, value in properties.items() if key != EXISTS}
        # As Iceberg's own catalog tells it: Trino puts tables there.
        return {"location": self._directory(stored), **own}

    def change_namespace(
        self, namespace: Namespace, changed: Mapping[str, str], removed: Collection[str]
    ) -> None:
        self._pointers.change_namespace(_join(namespace), self._spelled(changed), set(removed) - {EXISTS})

    def create_namespace(
        self,
        namespace: Namespace,
        *,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        stored = _join(namespace)
        given = self._spelled({**(properties or {}), **({} if location is None else {"location": location})})
        if not self._pointers.add_namespace(stored, {EXISTS: "true"} | given):
            raise AlreadyExists(f"schema '{self.name}.{stored}' already exists", code="SCHEMA_ALREADY_EXISTS")

    def drop_namespace(self, namespace: Namespace, *, cascade: bool = False) -> None:
        stored = ".".join(self.find_namespace(namespace))
        if not self._pointers.remove_namespace(stored, cascade=cascade):
            # Not how much is in it: some of that may be hidden from who asks.
            raise UserError(
                f"schema '{self.name}.{stored}' is not empty",
                code="SCHEMA_NOT_EMPTY",
                hint="DROP SCHEMA ... CASCADE drops what is in it",
            )

    def rename_namespace(self, namespace: Namespace, to: Namespace) -> None:
        before, after = _join(self.find_namespace(namespace)), _join(to)
        if after.startswith(before + "."):
            raise InvalidArgument(f"schema '{self.name}.{before}' cannot be moved into itself")
        if not self._pointers.rename_namespace(before, after):
            raise AlreadyExists(f"schema '{self.name}.{after}' already exists", code="SCHEMA_ALREADY_EXISTS")

    def rename_table(self, table: TableName, to: TableName) -> None:
        self._rename(self.find_table_name(table.namespace, table.name), to, view=False)

    def rename_view(self, view: TableName, to: TableName) -> None:
        self._rename(self.find_view_name(view.namespace, view.name), to, view=True)

    def register(
        self, name: TableName, location: str, *, view: bool = False, overwrite: bool = False
    ) -> TableMetadata:
        raw = metadata.read(location, name, kind="view" if view else "table", storage=self._keys)
        check_readable(raw, location, name, view=view)
        pointer = self._pointer(name.namespace, name.name)
        if pointer is not None and (not overwrite or pointer.is_view != view):
            raise AlreadyExists(f"'{name}' already exists", code="TABLE_ALREADY_EXISTS")
        previous = None if pointer is None else pointer.location
        if not self._pointers.put(_join(name.namespace), name.name, location, previous=previous, view=view):
            raise CommitConflict(f"'{name}' was changed by others at the same time", hint="try again")
        return TableMetadata(raw, location, storage=self._keys)

    def commit_all(self, commits: Sequence[TableCommit]) -> None:
        from sqe.catalog.iceberg.commits import apply_updates, check_requirements

        if len({commit.table for commit in commits}) < len(commits):
            raise InvalidArgument("a table can be changed once in a transaction")
        moved: list[Moved] = []
        stored = False
        try:
            for commit in commits:
                name = commit.table
                pointer = self._pointer(name.namespace, name.name)
                creates = any(r.get("type") == "assert-create" for r in commit.requirements)
                if (pointer is None and not creates) or (pointer is not None and pointer.is_view):
                    raise self._not_found(name.namespace, name.name)
                base = None if pointer is None else self._read(pointer, name)
                check_requirements(base, commit.requirements)
                before = "" if pointer is None else pointer.location
                raw = apply_updates(base, before, commit.updates)
                if raw is base:
                    continue
                location = _next_location(raw, pointer)
                check_readable(raw, location, name, view=False)
                previous = None if pointer is None else pointer.location
                moved.append(Moved(_join(name.namespace), name.name, location, previous))
                try:
                    metadata.write(raw, location, self._keys)
                except OSError as error:
                    raise not_writable(name, location, error) from error
            stored = self._pointers.put_all(moved)
        finally:
            if not stored:
                for each in moved:
                    name = TableName(self.name, _split(each.namespace), each.name)
                    self._discard_unused(name, each.location, parent(parent(each.location)))
        if not stored:
            raise CommitConflict("a table was changed by others at the same time", hint="try again")

    def drop_view(self, namespace: Namespace, name: str) -> None:
        view = self.find_view_name(namespace, name)
        if not self._pointers.remove(_join(view.namespace), view.name, view=True):
            raise self._not_found(view.namespace, name, kind="view")

    def drop_table(self, namespace: Namespace, name: str, *, purge: bool = False) -> list[str]:
        table, pointer = self._find_table(namespace, name, everything)
        places: tuple[str, ...] = ()
        files: list[str] = []
        left: list[str] = []
        if purge:
            # Listed before the name is gone: a table whose files cannot be listed stays.
            from sqe.catalog.backends.purged_files import divided, places_of
            from sqe.catalog.iceberg.stored_files import every_file

            raw = self._read(pointer, table)
            refuse_purge(raw, table)
            others = [x for x in self._pointers.metadata_locations() if x and x != pointer.location]
            neighbours = ((x, self._readable_metadata(x, table)) for x in others)
            owned = places_of(raw, pointer.location, root=self._warehouse, others=neighbours)
            files, left = divided(every_file(raw, pointer.location, table, self._keys), owned)
            places = owned.own
        if not self._pointers.remove(_join(table.namespace), table.name, view=False):
            raise self._not_found(table.namespace, name)
        roots = {place: self._prunable(place) for place in places}
        for file in files:
            root = next(roots[place] for place in places if is_within(file, place))
            self._discard(file, root=root)
        for place, root in roots.items():
            file_system(place, self._keys).prune(place, root=root)
        return left

    def close(self) -> None:
        self._pointers.close()

    def _names(self, namespace: Namespace) -> list[str]:
        return self._pointers.names(".".join(namespace))

    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        return self._pointers.pointer(".".join(namespace), name)

    def _table_above(self, namespace: Namespace) -> str | None:
        return self._pointers.table_above(".".join(namespace))

    def _as_stored(self, namespace: Namespace) -> Namespace:
        return _split(".".join(namespace))

    def _rename(self, name: TableName, to: TableName, *, view: bool) -> None:
        namespace = self.find_namespace(to.namespace)
        target = TableName(self.name, namespace, to.name)
        if not to.name:
            raise InvalidArgument("a table needs a name")
        renamed = self._pointers.rename(
            (_join(name.namespace), name.name), (_join(namespace), to.name), view=view
        )
        if renamed is None:
            raise self._not_found(name.namespace, name.name, kind="view" if view else "table")
        if not renamed:
            raise AlreadyExists(f"'{target}' already exists", code="TABLE_ALREADY_EXISTS")

    def _new_location(self, namespace: Namespace, name: str) -> str:
        stored = _join(namespace)
        place = self._pointers.namespace_location(stored) or self._directory(stored)
        return f"{self._spell(place)}/{table_directory(name)}"

    def _directory(self, namespace: str) -> str:
        """Of a schema that was given none."""
        return "/".join((self._warehouse, *map(schema_directory, _split(namespace))))

    def _prunable(self, location: str) -> str:
        """Below which directory empty ones may be removed with a table's files: never one of the user's."""
        place = resolve(location, follow=False)
        return parent(place) if is_within(place, resolve(self._warehouse)) else place

    def _delete_every_row(self, name: TableName, pointer: Pointer) -> int | None:
        from sqe.catalog.iceberg.definition import committed
        from sqe.catalog.iceberg.delete_snapshot import delete_every_row, discard

        base = self._read(pointer, name)
        try:
            deletion = delete_every_row(base, name, self._keys)
        except OSError as error:
            raise not_writable(name, pointer.location, error) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            place = shown(pointer.location)
            raise metadata.broken(name, f"its metadata file {place} is not Iceberg metadata") from error
        if deletion is None or not deletion.files:
            return None if deletion is None else 0
        raw = committed(deletion.raw, base, pointer.location)
        try:
            if self._swap(name, raw, base=base, pointer=pointer, view=False) is not None:
                return deletion.rows
        except BaseException:
            # The commit may have been made nevertheless: only what the old metadata still stands for goes.
            with contextlib.suppress(SqeError):
                if self._pointer(name.namespace, name.name) == pointer:
                    discard(deletion.files, self._keys)
            raise
        discard(deletion.files, self._keys)
        # Not made again on what is there by then: what others have added meanwhile is not to be deleted.
        if self._pointer(name.namespace, name.name) is None:
            raise self._not_found(name.namespace, name.name)
        raise CommitConflict(f"table '{name}' was changed by others at the same time", hint="try again")

    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> TableMetadata | None:
        """Writes a metadata file, then the pointer to it."""
        location = _next_location(raw, pointer)
        table = check_readable(raw, location, name, view=view)
        previous = None if pointer is None else pointer.location
        stored = False
        try:
            text = metadata.write(raw, location, self._keys)
            stored = self._pointers.put(
                _join(name.namespace), name.name, location, previous=previous, view=view
            )
        except OSError as error:
            raise not_writable(name, location, error) from error
        finally:
            if not stored:
                self._discard_unused(name, location, str(raw["location"]))
        if stored and table is not None:
            # Parsed once, for the next statement too.
            self._remember(table)
        return TableMetadata(raw, location, text=text, storage=self._keys) if stored else None

    def _discard_unused(self, name: TableName, location: str, table_location: str) -> None:
        """Removes a metadata file that was not committed. An interrupt can fall between the commit and its
        answer, so the pointer is asked; where it cannot be, the file stays."""
        with contextlib.suppress(SqeError):
            pointer = self._pointer(name.namespace, name.name)
            if pointer is None or pointer.location != location:
                self._discard(location, root=self._prunable(table_location))

    def _discard(self, location: str, *, root: str) -> None:
        # What cannot be deleted stays: nothing points to it any more.
        with contextlib.suppress(OSError):
            file_system(location, self._keys).delete(location, root=root)

    def _readable_metadata(self, location: str, table: TableName) -> Raw:
        """A table that is broken claims no more than the directory of its metadata file."""
        try:
            return metadata.read(location, table, storage=self._keys)
        except SqeError:
            return {}

    def _spelled(self, properties: Mapping[str, str]) -> dict[str, str]:
        """Locations in the one way in which all of them are written."""
        return {key: self._spell(value) if key == "location" else value for key, value in properties.items()}


def refuse_purge(raw: Raw, table: TableName) -> None:
    """Where a table's properties forbid to delete its files."""
    if (raw.get("properties") or {}).get("gc.enabled", "true").lower() == "false":
        raise UserError(
            f"table '{table}' does not let its files be deleted (gc.enabled is false)",
            code="NOT_SUPPORTED",
            hint="DROP TABLE without PURGE",
        )


def not_writable(name: TableName, location: str, error: OSError) -> SqeError:
    reason = (error.strerror or str(error)).lower()
    return Unavailable(
        f"'{name}' cannot be written: {shown(parent(location))}: {reason}",
        code="ICEBERG_FILESYSTEM_ERROR",
        hint="check the permissions and the free space there",
    )


def _join(namespace: Namespace) -> str:
    """A namespace as JDBC catalogs store it, where "a.b" as one part and as two is the same."""
    stored = ".".join(namespace)
    if any(not part.strip() or part != part.strip() for part in stored.split(".")):
        raise InvalidArgument(f"'{stored}' is not a schema name", hint="no part of it may be blank")
    return stored


def _split(stored: str) -> Namespace:
    return tuple(stored.split("."))


def _next_location(raw: Raw, pointer: Pointer | None) -> str:
    number = 0 if pointer is None else _number(pointer.location) + 1
    place = (raw.get("properties") or {}).get(METADATA_PLACE) or f"{raw['location']}/metadata"
    return f"{place.rstrip('/')}/{number:05d}-{uuid.uuid4()}.metadata.json"


def _number(location: str) -> int:
    """The running number in a metadata file's name, `00007-...` or `v7.metadata.json`."""
    digits = location.rsplit("/", 1)[-1].split("-", 1)[0].split(".", 1)[0].lstrip("v")
    return int(digits) if digits.isascii() and digits.isdigit() else 0
