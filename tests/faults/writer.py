"""A process that writes to a warehouse, to be killed at it.

    writer.py WAREHOUSE

Reads orders such as `insert 7` and answers each with `done insert 7` when it is committed, or `failed`
and the error's code. Each order makes one commit that can be told from all others:

    insert N    adds batch N, of ROWS rows, to `entries`
    merge N     sets every row of `levels` to level N, and adds STEP rows for each level
    ctas N      makes the table `made_N`, of ROWS rows
    count N     adds one to the number in `counter`, whatever N is

With KILLED_AT it kills itself at its first commit after `SELECT 1`: `before` the metadata file is written,
`between` the file and the pointer to it, or `after` the pointer, before Spark has its answer.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import sqe
from sqe.catalog.backends.pointers import Pointers
from sqe.catalog.iceberg import metadata
from sqe.errors import SqeError

ROWS = 3000
STEP = 10
# Several files for each commit, so that half of one could be seen.
SETUP = (
    "CREATE TABLE entries (batch BIGINT, n BIGINT) WITH (partitioning = ARRAY['bucket(n, 4)'])",
    "CREATE TABLE levels (id BIGINT, level BIGINT) WITH (partitioning = ARRAY['bucket(id, 4)'])",
)


def statement(kind: str, number: int) -> str:
    if kind == "insert":
        return f"INSERT INTO entries SELECT {number}, n FROM TABLE(sequence(1, {ROWS})) AS t (n)"
    if kind == "merge":
        source = f"SELECT CAST(n AS BIGINT) AS n FROM TABLE(sequence(1, {ROWS + STEP * number})) AS t (n)"
        return (
            f"MERGE INTO levels USING ({source}) AS u ON levels.id = u.n "
            f"WHEN MATCHED THEN UPDATE SET level = {number} "
            f"WHEN NOT MATCHED THEN INSERT VALUES (u.n, {number})"
        )
    if kind == "count":
        return "UPDATE counter SET n = n + 1"
    return (
        f"CREATE TABLE made_{number} WITH (partitioning = ARRAY['bucket(n, 4)']) AS "
        f"SELECT CAST(n AS BIGINT) AS n FROM TABLE(sequence(1, {ROWS})) AS t (n)"
    )


def kill_at(moment: str) -> None:
    def killed(*arguments: Any, **more: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    put = Pointers.put

    def put_and_killed(*arguments: Any, **more: Any) -> None:
        put(*arguments, **more)
        killed()

    if moment == "before":
        metadata.write = killed
    else:
        Pointers.put = killed if moment == "between" else put_and_killed  # type: ignore[assignment, method-assign]


def main(warehouse: str) -> None:
    connection = sqe.connect(warehouse=warehouse)
    connection.execute("SET SESSION lane = 'spark'")
    connection.execute("SELECT 1").fetchall()
    if "KILLED_AT" in os.environ:
        kill_at(os.environ["KILLED_AT"])
    print("ready", flush=True)
    for order in sys.stdin:
        kind, number = order.split()
        try:
            connection.execute(statement(kind, int(number)))
        except SqeError as error:
            print("failed", kind, number, error.code, flush=True)
        else:
            print("done", kind, number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
