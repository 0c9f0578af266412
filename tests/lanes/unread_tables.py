"""The tables of the probes as planning sees them, made without an engine: their columns, how many rows they
have, and between which numbers those lie. No statement reads their rows."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import schema_to_pyarrow
from tests.lanes.columns import FEW, GROUPS, LETTERS, ROWS, STORED, TABLES, stored_names, width

from sqe.api.connection import Connection, connect

_COUNTS = (ROWS, ROWS**2, (FEW + 1) ** 3)
# Probes of so many places also have tables of one column alone.
_NARROW = 2
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def open_tables(warehouse: Path) -> Connection:
    """A connection to them, in their schema. What asks it for rows gets none that mean anything."""
    connection = connect(warehouse=warehouse)
    connection.execute("CREATE SCHEMA probes")
    connection.execute("USE probes")
    uri = f"sqlite:///{warehouse / 'sqe.db'}"
    catalog = SqlCatalog("iceberg", uri=uri, warehouse=f"file://{warehouse / 'iceberg'}")
    for places, table in enumerate(TABLES, start=1):
        _create(connection, catalog, table, places, list(STORED))
        for name in STORED if places <= _NARROW else ():
            _create(connection, catalog, f"{table}_{name}", places, list(dict.fromkeys(("g", name))))
    catalog.engine.dispose()
    return connection


def narrow(sql: str, text: str) -> str:
    """The statement of a probe, over a table that has nothing but its column if that is one: planning takes
    time by the column."""
    names = stored_names(text)
    table = TABLES[width(text) - 1]
    if len(names) > 1 or not names or width(text) > _NARROW:
        return sql
    return sql.replace(f" FROM {table}", f" FROM {table}_{names[0]}", 1)


def _create(connection: Connection, catalog: SqlCatalog, table: str, places: int, names: list[str]) -> None:
    stored = [(f"{x}_{name}", *STORED[name]) for x in LETTERS[:places] for name in names]
    columns = ", ".join(f"{name} {kind}" for name, kind, _ in stored)
    connection.execute(f"CREATE TABLE {table} (k integer, {columns})")
    written = catalog.load_table(f"probes.{table}")
    schema = schema_to_pyarrow(written.schema(), include_field_ids=False)
    count = _COUNTS[places - 1]
    rows = {"k": list(range(count))}
    rows |= {name: _stretched(_extremes(kind, values), count) for name, kind, values in stored}
    written.append(pa.table({f.name: pa.array(rows[f.name], f.type) for f in schema}, schema=schema))


def _extremes(kind: str, values: list[str]) -> list[Any]:
    """What a manifest would tell of a column: the least and the greatest number, and whether there is NaN."""
    if kind in ("real", "double"):
        return [float("nan") if "nan()" in values else 0.0]
    if kind.startswith("decimal"):
        decimals = [Decimal(_NUMBER.findall(value)[0]) for value in values]
        return [min(decimals), max(decimals)]
    if kind in ("integer", "bigint"):
        # The least bigint is written as a difference.
        integers = [sum(map(int, _NUMBER.findall(value.replace("- ", "-")))) for value in values]
        return [min(integers, default=0), max(integers, default=GROUPS - 1)]
    return [None]


def _stretched(values: list[Any], count: int) -> list[Any]:
    return [values[n % len(values)] for n in range(count)]
