"""What backends share: how names are looked up, and how a change of metadata is retried until it commits.

A backend says where names lead to (`_pointer`) and how new metadata takes the place of what was there
(`_swap`). The metadata itself, and each change of it, is ours.
"""

from __future__ import annotations

import contextlib
import copy
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Self

from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import MetadataText, Table, TableCommit, TableMetadata, table_bytes
from sqe.catalog.iceberg.view import View, ViewDefinition
from sqe.catalog.io import shown, spell
from sqe.catalog.io.location import parent
from sqe.catalog.names import Visible, everything, match, nearest
from sqe.errors import (
    AlreadyExists,
    CommitConflict,
    InvalidArgument,
    NotFound,
    NotSupported,
    Unavailable,
    UserError,
    ViewNotFound,
)
from sqe.foundation.byte_cache import ByteCache
from sqe.foundation.record import record
from sqe.session import Identity, TokenSource
from sqe.tree.changes import Change
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

Namespace = tuple[str, ...]
Raw = dict[str, Any]
# The metadata of a table or view, None if there is none, and its location to the metadata that it gets.
MetadataChange = Callable[[Raw | None, str], Raw]

METADATA_BYTES = 64 << 20
_COMMIT_ATTEMPTS = 12


@record
class Pointer:
    """Where a name leads to. `raw` is the metadata, where the answer brought it along."""

    location: str
    is_view: bool
    raw: Raw | None = field(default=None, repr=False, compare=False)
    # What the files are read and written with, where the answer brought that along.
    storage: Storage | None = field(default=None, repr=False, compare=False)


