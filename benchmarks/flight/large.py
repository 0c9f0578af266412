"""A table whose rows are a large result of every common kind, written without Spark."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from benchmarks.many_files import as_pyiceberg_sees_it

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.api.connection import Connection

SCHEMA = "flight"
COLUMNS = (
    "id bigint, amount double, number integer, at timestamp(6), day date, price decimal(12, 2), "
    "name varchar, note varchar"
)
# Of one file. As Arrow they are about 90 bytes each.
_ROWS_A_FILE = 1_000_000
_ROW_BYTES = 91
_WORDS = ["order", "sent", "to", "the", "north", "gate", "before", "noon", "and", "signed", "by", "nobody"]


def large_table(connection: Connection, gigabytes: float) -> str:
    """The name of the table, which is made if it is not there."""
    name = f"of_{int(gigabytes * 1000)}_mb"
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    existing = {table for (table,) in connection.execute(f"SHOW TABLES FROM {SCHEMA}").fetchall()}
    if name not in existing:
        # Under its name only when it is complete.
        unfinished = f"{SCHEMA}.unfinished_{uuid.uuid4().hex}"
        connection.execute(f"CREATE TABLE {unfinished} ({COLUMNS})")
        rows = int(gigabytes * 1e9 / _ROW_BYTES)
        with as_pyiceberg_sees_it(connection, unfinished) as table:
            for begin in range(0, rows, _ROWS_A_FILE):
                table.append(_rows(begin, min(begin + _ROWS_A_FILE, rows)))
        connection.execute(f"ALTER TABLE {unfinished} RENAME TO {SCHEMA}.{name}")
    return f"{SCHEMA}.{name}"


def some_rows(size: int) -> pa.Table:
    """In one chunk, about so many bytes."""
    return _rows(0, max(1, size // _ROW_BYTES)).combine_chunks()


def _rows(begin: int, end: int) -> pa.Table:
    import duckdb

    first, second = (f"({_WORDS!r})[1 + i * {step} % {len(_WORDS)}]" for step in (1, 7))
    return duckdb.sql(
        f"""
        SELECT
            i AS id,
            sqrt(i) AS amount,
            (i * 2654435761 % 1000003)::INTEGER AS number,
            make_timestamp(1600000000000000 + i * 1000003) AS at,
            DATE '2020-01-01' + (i % 1500)::INTEGER AS day,
            ((i * 7919) % 9999999 / 100)::DECIMAL(12, 2) AS price,
            'customer ' || i AS name,
            {first} || ' ' || {second} || ' ' || i * 13 AS note
        FROM range({begin}, {end}) AS rows(i)
        """
    ).to_arrow_table()
