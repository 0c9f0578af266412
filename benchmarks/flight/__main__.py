"""A server process of its own, measured through real Flight SQL clients: python -m benchmarks.flight"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import report
from benchmarks.flight.measure import PARTS, Sizes, measure
from sqe.bench.reports import save


def main(arguments: Sequence[str] | None = None) -> int:
    flags = report.flags("flight", __doc__, runs=3)
    flags.add_argument("--part", action="append", choices=PARTS, help="may be repeated (all)")
    flags.add_argument("--size", type=float, default=2.2, metavar="GB", help="of the large result (2.2)")
    flags.add_argument("--seconds", type=float, default=10, metavar="S", help="of each load (10)")
    flags.add_argument("--connections", type=int, default=16, metavar="N", help="of small queries (16)")
    flags.add_argument(
        "--sessions", type=int, nargs="+", default=[1, 10, 50, 100], help="of latencies (1 10 50 100)"
    )
    flags.add_argument("--idle", type=int, default=200, metavar="N", help="idle sessions (200)")
    flags.add_argument("--without-spark", action="store_true", help="the fast lane alone")
    options = flags.parse_args(arguments)
    sizes = Sizes(
        options.size,
        options.seconds,
        options.runs,
        options.connections,
        options.sessions,
        options.idle,
        not options.without_spark,
    )
    tables: dict[str, report.Lines] = {}
    for part, lines in measure(report.kept(options), options.part or PARTS, sizes):
        report.show(lines)
        print(flush=True)
        tables[part] = lines
        if options.json is not None:
            # After each part: the next one may take minutes.
            save(options.json, flight=tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
