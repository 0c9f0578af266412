"""What every kind of catalog can do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from sqe.catalog.iceberg.table import MetadataText, Raw, Table, TableCommit, TableMetadata
from sqe.catalog.iceberg.view import View, ViewDefinition
from sqe.catalog.names import Visible, everything
from sqe.session import Identity, TokenSource
from sqe.tree.changes import Change
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable


class Catalog(Protocol):
    """One mounted catalog, used by all sessions. Nothing here starts an engine.

    Lookups find the exact name, else the only one that differs in case, and return stored spellings.
    Each asks where names lead to now; only the metadata of a location, which never changes, is cached.
    """

    @property
    def name(self) -> str: ...

    @property
    def is_remote(self) -> bool:
        """Whether another server decides where its tables are."""

    def acting_for(self, identity: Identity, tokens: TokenSource | None) -> Catalog:
        """The catalog as that user reaches it: with their own token, where it asks for one. What is kept of
        it for one identity is seen by no other."""

    @property
    def kept_bytes(self) -> int:
        """About how much memory cached metadata takes."""

    def check(self) -> None:
        """Returns if the catalog answers a small question, else raises what it raises."""

    def namespaces(self) -> list[tuple[str, ...]]:
        """All schemas, nested ones and their parents too, in order."""

    def tables(self, namespace: tuple[str, ...]) -> list[str]:
        """The names of a schema's tables, in order; not of its views."""

    def views(self, namespace: tuple[str, ...]) -> list[str]:
        """The names of a schema's views, in order."""

    def find_namespace(self, parts: tuple[str, ...], *, visible: Visible = everything) -> tuple[str, ...]:
        """NotFound SCHEMA_NOT_FOUND, or UserError AMBIGUOUS_NAME."""

    def find_table_name(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> TableName:
        """As find_table, for a table whose metadata need not be readable."""

    def find_table(self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything) -> Table:
        """NotFound TABLE_NOT_FOUND or SCHEMA_NOT_FOUND, or UserError AMBIGUOUS_NAME."""

    def find_view(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> View | None:
        """None where the name is of a table, or of nothing. Tables and views share their names: what one
        of the two lookups finds, the other does not. NotSupported for a view without a text for us."""

    def find_view_name(
        self, namespace: tuple[str, ...], name: str, *, visible: Visible = everything
    ) -> TableName:
        """Of a view whose text need not be readable. NotFound TABLE_NOT_FOUND or SCHEMA_NOT_FOUND, for a
        table too, or UserError AMBIGUOUS_NAME."""

    def prepare(self, table: Table, check: Callable[[], None]) -> None:
        """Before the files of a table that was found are looked for: they may have to be made. `check` raises
        once nobody waits for them any more."""

    def namespace_location(self, namespace: tuple[str, ...]) -> str | None:
        """The LOCATION that the schema was created with."""

    def namespace_properties(self, namespace: tuple[str, ...]) -> dict[str, str]:
        """Of the exact name, its location among them. NotFound SCHEMA_NOT_FOUND."""

    def change_namespace(
        self, namespace: tuple[str, ...], changed: Mapping[str, str], removed: Collection[str]
    ) -> None:
        """Its properties, all at once. NotFound SCHEMA_NOT_FOUND, or NotSupported."""

    def check_writable(self, table: TableName) -> None:
        """Refuses a change of rows that could not be committed, before any is written."""

    def check_location(self, table: TableName, location: str) -> None:
        """NotSupported where a table cannot have that LOCATION."""

    def create_namespace(
        self,
        namespace: tuple[str, ...],
        *,
        location: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """AlreadyExists SCHEMA_ALREADY_EXISTS."""

    def drop_namespace(self, namespace: tuple[str, ...], *, cascade: bool = False) -> None:
        """UserError SCHEMA_NOT_EMPTY; with `cascade`, all that is in it goes at once, and files stay."""

    def rename_namespace(self, namespace: tuple[str, ...], to: tuple[str, ...]) -> None:
        """With all that is in it. AlreadyExists SCHEMA_ALREADY_EXISTS."""

    def check_name(self, table: TableName) -> None:
        """UserError ALREADY_EXISTS where a new table of that name would stand beside a schema of the same,
        or in one that is a table too. For engines that make tables themselves; `create_table` looks too."""

    def create_table(self, statement: CreateTable) -> Table:
        """An empty table. AlreadyExists TABLE_ALREADY_EXISTS unless the statement says `replace`."""

    def drop_table(self, namespace: tuple[str, ...], name: str, *, purge: bool = False) -> list[str]:
        """Forgets the table; its files stay unless `purge`. Then those that its metadata names and that are
        not in a place of the table's own stay too, and are what is returned."""

    def alter_table(self, table: TableName, change: Change) -> Table:
        """One change of its definition, made again on what is there where others were faster. What the
        metadata says beside it stays, known to us or not."""

    def rename_table(self, table: TableName, to: TableName) -> None:
        """To another name of this catalog. AlreadyExists TABLE_ALREADY_EXISTS."""

    def create_view(self, view: ViewDefinition, *, replace: bool = False) -> View:
        """AlreadyExists TABLE_ALREADY_EXISTS, for a table also where `replace` is set. A view that is
        replaced keeps its former versions."""

    def alter_view(self, view: TableName, change: Change) -> None:
        """SetComment or SetColumnComment."""

    def drop_view(self, namespace: tuple[str, ...], name: str) -> None:
        """Forgets the view; its files stay."""

    def rename_view(self, view: TableName, to: TableName) -> None:
        """As rename_table."""

    def delete_all(self, table: TableName) -> int | None:
        """Deletes every row and says how many. None, and nothing done, where that takes an engine."""

    def metadata_as_bound(self, table: Table) -> bytes:
        """The JSON of the metadata that the table was read from. NotFound where it is gone."""

    def load_text(self, table: TableName) -> MetadataText:
        """As `load`, without looking into it."""

    def load(self, table: TableName) -> TableMetadata:
        """What the exact name leads to now. NotFound."""

    def stage(self, table: TableName, request: Raw) -> TableMetadata:
        """The first metadata of a table that a commit is going to make; nothing is there before that."""

    def commit(self, table: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]) -> TableMetadata:
        """A commit of the REST protocol. RequirementFailed or InvalidCommit, NotFound or AlreadyExists, and
        nothing is changed; CommitUnknown where it cannot be said."""

    def commit_all(self, commits: Sequence[TableCommit]) -> None:
        """Commits to several tables, all of them or none. As `commit`; NotSupported where it cannot be."""

    def create_requested(self, table: TableName, request: Raw) -> TableMetadata:
        """The table of a request of the REST protocol. AlreadyExists, for a view too, or NotFound
        SCHEMA_NOT_FOUND."""

    def register(
        self, name: TableName, location: str, *, view: bool = False, overwrite: bool = False
    ) -> TableMetadata:
        """A table or a view whose metadata file is there already. AlreadyExists unless `overwrite`."""

    def has_view(self, view: TableName) -> bool:
        """Whether the exact name is a view's."""

    def load_view(self, view: TableName) -> TableMetadata:
        """As `load`, of whatever dialects it is. ViewNotFound."""

    def create_requested_view(self, view: TableName, request: Raw) -> TableMetadata:
        """As `create_requested`."""

    def commit_view(
        self, view: TableName, requirements: Sequence[Raw], updates: Sequence[Raw]
    ) -> TableMetadata:
        """As `commit`. ViewNotFound."""

    def close(self) -> None: ...
