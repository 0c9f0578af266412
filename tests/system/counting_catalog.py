"""A catalog that counts what is asked of it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import Any

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import Unavailable

Mounted = Callable[..., Connection]


class Counting:
    """A catalog that counts the calls to it; those of `away` fail."""

    def __init__(self, inner: EmbeddedCatalog) -> None:
        self.inner = inner
        self.calls: Counter[str] = Counter()
        self.away: set[str] = set()

    def acting_for(self, identity: object, tokens: object) -> Counting:
        return self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if not callable(found):
            return found

        def counted(*arguments: Any, **options: Any) -> Any:
            self.calls[name] += 1
            if name in self.away:
                raise Unavailable("the catalog is away")
            return found(*arguments, **options)

        return counted

    @property
    def loads(self) -> int:
        """How many tables and views were read."""
        return self.calls["find_table"] + self.calls["find_view"]

    @property
    def total(self) -> int:
        return sum(self.calls.values())

    def copy(self, table: str, number: int, *, schema: str = "default") -> None:
        """More tables with the metadata of one."""
        with sqlite3.connect(self.inner.path / "sqe.db") as db:
            sql = (
                "INSERT INTO iceberg_tables SELECT catalog_name, table_namespace, ?, metadata_location, "
                "previous_metadata_location, iceberg_type FROM iceberg_tables "
                "WHERE table_name = ? AND table_namespace = ?"
            )
            db.executemany(sql, [(f"{table}_{i:04}", table, schema) for i in range(number)])
        db.close()


def counting(connection: Connection, name: str = "iceberg") -> Counting:
    catalog = connection.coordinator.catalogs.get(name)
    assert isinstance(catalog, Counting)
    return catalog
