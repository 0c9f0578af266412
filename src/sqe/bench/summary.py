"""A suite's report as tables of text: one line an engine, or one line a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqe.bench.ratio import ratio
from sqe.bench.run import Outcome, SuiteReport
from sqe.bench.verdict import DIFF, PASS, VACUOUS

Table = tuple[list[str], list[list[str]]]


def by_engine(report: SuiteReport) -> Table:
    """Ratios are to the first engine."""
    first = report.engines[0]
    header = ["engine", "seconds", f"of {first}", "mean ratio", "CPU s", "peak MB", "answered", "fast lane"]
    header += [PASS, DIFF, VACUOUS]
    lines = []
    for engine in report.engines:
        outcomes = [of[engine] for of in report.queries.values()]
        compared = ratio([report], engine, first)
        verdicts = Counter(outcome.verdict for outcome in outcomes)
        answered = [outcome for outcome in outcomes if outcome.error is None]
        lines.append(
            [
                engine,
                _number(sum(o.seconds or 0 for o in outcomes), ".2f"),
                "" if compared is None else f"{compared.total:.2f}",
                "" if compared is None else f"{compared.mean:.2f}",
                _number(sum(o.cpu_seconds or 0 for o in outcomes), ".2f"),
                _number(max((o.peak_bytes or 0 for o in outcomes), default=0) / 1e6, ".0f"),
                f"{len(answered)} of {len(outcomes)}",
                str(sum(o.lane == "fast" for o in outcomes)) if engine.startswith("sqe") else "",
                *(
                    "reference" if engine == report.reference and word == PASS else str(verdicts[word])
                    for word in (PASS, DIFF, VACUOUS)
                ),
            ]
        )
    return header, lines


def by_query(report: SuiteReport) -> Table:
    lines = []
    for query, outcomes in report.queries.items():
        rows = next((o.rows for o in outcomes.values() if o.rows is not None), None)
        lines.append(
            [query, "" if rows is None else str(rows), *(_cell(outcomes[e]) for e in report.engines)]
        )
    return ["query", "rows", *report.engines], lines


def troubles(report: SuiteReport) -> list[str]:
    """What went wrong or needs a word, one line each."""
    lines = []
    for query, outcomes in report.queries.items():
        for engine, outcome in outcomes.items():
            if outcome.error is not None:
                lines.append(f"{query} {engine}: {outcome.error}")
            elif outcome.note is not None:
                lines.append(f"{query} {engine}: {outcome.verdict}, {outcome.note}")
            elif engine == "sqe-auto" and outcome.lane != "fast":
                lines.append(f"{query} {engine}: {outcome.lane} lane, {outcome.lane_reason}")
    return lines


def as_text(table: Table) -> str:
    header, lines = table
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    return "\n".join(
        "  ".join(_aligned(cell, width, i) for i, (cell, width) in enumerate(zip(line, widths, strict=True)))
        for line in [header, ["-" * width for width in widths], *lines]
    )


def as_markdown(table: Table) -> str:
    header, lines = table
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join(map(_row, [header, rule, *lines]))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def _cell(outcome: Outcome) -> str:
    if outcome.error is not None:
        return "ERROR"
    seconds = "" if outcome.seconds is None else f"{outcome.seconds:.3f}"
    return seconds if outcome.verdict in (None, PASS) else f"{outcome.verdict} {seconds}".strip()


def _number(value: float, form: str) -> str:
    return f"{value:{form}}" if value else ""
