"""Pointers in a SQLite file.

Each call is one transaction, so that no lock is held between statements and other processes (Spark among
them) come in. A lock of another is waited for. Connections that only read are kept for the next who reads:
every statement does, and opening the file costs ten times as much as asking it.
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
from typing import Any, TypeVar

from sqe.catalog.backends.pointers import ADD_TYPE, SCHEMA, Database, Pointers, Values
from sqe.errors import ConfigError, SqeError, Unavailable

T = TypeVar("T")
# Connections that are kept while nobody reads.
MOST_IDLE = 8
# How long SQLite itself waits for a lock, before we check whether there is time for more.
LOCK_SECONDS = 5.0


class SqlitePointers(Pointers):
    """The rows of one catalog in the file `path`. `directories` are made with the file. `own` says that the
    file is part of a warehouse and holds its one catalog; else catalogs may share it."""

    def __init__(
        self, catalog: str, path: Path, *, directories: Iterable[Path], lock_timeout: float, own: bool
    ) -> None:
        super().__init__(catalog)
        self.path = path
        self._directories = tuple(directories)
        self._lock_timeout = lock_timeout
        self._own = own
        self._prepared = False
        self._prepare_lock = threading.Lock()
        self._readers = _Readers(path, lock_timeout)

    def close(self) -> None:
        self._readers.close()

    def _read(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        self._prepare()
        return self._attempt(lambda _: self._readers.rows(sql, values))

    def _write(self, change: Callable[[Database], T]) -> T:
        self._prepare()
        return self._once(lambda db: _in_transaction(db, change))

    def _once(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T:
        def attempt(seconds: float) -> T:
            with contextlib.closing(_connect(self.path, seconds, create=create)) as db:
                return work(db)

        return self._attempt(attempt)

    def _attempt(self, work: Callable[[float], T]) -> T:
        """Again while the file is locked. `work` is given the seconds that it may wait for a lock."""
        deadline = time.monotonic() + self._lock_timeout
        pause = 0.02
        while True:
            try:
                return work(min(LOCK_SECONDS, max(0.0, deadline - time.monotonic())))
            except sqlite3.Error as error:
                if not _is_lock(error) or time.monotonic() >= deadline:
                    raise self.fault(error) from error
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 1.0)

    def _prepare(self) -> None:
        """Makes the file, or brings an older one to schema version 1."""
        if self._prepared and self.path.exists():
            return
        with self._prepare_lock:
            try:
                for directory in self._directories:
                    if not directory.is_dir():
                        directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise self.fault(error) from error
            if not self.path.is_file() or not self._once(self._is_complete):
                self._once(lambda db: _in_transaction(db, self._complete), create=True)
            self._prepared = True

    def _is_complete(self, db: sqlite3.Connection) -> bool:
        properties = db.execute("PRAGMA table_info(iceberg_namespace_properties)").fetchall()
        return _has_types(_Transaction(db)) and bool(properties) and self._has_rows(_Transaction(db))

    def _complete(self, db: Database) -> None:
        for table in SCHEMA:
            db.change(table, {})
        if not _has_types(db):
            db.change(ADD_TYPE, {})
        if self._has_rows(db):
            return
        others = db.query("SELECT DISTINCT catalog_name FROM iceberg_tables ORDER BY 1", {})
        if others and self._own:
            # Rows carry the name of their catalog, and Spark finds only those of the name it mounts.
            raise ConfigError(
                f"the warehouse {self.path.parent} belongs to the catalog '{others[0][0]}'",
                hint=f"mount it by that name: --catalog {others[0][0]}={self.path.parent}",
            )
        self._add_first_namespace(db)

    def fault(self, error: Exception) -> SqeError:
        path = self.path
        where = f"warehouse {path.parent}" if self._own else f"catalog database {path}"
        other = (
            "choose another directory with --warehouse PATH" if self._own else "choose another database file"
        )
        code = "ICEBERG_CATALOG_ERROR"
        if isinstance(error, OSError):
            # Making a directory where a file is fails with "file exists", which does not say what is wrong.
            exists = isinstance(error, FileExistsError)
            reason = "not a directory" if exists else (error.strerror or str(error)).lower()
            place = error.filename if isinstance(error.filename, str) else path.parent
            return Unavailable(
                f"the {where} cannot be used: {place}: {reason}",
                code=code,
                hint="choose a directory that you may write to" + (", with --warehouse PATH" * self._own),
            )
        if isinstance(error, sqlite3.Error) and _is_lock(error):
            return Unavailable(
                f"the {where} is locked by another process", code=code, hint="try again when it is done"
            )
        text = str(error)
        restore = f"restore {path} from a backup, or {other}"
        if "not a database" in text or "malformed" in text:
            return Unavailable(
                f"the {where} is corrupt: {path.name} is not a SQLite database", code=code, hint=restore
            )
        if "no such column" in text or "no such table" in text:
            return Unavailable(
                f"the {where} is corrupt: {path.name} is not an Iceberg catalog", code=code, hint=restore
            )
        if "readonly" in text or "unable to open" in text:
            denied = path.exists() and not os.access(path, os.W_OK)
            why = "is not yours to write" if denied else "cannot be opened for writing"
            return Unavailable(
                f"the {where} cannot be used: {path.name} {why}",
                code=code,
                hint=f"check the permissions, or {other}",
            )
        return Unavailable(f"the {where} cannot be used: {text}", code=code)


class _Readers:
    """Connections to read with. Each is of the file that was there when it was opened: where another has
    taken its place, that one is opened."""

    def __init__(self, path: Path, lock_timeout: float) -> None:
        self._path = path
        self._wait = min(LOCK_SECONDS, lock_timeout)
        self._idle: list[tuple[tuple[int, ...], sqlite3.Connection]] = []

    def rows(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        file = self._file()
        db = self._take(file) or _connect(self._path, self._wait)
        try:
            rows = db.execute(sql, values).fetchall()
        except BaseException:
            db.close()
            raise
        if len(self._idle) < MOST_IDLE:
            self._idle.append((file, db))
        else:
            db.close()
        return rows

    def close(self) -> None:
        while self._idle:
            with contextlib.suppress(IndexError):
                self._idle.pop()[1].close()

    def _take(self, file: tuple[int, ...]) -> sqlite3.Connection | None:
        while self._idle:
            with contextlib.suppress(IndexError):
                opened_file, db = self._idle.pop()
                if opened_file == file:
                    return db
                db.close()
        return None

    def _file(self) -> tuple[int, ...]:
        """Which it is: its number is not another's while a connection holds it. And in which process, since a
        fork must not use what it has inherited."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return ()
        return os.getpid(), status.st_dev, status.st_ino


def _connect(path: Path, lock_seconds: float, *, create: bool = False) -> sqlite3.Connection:
    """Autocommit: transactions are written out. SQLite falls back to read-only by itself."""
    uri = f"{path.as_uri()}?mode={'rwc' if create else 'rw'}"
    # Readers are handed from thread to thread, each used by one at a time.
    return sqlite3.connect(uri, uri=True, timeout=lock_seconds, isolation_level=None, check_same_thread=False)


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def query(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        return self._db.execute(sql, values).fetchall()

    def change(self, sql: str, values: Values) -> int:
        return self._db.execute(sql, values).rowcount


def _has_types(db: Database) -> bool:
    return "iceberg_type" in {row[1] for row in db.query("PRAGMA table_info(iceberg_tables)", {})}


def _is_lock(error: sqlite3.Error) -> bool:
    # The low byte is the kind; the rest says more about it.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _in_transaction(db: sqlite3.Connection, change: Callable[[Database], T]) -> T:
    # IMMEDIATE takes the write lock at once, where waiting for it is safe.
    db.execute("BEGIN IMMEDIATE")
    try:
        result = change(_Transaction(db))
        db.execute("COMMIT")
        return result
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
