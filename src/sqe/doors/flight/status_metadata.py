"""What is known of a statement beside its rows: the app_metadata of its FlightInfo, as JSON."""

from __future__ import annotations

import json

from sqe.coordinator import Coordinator
from sqe.statement import Statement


def status_metadata(statement: Statement, coordinator: Coordinator) -> bytes:
    done, total = statement.progress or (0, 0)
    status: dict[str, object] = {
        "query_id": statement.id,
        "update_type": statement.kind,
        "updated": statement.updated,
        "lane": statement.lane,
        "lane_reason": statement.lane_reason,
        "timings": dict(statement.timings),
        "stage": _stage(statement, coordinator),
        "tasks_done": done,
        "tasks": total,
        "rows": 0 if statement.result is None else statement.result.rows,
        "warnings": statement.warnings,
    }
    return json.dumps(status).encode()


def _stage(statement: Statement, coordinator: Coordinator) -> str:
    if statement.state == "queue":
        return "queued"
    if statement.lane == "spark" and not coordinator.spark.started:
        return "starting Spark"
    return "running"
