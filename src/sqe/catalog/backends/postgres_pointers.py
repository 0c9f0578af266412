"""Pointers in a PostgreSQL database.

Connections are kept for the next call, as logging in takes longer than a look-up; psycopg is imported with
the first. Nothing that is shown or raised here holds the password.
"""

from __future__ import annotations

import contextlib
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from sqe.catalog.backends.pointers import ADD_TYPE, SCHEMA, Database, Pointers, Values
from sqe.errors import ConfigError, SqeError, Unavailable
from sqe.foundation.record import record

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

T = TypeVar("T")

CONNECT_SECONDS = 10
_MOST_IDLE = 8
# For how long an idle connection is taken to be alive.
_TRUSTED_SECONDS = 1.0
# Others were in the way: a conflict between transactions, a deadlock, a row that they inserted first.
_TRY_AGAIN = ("40001", "40P01", "23505")
# libpq and the JDBC driver understand these alike.
_OPTIONS = ("sslmode", "sslrootcert")
_HOST = re.compile(r"(\[[^\]]+\]|[^:\[\]]+)(?::(\d+))?")
_VALUE = re.compile(r":([a-z_]+[0-9]*)")


@record
class PostgresAddress:
    """`hosts` as it stands in the URL: `host:port`, or several with commas."""

    hosts: str
    database: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    options: Mapping[str, str] = field(default_factory=dict)


def parse_url(url: str, *, catalog: str) -> PostgresAddress:
    """Of `postgresql://user:password@host:port/database`."""
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    database = unquote(parts.path.lstrip("/"))
    options = dict(parse_qsl(parts.query))
    unknown = [key for key in options if key not in _OPTIONS]
    bad = not all(_HOST.fullmatch(host) for host in hosts.split(","))
    if bad or not database or "/" in database or unknown:
        what = f"the option '{unknown[0]}' is not known" if unknown else "a host and a database are needed"
        raise ConfigError(
            f"catalog '{catalog}': its url is not that of a PostgreSQL database: {what}",
            hint='write "postgresql://user:password@host:5432/database"',
        )
    return PostgresAddress(hosts, database, unquote(user) or None, unquote(password) or None, options)


