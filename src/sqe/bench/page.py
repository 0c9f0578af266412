"""docs/benchmarks.md: what report files say, as a page with plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqe.bench.plot import bars
from sqe.bench.ratio import ratio
from sqe.bench.reports import suites
from sqe.bench.run import SuiteReport
from sqe.bench.summary import Table, as_markdown, by_engine, by_query, troubles

_TITLES = {"tpch": "TPC-H", "tpcds": "TPC-DS", "ssb": "Star Schema Benchmark", "clickbench": "ClickBench"}

_COMPARED = (
    ("sqe-auto", "duckdb-rendered"),
    ("sqe-auto", "duckdb"),
    ("sqe-auto", "sqe-spark"),
    ("sqe-spark", "pyspark"),
)

_INTRODUCTION = """\
# Benchmarks

Every figure on this page comes from `sqe bench` or, in a checkout, from the measurements of `benchmarks/`;
`sqe bench report FILE...` writes the page from their report files. Compare within a table: it is one run on
one machine, the engines taking turns query by query.

{machine}

The engines:

- `sqe-auto`, `sqe-fast`, `sqe-spark`: SQE, embedded, on the lane that it chooses or on the one named.
- `duckdb-rendered`: DuckDB alone, sent the SQL that SQE renders for it. What SQE costs is between these.
- `duckdb`: DuckDB alone, plain SQL over `iceberg_scan`. What the exact answer costs is between these two.
- `pyspark`: Spark's own Connect client, on a server as SQE starts them.

Each is a process of its own with the same tables, memory and threads. Seconds are medians, from the statement
to its last row as Arrow; CPU seconds and peak memory are of the process and those that it started. Answers
are compared row by row with those of one engine, the reference: doubles within 1e-9, decimals exactly, the
order where ORDER BY gives one. VACUOUS: both returned no rows. How to run it: [cli.md](cli.md#benchmarks).
"""

_FLIGHT = """\
`python -m benchmarks.flight`: a server process of its own, and clients in other processes. One stream is
taken by pyarrow's client from a result that is wholly in the spool, beside pyarrow's own server with the same
kind of batches in memory. End to end is from the statement to the last row. Small queries read one row of an
Iceberg table over ADBC; an empty handler only authenticates, in as many calls as ADBC makes for a statement.
A session's memory is that of the server and its fast lane, not Spark's."""


def write_page(reports: Sequence[Mapping[str, Any]], page: Path) -> None:
    """The page, and its plots in `images` beside it."""
    images = page.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    parts = [_INTRODUCTION.format(machine=_machines(reports))]
    measured = [suite for content in reports for suite in suites(content)]
    if measured:
        parts.append(_ratios(measured))
    parts += [_suite(suite, images, number) for number, suite in enumerate(measured, start=1)]
    for name, title in (("cold", "Cold processes"), ("point", "Point queries on many files")):
        lines = [line for content in reports for line in content.get(name, ())]
        if lines:
            parts.append(f"## {title}\n\n`python -m benchmarks.{name}`\n\n{as_markdown(table_of(lines))}\n")
    parts += [_flight(content["flight"]) for content in reports if "flight" in content]
    page.write_text("\n".join(parts), encoding="utf-8")


def _flight(tables: Mapping[str, Sequence[Mapping[str, object]]]) -> str:
    return f"## Flight SQL\n\n{_FLIGHT}\n" + "".join(
        f"\n{as_markdown(table_of(lines))}\n" for lines in tables.values()
    )


def table_of(lines: Sequence[Mapping[str, object]]) -> Table:
    return list(lines[0]), [[str(value) for value in line.values()] for line in lines]


def _machines(reports: Sequence[Mapping[str, Any]]) -> str:
    told = []
    for content in reports:
        facts = content["machine"]
        text = (
            f"{facts['cores']} cores ({facts['processor']}), {facts['memory_gb']:g} GB of memory, "
            f"{facts['system']}, Python {facts['python']}, DuckDB {facts['duckdb']}, "
            f"Spark {facts['pyspark']}."
        )
        if text not in told:
            told.append(text)
    return "Measured on: " + " And: ".join(told)


def _ratios(found: Sequence[SuiteReport]) -> str:
    """The ratios of each suite, and of those together that are not much longer than the others."""
    lines = []
    for engine, against in _COMPARED:
        both = [suite for suite in found if ratio([suite], engine, against) is not None]
        together = [suite for suite in both if suite.suite != "tpcds"]
        for part in [[suite] for suite in both] + ([together] if len(together) > 1 else []):
            compared = ratio(part, engine, against)
            assert compared is not None
            lines.append(
                [
                    f"{engine} / {against}",
                    ", ".join(_TITLES[suite.suite] for suite in part),
                    str(compared.queries),
                    f"{compared.total:.2f}",
                    f"{compared.mean:.2f}",
                    f"{compared.highest:.2f} ({compared.worst})",
                    "" if compared.cpu is None else f"{compared.cpu:.2f}",
                ]
            )
    header = ["seconds of", "suites", "queries", "total", "geometric mean", "highest", "CPU total"]
    return f"## Ratios\n\n`sqe bench ratio`\n\n{as_markdown((header, lines))}\n" if lines else ""


def _suite(report: SuiteReport, images: Path, number: int) -> str:
    title = f"{_TITLES[report.suite]}, scale {report.scale:g}"
    command = f"sqe bench run --suite {report.suite} --scale {report.scale:g} --runs {report.runs}"
    parts = [
        f"## {title}",
        f"`{command} --engines {','.join(report.engines)}`: {len(report.queries)} queries, answers compared "
        f"with {report.reference}.",
        as_markdown(by_engine(report)),
    ]
    if report.runs:
        image = images / f"bench-{number}-{report.suite}.svg"
        image.write_text(_plot(report, title), encoding="utf-8")
        parts.append(f"![Seconds of each query of {title}, one bar an engine](images/{image.name})")
        parts.append(_folded("Each query, in seconds", as_markdown(by_query(report))))
    noted = troubles(report)
    if noted:
        parts.append(_folded("Notes", "\n".join(f"- {line}" for line in map(_plain, noted))))
    return "\n\n".join(parts) + "\n"


def _plot(report: SuiteReport, title: str) -> str:
    names = list(report.queries)
    return bars(
        title,
        "seconds",
        names,
        {engine: [report.queries[q][engine].seconds for q in names] for engine in report.engines},
    )


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def _plain(line: str) -> str:
    """Rows hold whatever they hold; a page shows it and does not obey it."""
    return "`" + line.replace("`", "'")[:200] + "`"
