"""The embedded catalog: a directory with everything in it, a JDBC catalog in `sqe.db` and the tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalog.backends.jdbc import JdbcCatalog
from sqe.catalog.backends.sqlite_pointers import SqlitePointers

if TYPE_CHECKING:
    from sqe.config.config import CatalogSettings


def mount(settings: CatalogSettings) -> EmbeddedCatalog:
    return EmbeddedCatalog(settings.name, settings.warehouse or "")


class EmbeddedCatalog(JdbcCatalog):
    """The catalog `name` in the directory `path`, which is made on first use."""

    def __init__(self, name: str, path: str | os.PathLike[str], *, lock_timeout: float = 30.0) -> None:
        self.path = Path(os.path.abspath(os.path.expanduser(path)))
        self.data = self.path / "iceberg"
        directories = (self.path, self.data)
        pointers = SqlitePointers(
            name, self.path / "sqe.db", directories=directories, lock_timeout=lock_timeout, own=True
        )
        super().__init__(name, pointers, self.data)
