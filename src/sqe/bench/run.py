"""A suite's queries on several engines in turns, and whether they gave the same answers."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field

from sqe.bench.compare import Row
from sqe.bench.engines import Place
from sqe.bench.suites import queries
from sqe.bench.verdict import judge
from sqe.bench.worker import Failed, Measured, Worker

Tell = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """One engine's runs of one query; medians of `runs`. `verdict` is against the reference engine."""

    seconds: float | None = None
    runs: list[float] = field(default_factory=list)
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    rows: int | None = None
    lane: str | None = None
    lane_reason: str | None = None
    verdict: str | None = None
    note: str | None = None
    error: str | None = None


@dataclass(slots=True)
class SuiteReport:
    suite: str
    scale: float
    runs: int
    engines: list[str]
    reference: str
    queries: dict[str, dict[str, Outcome]] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def run_suite(
    report: SuiteReport, place: Place, only: Sequence[str], *, timeout: float, tell: Tell
) -> SuiteReport:
    with ExitStack() as stack:
        workers = {}
        for name in report.engines:
            workers[name] = Worker(name, place, timeout=timeout)
            stack.callback(workers[name].close)
        texts = {name: queries(report.suite, worker.dialect) for name, worker in workers.items()}
        for query in only or queries(report.suite):
            asked = {name: texts[name][query] for name in workers}
            report.queries[query] = _one_query(report, workers, asked)
            tell(_line(query, report.queries[query]))
    return report


def _one_query(
    report: SuiteReport, workers: Mapping[str, Worker], texts: Mapping[str, str]
) -> dict[str, Outcome]:
    outcomes = {name: Outcome() for name in workers}
    answers: dict[str, Measured] = {}
    for name, worker in workers.items():
        try:
            worker.prepare(texts[name])
            answers[name] = worker.run(texts[name], keep=True)
        except Failed as failure:
            outcomes[name].error = str(failure)
    measured: dict[str, list[Measured]] = {name: [] for name in answers}
    order = list(answers)
    for _ in range(report.runs):
        for name in order:
            if outcomes[name].error is None:
                try:
                    measured[name].append(workers[name].run(texts[name]))
                except Failed as failure:
                    outcomes[name].error = str(failure)
        # Whoever comes first finds the files as the last one of the round before left them.
        order.append(order.pop(0)) if order else None
    for name, done in measured.items():
        _fill(outcomes[name], answers[name], done)
    _compare(report.reference, outcomes, answers, workers, texts)
    return outcomes


def _fill(outcome: Outcome, first: Measured, done: Sequence[Measured]) -> None:
    outcome.rows, outcome.lane, outcome.lane_reason = first.count, first.lane, first.reason
    if outcome.error is not None or not done:
        return
    outcome.runs = [round(one.seconds, 6) for one in done]
    outcome.seconds = statistics.median(outcome.runs)
    cpu = [one.cpu for one in done if one.cpu is not None]
    outcome.cpu_seconds = round(statistics.median(cpu), 3) if cpu else None
    outcome.peak_bytes = max((one.peak for one in done if one.peak is not None), default=None)


def _compare(
    reference: str,
    outcomes: Mapping[str, Outcome],
    answers: Mapping[str, Measured],
    workers: Mapping[str, Worker],
    texts: Mapping[str, str],
) -> None:
    if reference not in answers:
        return
    expected = answers[reference]

    def ask(sql: str) -> list[Row]:
        workers[reference].prepare(sql)
        return workers[reference].run(sql, keep=True).rows or []

    for name, answer in answers.items():
        assert answer.rows is not None and expected.rows is not None
        try:
            verdict = judge(answer.rows, expected.rows, expected.names, texts[reference], ask)
            outcomes[name].verdict, outcomes[name].note = verdict.word, verdict.note
        except Failed as failure:
            outcomes[name].verdict, outcomes[name].note = "DIFF", f"ties could not be checked: {failure}"


def _line(query: str, outcomes: Mapping[str, Outcome]) -> str:
    parts = []
    for name, outcome in outcomes.items():
        lane = f" {outcome.lane}" if outcome.lane and name == "sqe-auto" else ""
        if outcome.error is not None:
            parts.append(f"{name} ERROR {outcome.error}")
        elif outcome.seconds is None:
            parts.append(f"{name}{lane} {outcome.verdict or ''}")
        else:
            parts.append(f"{name}{lane} {outcome.seconds:.3f} s {outcome.verdict or ''}")
    return f"{query}: " + ", ".join(part.strip() for part in parts)
