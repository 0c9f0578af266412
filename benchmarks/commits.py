"""What a commit costs us when a table is new and after thousands: python -m benchmarks.commits

Without Spark, whose own work is not measured: a change of the definition, and reading the version that
another has committed, which every INSERT ends with.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.iceberg import metadata
from sqe.catalog.io import file_system
from sqe.tree.changes import SetComment
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable
from sqe.types import sql_types as t

RUNS = 9
_SCHEMA = ("default",)
_SUMMARY = (
    "added-data-files added-records added-files-size changed-partition-count total-records total-files-size "
    "total-data-files total-delete-files total-position-deletes total-equality-deletes engine-version"
)


def with_snapshots(raw: dict[str, Any], count: int) -> dict[str, Any]:
    """The metadata of a table with a history of one-row commits, as Spark writes it."""
    entries = [
        {
            "snapshot-id": 10**18 + n,
            "parent-snapshot-id": 10**18 + n - 1,
            "sequence-number": n + 1,
            "timestamp-ms": 10**12 + n,
            "schema-id": 0,
            "manifest-list": f"{raw['location']}/metadata/snap-{10**18 + n}-1-{n:036}.avro",
            "summary": {"operation": "append", **{key: str(10**5 + n) for key in _SUMMARY.split()}},
        }
        for n in range(count)
    ]
    log = [{"timestamp-ms": e["timestamp-ms"], "snapshot-id": e["snapshot-id"]} for e in entries]
    last = entries[-1]["snapshot-id"]
    refs = {"main": {"type": "branch", "snapshot-id": last}}
    return {**raw, "snapshots": entries, "snapshot-log": log, "current-snapshot-id": last, "refs": refs}


def measure(snapshots: int, *, runs: int = RUNS) -> dict[str, float]:
    """Medians, in milliseconds of CPU, and the size of the metadata file. Others may use the machine too."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as place:
        catalog = EmbeddedCatalog("iceberg", Path(place))
        name = TableName("iceberg", _SCHEMA, "t")
        table = catalog.create_table(CreateTable(name, (ColumnDefinition("a", t.BIGINT),)))
        files = file_system(table.metadata_location)
        raw = with_snapshots(metadata.read(table.metadata_location, name), snapshots)
        files.write(table.metadata_location, json.dumps(raw).encode())
        change = (SetComment(f"{n}") for n in range(runs))
        altered = _median(lambda: catalog.alter_table(name, next(change)), runs)
        # A catalog of its own has nothing kept, as after the commit of another.
        loaded = _median(lambda: EmbeddedCatalog("iceberg", place).find_table(_SCHEMA, "t"), runs)
        size = files.size(table.metadata_location)
        return {"alter_ms": altered, "load_ms": loaded, "metadata_kb": size / 1000}


def _median(work: Callable[[], object], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds) * 1000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commits", description=__doc__)
    parser.add_argument(
        "--snapshots", type=int, default=5000, metavar="N", help="compare the 1st and the Nth"
    )
    options = parser.parse_args(arguments)
    first, last = measure(1), measure(options.snapshots)
    for name in first:
        ratio = last[name] / first[name]
        print(f"{name:12} 1st {first[name]:10.2f}   {options.snapshots}th {last[name]:10.2f}   x {ratio:.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
