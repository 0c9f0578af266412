"""What Spark measured while it ran a statement, as steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqe.engine.steps import Step
from sqe.foundation.record import record


@record
class Operator:
    """One operator of Spark's plan. `metrics` by their short names: what they are called, value, kind."""

    name: str
    plan_id: int
    parent: int
    metrics: Mapping[str, tuple[str, int, str]]


TotalFiles = Callable[[str], int | None]
"""How many data files a table has, by the name that Spark calls it; None if that is not certain."""

# They hand rows on to the next operator, whatever they do to their form.
_PLAIN = (
    *("AdaptiveSparkPlan", "InputAdapter", "ColumnarToRow", "RowToColumnar", "AQEShuffleRead"),
    *("ResultQueryStage", "ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage"),
)
# These give as many rows as they take.
_KEEPS_ROWS = (*_PLAIN, "WholeStageCodegen", "Project", "Window", "Sort", "Exchange", "Union")
_WORDS = {
    "WholeStageCodegen": "Pipeline",
    "HashAggregate": "Aggregate (hash)",
    "ObjectHashAggregate": "Aggregate (hash)",
    "SortAggregate": "Aggregate (sorted)",
    "BroadcastHashJoin": "Join (hash, broadcast)",
    "ShuffledHashJoin": "Join (hash)",
    "SortMergeJoin": "Join (merge)",
    "BroadcastNestedLoopJoin": "Join (nested loop, broadcast)",
    "CartesianProduct": "Join (cross)",
    "BroadcastExchange": "Exchange (broadcast)",
    "TakeOrderedAndProject": "Sort and limit",
    "CollectLimit": "Limit",
    "GlobalLimit": "Limit",
    "LocalLimit": "Limit",
    "Generate": "Unnest",
    "LocalTableScan": "Values",
    "Scan OneRowRelation": "Values",
    "ArrowEvalPython": "Python functions",
}
# A sort looks at a sample first, for which everything below its exchange runs once more.
_COUNTED = {"Exchange": "shuffleRecordsWritten"}
# Rows that are taken from them without running a task are not counted.
_UNCOUNTED = ("LocalTableScan",)
# What an operator that is not part of a pipeline spends, by the short names of its metrics.
_TIMES = (
    *("pipelineTime", "sortTime", "aggTime", "buildTime", "collectTime", "broadcastTime"),
    *("shuffleWriteTime", "fetchWaitTime", "scanTime"),
)
_NANOSECONDS = "nsTiming"


def steps_of(operators: Sequence[Operator], total_files: TotalFiles) -> tuple[Step, ...]:
    """They come parents first. A stage and an operator may have the same id, so that a parent is looked
    for among those that lead to it only."""
    roots: list[_Branch] = []
    path: list[_Branch] = []
    for operator in operators:
        if operator.parent != operator.plan_id:
            while path and path[-1].operator.plan_id != operator.parent:
                path.pop()
        else:
            path.clear()
        branch = _Branch(operator)
        (path[-1].inputs if path else roots).append(branch)
        path.append(branch)
    return tuple(branch.step(total_files) for branch in roots)


class _Branch:
    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.inputs: list[_Branch] = []

    def step(self, total_files: TotalFiles) -> Step:
        inputs = tuple(branch.step(total_files) for branch in self.inputs)
        step = _step(self.operator, total_files)
        step = replace(step, inputs=inputs, details=_details(self.operator, step.operation))
        rows = [of.rows for of in inputs if of.rows is not None]
        countable = step.rows is None and inputs and len(rows) == len(inputs)
        keeps_rows = _kind(self.operator.name) in _KEEPS_ROWS
        return replace(step, rows=sum(rows)) if countable and keeps_rows else step


def _kind(name: str) -> str:
    return "WholeStageCodegen" if name.startswith("WholeStageCodegen") else name


def _step(operator: Operator, total_files: TotalFiles) -> Step:
    value = {short: number for short, (_, number, _) in operator.metrics.items()}
    name = operator.name
    kind = _kind(name)
    rows = value.get(_COUNTED.get(kind, "numOutputRows"))
    if kind in _UNCOUNTED:
        rows = rows or None
    spent = [_milliseconds(*operator.metrics[short][1:]) for short in _TIMES if short in operator.metrics]
    milliseconds = sum(spent) if spent else None
    if name.startswith("BatchScan "):
        table = name.removeprefix("BatchScan ")
        read, skipped = value.get("resultDataFiles"), value.get("skippedDataFiles")
        total = total_files(table)
        # Files of manifests that were not opened are not counted as skipped.
        if total is None and read is not None and skipped is not None and not value["skippedDataManifests"]:
            total = read + skipped
        sizes = [value[short] for short in ("totalDataFileSize", "totalDeleteFileSize") if short in value]
        size = sum(sizes) if sizes else None
        return Step(f"Scan {table}", rows, milliseconds, read, total, size)
    if "numFiles" in value:
        read, size = value["numFiles"], value.get("filesSize")
        return Step("Scan of files", rows, milliseconds, read, None, size)
    size = value.get("dataSize")
    return Step(_WORDS.get(kind, name), rows, milliseconds, None, None, size, plain=kind in _PLAIN)


def _details(operator: Operator, operation: str) -> str:
    numbers = [f"{label}: {number}" for label, number, _ in operator.metrics.values() if number]
    name = [operator.name] if operator.name != operation else []
    return "; ".join([*name, *numbers])


def _milliseconds(value: int, kind: str) -> float:
    return value / 1e6 if kind == _NANOSECONDS else float(value)
