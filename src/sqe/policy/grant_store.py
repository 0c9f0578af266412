"""Grants in a database of SQLite, which several processes of one machine may share."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqe.errors import Unavailable
from sqe.tree.grants import Grant, Grantee, GranteeKind, Scope
from sqe.tree.privileges import Privilege
from sqe.tree.relations import TableName
from sqe.tree.rules import Mask, Rule

_BUSY_SECONDS = 10.0
_SETTLED_NS = 100_000_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS grants (what TEXT PRIMARY KEY, table_key TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS owners (table_key TEXT PRIMARY KEY, user TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL);
INSERT INTO version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM version);
"""


Change = tuple[str, tuple[Any, ...]]


class GrantStore:
    """Read as a whole, and again when its file has changed: each table of a listing asks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: int | None = None
        self._signature: tuple[int, int, int] | None = None
        self._grants: tuple[Grant, ...] = ()
        self._owners: dict[str, str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._opened()) as database:
            database.executescript(_SCHEMA)
        path.chmod(0o600)

    @property
    def version(self) -> int:
        """Another number after every change."""
        with self._lock:
            self._refresh()
            assert self._known is not None
            return self._known

    def grants(self) -> Sequence[Grant]:
        with self._lock:
            self._refresh()
            return self._grants

    def owner(self, table: TableName) -> str | None:
        return self._read_owners().get(_key(table))

    def tables(self) -> Sequence[TableName]:
        owned = [_named(key) for key in self._read_owners()]
        return tuple(dict.fromkeys([*owned, *(grant.on for grant in self.grants())]))

    def add(self, grant: Grant) -> None:
        self._change(_added(grant))

    def remove(self, grant: Grant) -> bool:
        there = any(_what(known) == _what(grant) for known in self.grants())
        self._change(("DELETE FROM grants WHERE what = ?", (_what(grant),)))
        return there

    def own(self, table: TableName, user: str) -> None:
        self._change(_owned(table, user))

    def forget(self, table: TableName) -> None:
        self._change(*_forgotten(table))

    def move(self, table: TableName, to: TableName) -> None:
        owner = self.owner(table)
        moved = [replace(grant, on=to) for grant in self.grants() if grant.on == table]
        # All at once: a grant must not arrive without the DENY beside it.
        self._change(
            *_forgotten(table),
            *_forgotten(to),
            *(_added(grant) for grant in moved),
            *(() if owner is None else (_owned(to, owner),)),
        )

    def _read_owners(self) -> dict[str, str]:
        with self._lock:
            self._refresh()
            return self._owners

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            signature = (status.st_ino, status.st_size, status.st_mtime_ns)
            if signature == self._signature:
                return
            # Clocks of file systems are coarse: what was changed just now may change again unseen.
            settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
            with closing(self._opened()) as database:
                (version,) = database.execute("SELECT number FROM version").fetchone()
                self._signature = signature if settled else None
                if version == self._known:
                    return
                bodies = database.execute("SELECT body FROM grants ORDER BY what").fetchall()
                self._grants = tuple(_grant(json.loads(body)) for (body,) in bodies)
                self._owners = dict(database.execute("SELECT table_key, user FROM owners"))
                self._known = version
        except (OSError, sqlite3.Error, TypeError, ValueError, KeyError):
            self._signature = self._known = None
            # Nothing is allowed by what cannot be read.
            raise Unavailable("the grants cannot be read", code="POLICY_UNAVAILABLE") from None

    def _change(self, *statements: Change) -> None:
        try:
            with self._lock, closing(self._opened()) as database, database:
                for sql, values in statements:
                    database.execute(sql, values)
                database.execute("UPDATE version SET number = number + 1")
                self._signature = None
        except sqlite3.Error:
            raise Unavailable("the grants cannot be written", code="POLICY_UNAVAILABLE") from None

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_BUSY_SECONDS)


def _added(grant: Grant) -> Change:
    values = (_what(grant), _key(grant.on), json.dumps(_body(grant)))
    return "INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", values


def _owned(table: TableName, user: str) -> Change:
    return "INSERT OR REPLACE INTO owners VALUES (?, ?)", (_key(table), user)


def _forgotten(table: TableName) -> list[Change]:
    return [(f"DELETE FROM {kind} WHERE table_key = ?", (_key(table),)) for kind in ("grants", "owners")]


def _key(table: TableName) -> str:
    return json.dumps([table.catalog, list(table.namespace), table.name])


def _named(key: str) -> TableName:
    catalog, namespace, name = json.loads(key)
    return TableName(catalog, tuple(namespace), name)


def _what(grant: Grant) -> str:
    """What there is one of."""
    grantee = grant.grantee
    return json.dumps(
        [grant.denies, grant.privilege, grant.scope, _key(grant.on), grantee.kind, grantee.name]
    )


def _body(grant: Grant) -> dict[str, Any]:
    return {
        "privilege": grant.privilege,
        "scope": grant.scope,
        "on": _key(grant.on),
        "grantee": [grant.grantee.kind, grant.grantee.name],
        "denies": grant.denies,
        "columns": None if grant.columns is None else sorted(grant.columns),
        "row_filter": None if grant.row_filter is None else _rule_body(grant.row_filter),
        "masks": {str(column): _mask_body(mask) for column, mask in grant.masks.items()},
        "grantable": grant.grantable,
        "grantor": grant.grantor,
    }


def _rule_body(rule: Rule) -> dict[str, Any]:
    return {"sql": rule.sql, "columns": rule.columns}


def _mask_body(mask: Rule | Mask) -> dict[str, Any]:
    return _rule_body(mask) if isinstance(mask, Rule) else {"name": mask.name, "text": mask.text}


def _grant(body: dict[str, Any]) -> Grant:
    kind, grantee = body["grantee"]
    return Grant(
        Privilege(body["privilege"]),
        Scope(body["scope"]),
        _named(body["on"]),
        Grantee(GranteeKind(kind), grantee),
        denies=body["denies"],
        columns=None if body["columns"] is None else frozenset(body["columns"]),
        row_filter=None if body["row_filter"] is None else _rule(body["row_filter"]),
        masks={int(column): _mask(mask) for column, mask in body["masks"].items()},
        grantable=body["grantable"],
        grantor=body["grantor"],
    )


def _rule(body: dict[str, Any]) -> Rule:
    columns = body["columns"]
    return Rule(body["sql"], None if columns is None else tuple((name, key) for name, key in columns))


def _mask(body: dict[str, Any]) -> Rule | Mask:
    return Mask(body["name"], body["text"]) if "name" in body else _rule(body)
