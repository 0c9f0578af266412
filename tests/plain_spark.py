"""Plain Spark on the server of the tests: Iceberg's own catalogs, over what ours keep."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import quote, urlencode

from sqe.api.connection import Connection
from sqe.catalog.backends.hadoop import HadoopCatalog
from sqe.catalog.backends.jdbc import JdbcCatalog
from sqe.catalog.backends.postgres_pointers import PostgresPointers
from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.backends.sqlite_pointers import SqlitePointers
from sqe.catalog.protocol import Catalog
from sqe.engine.spark.jars import Jar, default_cache, ensure_jars
from sqe.engine.spark.spark import SparkSession

DRIVERS = (
    Jar(
        "org.xerial",
        "sqlite-jdbc",
        "3.51.0.0",
        sha256="b0ca8cf80d6eff80ee18aa6e8a6aa72f697af0bf9c822c4b2ad9e35c7a3146e1",
        size=14390908,
    ),
    Jar(
        "org.postgresql",
        "postgresql",
        "42.7.9",
        sha256="88f1fc3992e80ec3b048f798030e9a014aa4783c40afb56d3e7a87ee0adf166f",
        size=1130715,
    ),
)


def class_path() -> str:
    """What a server's `spark.driver.extraClassPath` needs for Iceberg's JdbcCatalog."""
    return ":".join(map(str, ensure_jars(default_cache(), DRIVERS)))


def plain_session(connection: Connection) -> SparkSession:
    """A session in which Spark opens the connection's catalogs by itself."""
    catalogs = connection.coordinator.catalogs
    conf: dict[str, str] = {}
    for name in catalogs.names():
        prefix = f"spark.sql.catalog.{name}"
        conf[prefix] = "org.apache.iceberg.spark.SparkCatalog"
        conf |= {f"{prefix}.{key}": value for key, value in _conf(catalogs.get(name)).items()}
        conf[f"{prefix}.cache-enabled"] = "false"
    return connection.coordinator.spark.session(f"plain-{connection.coordinator.instance_id}", conf)


def run_plain(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a statement in Spark's own SQL."""
    stream = plain_session(connection).run(sql, statement_id=uuid.uuid4().hex)
    return [tuple(row.values()) for batch in stream for row in batch.to_pylist()]


def _conf(catalog: Catalog) -> dict[str, str]:
    match catalog:
        case HadoopCatalog():
            return {"type": "hadoop", "warehouse": catalog.warehouse}
        case RestCatalog():
            return {"type": "rest", "uri": catalog.url, "warehouse": catalog._client._warehouse}
        case JdbcCatalog():
            return {
                "type": "jdbc",
                "jdbc.schema-version": "V1",
                "jdbc.strict-mode": "true",
                "warehouse": catalog._warehouse,
                "unique-table-location": "true",
                **_database(catalog),
            }
    raise AssertionError(catalog)


def _database(catalog: JdbcCatalog) -> dict[str, str]:
    pointers = catalog._pointers
    if isinstance(pointers, SqlitePointers):
        return {"uri": f"jdbc:sqlite:{pointers.path}?busy_timeout=30000"}
    assert isinstance(pointers, PostgresPointers)
    address = pointers._address
    login = {"jdbc.user": address.user, "jdbc.password": address.password}
    options = f"?{urlencode(address.options)}" if address.options else ""
    return {
        "uri": f"jdbc:postgresql://{address.hosts}/{quote(address.database)}{options}",
        **{key: value for key, value in login.items() if value is not None},
    }
