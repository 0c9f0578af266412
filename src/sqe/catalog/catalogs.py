"""The catalogs that a connection has mounted."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg.table import Table
from sqe.catalog.names import match, nearest
from sqe.errors import ConfigError, NotFound, SqeError, Unavailable
from sqe.foundation.scratch import Scratch, remove_stale
from sqe.session import Session
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.protocol import Catalog

EMBEDDED_NAME = "iceberg"
TEMPORARY = "sqe-memory-"
DEFAULT_WAREHOUSE = Path("~/.sqe/warehouse")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# Names that mean something else to our SQL or to Spark.
_RESERVED_NAMES = {"system", "session", "spark_catalog", "global_temp", "information_schema"}


class Catalogs:
    """Mounted catalogs by name. `default` is the catalog of names without one."""

    def __init__(
        self, mounted: Mapping[str, Catalog], *, default: str | None = None, temporary: Scratch | None = None
    ) -> None:
        if not mounted:
            raise ConfigError("no catalog is mounted", hint="give a --catalog NAME=PATH")
        for name in mounted:
            if not _NAME.fullmatch(name) or name.lower() in _RESERVED_NAMES:
                raise ConfigError(
                    f"a catalog cannot have the name '{name}'",
                    hint="letters, digits, '_' and '-', and not a name with a meaning of its own",
                )
        self._mounted = dict(mounted)
        # Also at the end of a process that does not close.
        self._remove_temporary = None if temporary is None else weakref.finalize(self, temporary.remove)
        self.default = self.get(default).name if default is not None else min(mounted)

    def seen_by(self, session: Session) -> Catalogs:
        """The same catalogs, each as the user of that session reaches it."""
        return _SeenBy(self, session)

    def names(self) -> list[str]:
        return sorted(self._mounted)

    def get(self, name: str) -> Catalog:
        stored = match(name, self._mounted, kind="catalog")
        if stored is None:
            raise NotFound(
                f"catalog '{name}' does not exist",
                code="CATALOG_NOT_FOUND",
                hint=nearest(name, self._mounted),
            )
        return self._mounted[stored]

    def are_current(self, tables: Mapping[TableName, Table]) -> bool:
        """Whether each name still leads to that table, at that metadata file."""
        return self.unchanged(tables) is not None

    def unchanged(self, tables: Mapping[TableName, Table]) -> dict[TableName, Table] | None:
        """The tables as they are now, with the keys of this moment, if each name still leads to that table,
        at that metadata file."""
        now: dict[TableName, Table] = {}
        try:
            for name, table in tables.items():
                current = now[name] = self.get(name.catalog).find_table(name.namespace, name.name)
                # A table made anew in a catalog of directories has its metadata at the same place.
                same = (current.metadata_location, current.uuid, current.name) == (
                    table.metadata_location,
                    table.uuid,
                    name,
                )
                if not same:
                    return None
        except SqeError:
            # Planning it again says what is wrong.
            return None
        return now

    def prepare(self, tables: Mapping[TableName, Table], check: Callable[[], None]) -> None:
        """Makes what is not there before a statement reads it; `check` raises once nobody waits for it."""
        for name, table in tables.items():
            self.get(name.catalog).prepare(table, check)

    @property
    def kept_bytes(self) -> int:
        """What the parsed metadata of their tables takes."""
        return sum(catalog.kept_bytes for catalog in self._mounted.values())

    def close(self) -> None:
        for catalog in self._mounted.values():
            catalog.close()
        if self._remove_temporary is not None:
            self._remove_temporary()


class _SeenBy(Catalogs):
    def __init__(self, mounted: Catalogs, session: Session) -> None:
        self._all = mounted
        self._session = session
        self.default = mounted.default

    def names(self) -> list[str]:
        return self._all.names()

    def get(self, name: str) -> Catalog:
        return self._all.get(name).acting_for(self._session.identity, self._session.tokens)


def embedded(
    *,
    warehouse: str | Path | None = None,
    catalogs: Mapping[str, str | Path] | None = None,
    memory: bool = False,
    default: str | None = None,
) -> Catalogs:
    """Catalogs in directories of this machine: one called `iceberg` in `warehouse` (by default in the
    user's home), or those of `catalogs`, or one in a temporary directory that `close` removes."""
    if sum((warehouse is not None, bool(catalogs), memory)) > 1:
        raise ConfigError("of a warehouse, catalogs and memory only one can be chosen")
    temporary = _temporary_warehouse() if memory else None
    place = warehouse or DEFAULT_WAREHOUSE if temporary is None else temporary.path
    places = catalogs or {EMBEDDED_NAME: place}
    return Catalogs(
        {name: EmbeddedCatalog(name, place) for name, place in places.items()},
        default=default,
        temporary=temporary,
    )


def _temporary_warehouse() -> Scratch:
    try:
        # What a process that was killed could not remove.
        remove_stale(TEMPORARY)
        return Scratch(TEMPORARY)
    except OSError as error:
        raise Unavailable(
            f"a temporary warehouse cannot be made: {(error.strerror or str(error)).lower()}",
            code="ICEBERG_CATALOG_ERROR",
            hint="set TMPDIR to a directory that has room, or choose a warehouse with --warehouse PATH",
        ) from error
