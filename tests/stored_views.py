"""Views as another engine leaves them in an embedded catalog: a metadata file, and a row with its place."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.io import spell
from sqe.catalog.protocol import Catalog


def store_view(
    catalog: Catalog,
    name: str,
    sql: str,
    columns: Mapping[str, str],
    *,
    namespace: str = "default",
    default_namespace: str = "default",
    default_catalog: str | None = None,
    dialect: str = "trino",
) -> None:
    """`columns` are the announced names with Iceberg's types."""
    fields = [
        {"id": i, "name": column, "required": False, "type": kind}
        for i, (column, kind) in enumerate(columns.items(), 1)
    ]
    version: dict[str, Any] = {
        "version-id": 2,
        "schema-id": 1,
        "timestamp-ms": 2,
        "summary": {"engine-name": "test"},
        "default-namespace": default_namespace.split("."),
        "representations": [
            {"type": "sql", "sql": sql, "dialect": dialect},
            {"type": "sql", "sql": "SELECT 'not ours'", "dialect": "spark"},
        ],
    }
    if default_catalog is not None:
        version["default-catalog"] = default_catalog
    first = {
        **version,
        "version-id": 1,
        "schema-id": 0,
        "representations": [{"type": "sql", "sql": "SELECT 'past'", "dialect": "trino"}],
    }
    store_view_metadata(
        catalog,
        name,
        {
            "view-uuid": str(uuid.uuid4()),
            "format-version": 1,
            "location": "file:///nowhere",
            "schemas": [
                {"type": "struct", "schema-id": 0, "fields": []},
                {"type": "struct", "schema-id": 1, "fields": fields},
            ],
            "current-version-id": 2,
            "versions": [first, version],
            "version-log": [{"version-id": 1, "timestamp-ms": 1}, {"version-id": 2, "timestamp-ms": 2}],
            "properties": {},
        },
        namespace=namespace,
    )


def store_view_metadata(catalog: Catalog, name: str, raw: object, *, namespace: str = "default") -> None:
    assert isinstance(catalog, EmbeddedCatalog)
    catalog.namespaces()
    file = catalog.data / f"{uuid.uuid4()}.metadata.json"
    file.write_text(json.dumps(raw))
    with contextlib.closing(sqlite3.connect(catalog.path / "sqe.db")) as db, db:
        db.execute(
            "INSERT OR REPLACE INTO iceberg_tables VALUES (?, ?, ?, ?, NULL, 'VIEW')",
            (catalog.name, namespace, name, spell(file)),
        )
