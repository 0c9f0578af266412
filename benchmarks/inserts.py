"""One-row INSERTs: commits through the gateway, and by Iceberg's own JdbcCatalog on the same SQLite.

    python -m benchmarks.inserts [--count N]

In turns, on one Spark server, to a table each: through SQE, and as Spark SQL of a plain session.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable

from tests.plain_spark import class_path, plain_session

from sqe.api.connection import connect
from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark

PART = 100


def main() -> None:
    summary = (__doc__ or "").split("\n")[0]
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.inserts", description=summary)
    arguments.add_argument("--count", type=int, default=1000)
    count: int = arguments.parse_args().count
    spark = Spark(SparkSettings(conf={"spark.driver.extraClassPath": class_path()}), default_cache())
    with (
        tempfile.TemporaryDirectory(prefix="sqe-bench-") as place,
        connect(warehouse=place, spark=spark) as connection,
    ):
        for table in ("ours", "plain"):
            connection.execute(f"CREATE TABLE {table} (a bigint)")
        session = plain_session(connection)

        def ours(number: int) -> None:
            connection.execute(f"INSERT INTO ours VALUES {number}")

        def plain(number: int) -> None:
            sql = f"INSERT INTO iceberg.default.plain VALUES ({number})"
            list(session.run(sql, statement_id=uuid.uuid4().hex))

        for number in range(20):
            ours(number)
            plain(number)
        seconds: dict[str, list[float]] = {"SQE": [], "JdbcCatalog": []}
        for number in range(count):
            for name, insert in (("SQE", ours), ("JdbcCatalog", plain)):
                seconds[name].append(_seconds(insert, number))
        print(f"| | commits a second | median ms, first {PART} | median ms, last {PART} |")
        print("|---|---|---|---|")
        for name, taken in seconds.items():
            first, last = (1000 * statistics.median(part) for part in (taken[:PART], taken[-PART:]))
            print(f"| {name} | {count / sum(taken):.1f} | {first:.0f} | {last:.0f} |")
        rows = connection.execute(
            "SELECT (SELECT count(*) FROM ours), (SELECT count(*) FROM plain)"
        ).fetchall()
        assert rows == [(count + 20, count + 20)], rows
    spark.close(wait=60)


def _seconds(work: Callable[[int], None], number: int) -> float:
    begin = time.perf_counter()
    work(number)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
