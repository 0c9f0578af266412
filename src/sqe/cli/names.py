"""The names that this user may see, for completion: asked for by SHOW, and kept for a few seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqe.errors import SqeError
from sqe.foundation.identifiers import quoted_if_needed

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection

KEPT_SECONDS = 10.0
Listing = list[tuple[str, str]]
"""Names, each with a word about it: a column's type."""


class Names:
    """Used by the threads of completion; one listing is asked for once at a time."""

    def __init__(self, connection: BaseConnection[Any]) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._listings: dict[str, tuple[float, Listing]] = {}

    def catalogs(self) -> list[str]:
        return self._first("SHOW CATALOGS")

    def schemas(self, catalog: str | None = None) -> list[str]:
        return self._first("SHOW SCHEMAS" + (f" FROM {quoted_if_needed(catalog)}" if catalog else ""))

    def tables(self, schema: Sequence[str] = ()) -> list[str]:
        """The tables of `(schema,)` or `(catalog, schema)`, else of the session's schema."""
        return self._first("SHOW TABLES" + (f" FROM {dotted(schema)}" if schema else ""))

    def columns(self, table: Sequence[str]) -> Listing:
        return self._ask(f"SHOW COLUMNS FROM {dotted(table)}")

    def forget(self) -> None:
        """After a statement that may have changed names, or where names are looked up."""
        # Without the lock: the prompt does not wait for a catalog that is slow to answer.
        self._listings = {}

    def _first(self, sql: str) -> list[str]:
        return [name for name, _ in self._ask(sql)]

    def _ask(self, sql: str) -> Listing:
        with self._lock:
            listings = self._listings
            cached = listings.get(sql)
            if cached is not None and cached[0] > time.monotonic():
                return cached[1]
            listing = self._run(sql)
            listings[sql] = (time.monotonic() + KEPT_SECONDS, listing)
            return listing

    def _run(self, sql: str) -> Listing:
        try:
            cursor = self._connection.cursor()
            cursor.execute(sql)
            rows = [
                row
                for batch in cursor.fetch_record_batches()
                for row in zip(*(column.to_pylist() for column in batch.columns[:2]), strict=True)
            ]
            cursor.close()
        except SqeError:
            # Half-typed names match nothing, and a catalog that is away is reported when it is used.
            return []
        return [(str(row[0]), str(row[1]) if len(row) > 1 else "") for row in rows]


def dotted(parts: Sequence[str]) -> str:
    return ".".join(map(quoted_if_needed, parts))
