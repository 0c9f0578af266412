"""A whole process, from nothing to the count of a table's rows: SQE, and bare DuckDB doing the same:
python -m benchmarks.cold"""

from __future__ import annotations

import compileall
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import sqe
from benchmarks import report
from benchmarks.many_files import ROWS_EACH, table_of_files
from sqe.bench import processes
from sqe.bench.extensions import extension
from sqe.bench.place import Kept, metadata_file

_BARE = """
import duckdb
connection = duckdb.connect(config={{"allow_unsigned_extensions": "true"}})
connection.load_extension({avro!r})
connection.load_extension({iceberg!r})
print(connection.execute("SELECT count(*) FROM iceberg_scan({metadata!r})").fetchone()[0])
"""


def measure(kept: Kept, runs: int, command: str | None) -> list[dict[str, object]]:
    """In turns; medians. `JVM` says whether a `java` was among the processes."""
    # As an installer does with packages, DuckDB's too. In a checkout Python would at its first start, unless
    # it is told to write none; then every start compiles all of it again.
    compileall.compile_dir(Path(sqe.__file__).parent, quiet=2)
    with kept.connect() as connection:
        table = table_of_files(connection, 1)
        metadata = metadata_file(connection, *table.split("."))
    bare = _BARE.format(avro=extension("avro"), iceberg=extension("iceberg"), metadata=metadata)
    start = shlex.split(command) if command else [sys.executable, "-m", "sqe"]
    query = f"SELECT count(*) FROM {table}"
    commands = {
        "Python and DuckDB, bare": [sys.executable, "-c", bare],
        f'`sqe -e "{query}"`': [
            *(*start, "--warehouse", str(kept.warehouse)),
            *("-f", "csv", "-e", query),
        ],
    }
    java = {name: _starts_java(words) for name, words in commands.items()}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, words in commands.items():
            seconds[name].append(_seconds(words))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    first = next(iter(medians.values()))
    return [
        {
            "cold process": name,
            "seconds": round(median, 3),
            "ratio": round(median / first, 2),
            "JVM": "yes" if java[name] else "no",
        }
        for name, median in medians.items()
    ]


def _seconds(words: list[str]) -> float:
    with tempfile.TemporaryDirectory() as elsewhere:
        begin = time.perf_counter()
        process = subprocess.run(words, capture_output=True, text=True, check=True, cwd=elsewhere)
        seconds = time.perf_counter() - begin
    assert process.stdout.split()[-1] == str(ROWS_EACH), process.stdout
    return seconds


def _starts_java(words: list[str]) -> bool:
    """In a run of its own: looking takes time."""
    with tempfile.TemporaryDirectory() as elsewhere:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=elsewhere)
        seen = False
        while process.poll() is None:
            seen = seen or "java" in processes.names(process.pid)
            time.sleep(0.005)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, words)
    return seen


def main(arguments: Sequence[str] | None = None) -> int:
    flags = report.flags("cold", __doc__, runs=5)
    flags.add_argument("--command", help="what starts SQE, such as ./sqe (this Python's `-m sqe`)")
    options = flags.parse_args(arguments)
    return report.finish(options, "cold", measure(report.kept(options), options.runs, options.command))


if __name__ == "__main__":
    sys.exit(main())