class CommittingCatalog(ABC):
    is_remote = False
    # Whether a metadata file never changes, so that what one says may be kept by its location.
    _keeps_metadata = True
    # Whether the metadata file itself may be out of our reach.
    _keeps_raw = False
    # What files in an object store are opened with, where the catalog has one set of keys for all.
    _keys: Storage | None = None
    # What else may be the reason that a name is not there.
    _absent_hint: str | None = None

    def __init__(self, name: str) -> None:
        self.name = name
        self._tables: ByteCache[Table] = ByteCache(METADATA_BYTES, table_bytes)

    def acting_for(self, identity: Identity, tokens: TokenSource | None) -> Self:
        # Where nobody is asked who they are, everybody reaches the same.
        return self

    @abstractmethod
    def namespaces(self) -> list[Namespace]: ...

    @abstractmethod
    def _names(self, namespace: Namespace) -> list[str]:
        """Of tables and views alike, in a schema that exists."""

    @abstractmethod
    def _pointer(self, namespace: Namespace, name: str) -> Pointer | None:
        """By the exact name."""

    @abstractmethod
    def _swap(
        self, name: TableName, raw: Raw, *, base: Raw | None, pointer: Pointer | None, view: bool
    ) -> TableMetadata | None:
        """Puts metadata in the place of `base`, to which `pointer` leads; both are None for a new table or
        view. The metadata that is there now; None if another was faster."""

    @abstractmethod
    def _new_location(self, namespace: Namespace, name: str) -> str:
        """Of a table or view that asks for no place of its own."""

    @property
    def kept_bytes(self) -> int:
        return self._tables.bytes

    def _keeping_in(self, tables: ByteCache[Table]) -> Self:
        """The same catalog, which keeps the tables that it reads there."""
        other = copy.copy(self)
        other._tables = tables
        return other

    def check(self) -> None:
        self.namespaces()

    def find_namespace(self, parts: Namespace, *, visible: Visible = everything) -> Namespace:
        stored = {".".join(n): n for n in self.namespaces() if visible(n, None)}
        dotted = ".".join(parts)
        name = match(dotted, stored, kind="schema")
        if name is None:
            raise NotFound(
                f"schema '{self.name}.{dotted}' does not exist",
                code="SCHEMA_NOT_FOUND",
                hint=nearest(dotted, stored) or self._absent_hint,
            )
        return stored[name]

    def find_table_name(self, namespace: Namespace, name: str, *, visible: Visible = everything) -> TableName:
        return self._find_table(namespace, name, visible)[0]

    def find_table(self, namespace: Namespace, name: str, *, visible: Visible = everything) -> Table:
        table, pointer = self._find_table(namespace, name, visible)
        self._refuse_within_table(table)
        return self._load(table, pointer)

    def check_name(self, table: TableName) -> None:
        above = self._table_above(table.namespace)
        if above is not None:
            raise name_conflict(f"table or view '{self.name}.{above}'")
        if self._has_namespace((*table.namespace, table.name)):
            raise name_conflict(f"schema '{self.name}.{'.'.join(table.namespace)}.{table.name}'")

    def find_view(self, namespace: Namespace, name: str, *, visible: Visible = everything) -> View | None:
        try:
            view, pointer = self._find(namespace, name, visible)
        except NotFound:
            return None
        if not pointer.is_view:
            return None
        self._refuse_within_table(view)
        return metadata.parse_view(self._read(pointer, view), pointer.location, view)

    def find_view_name(self, namespace: Namespace, name: str, *, visible: Visible = everything) -> TableName:
        view, pointer = self._find(namespace, name, visible, kind="view")
        if not pointer.is_view:
            raise ViewNotFound(f"view '{view}' does not exist", hint="that is a table")
        return view

    def create_table(self, statement: CreateTable) -> Table:
        namespace = self.find_namespace(statement.table.namespace)
        if not statement.table.name:
            raise InvalidArgument("a table needs a name")
        name = TableName(self.name, namespace, statement.table.name)
        statement = replace(statement, table=name)
        place = self._spell(statement.location) if statement.location else None
        from sqe.catalog.iceberg.definition import new_metadata, replacement

        def change(base: Raw | None, base_location: str) -> Raw:
            if base is None:
                return new_metadata(statement, place or self._new_location(namespace, name.name))
            location = place or str(base["location"])
            return replacement(statement, base, base_location=base_location, location=location)

        made = self._commit(name, change, create=True, replace=statement.replace)
        return self._load(name, Pointer(made.location, False, made.raw, made.storage))

    def _spell(self, location: str) -> str:
        """The one spelling of a place for a new table or schema."""
        return spell(location, self._keys)

    def alter_table(self, table: TableName, change: Change) -> Table:
        from sqe.catalog.iceberg.definition import committed
        from sqe.catalog.iceberg.evolution import evolved

        name = self.find_table_name(table.namespace, table.name)

        def has_no_null(raw: Raw, field_id: int) -> bool:
            from sqe.catalog.iceberg import stored_files

            return stored_files.has_no_null(raw, field_id, name, self._keys)

        def changed(base: Raw | None, base_location: str) -> Raw:
            assert base is not None
            raw = evolved(base, change, has_no_null=has_no_null)
            return base if raw == base else committed(raw, base, base_location)

        made = self._commit(name, changed)
        return self._load(name, Pointer(made.location, False, made.raw, made.storage))

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        namespace = self.find_namespace(view.name.namespace)
        if not view.name.name:
            raise InvalidArgument("a view needs a name")
        name = TableName(self.name, namespace, view.name.name)
        from sqe.catalog.iceberg.view_definition import new_view_metadata, replaced_view

        def change(base: Raw | None, base_location: str) -> Raw:
            if base is None:
                return new_view_metadata(view, self._new_location(namespace, name.name))
            return replaced_view(view, base)

        made = self._commit(name, change, view=True, create=True, replace=replace)
        return metadata.parse_view(made.raw, made.location, name)

    def alter_view(self, view: TableName, change: Change) -> None:
        from sqe.catalog.iceberg.view_definition import changed_view

        name = self.find_view_name(view.namespace, view.name)

        def changed(base: Raw | None, base_location: str) -> Raw:
            assert base is not None
            return changed_view(change, base)

        self._commit(name, changed, view=True)

    def delete_all(self, table: TableName) -> int | None:
        name, pointer = self._find_table(table.namespace, table.name, everything)
        snapshot = self._load(name, pointer).current_snapshot
        if snapshot is None:
            return 0
        # Most of the time the summary says enough to do without the manifests.
        if snapshot.summary.get("total-delete-files", "0") != "0":
            return None
        if snapshot.summary.get("total-data-files") == "0":
            return 0
        return self._delete_every_row(name, pointer)

    def _delete_every_row(self, name: TableName, pointer: Pointer) -> int | None:
        """From a table that has rows: as `delete_all`."""
        return None

    def prepare(self, table: Table, check: Callable[[], None]) -> None:
        # Its files are there.
        return

    def check_writable(self, table: TableName) -> None:
        # Whoever may commit.
        return

    def check_location(self, table: TableName, location: str) -> None:
        # Any place will do.
        return

    def metadata_as_bound(self, table: Table) -> bytes:
        return metadata.read_text(table.metadata_location, table.name, storage=table.storage)

    def load(self, table: TableName) -> TableMetadata:
        pointer = self._pointer(table.namespace, table.name)
        if pointer is None or pointer.is_view:
            raise self._not_found(table.namespace, table.name)
        return TableMetadata(self._read(pointer, table), pointer.location, storage=self._keys)

    def load_text(self, table: TableName) -> MetadataText:
        pointer = self._pointer(table.namespace, table.name)
        if pointer is None or pointer.is_view:
            raise self._not_found(table.namespace, table.name)
        text = metadata.read_text(pointer.location, table, storage=self._keys)
        return MetadataText(text, pointer.location, parent(pointer.location), self._keys)

    def stage(self, table: TableName, request: Raw) -> TableMetadata:
        from sqe.catalog.iceberg.create_request import requested_metadata

        location = request.get("location")
        place = self._spell(location) if location else self._new_location(table.namespace, table.name)
        return TableMetadata(requested_metadata(request, place), "", storage=self._keys)

    def commit(self, table: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]) -> TableMetadata:
        from sqe.catalog.iceberg.commits import apply_updates, check_requirements

        def change(base: Raw | None, base_location: str) -> Raw:
            check_requirements(base, requirements)
            return apply_updates(base, base_location, updates)

        creates = any(requirement.get("type") == "assert-create" for requirement in requirements)
        return self._commit(table, change, create=creates, replace=not creates)

    def commit_all(self, commits: Sequence[TableCommit]) -> None:
        raise NotSupported(f"catalog '{self.name}' cannot change several tables at once")

    def create_requested(self, table: TableName, request: Raw) -> TableMetadata:
        staged = self.stage(table, request).raw
        return self._commit(table, lambda base, _: staged, create=True, replace=False)

    def register(
        self, name: TableName, location: str, *, view: bool = False, overwrite: bool = False
    ) -> TableMetadata:
        raise NotSupported(f"catalog '{self.name}' takes no tables that are there already")

    def has_view(self, view: TableName) -> bool:
        pointer = self._look_up(view.namespace, view.name)
        return pointer is not None and pointer.is_view

    def load_view(self, view: TableName) -> TableMetadata:
        pointer = self._look_up(view.namespace, view.name)
        if pointer is None or not pointer.is_view:
            raise self._not_found(view.namespace, view.name, kind="view")
        return TableMetadata(self._read(pointer, view), pointer.location)

    def create_requested_view(self, view: TableName, request: Raw) -> TableMetadata:
        from sqe.catalog.iceberg.view_commits import view_updates

        # As it was written: Iceberg's clients compare it with what they asked for.
        place = request.get("location") or self._new_location(view.namespace, view.name)
        return self._commit_view(view, [], view_updates(request, place), create=True, replace=False)

    def commit_view(
        self, view: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]
    ) -> TableMetadata:
        return self._commit_view(view, requirements, updates)

    def _commit_view(
        self,
        view: TableName,
        requirements: Sequence[Raw],
        updates: Sequence[Raw],
        *,
        create: bool = False,
        replace: bool = True,
    ) -> TableMetadata:
        from sqe.catalog.iceberg.view_commits import apply_view_updates, check_view_requirements

        def change(base: Raw | None, base_location: str) -> Raw:
            check_view_requirements(base, requirements)
            return apply_view_updates(base, updates)

        return self._commit(view, change, view=True, create=create, replace=replace)

    def _find_table(self, namespace: Namespace, name: str, visible: Visible) -> tuple[TableName, Pointer]:
        table, pointer = self._find(namespace, name, visible)
        if pointer.is_view:
            raise NotFound(f"table '{table}' does not exist", hint="that is a view")
        return table, pointer

    def _find(
        self, namespace: Namespace, name: str, visible: Visible, *, kind: str = "table"
    ) -> tuple[TableName, Pointer]:
        """A table or a view: they share their names."""
        stored = self._as_stored(namespace)
        # Most names are written as they are stored: one look-up by key.
        pointer = self._look_up(stored, name)
        if pointer is None or not visible(stored, name):
            stored = self.find_namespace(namespace, visible=visible)
            names = [n for n in self._names(stored) if visible(stored, n)]
            stored_name = match(name, names, kind=kind)
            pointer = None if stored_name is None else self._pointer(stored, stored_name)
            if stored_name is None or pointer is None:
                raise self._not_found(stored, name, names, kind=kind)
            name = stored_name
        return TableName(self.name, stored, name), pointer

    def _look_up(self, namespace: Namespace, name: str) -> Pointer | None:
        """By the exact name that a user has written: what is hidden from them is not there."""
        return self._pointer(namespace, name)

    def _refuse_within_table(self, name: TableName) -> None:
        """Where another writer has put a table and a schema of one name side by side: Spark would read a
        table's branches and metadata under the names of what is in the schema."""
        above = self._table_above(name.namespace)
        if above is not None:
            raise UserError(
                f"'{name}' cannot be used: '{self.name}.{above}' is a table or view as well as a schema",
                code="AMBIGUOUS_NAME",
                hint="rename one of the two, or drop it",
            )

    def _table_above(self, namespace: Namespace) -> str | None:
        """A table or view that has the name of the schema, or of one that it is in."""
        for depth, name in enumerate(namespace):
            if self._look_up(namespace[:depth], name) is not None:
                return ".".join(namespace[: depth + 1])
        return None

    def _has_namespace(self, namespace: Namespace) -> bool:
        return namespace in self.namespaces()

    def _as_stored(self, namespace: Namespace) -> Namespace:
        """Where the same schema can be written in several ways, the one that this catalog keeps."""
        return namespace

    def _not_found(
        self, namespace: Namespace, name: str, names: Iterable[str] = (), *, kind: str = "table"
    ) -> NotFound:
        missing = ViewNotFound if kind == "view" else NotFound
        return missing(
            f"{kind} '{TableName(self.name, namespace, name)}' does not exist",
            hint=nearest(name, names) or self._absent_hint,
        )

    def _load(self, name: TableName, pointer: Pointer) -> Table:
        location = pointer.location
        table = self._tables.get(location)
        if table is None:
            table = metadata.parse(self._read(pointer, name), location, name)
            table = self._remember(replace(table, raw=pointer.raw) if self._keeps_raw else table)
        # A renamed table has the same metadata under another name.
        table = table if table.name == name else replace(table, name=name)
        storage = pointer.storage or self._keys
        return table if storage is None else replace(table, storage=storage)

    def _read(self, pointer: Pointer, name: TableName) -> Raw:
        if pointer.raw is not None:
            return pointer.raw
        kind = "view" if pointer.is_view else "table"
        return metadata.read(pointer.location, name, kind=kind, storage=self._keys)

    def _remember(self, table: Table) -> Table:
        if self._keeps_metadata:
            self._tables.put(table.metadata_location, table, of=(table.uuid, table.name))
        return table

    def _commit(
        self,
        name: TableName,
        change: MetadataChange,
        *,
        view: bool = False,
        create: bool = False,
        replace: bool = True,
    ) -> TableMetadata:
        """The metadata with the change. Retried, on what is there by then, for as long as others are
        faster."""
        kind = "view" if view else "table"
        for attempt in range(_COMMIT_ATTEMPTS):
            pointer = self._pointer(name.namespace, name.name)
            if pointer is None and not create:
                raise self._not_found(name.namespace, name.name, kind=kind)
            if pointer is not None and (not replace or pointer.is_view != view):
                existing = "view" if pointer.is_view else "table"
                raise AlreadyExists(f"{existing} '{name}' already exists", code="TABLE_ALREADY_EXISTS")
            base_location = "" if pointer is None else pointer.location
            base = None if pointer is None else self._read(pointer, name)
            raw = _changed(change, base, base_location, name, kind)
            if raw is base:
                storage = None if pointer is None else pointer.storage
                return TableMetadata(raw, base_location, storage=storage or self._keys)
            result = self._swap(name, raw, base=base, pointer=pointer, view=view)
            if result is not None:
                return result
            time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 7)))
        raise CommitConflict(f"{kind} '{name}' was changed by others at the same time", hint="try again")


def name_conflict(what: str) -> UserError:
    """Not AlreadyExists, which IF NOT EXISTS forgives."""
    return UserError(
        f"{what} already exists, and a table and a schema cannot have the same name",
        code="ALREADY_EXISTS",
    )


def check_readable(raw: Raw, location: str, name: TableName, *, view: bool) -> Table | None:
    """What cannot be read again must not be written. The table, if it is one."""
    try:
        if not view:
            return metadata.parse(raw, location, name)
        if raw.get("format-version") != metadata.NEWEST_VIEW_VERSION or not raw.get("view-uuid"):
            raise InvalidArgument(f"what '{name}' would be is not a view")
        # It may be of other dialects than ours.
        with contextlib.suppress(NotSupported):
            metadata.parse_view(raw, location, name)
        return None
    except Unavailable as error:
        raise InvalidArgument(f"'{name}' could not be read again") from error


def _changed(change: MetadataChange, base: Raw | None, location: str, name: TableName, kind: str) -> Raw:
    try:
        return change(base, location)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        if base is None:
            raise
        raise metadata.broken(
            name, f"its metadata file {shown(location)} is not Iceberg metadata", kind=kind
        ) from error
