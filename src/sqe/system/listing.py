"""Which catalogs, schemas, tables and columns exist for one user.

Every listing of the product asks here: SHOW, information_schema, system.jdbc, completion. A caller says which
names it accepts, and the number of calls to a catalog does not grow with its tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from sqe.catalog.catalogs import Catalogs
from sqe.catalog.iceberg.table import Column, Table
from sqe.catalog.iceberg.view import View
from sqe.errors import AccessDenied, NotFound, SqeError
from sqe.foundation.record import record
from sqe.policy.secure import Guard
from sqe.system import definitions
from sqe.tree.names import unspeakable
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.protocol import Catalog

Accepts = Callable[[str], bool]


def anything(name: str) -> bool:
    return True


@record
class Entry:
    """kind: BASE TABLE or VIEW."""

    name: TableName
    kind: str

    @property
    def is_system(self) -> bool:
        schema = ".".join(self.name.namespace)
        return definitions.find(self.name.catalog, schema, self.name.name) is not None


class Listing:
    """`describe` gives the columns of a view as this user sees them, and `shows_text` says whether they may
    know its text; `warn` is told what cannot be listed, which then looks absent instead of failing the
    rest."""

    def __init__(
        self,
        catalogs: Catalogs,
        guard: Guard,
        describe: Callable[[View], Sequence[Column]],
        shows_text: Callable[[View], bool],
        warn: Callable[[str], None],
    ) -> None:
        self._catalogs = catalogs
        self._guard = guard
        self._describe = describe
        self._shows_text = shows_text
        self._warn = warn
        # Before each schema and each table: raises once nobody waits for the listing any more.
        self.check: Callable[[], None] = _never_stop

    def catalogs(self, accepts: Accepts = anything) -> list[str]:
        return [name for name in sorted({*self._catalogs.names(), definitions.SYSTEM}) if accepts(name)]

    def schemas(self, catalog: str, accepts: Accepts = anything) -> list[str]:
        """Raises what the catalog raises."""
        stored = [] if catalog == definitions.SYSTEM else self._catalogs.get(catalog).namespaces()
        names = {".".join(parts) for parts in stored} | set(definitions.schemas_of(catalog))
        return sorted(name for name in names if accepts(name) and not unspeakable(name))

    def entries(self, catalog: str, schema: str, accepts: Accepts = anything) -> list[Entry]:
        """The tables and views of a schema. Raises what the catalog raises."""
        namespace = tuple(schema.split("."))
        if schema in definitions.schemas_of(catalog):
            system = [table.name for table in definitions.tables_in(schema)]
            return [Entry(TableName(catalog, namespace, n), "BASE TABLE") for n in system if accepts(n)]
        mounted = self._catalogs.get(catalog)
        names = [(n, "BASE TABLE") for n in mounted.tables(namespace) if accepts(n)]
        names += [(n, "VIEW") for n in mounted.views(namespace) if accepts(n)]
        listable = sorted((n, kind) for n, kind in names if not unspeakable(n))
        entries = [Entry(TableName(mounted.name, namespace, n), kind) for n, kind in listable]
        return [entry for entry in entries if self._guard.exists(entry.name)]

    def walk(
        self, catalogs: Collection[str], schemas: Accepts = anything, tables: Accepts = anything
    ) -> Iterator[Entry]:
        """The entries of several catalogs; one that fails, or a schema of it, does not hide the others."""
        for catalog, schema in self.each_schema(catalogs, schemas):
            self.check()
            try:
                yield from self.entries(catalog, schema, tables)
            except NotFound:
                continue  # dropped since
            except SqeError as error:
                self._skip(f"schema '{catalog}.{schema}'", error)

    def each_schema(
        self, catalogs: Collection[str], accepts: Accepts = anything
    ) -> Iterator[tuple[str, str]]:
        for catalog in catalogs:
            try:
                yield from ((catalog, schema) for schema in self.schemas(catalog, accepts))
            except SqeError as error:
                self._skip(f"catalog '{catalog}'", error)

    def load(self, entry: Entry) -> Table | View | None:
        """None where it is gone or cannot be read."""
        self.check()
        mounted = self._catalogs.get(entry.name.catalog)
        try:
            return _find(mounted, entry)
        except NotFound:
            return None  # dropped since
        except SqeError as error:
            self._skip(f"'{entry.name}'", error)
            return None

    def columns(self, entry: Entry) -> list[Column]:
        """Of a system table, table or view, as this user sees them."""
        system = definitions.find(entry.name.catalog, ".".join(entry.name.namespace), entry.name.name)
        if system is not None:
            shown = [(n, k) for n, k in system.columns if n not in system.hidden]
            return [Column(n, k, True, None, i) for i, (n, k) in enumerate(shown, 1)]
        table_or_view = self.load(entry)
        if table_or_view is None:
            return []
        if isinstance(table_or_view, View):
            try:
                return list(self._describe(table_or_view))
            except SqeError as error:
                self._skip(f"'{entry.name}'", error)
                return []
        return list(self.visible(table_or_view))

    def visible(self, table: Table) -> tuple[Column, ...]:
        """The columns of a table that this user may know: none where a rule on it cannot be applied."""
        try:
            return self._guard.columns(table, table.columns)
        except AccessDenied as error:
            self._skip(f"'{table.name}'", error)
            return ()

    def text(self, view: View) -> str | None:
        """None where names in it are hidden from this user, or may be."""
        return view.sql if self._shows_text(view) else None

    def _skip(self, what: str, error: SqeError) -> None:
        self._warn(f"{what} cannot be listed: {error.message}")


def _never_stop() -> None:
    """Somebody waits for the listing, however long it takes."""


def _find(mounted: Catalog, entry: Entry) -> Table | View | None:
    if entry.kind == "VIEW":
        return mounted.find_view(entry.name.namespace, entry.name.name)
    return mounted.find_table(entry.name.namespace, entry.name.name)
