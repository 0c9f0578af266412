"""The rows of a JDBC catalog: names, and where each table's metadata is.

The statements are one text for all databases, with `:name` for a value; a database says how it runs them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from sqe.catalog.backends.committing import Pointer, name_conflict
from sqe.errors import NotFound, SqeError
from sqe.foundation.record import record

T = TypeVar("T")

# Exactly what PyIceberg and Iceberg's JdbcCatalog (schema version 1) make and expect.
SCHEMA = (
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
# What a table of schema version 0 lacks.
ADD_TYPE = "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)"
_IS_TABLE = "(iceberg_type IS NULL OR iceberg_type = 'TABLE')"
_OF_KIND = {False: _IS_TABLE, True: f"NOT {_IS_TABLE}"}
_KEY = "catalog_name = :catalog AND table_namespace = :namespace AND table_name = :name"
# The namespace itself, and those below it. No LIKE: that folds case, and a name may hold its wildcards.
_WITHIN = "catalog_name = :catalog AND ({0} = :namespace OR substr({0}, 1, length(:below)) = :below)"
_FIRST_NAMESPACE = "default"

Values = Mapping[str, str | None]
# The property of a namespace that has no other.
EXISTS = "exists"


@record
class Moved:
    """A table that gets new metadata; `previous` is None for a new one."""

    namespace: str
    name: str
    location: str
    previous: str | None


class _Lost(Exception):
    """Another was faster: nothing of the transaction is kept."""


class Database(Protocol):
    """A connection within one transaction."""

    def query(self, sql: str, values: Values) -> list[tuple[Any, ...]]: ...

    def change(self, sql: str, values: Values) -> int:
        """How many rows it was."""


class Pointers(ABC):
    """The rows of the catalog `catalog`."""

    def __init__(self, catalog: str) -> None:
        self._catalog = catalog

    @abstractmethod
    def _read(self, sql: str, values: Values) -> list[tuple[Any, ...]]:
        """One query, by itself."""

    @abstractmethod
    def _write(self, change: Callable[[Database], T]) -> T:
        """All of it or nothing, as if nobody else were there; run again where others were in the way."""

    @abstractmethod
    def fault(self, error: Exception) -> SqeError:
        """The error of a database that cannot be used, for the people who can mend it."""

    @abstractmethod
    def close(self) -> None: ...

    def namespaces(self) -> list[str]:
        """All of them, and the parents that exist only through their children."""
        rows = self._read(
            "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = :catalog "
            "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = :catalog",
            {"catalog": self._catalog},
        )
        namespaces: set[str] = set()
        for (namespace,) in rows:
            parts = namespace.split(".")
            namespaces.update(".".join(parts[:length]) for length in range(1, len(parts) + 1))
        return sorted(namespaces)

    def namespace_location(self, namespace: str) -> str | None:
        rows = self._read(
            "SELECT property_value FROM iceberg_namespace_properties "
            "WHERE catalog_name = :catalog AND namespace = :namespace AND property_key = 'location'",
            {"catalog": self._catalog, "namespace": namespace},
        )
        return rows[0][0] if rows else None

    def namespace_properties(self, namespace: str) -> dict[str, str]:
        """SCHEMA_NOT_FOUND."""
        rows = self._read(
            "SELECT property_key, property_value FROM iceberg_namespace_properties "
            "WHERE catalog_name = :catalog AND namespace = :namespace",
            {"catalog": self._catalog, "namespace": namespace},
        )
        if not rows and namespace not in self.namespaces():
            raise self._no_namespace(namespace)
        return dict(rows)

    def change_namespace(self, namespace: str, changed: dict[str, str], removed: set[str]) -> None:
        """SCHEMA_NOT_FOUND."""

        def change(db: Database) -> None:
            self._require_namespace(db, namespace)
            for key in {*changed, *removed}:
                db.change(
                    "DELETE FROM iceberg_namespace_properties "
                    "WHERE catalog_name = :catalog AND namespace = :namespace AND property_key = :key",
                    {"catalog": self._catalog, "namespace": namespace, "key": key},
                )
            self._insert_namespace(db, namespace, changed)

        self._write(change)

    def tables(self, namespace: str) -> list[str]:
        return self._listed(namespace, f" AND {_OF_KIND[False]}")

    def views(self, namespace: str) -> list[str]:
        return self._listed(namespace, f" AND {_OF_KIND[True]}")

    def names(self, namespace: str) -> list[str]:
        """Of tables and views alike."""
        return self._listed(namespace, "")

    def _listed(self, namespace: str, kind: str) -> list[str]:
        rows = self._read(
            "SELECT table_name FROM iceberg_tables "
            f"WHERE catalog_name = :catalog AND table_namespace = :namespace{kind}",
            {"catalog": self._catalog, "namespace": namespace},
        )
        return [name for (name,) in rows]

    def pointer(self, namespace: str, name: str) -> Pointer | None:
        rows = self._read(
            f"SELECT metadata_location, NOT {_IS_TABLE} FROM iceberg_tables WHERE {_KEY}",
            self._key(namespace, name),
        )
        return Pointer(rows[0][0] or "", bool(rows[0][1])) if rows else None

    def table_above(self, namespace: str) -> str | None:
        """A table or view that has the name of the namespace, or of one that it is in."""
        rows = self._read(*self._tables_above(namespace))
        return ".".join(rows[0]) if rows else None

    def metadata_locations(self) -> list[str]:
        """Of all tables and views."""
        sql = "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = :catalog"
        return [location or "" for (location,) in self._read(sql, {"catalog": self._catalog})]

    def add_namespace(self, namespace: str, properties: dict[str, str]) -> bool:
        """False if it is there already. TABLE_ALREADY_EXISTS for a table of its name."""

        def add(db: Database) -> bool:
            self._refuse_table_above(db, namespace)
            if self._namespace_exists(db, namespace):
                return False
            self._insert_namespace(db, namespace, properties)
            return True

        return self._write(add)

    def remove_namespace(self, namespace: str, *, cascade: bool) -> bool:
        """False if there is something in it, and nothing is removed."""

        def remove(db: Database) -> bool:
            values = self._below(namespace)
            tables = f"FROM iceberg_tables WHERE {_WITHIN.format('table_namespace')}"
            namespaces = f"FROM iceberg_namespace_properties WHERE {_WITHIN.format('namespace')}"
            if not cascade:
                inside = f"SELECT 1 {tables} UNION ALL SELECT 1 {namespaces} AND namespace <> :namespace"
                if db.query(f"{inside} LIMIT 1", values):
                    return False
            db.change(f"DELETE {tables}", values)
            db.change(f"DELETE {namespaces}", values)
            return True

        return self._write(remove)

    def rename_namespace(self, namespace: str, to: str) -> bool:
        """With all that is in it. False if there is one of the new name."""

        def rename(db: Database) -> bool:
            self._refuse_table_above(db, to)
            if self._namespace_exists(db, to):
                return False
            values = {**self._below(namespace), "to": to}
            for table, column in (
                ("iceberg_tables", "table_namespace"),
                ("iceberg_namespace_properties", "namespace"),
            ):
                db.change(
                    f"UPDATE {table} SET {column} = :to || substr({column}, length(:namespace) + 1) "
                    f"WHERE {_WITHIN.format(column)}",
                    values,
                )
            return True

        return self._write(rename)

    def put(self, namespace: str, name: str, location: str, *, previous: str | None, view: bool) -> bool:
        """Points a table or a view to its new metadata. False if it no longer points to `previous`, or,
        where that is None, if there is one of that name."""

        return self._write(lambda db: self._put(db, Moved(namespace, name, location, previous), view=view))

    def put_all(self, tables: Sequence[Moved]) -> bool:
        """As `put`, of several tables at once: all or none."""

        def put(db: Database) -> None:
            for table in tables:
                if not self._put(db, table, view=False):
                    raise _Lost

        try:
            self._write(put)
        except _Lost:
            return False
        return True

    def _put(self, db: Database, moved: Moved, *, view: bool) -> bool:
        values = {**self._key(moved.namespace, moved.name), "location": moved.location}
        if moved.previous is not None:
            count = db.change(
                "UPDATE iceberg_tables SET metadata_location = :location, "
                f"previous_metadata_location = :previous WHERE {_KEY} "
                f"AND metadata_location = :previous AND {_OF_KIND[view]}",
                {**values, "previous": moved.previous},
            )
            return count == 1
        self._require_room(db, moved.namespace, moved.name)
        count = db.change(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
            "iceberg_type) VALUES (:catalog, :namespace, :name, :location, :kind) ON CONFLICT DO NOTHING",
            {**values, "kind": "VIEW" if view else "TABLE"},
        )
        return count == 1

    def remove(self, namespace: str, name: str, *, view: bool) -> bool:
        """False if there is none."""
        sql = f"DELETE FROM iceberg_tables WHERE {_KEY} AND {_OF_KIND[view]}"
        return self._write(lambda db: db.change(sql, self._key(namespace, name)) == 1)

    def rename(self, before: tuple[str, str], after: tuple[str, str], *, view: bool) -> bool | None:
        """Namespace and name to others. False if there is something of the new name, None if there is
        nothing of the old one."""

        def rename(db: Database) -> bool | None:
            self._require_room(db, *after)
            rows = db.query(f"SELECT 1 FROM iceberg_tables WHERE {_KEY}", self._key(*after))
            if rows and after != before:
                return False
            count = db.change(
                "UPDATE iceberg_tables SET table_namespace = :to_namespace, table_name = :to_name "
                f"WHERE {_KEY} AND {_OF_KIND[view]}",
                {**self._key(*before), "to_namespace": after[0], "to_name": after[1]},
            )
            return True if count == 1 else None

        return self._write(rename)

    def _has_rows(self, db: Database) -> bool:
        """Whether there are rows of this catalog."""
        rows = db.query(
            "SELECT 1 FROM iceberg_tables WHERE catalog_name = :catalog UNION ALL "
            "SELECT 1 FROM iceberg_namespace_properties WHERE catalog_name = :catalog LIMIT 1",
            {"catalog": self._catalog},
        )
        return bool(rows)

    def _add_first_namespace(self, db: Database) -> None:
        self._insert_namespace(db, _FIRST_NAMESPACE, {EXISTS: "true"})

    def _insert_namespace(self, db: Database, namespace: str, properties: dict[str, str]) -> None:
        for key, value in properties.items():
            db.change(
                "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, "
                "property_value) VALUES (:catalog, :namespace, :key, :value)",
                {"catalog": self._catalog, "namespace": namespace, "key": key, "value": value},
            )

    def _require_namespace(self, db: Database, namespace: str) -> None:
        if not self._namespace_exists(db, namespace):
            raise self._no_namespace(namespace)

    def _no_namespace(self, namespace: str) -> NotFound:
        return NotFound(f"schema '{self._catalog}.{namespace}' does not exist", code="SCHEMA_NOT_FOUND")

    def _require_room(self, db: Database, namespace: str, name: str) -> None:
        self._require_namespace(db, namespace)
        self._refuse_table_above(db, namespace)
        if self._namespace_exists(db, f"{namespace}.{name}"):
            raise name_conflict(f"schema '{self._catalog}.{namespace}.{name}'")

    def _refuse_table_above(self, db: Database, namespace: str) -> None:
        rows = db.query(*self._tables_above(namespace))
        if rows:
            raise name_conflict(f"table or view '{self._catalog}.{'.'.join(rows[0])}'")

    def _tables_above(self, namespace: str) -> tuple[str, dict[str, str]]:
        parts = namespace.split(".")
        values = {"catalog": self._catalog}
        keys = []
        for depth, name in enumerate(parts):
            values |= {f"namespace{depth}": ".".join(parts[:depth]), f"name{depth}": name}
            keys.append(f"(table_namespace = :namespace{depth} AND table_name = :name{depth})")
        sql = "SELECT table_namespace, table_name FROM iceberg_tables WHERE catalog_name = :catalog"
        return f"{sql} AND ({' OR '.join(keys)}) LIMIT 1", values

    def _namespace_exists(self, db: Database, namespace: str) -> bool:
        query = (
            f"SELECT 1 FROM iceberg_namespace_properties WHERE {_WITHIN.format('namespace')} "
            f"UNION ALL SELECT 1 FROM iceberg_tables WHERE {_WITHIN.format('table_namespace')} LIMIT 1"
        )
        return bool(db.query(query, self._below(namespace)))

    def _key(self, namespace: str, name: str) -> dict[str, str]:
        return {"catalog": self._catalog, "namespace": namespace, "name": name}

    def _below(self, namespace: str) -> dict[str, str]:
        return {"catalog": self._catalog, "namespace": namespace, "below": namespace + "."}
