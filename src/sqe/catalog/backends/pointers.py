"""The SQLite file of the embedded catalog: names, and where each table's metadata is.

Each call opens the file, does one transaction and closes it, so that nothing is held between statements
and other processes (Spark among them) come in. A lock of another is waited for.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from sqe.errors import NotFound, SqeError, Unavailable, UserError
from sqe.record import record

T = TypeVar("T")

# Exactly what PyIceberg and Iceberg's JdbcCatalog (schema version 1) make and expect.
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS iceberg_tables (
    catalog_name VARCHAR(255) NOT NULL,
    table_namespace VARCHAR(255) NOT NULL,
    table_name VARCHAR(255) NOT NULL,
    metadata_location VARCHAR(1000),
    previous_metadata_location VARCHAR(1000),
    iceberg_type VARCHAR(5),
    PRIMARY KEY (catalog_name, table_namespace, table_name)
)""",
    """CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (
    catalog_name VARCHAR(255) NOT NULL,
    namespace VARCHAR(255) NOT NULL,
    property_key VARCHAR(255) NOT NULL,
    property_value VARCHAR(1000) NOT NULL,
    PRIMARY KEY (catalog_name, namespace, property_key)
)""",
)
_IS_TABLE = "(iceberg_type IS NULL OR iceberg_type = 'TABLE')"
_OF_KIND = {False: _IS_TABLE, True: f"NOT {_IS_TABLE}"}
# The namespace itself, and those below it. No LIKE: that folds case, and a name may hold its wildcards.
_WITHIN = "catalog_name = :catalog AND ({0} = :namespace OR substr({0}, 1, length(:below)) = :below)"
_FIRST_NAMESPACE = "default"


@record
class Pointer:
    location: str
    is_view: bool


