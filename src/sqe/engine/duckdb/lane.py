"""The fast lane: reads that are proven to give the same answer on DuckDB, without Java."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.render import FastRendered
from sqe.engine.lane import Batches, Candidate, Measured, Order, Question, Rendered
from sqe.engine.row_limit import check_rows, limited
from sqe.session import Identity

if TYPE_CHECKING:
    from sqe.catalog.iceberg.data_files import FileCache
    from sqe.engine.duckdb.processes import Processes, ProcessStream, Progress


_TEXT = "'(?:[^']|'')*'"


class FastLane:
    """`processes` are started by the first statement that needs one; `files_of` is what is known of tables'
    files, as an identity read it."""

    name = "fast"
    tells_places = False

    def __init__(
        self,
        settings: FastSettings,
        processes: Callable[[], Processes],
        files_of: Callable[[Identity], FileCache],
    ) -> None:
        self._settings = settings
        self._processes = processes
        self._files_of = files_of

    def eligible(self, question: Question) -> Candidate | str:
        if not self._settings.enabled:
            return "engine.fast.enabled is false"
        if question.restricted:
            # What policies make of a tree was never proven to answer alike.
            return "a row filter, mask or restriction applies"
        from sqe.engine.duckdb.plan import eligible

        return eligible(question, self._files_of(question.identity), self._settings)

    def render(self, candidate: Candidate) -> FastRendered:
        from sqe.engine.duckdb.plan import FastCandidate, rendered

        assert isinstance(candidate, FastCandidate)
        return rendered(candidate)

    def run(self, rendered: Rendered, order: Order) -> Batches:
        return self._run(rendered, order, "rows")

    def _run(self, rendered: Rendered, order: Order, mode: str) -> ProcessStream:
        assert isinstance(rendered, FastRendered)
        return self._processes().run(
            rendered.sql,
            statement_id=order.statement_id,
            identity_key=order.identity.key,
            locations=rendered.locations,
            secrets=partial(_secrets, rendered, order) if rendered.stores else None,
            tables=order.tables,
            bodies=rendered.bodies,
            extensions=rendered.extensions,
            on_progress=partial(_report_progress, order),
            deadline=order.deadline,
            mode=mode,
            patient=order.patient,
        )

    def measure(self, rendered: Rendered, order: Order, *, most_rows: int) -> Measured:
        from sqe.engine.duckdb import profile
        from sqe.engine.steps import Step

        assert isinstance(rendered, FastRendered)
        stream = self._run(rendered, order, "profile")
        profile_json = "".join(text for batch in stream for text in batch.column(0).to_pylist())
        steps = profile.steps_of(profile_json, rendered.scans)
        if not steps:
            rows = sum(batch.num_rows for batch in limited(self.run(rendered, order), most_rows))
            return Measured(rows, (Step("Values", rows),), store_requests=stream.store_requests)
        check_rows(steps[0].rows or 0, most_rows)
        return Measured(steps[0].rows, steps, store_requests=stream.store_requests)

    def explain(self, rendered: Rendered, order: Order) -> list[str]:
        return ["DuckDB SQL:", *("  " + line for line in _shortened(rendered.sql).splitlines())]

    def cancel(self, statement_id: str) -> None:
        self._processes().cancel(statement_id)

    def close(self) -> None:
        self._processes().close()


def _secrets(rendered: FastRendered, order: Order) -> list[dict[str, str]]:
    """Of the tables of this statement, as their user may open them now."""
    from sqe.engine.duckdb.stores import secret_of

    return [secret_of(prefix, order.storages[name]) for name, prefix in rendered.stores.items()]


def _report_progress(order: Order, progress: Progress) -> None:
    if order.on_progress is not None and progress.share is not None:
        order.on_progress(round(progress.share * 100), 100)


def _shortened(sql: str) -> str:
    """With the first of many files, and how many there are."""
    return re.sub(r"read_parquet\(\[('(?:[^']|'')*')((?:, '(?:[^']|'')*')+)\]", _first_and_count, sql)


def _first_and_count(match: re.Match[str]) -> str:
    return f"read_parquet([{match[1]} /* and {len(re.findall(_TEXT, match[2]))} more */]"
