"""What a client is told of a statement's progress."""

from __future__ import annotations

import time
from typing import Any

from sqe.statement import Statement

_PLANNING = ("parse", "bind", "secure", "route", "render")
_STATES = {
    "received": "QUEUED",
    "queue": "QUEUED",
    "run": "RUNNING",
    "finished": "FINISHED",
    "failed": "FAILED",
}


def state_of(statement: Statement) -> str:
    return _STATES.get(statement.state, "PLANNING")


def stats(statement: Statement, *, state: str) -> dict[str, Any]:
    """`state` is what the page tells: all rows may have arrived here, and not yet at the client."""
    done, total = statement.progress or (0, 0)
    if state in ("FINISHED", "FINISHING"):
        done = total
    end = statement.ended or time.time()
    scanned = statement.scanned
    said: dict[str, Any] = {
        "state": state,
        "queued": state == "QUEUED",
        "scheduled": state not in ("QUEUED", "PLANNING") and statement.result is not None,
    }
    if statement.result is not None:
        percent = 100.0 * done / total if total else 100.0 if state == "FINISHED" else 0.0
        said |= {"progressPercentage": percent, "runningPercentage": 0.0}
    elapsed = 1000 * max(0.0, end - statement.created)
    planning = sum(statement.timings.get(name, 0.0) for name in _PLANNING)
    return said | {
        "nodes": 0 if state == "QUEUED" else 1,
        "totalSplits": total,
        "queuedSplits": 0,
        "runningSplits": max(0, total - done),
        "completedSplits": done,
        "planningTimeMillis": round(1000 * planning),
        "analysisTimeMillis": round(1000 * statement.timings.get("bind", 0.0)),
        "cpuTimeMillis": 0,
        "wallTimeMillis": round(elapsed),
        "queuedTimeMillis": round(1000 * statement.timings.get("queue", 0.0)),
        "elapsedTimeMillis": round(elapsed),
        "finishingTimeMillis": 0,
        "physicalInputTimeMillis": 0,
        "processedRows": 0 if statement.result is None else statement.result.rows,
        "processedBytes": 0 if statement.result is None else statement.result.bytes,
        "physicalInputBytes": 0 if scanned is None else scanned.bytes,
        "physicalWrittenBytes": 0,
        "internalNetworkInputBytes": 0,
        "peakMemoryBytes": 0,
        "spilledBytes": 0 if statement.result is None else statement.result.spooled_bytes,
    }