class Pointers:
    """The rows of one catalog in the file `path`. `directories` are made with the file."""

    def __init__(self, catalog: str, path: Path, *, directories: Iterable[Path], lock_timeout: float) -> None:
        self.path = path
        self._catalog = catalog
        self._directories = tuple(directories)
        self._lock_timeout = lock_timeout
        self._prepared = False
        self._prepare_lock = threading.Lock()

    def namespaces(self) -> list[str]:
        """All of them, and the parents that exist only through their children."""
        rows = self._read(
            "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ? "
            "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?",
            (self._catalog, self._catalog),
        )
        found: set[str] = set()
        for (namespace,) in rows:
            parts = namespace.split(".")
            found.update(".".join(parts[:length]) for length in range(1, len(parts) + 1))
        return sorted(found)

    def namespace_location(self, namespace: str) -> str | None:
        rows = self._read(
            "SELECT property_value FROM iceberg_namespace_properties "
            "WHERE catalog_name = ? AND namespace = ? AND property_key = 'location'",
            (self._catalog, namespace),
        )
        return rows[0][0] if rows else None

    def tables(self, namespace: str) -> list[str]:
        rows = self._read(
            "SELECT table_name FROM iceberg_tables "
            f"WHERE catalog_name = ? AND table_namespace = ? AND {_IS_TABLE}",
            (self._catalog, namespace),
        )
        return [name for (name,) in rows]

    def views(self, namespace: str) -> list[str]:
        rows = self._read(
            "SELECT table_name FROM iceberg_tables "
            f"WHERE catalog_name = ? AND table_namespace = ? AND NOT {_IS_TABLE}",
            (self._catalog, namespace),
        )
        return [name for (name,) in rows]

    def names(self, namespace: str) -> list[str]:
        """Of tables and views alike."""
        rows = self._read(
            "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?",
            (self._catalog, namespace),
        )
        return [name for (name,) in rows]

    def pointer(self, namespace: str, name: str) -> Pointer | None:
        rows = self._read(
            f"SELECT metadata_location, NOT {_IS_TABLE} FROM iceberg_tables "
            "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?",
            (self._catalog, namespace, name),
        )
        return Pointer(rows[0][0] or "", bool(rows[0][1])) if rows else None

    def add_namespace(self, namespace: str, properties: dict[str, str]) -> bool:
        """False if it is there already."""

        def add(db: sqlite3.Connection) -> bool:
            if self._namespace_exists(db, namespace):
                return False
            _insert_namespace(db, self._catalog, namespace, properties)
            return True

        return self._write(add)

    def remove_namespace(self, namespace: str, *, cascade: bool) -> bool:
        """False if there is something in it, and nothing is removed."""

        def remove(db: sqlite3.Connection) -> bool:
            values = self._below(namespace)
            tables = f"FROM iceberg_tables WHERE {_WITHIN.format('table_namespace')}"
            namespaces = f"FROM iceberg_namespace_properties WHERE {_WITHIN.format('namespace')}"
            if not cascade:
                inside = f"SELECT 1 {tables} UNION ALL SELECT 1 {namespaces} AND namespace <> :namespace"
                if db.execute(f"{inside} LIMIT 1", values).fetchone():
                    return False
            db.execute(f"DELETE {tables}", values)
            db.execute(f"DELETE {namespaces}", values)
            return True

        return self._write(remove)

    def rename_namespace(self, namespace: str, to: str) -> bool:
        """With all that is in it. False if there is one of the new name."""

        def rename(db: sqlite3.Connection) -> bool:
            if self._namespace_exists(db, to):
                return False
            values = {**self._below(namespace), "to": to}
            for table, column in (
                ("iceberg_tables", "table_namespace"),
                ("iceberg_namespace_properties", "namespace"),
            ):
                db.execute(
                    f"UPDATE {table} SET {column} = :to || substr({column}, length(:namespace) + 1) "
                    f"WHERE {_WITHIN.format(column)}",
                    values,
                )
            return True

        return self._write(rename)

    def put(self, namespace: str, name: str, location: str, *, previous: str | None, view: bool) -> bool:
        """Points a table or a view to its new metadata. False if it no longer points to `previous`, or,
        where that is None, if there is one of that name."""
        kind = _OF_KIND[view]

        def put(db: sqlite3.Connection) -> bool:
            key = (self._catalog, namespace, name)
            if previous is not None:
                done = db.execute(
                    "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? "
                    "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? "
                    f"AND metadata_location = ? AND {kind}",
                    (location, previous, *key, previous),
                )
                return done.rowcount == 1
            self._require_namespace(db, namespace)
            done = db.execute(
                "INSERT OR IGNORE INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                "metadata_location, iceberg_type) VALUES (?, ?, ?, ?, ?)",
                (*key, location, "VIEW" if view else "TABLE"),
            )
            return done.rowcount == 1

        return self._write(put)

    def remove(self, namespace: str, name: str, *, view: bool) -> bool:
        """False if there is none."""

        def remove(db: sqlite3.Connection) -> bool:
            done = db.execute(
                "DELETE FROM iceberg_tables "
                f"WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND {_OF_KIND[view]}",
                (self._catalog, namespace, name),
            )
            return done.rowcount == 1

        return self._write(remove)

    def rename(self, before: tuple[str, str], after: tuple[str, str], *, view: bool) -> bool | None:
        """Namespace and name to others. False if there is something of the new name, None if there is
        nothing of the old one."""

        def rename(db: sqlite3.Connection) -> bool | None:
            self._require_namespace(db, after[0])
            done = db.execute(
                "UPDATE OR IGNORE iceberg_tables SET table_namespace = ?, table_name = ? "
                f"WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND {_OF_KIND[view]}",
                (*after, self._catalog, *before),
            )
            if done.rowcount == 1:
                return True
            taken = db.execute(
                "SELECT 1 FROM iceberg_tables "
                "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?",
                (self._catalog, *after),
            )
            return False if taken.fetchone() else None

        return self._write(rename)

    def _require_namespace(self, db: sqlite3.Connection, namespace: str) -> None:
        if not self._namespace_exists(db, namespace):
            raise NotFound(f"schema '{self._catalog}.{namespace}' does not exist", code="SCHEMA_NOT_FOUND")

    def _namespace_exists(self, db: sqlite3.Connection, namespace: str) -> bool:
        query = (
            f"SELECT 1 FROM iceberg_namespace_properties WHERE {_WITHIN.format('namespace')} "
            f"UNION ALL SELECT 1 FROM iceberg_tables WHERE {_WITHIN.format('table_namespace')} LIMIT 1"
        )
        return db.execute(query, self._below(namespace)).fetchone() is not None

    def _below(self, namespace: str) -> dict[str, str]:
        return {"catalog": self._catalog, "namespace": namespace, "below": namespace + "."}

    def _read(self, query: str, values: tuple[str, ...]) -> list[tuple[str, ...]]:
        self._prepare()
        return self._attempt(lambda db: db.execute(query, values).fetchall())

    def _write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        self._prepare()
        return self._attempt(lambda db: _in_transaction(db, change))

    def _attempt(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T:
        give_up = time.monotonic() + self._lock_timeout
        pause = 0.02
        while True:
            left = max(0.0, give_up - time.monotonic())
            try:
                mode = "rwc" if create else "rw"
                uri = f"{self.path.as_uri()}?mode={mode}"
                # Autocommit: transactions are written out. SQLite falls back to read-only by itself.
                db = sqlite3.connect(uri, uri=True, timeout=min(left, 5.0), isolation_level=None)
                with contextlib.closing(db):
                    return work(db)
            except sqlite3.Error as error:
                if not _is_lock(error) or time.monotonic() >= give_up:
                    raise fault(error, self.path) from error
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 1.0)

    def _prepare(self) -> None:
        """Makes the warehouse, or brings an older one to schema version 1."""
        if self._prepared and self.path.exists():
            return
        with self._prepare_lock:
            try:
                for directory in self._directories:
                    if not directory.is_dir():
                        directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise fault(error, self.path) from error
            if not self.path.is_file() or not self._attempt(self._is_complete):
                self._attempt(lambda db: _in_transaction(db, self._complete), create=True)
            self._prepared = True

    def _is_complete(self, db: sqlite3.Connection) -> bool:
        columns = {row[1] for row in db.execute("PRAGMA table_info(iceberg_tables)")}
        properties = db.execute("PRAGMA table_info(iceberg_namespace_properties)").fetchall()
        if "iceberg_type" not in columns or not properties:
            return False
        owners = db.execute(
            "SELECT DISTINCT catalog_name FROM iceberg_tables UNION "
            "SELECT catalog_name FROM iceberg_namespace_properties"
        )
        return self._catalog in {owner for (owner,) in owners}

    def _complete(self, db: sqlite3.Connection) -> None:
        for table in _SCHEMA:
            db.execute(table)
        if "iceberg_type" not in {row[1] for row in db.execute("PRAGMA table_info(iceberg_tables)")}:
            db.execute("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)")
        if self._is_complete(db):
            return
        others = db.execute("SELECT DISTINCT catalog_name FROM iceberg_tables ORDER BY 1").fetchall()
        if others:
            # Rows carry the name of their catalog, and Spark finds only those of the name it mounts.
            raise UserError(
                f"the warehouse {self.path.parent} belongs to the catalog '{others[0][0]}'",
                code="CONFIGURATION_INVALID",
                hint=f"mount it by that name: --catalog {others[0][0]}={self.path.parent}",
            )
        _insert_namespace(db, self._catalog, _FIRST_NAMESPACE, {"exists": "true"})


