"""One row out of a table of many files, on an open connection; and what is read to find it:
python -m benchmarks.point"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import report
from benchmarks.many_files import ROWS_EACH, table_of_files
from sqe.bench.engines.duck import bare
from sqe.bench.place import Kept, metadata_file
from sqe.config.duckdb import FastSettings


def measure(kept: Kept, runs: int, sizes: list[int]) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for files in sizes:
        lines.extend(_one(kept, runs, files))
    return lines


def _one(kept: Kept, runs: int, files: int) -> Iterator[dict[str, object]]:
    """Another id in each run, so that no answer is known already."""
    kept.tell(f"a table of {files} files")
    fast = FastSettings()
    with kept.connect() as connection, bare(memory=fast.memory_limit, threads=fast.threads_each) as duck:
        name = table_of_files(connection, files)
        metadata = metadata_file(connection, *name.split("."))
        data = sorted(map(str, (Path(metadata).parent.parent / "data").glob("*.parquet")))
        duck.execute(f"CREATE VIEW scanned AS SELECT * FROM iceberg_scan('{metadata}')")
        duck.execute(f"CREATE VIEW listed AS SELECT * FROM read_parquet({data!r})")
        opened = {"first": Opened(), "later": Opened()}
        read: list[int] = []

        def ours(number: int) -> None:
            sql = f"SELECT name FROM {name} WHERE id = {number}"
            with connection.execute(sql) as cursor:
                assert cursor.fetchall() == [(f"name {number}",)]
                assert cursor.statement is not None
                read.append((cursor.statement.engine_sql or "").count(".parquet"))

        def plain(view: str) -> Callable[[int], None]:
            def run(number: int) -> None:
                rows = duck.execute(f"SELECT name FROM {view} WHERE id = {number}").fetchall()
                assert rows == [(f"name {number}",)]

            return run

        with counted(opened["first"]):
            ours(7)
        engines = {
            "sqe-auto": ours,
            "duckdb iceberg_scan": plain("scanned"),
            "duckdb read_parquet": plain("listed"),
        }
        times: dict[str, list[float]] = {engine: [] for engine in engines}
        for number in range(runs):
            # Spread over the files.
            row_id = (number * 7919 + 11) % (files * ROWS_EACH)
            for engine, run in engines.items():
                begin = time.perf_counter()
                run(row_id)
                times[engine].append(time.perf_counter() - begin)
        with counted(opened["later"]):
            ours(files * ROWS_EACH - 1)
        medians = {engine: statistics.median(some) * 1000 for engine, some in times.items()}
        for engine, median in medians.items():
            own = engine == "sqe-auto"
            yield {
                "files": files,
                "point query": engine,
                "milliseconds": round(median, 2),
                "ratio": round(median / medians["duckdb iceberg_scan"], 2),
                "manifests, first": opened["first"].manifests if own else "",
                "manifests, later": opened["later"].manifests if own else "",
                "metadata files, later": opened["later"].metadata if own else "",
                "data files named, later": read[-1] if own else "",
            }


class Opened:
    """How many files of Iceberg's metadata this process has opened."""

    manifests = 0
    metadata = 0


_counting: list[Opened] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _counting and event == "open" and arguments:
        path = str(arguments[0])
        _counting[-1].manifests += path.endswith(".avro")
        _counting[-1].metadata += path.endswith(".metadata.json")


_watched: list[bool] = []


@contextmanager
def counted(into: Opened) -> Iterator[None]:
    if not _watched:
        # There is no way to take it off again.
        sys.addaudithook(_watch)
        _watched.append(True)
    _counting.append(into)
    try:
        yield
    finally:
        _counting.pop()


def main(arguments: Sequence[str] | None = None) -> int:
    flags = report.flags("point", __doc__, runs=20)
    flags.add_argument(
        "--files", type=int, nargs="+", default=[1000, 10000], help="of each table (1000 10000)"
    )
    options = flags.parse_args(arguments)
    return report.finish(options, "point", measure(report.kept(options), options.runs, options.files))


if __name__ == "__main__":
    sys.exit(main())
