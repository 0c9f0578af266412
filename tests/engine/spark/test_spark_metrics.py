"""What Spark measures becomes the steps that EXPLAIN ANALYZE shows."""

from __future__ import annotations

from sqe.engine.spark.metrics import Operator, steps_of
from sqe.engine.steps import in_order

# The files of tables of which nothing is known.
UNKNOWN: dict[str, int] = {}


def operator(name: str, plan_id: int, parent: int, **metrics: int) -> Operator:
    return Operator(name, plan_id, parent, {short: (short, value, "sum") for short, value in metrics.items()})


def test_a_stage_may_have_the_id_of_an_operator() -> None:
    plan = [
        operator("AdaptiveSparkPlan", 7, 7),
        operator("ResultQueryStage", 1, 7),
        operator("BroadcastHashJoin", 5, 1, numOutputRows=4),
        operator("BatchScan c.s.a", 1, 5, numOutputRows=3),
        operator("BroadcastQueryStage", 0, 5),
        operator("BatchScan c.s.b", 2, 0, numOutputRows=2),
    ]
    steps = steps_of(plan, UNKNOWN.get)
    assert [(depth, step.operation, step.rows) for depth, step in in_order(steps, all_of_them=False)] == [
        (0, "Join (hash, broadcast)", 4),
        (1, "Scan c.s.a", 3),
        (1, "Scan c.s.b", 2),
    ]
    assert len(list(in_order(steps, all_of_them=True))) == len(plan)


def test_files_of_manifests_that_were_not_opened_are_not_guessed() -> None:
    counted = {"resultDataFiles": 2, "skippedDataFiles": 3}
    opened = operator("BatchScan c.s.t", 1, 1, **counted, skippedDataManifests=0)
    skipped = operator("BatchScan c.s.t", 1, 1, **counted, skippedDataManifests=4)
    assert steps_of([opened], UNKNOWN.get)[0].files_total == 5
    assert steps_of([skipped], UNKNOWN.get)[0].files_total is None
    assert steps_of([skipped], {"c.s.t": 900}.get)[0].files_total == 900


def test_what_gives_the_rows_that_it_takes_has_their_number() -> None:
    plan = [
        operator("Union", 3, 3),
        operator("Project", 2, 3),
        operator("Scan OneRowRelation", 1, 2, numOutputRows=1),
        operator("LocalTableScan", 4, 3, numOutputRows=2),
    ]
    assert steps_of(plan, UNKNOWN.get)[0].rows == 3


def test_nanoseconds_and_milliseconds() -> None:
    metrics = {"shuffleWriteTime": ("", 2_500_000, "nsTiming"), "fetchWaitTime": ("", 4, "timing")}
    assert steps_of([Operator("Exchange", 1, 1, metrics)], UNKNOWN.get)[0].milliseconds == 6.5