def fault(error: Exception, path: Path) -> SqeError:
    """The error of a warehouse that cannot be used, for the people who can mend it."""
    where = path.parent
    code = "ICEBERG_CATALOG_ERROR"
    if isinstance(error, OSError):
        # Making a directory where a file is fails with "file exists", which does not say what is wrong.
        exists = isinstance(error, FileExistsError)
        reason = "not a directory" if exists else (error.strerror or str(error)).lower()
        place = error.filename if isinstance(error.filename, str) else where
        return Unavailable(
            f"the warehouse {where} cannot be used: {place}: {reason}",
            code=code,
            hint="choose a directory that you may write to, with --warehouse PATH",
        )
    if isinstance(error, sqlite3.Error) and _is_lock(error):
        return Unavailable(
            f"the warehouse {where} is locked by another process", code=code, hint="try again when it is done"
        )
    text = str(error)
    if "not a database" in text or "malformed" in text:
        return Unavailable(
            f"the warehouse {where} is corrupt: {path.name} is not a SQLite database",
            code=code,
            hint=f"restore {path} from a backup, or choose another directory with --warehouse PATH",
        )
    if "no such column" in text or "no such table" in text:
        return Unavailable(
            f"the warehouse {where} is corrupt: {path.name} is not an Iceberg catalog",
            code=code,
            hint=f"restore {path} from a backup, or choose another directory with --warehouse PATH",
        )
    if "readonly" in text or "unable to open" in text:
        denied = path.exists() and not os.access(path, os.W_OK)
        why = f"{path.name} is not yours to write" if denied else f"{path.name} cannot be opened for writing"
        return Unavailable(
            f"the warehouse {where} cannot be used: {why}",
            code=code,
            hint="check the permissions, or choose another directory with --warehouse PATH",
        )
    return Unavailable(f"the warehouse {where} cannot be used: {text}", code=code)


def _is_lock(error: sqlite3.Error) -> bool:
    # The low byte is the kind; the rest says more about it.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _in_transaction(db: sqlite3.Connection, change: Callable[[sqlite3.Connection], T]) -> T:
    # IMMEDIATE takes the write lock at once, where waiting for it is safe.
    db.execute("BEGIN IMMEDIATE")
    try:
        result = change(db)
        db.execute("COMMIT")
        return result
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _insert_namespace(
    db: sqlite3.Connection, catalog: str, namespace: str, properties: dict[str, str]
) -> None:
    db.executemany(
        "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, property_value) "
        "VALUES (?, ?, ?, ?)",
        [(catalog, namespace, key, value) for key, value in properties.items()],
    )
