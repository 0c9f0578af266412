"""system.runtime: the statements and the nodes of this server."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator

from sqe.observe.statement_record import Record
from sqe.system.sources import Row, Sources

# The stages of a statement in the words of Trino's query states.
_STATES = {
    "received": "QUEUED",
    "queue": "QUEUED",
    "parse": "PLANNING",
    "bind": "PLANNING",
    "secure": "PLANNING",
    "route": "PLANNING",
    "render": "PLANNING",
    "finished": "FINISHED",
    "failed": "FAILED",
}
_PLANNING = [stage for stage, state in _STATES.items() if state == "PLANNING"]


def queries(of: Sources) -> Iterator[Row]:
    accepts = of.accepts("query_id")
    for record in of.records():
        if accepts(record.id):
            yield _query(record)


def _query(record: Record) -> Row:
    planning = sum(record.timings.get(stage, 0.0) for stage in _PLANNING)
    queued = record.timings.get("queue", 0.0)
    ended = None if record.ended is None else _instant(record.ended)
    running = None
    if record.ended is not None:
        running = _milliseconds(max(0.0, record.ended - record.created - planning - queued))
    return (
        record.id,
        _STATES.get(record.state, "RUNNING"),
        record.user,
        record.source,
        record.text,
        ["global"],
        _milliseconds(queued),
        _milliseconds(record.timings.get("bind", 0.0)),
        _milliseconds(planning),
        running,
        _instant(record.created),
        _instant(record.created),
        ended or _instant(time.time()),
        ended,
        record.rows,
        record.updated,
        *_scanned(record),
        record.lane,
        record.lane_reason,
        record.error_kind,
        record.error_code,
    )


def _scanned(record: Record) -> tuple[int | None, ...]:
    scanned = record.scanned
    return (None,) * 3 if scanned is None else (scanned.files, scanned.skipped_files, scanned.bytes)


def nodes(of: Sources) -> Iterator[Row]:
    yield "coordinator", None, of.version, True, "active"


def _instant(seconds: float) -> dt.datetime:
    moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
