"""`sqe bench`: generate, load, run, ratio, report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.bench.engines import ENGINES
from sqe.bench.suites import SUITES, queries
from sqe.errors import InvalidArgument

if TYPE_CHECKING:
    from sqe.bench.place import Kept
    from sqe.bench.run import SuiteReport

DEFAULT_ENGINES = ("sqe-auto", "duckdb-rendered", "duckdb")


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = given.run
    return run(given)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="sqe bench",
        allow_abbrev=False,
        description="Measure SQE and others on the same Iceberg tables. Compare within one run.",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    generate = _command(commands, "generate", _generate, "make a suite's rows, as Parquet files")
    _suites(generate, SUITES)
    load = _command(commands, "load", _load, "write a suite's tables by our own SQL (generates first)")
    _suites(load, SUITES)

    run = _command(commands, "run", _run, "run a suite's queries on several engines in turns (loads first)")
    _suites(run, ("tpch",))
    _runs(run, 3)
    run.add_argument("--engines", default=",".join(DEFAULT_ENGINES), help="of " + ", ".join(ENGINES))
    run.add_argument("--query", action="append", metavar="NAME", help="only this one; may be repeated")
    run.add_argument(
        "--reference",
        help="whose answers the others are compared with (sqe-spark if it runs, else the first)",
    )
    run.add_argument("--timeout", type=float, default=600, metavar="S", help="of one query (600)")
    _json(run)

    ratio = _command(commands, "ratio", _ratio, "compare two engines, from report files or in a new run")
    ratio.add_argument("files", nargs="*", type=Path, metavar="FILE", help="reports; without any, it runs")
    _suites(ratio, ("tpch", "ssb", "clickbench"))
    _runs(ratio, 3)
    ratio.add_argument("--engine", default="sqe-auto", choices=ENGINES)
    ratio.add_argument("--against", default="duckdb-rendered", choices=ENGINES)
    ratio.add_argument("--at-most", type=float, metavar="R", help="fail if the ratio of the totals is higher")

    report = _command(commands, "report", _report, "write the page of reports, with plots")
    report.add_argument("files", nargs="+", type=Path, metavar="FILE", help="what `--json` wrote")
    report.add_argument("--page", type=Path, default=Path("docs/benchmarks.md"), help="(docs/benchmarks.md)")
    return top


def _command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    made.set_defaults(run=run)
    made.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="where files and tables are kept between runs (~/.cache/sqe/bench)",
    )
    return made


def _suites(flags: argparse.ArgumentParser, default: Sequence[str]) -> None:
    flags.add_argument(
        "--suite",
        action="append",
        choices=SUITES,
        help=f"may be repeated ({', '.join(default)})",
    )
    flags.set_defaults(default_suites=default)
    flags.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="F",
        help="scale factor; 1 is 10 million rows of clickbench (1)",
    )


def _runs(flags: argparse.ArgumentParser, default: int) -> None:
    flags.add_argument(
        "--runs", type=int, default=default, metavar="N", help=f"the median counts ({default})"
    )


def _json(flags: argparse.ArgumentParser) -> None:
    flags.add_argument("--json", type=Path, metavar="FILE", help="write a report")


def _chosen(given: argparse.Namespace) -> Sequence[str]:
    chosen: Sequence[str] = given.suite or given.default_suites
    return chosen


def _kept(given: argparse.Namespace) -> Kept:
    from sqe.bench.place import Kept
    from sqe.engine.spark.jars import default_cache

    return Kept((given.dir or default_cache() / "bench").absolute(), _tell)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _generate(given: argparse.Namespace) -> int:
    for suite in _chosen(given):
        files = _kept(given).files(suite, given.scale)
        size = sum(file.stat().st_size for file in files.values())
        print(f"{suite}: {len(files)} tables, {size / 1e6:.0f} MB")
    return 0


def _load(given: argparse.Namespace) -> int:
    kept = _kept(given)
    with kept.connect() as connection:
        for suite in _chosen(given):
            print(f"{suite}: {len(kept.tables(connection, suite, given.scale))} tables")
    return 0


def _run(given: argparse.Namespace) -> int:
    from sqe.bench.reports import save

    engines = [name.strip() for name in given.engines.split(",")]
    reports: list[SuiteReport] = []
    for report in _measured(given, engines, given.reference, given.query or [], given.timeout):
        reports.append(report)
        if given.json is not None:
            # After each suite: the next one may take an hour.
            save(given.json, suites=[done.as_json() for done in reports])
    return 0 if all(_good(report) for report in reports) else 1


def _measured(
    given: argparse.Namespace,
    engines: list[str],
    reference: str | None,
    only: Sequence[str],
    timeout: float,
) -> Iterator[SuiteReport]:
    from sqe.bench.run import SuiteReport, run_suite
    from sqe.bench.summary import as_text, by_engine, troubles

    for name in engines:
        if name not in ENGINES:
            raise InvalidArgument(f"there is no engine '{name}'", hint=f"one of {', '.join(ENGINES)}")
    reference = reference or ("sqe-spark" if "sqe-spark" in engines else engines[0])
    if reference not in engines:
        raise InvalidArgument(f"the reference '{reference}' is not among the engines")
    for suite in _chosen(given):
        unknown = set(only) - set(queries(suite))
        if unknown:
            raise InvalidArgument(f"{suite} has no query {', '.join(sorted(unknown))}")
        place = _kept(given).place(suite, given.scale)
        empty = SuiteReport(suite, given.scale, given.runs, engines, reference)
        report = run_suite(empty, place, only, timeout=timeout, tell=_tell)
        print(f"\n{suite}, scale {given.scale:g}, medians of {given.runs}\n")
        print(as_text(by_engine(report)))
        print("".join(f"\n{line}" for line in troubles(report)), flush=True)
        yield report


def _good(report: SuiteReport) -> bool:
    return not any(o.error or o.verdict == "DIFF" for of in report.queries.values() for o in of.values())


def _ratio(given: argparse.Namespace) -> int:
    from sqe.bench.ratio import ratio
    from sqe.bench.reports import read, suites

    if given.files:
        reports = [
            report
            for file in given.files
            for report in suites(read(file))
            if given.suite is None or report.suite in given.suite
        ]
    else:
        reports = list(_measured(given, [given.engine, given.against], None, [], 600))
    parts = [[report] for report in reports]
    for part in [*parts, reports] if len(parts) > 1 else parts:
        factor = ratio(part, given.engine, given.against)
        name = part[0].suite if len(part) == 1 else "all"
        if factor is None:
            print(f"{name}: no query was answered by both")
            continue
        print(
            f"{name}: {given.engine} takes {factor.total:.3f} times as long as {given.against} in total, "
            f"{factor.mean:.3f} times in the geometric mean of {factor.queries} queries; "
            f"most {factor.highest:.2f} ({factor.worst})"
            + ("" if factor.cpu is None else f"; CPU seconds {factor.cpu:.3f}")
        )
    whole = ratio(reports, given.engine, given.against)
    if whole is None:
        return 1
    return 1 if given.at_most is not None and whole.total > given.at_most else 0


def _report(given: argparse.Namespace) -> int:
    from sqe.bench.page import write_page
    from sqe.bench.reports import read

    write_page([read(file) for file in given.files], given.page)
    return 0
