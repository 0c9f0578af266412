"""A catalog to try things in: it begins empty with the server, and ends with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import Unavailable
from sqe.foundation.scratch import Scratch, remove_stale

if TYPE_CHECKING:
    from sqe.config.config import CatalogSettings

_PREFIX = "sqe-memory-catalog-"


def mount(settings: CatalogSettings) -> MemoryCatalog:
    try:
        # What a process that was killed could not remove.
        remove_stale(_PREFIX)
        return MemoryCatalog(settings.name, Scratch(_PREFIX))
    except OSError as error:
        raise Unavailable(
            f"a temporary warehouse cannot be made: {(error.strerror or str(error)).lower()}",
            code="ICEBERG_CATALOG_ERROR",
            hint="set TMPDIR to a directory that has room",
        ) from error


class MemoryCatalog(EmbeddedCatalog):
    """Its tables are files like any other's, in a temporary directory: engines read them from there."""

    def __init__(self, name: str, scratch: Scratch) -> None:
        super().__init__(name, scratch.path)
        self._scratch = scratch

    def close(self) -> None:
        super().close()
        self._scratch.remove()
