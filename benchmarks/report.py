"""What the measurements share: their flags, where their tables are kept, and their report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sqe.bench.page import table_of
from sqe.bench.place import Kept
from sqe.bench.reports import save
from sqe.bench.summary import as_text
from sqe.engine.spark.jars import default_cache

Lines = list[dict[str, object]]


def flags(name: str, description: str | None, *, runs: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}", allow_abbrev=False, description=description
    )
    parser.add_argument("--runs", type=int, default=runs, metavar="N", help=f"the median counts ({runs})")
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="where files and tables are kept between runs (~/.cache/sqe/bench)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a report for `sqe bench report`")
    return parser


def kept(options: argparse.Namespace) -> Kept:
    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    return Kept((options.dir or default_cache() / "bench").absolute(), tell)


def show(lines: Lines) -> None:
    print(as_text(table_of(lines)), flush=True)


def finish(options: argparse.Namespace, name: str, lines: Lines) -> int:
    """Prints the one table of a measurement, and writes its report."""
    show(lines)
    if options.json is not None:
        save(options.json, **{name: lines})
    return 0