class PostgresPointers(Pointers):
    """The rows of one catalog in a database, whose tables are made on first use."""

    def __init__(self, catalog: str, address: PostgresAddress, *, lock_timeout: float = 30.0) -> None:
        super().__init__(catalog)
        self._address = address
        self._lock_timeout = lock_timeout
        self._idle: deque[tuple[Connection, float]] = deque()
        self._prepared = False
        self._prepare_lock = threading.Lock()

    def close(self) -> None:
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop()[0].close()

    def _read(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        self._prepare()
        return self._attempt(lambda db: _Transaction(db).query(sql, values))

    def _write(self, change: Callable[[Database], T]) -> T:
        self._prepare()
        return self._in_transaction(change)

    def _in_transaction(self, change: Callable[[Database], T]) -> T:
        def work(db: Connection) -> T:
            with db.transaction():
                return change(_Transaction(db))

        return self._attempt(work)

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        import psycopg

        deadline = time.monotonic() + self._lock_timeout
        pause = 0.005
        while True:
            db = None
            try:
                db = self._connection()
                result = work(db)
            except psycopg.Error as error:
                _close(db)
                if error.sqlstate not in _TRY_AGAIN or time.monotonic() >= deadline:
                    raise self.fault(error) from None
            except BaseException:
                # An interrupt may have left it in the middle of something.
                _close(db)
                raise
            else:
                self._keep(db)
                return result
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 0.5)

    def _keep(self, db: Connection) -> None:
        if len(self._idle) < _MOST_IDLE:
            self._idle.append((db, time.monotonic()))
        else:
            db.close()

    def _connection(self) -> Connection:
        import psycopg

        while True:
            try:
                db, since = self._idle.pop()
            except IndexError:
                return self._connect()
            if time.monotonic() - since < _TRUSTED_SECONDS:
                return db
            # The server may have gone and come back. Seen now: a change cannot be sent twice.
            try:
                db.execute("SELECT 1")
                return db
            except psycopg.Error:
                db.close()

    def _connect(self) -> Connection:
        import psycopg

        address = self._address
        options: dict[str, Any] = dict(address.options)
        hosts = [_HOST.fullmatch(host) for host in address.hosts.split(",")]
        db = psycopg.connect(
            host=",".join(host[1].strip("[]") for host in hosts if host),
            port=",".join(host[2] or "5432" for host in hosts if host),
            dbname=address.database,
            user=address.user,
            password=address.password,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            # Poolers between us and the server forget what was prepared.
            prepare_threshold=None,
            application_name="sqe",
            **options,
        )
        # What was looked up before a change must still hold when it is committed.
        db.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        db.execute(f"SET statement_timeout = {int(self._lock_timeout * 1000)}")
        return db

    def _prepare(self) -> None:
        """Makes the tables, or brings older ones to schema version 1."""
        if self._prepared:
            return
        with self._prepare_lock:
            if not self._attempt(lambda db: self._is_complete(_Transaction(db))):
                try:
                    self._in_transaction(self._complete)
                except _ReadOnly:
                    # Enough to read what others have made.
                    if not self._attempt(lambda db: _has_tables(_Transaction(db))):
                        raise
            self._prepared = True

    def _is_complete(self, db: Database) -> bool:
        return _has_tables(db) and self._has_rows(db)

    def _complete(self, db: Database) -> None:
        # CREATE TABLE IF NOT EXISTS of two at once fails in one of them.
        db.query("SELECT pg_advisory_xact_lock(hashtext('iceberg_tables'))", {})
        for table in SCHEMA:
            db.change(table, {})
        if "iceberg_type" not in _columns(db):
            # Another may have added it since the transaction began.
            db.change(ADD_TYPE.replace("ADD COLUMN", "ADD COLUMN IF NOT EXISTS"), {})
        if not self._has_rows(db):
            self._add_first_namespace(db)

    def fault(self, error: Exception) -> SqeError:
        state = getattr(error, "sqlstate", None)
        text = str(error)
        # Neither the address nor the user's name: those who ask need not know them.
        what = f"the PostgreSQL database of catalog '{self._catalog}'"
        if state == "42501" or state == "25006":
            return _ReadOnly(
                f"{what} does not allow this to its user",
                hint="grant the user what the catalog's tables need",
            )
        if state in ("28P01", "28000") or "authentication failed" in text:
            return _Fault(f"{what} refuses the login", hint="check user and password in the catalog's url")
        if state == "3D000" or re.search(r'database ".*" does not exist', text):
            return _Fault(f"{what} does not exist", hint="create it, or check the catalog's url")
        if state == "57014":
            return _Fault(f"{what} did not answer in {self._lock_timeout:g} s", hint="try again")
        if state in _TRY_AGAIN:
            return _Fault(f"{what} is locked by others", hint="try again when they are done")
        if state is None or state.startswith(("08", "57P")):
            return _Fault(f"{what} cannot be reached", hint="check that it runs, and the catalog's url")
        primary = getattr(getattr(error, "diag", None), "message_primary", None)
        return _Fault(f"{what} cannot be used: {primary or state}")


class _Fault(Unavailable):
    code = "ICEBERG_CATALOG_ERROR"


class _ReadOnly(_Fault):
    pass


class _Transaction:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def query(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        return self._db.execute(_with_placeholders(sql), values).fetchall()

    def change(self, sql: str, values: Values) -> int:
        return self._db.execute(_with_placeholders(sql), values).rowcount


def _with_placeholders(sql: str) -> str:
    """In psycopg's form. The texts are all ours, and hold no other colon or %."""
    return _VALUE.sub(r"%(\1)s::text", sql)


def _has_tables(db: Database) -> bool:
    properties = db.query("SELECT to_regclass('iceberg_namespace_properties') IS NOT NULL", {})
    return "iceberg_type" in _columns(db) and bool(properties[0][0])


def _columns(db: Database) -> set[str]:
    rows = db.query(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('iceberg_tables') AND attnum > 0", {}
    )
    return {name for (name,) in rows}


def _close(db: Connection | None) -> None:
    if db is not None:
        db.close()
