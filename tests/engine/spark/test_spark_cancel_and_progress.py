"""A statement can be watched, cancelled and limited in time; others do not notice."""

from __future__ import annotations

import threading
import time

import pytest

from sqe.engine.spark.connect import Progress
from sqe.engine.spark.spark import SparkSession
from sqe.errors import Cancelled, LimitExceeded

# One task, so that other statements find a free core.
ENDLESS = "SELECT count(*) FROM range(0, 1000000000000000, 1, 1) WHERE id % 7 = 3"


def test_progress_counts_tasks(spark: SparkSession) -> None:
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if progress.tasks_total:
            spark.cancel("watched")

    with pytest.raises(Cancelled):
        list(spark.run(ENDLESS, statement_id="watched", user="x", on_progress=watch))
    assert seen[-1].tasks_total > 0
    assert seen[-1].tasks_done <= seen[-1].tasks_total


def test_cancel_ends_one_statement_and_no_other(spark: SparkSession) -> None:
    running = threading.Event()
    outcome: list[BaseException] = []

    def run() -> None:
        try:
            list(
                spark.run(
                    ENDLESS,
                    statement_id="endless",
                    user="x",
                    on_progress=lambda p: _set(running, p.tasks_total),
                )
            )
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert running.wait(60)
    assert [b.num_rows for b in spark.run("SELECT 1", statement_id="other", user="x")] == [1]
    spark.cancel("other")
    spark.cancel("endless")
    thread.join(60)
    assert [error.code for error in outcome] == ["USER_CANCELED"]  # type: ignore[attr-defined]


def test_a_statement_cancelled_before_it_starts_never_does(spark: SparkSession) -> None:
    stream = spark.run(ENDLESS, statement_id="early", user="x")
    spark.cancel("early")
    with pytest.raises(Cancelled):
        list(stream)


def test_cancelling_what_has_ended_does_nothing(spark: SparkSession) -> None:
    list(spark.run("SELECT 1", statement_id="ended", user="x"))
    spark.cancel("ended")
    spark.cancel("never-was")


def test_a_deadline_ends_a_statement(spark: SparkSession) -> None:
    list(spark.run("SELECT 1", statement_id="ready", user="x"))
    with pytest.raises(LimitExceeded) as caught:
        list(spark.run(ENDLESS, statement_id="limited", user="x", deadline=time.monotonic() + 0.5))
    assert caught.value.code == "EXCEEDED_TIME_LIMIT"


def _set(event: threading.Event, value: int) -> None:
    if value:
        event.set()
