"""What a client may see of a statement besides its rows: a document for programs, and a page for people."""

from __future__ import annotations

import time
from html import escape
from typing import Any

from sqe.doors.trino.errors import text_of
from sqe.doors.trino.queries import Query
from sqe.doors.trino.stats import state_of, stats

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{id}</title>
<style>body{{font:16px/1.5 sans-serif;margin:2em auto;max-width:60em;padding:0 1em}}
pre{{background:#f4f4f4;padding:1em;white-space:pre-wrap}}th{{text-align:left;padding-right:2em}}</style>
<h1>{id}</h1><pre>{text}</pre>
<table>{rows}</table></html>
"""


def query_document(query: Query, base: str) -> dict[str, Any]:
    statement = query.running.statement
    state = state_of(statement)
    document: dict[str, Any] = {
        "queryId": query.id,
        "state": state,
        "self": f"{base}/v1/query/{query.id}",
        "query": statement.text,
        "session": {
            "user": query.user,
            "source": query.asked.source,
            "catalog": statement.session.catalog,
            "schema": ".".join(statement.session.namespace),
            "timeZone": statement.session.time_zone,
            "clientTags": list(query.asked.client_tags),
        },
        "updateType": statement.kind or None,
        "queryStats": stats(statement, state=state),
        "lane": statement.lane,
        "laneReason": statement.lane_reason,
        "timings": {name: round(1000 * seconds, 1) for name, seconds in statement.timings.items()},
    }
    if statement.error is not None:
        document["errorCode"] = {"name": statement.error.code, "type": statement.error.kind.value}
    return document


def query_page(query: Query) -> str:
    statement = query.running.statement
    facts: list[tuple[str, str]] = [
        ("State", state_of(statement)),
        ("User", query.user),
        ("Source", query.asked.source or ""),
        ("Began", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(statement.created))),
        ("Lane", statement.lane or ""),
        ("Why", statement.lane_reason or ""),
    ]
    if statement.result is not None:
        facts.append(("Rows", str(statement.result.rows)))
    if statement.updated is not None:
        facts.append(("Rows changed", str(statement.updated)))
    done, total = statement.progress or (0, 0)
    if total:
        facts.append(("Tasks", f"{done} of {total}"))
    if statement.error is not None:
        facts.append(("Error", text_of(statement.error)))
    facts += [(name, f"{1000 * seconds:.1f} ms") for name, seconds in statement.timings.items()]
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return _PAGE.format(id=escape(query.id), text=escape(statement.text), rows=rows)
