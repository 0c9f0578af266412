"""What DuckDB measured while it ran a statement, as steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqe.engine.duckdb.sources import ScanFiles
from sqe.engine.steps import Step

_WORDS = {
    "UNGROUPED_AGGREGATE": "Aggregate",
    "HASH_GROUP_BY": "Aggregate (hash)",
    "PERFECT_HASH_GROUP_BY": "Aggregate (hash)",
    "PARTITIONED_AGGREGATE": "Aggregate (partitions)",
    "PROJECTION": "Project",
    "ORDER_BY": "Sort",
    "TOP_N": "Sort and limit",
    "STREAMING_LIMIT": "Limit",
    "STREAMING_WINDOW": "Window",
    "COLUMN_DATA_SCAN": "Values",
    "DUMMY_SCAN": "Values",
    "EMPTY_RESULT": "Values",
    "DELIM_SCAN": "Values of a subquery",
    "CTE": "With",
    "CTE_SCAN": "Scan of WITH",
    "PYTHON_SCAN": "Scan of rows",
}
_JOINS = {
    "HASH_JOIN": "hash",
    "PIECEWISE_MERGE_JOIN": "merge",
    "IE_JOIN": "ranges",
    "NESTED_LOOP_JOIN": "nested loop",
    "BLOCKWISE_NL_JOIN": "nested loop",
    "LEFT_DELIM_JOIN": "subquery",
    "RIGHT_DELIM_JOIN": "subquery",
    "ASOF_JOIN": "as of",
}
# What it counts for these is not the rows that they give.
_UNCOUNTED = ("DELIM_SCAN",)
# Files are reported by their number.
_NO_DETAILS = ("Filename(s)", "Total Files Read", "Function", "Delim Index", "Table Index", "CTE Index")
_KEYS = {"Estimated Cardinality": "estimated rows"}
MOST_DETAILS = 400


def steps_of(profile: str, scans: Sequence[ScanFiles]) -> tuple[Step, ...]:
    """`profile` is DuckDB's JSON; `scans` are the files that it was given. No steps if it measured nothing:
    rows that stand in the query itself are returned as they are."""
    node = json.loads(profile)
    if "children" not in node:
        return ()
    # The query itself, below EXPLAIN.
    while node.get("operator_type") in (None, "EXPLAIN_ANALYZE") and len(node["children"]) == 1:
        node = node["children"][0]
    return (_step(node, scans),)


def _step(node: dict[str, Any], scans: Sequence[ScanFiles]) -> Step:
    kind, info = node["operator_type"], node["extra_info"]
    inputs = tuple(_step(child, scans) for child in node["children"])
    rows = None if kind in _UNCOUNTED else node["operator_cardinality"]
    if kind == "CTE":
        rows = inputs[-1].rows
    elif kind in ("LEFT_DELIM_JOIN", "RIGHT_DELIM_JOIN"):
        # The rows of the one side, the join itself, and the values that a subquery is run for.
        rows = inputs[1].rows
        inputs = (*inputs[:2], *(replace(step, rows=None) for step in inputs[2:]))
    spent = 1000 * node["operator_timing"]
    scan = _scan_of(str(info.get("Filename(s)", "")), scans)
    if scan is not None:
        files = (len(scan.paths), scan.total, scan.bytes)
        operation = "Scan of files" if scan.table is None else f"Scan {scan.table}"
        return Step(operation, rows, spent, *files, details=_details(node), inputs=inputs)
    file_count = info.get("Total Files Read")
    read = None if file_count is None else int(file_count)
    return Step(_operation(kind, info), rows, spent, read, details=_details(node), inputs=inputs)


def _operation(kind: str, info: dict[str, Any]) -> str:
    if kind in _JOINS:
        return f"Join {str(info.get('Join Type', 'inner')).lower()} ({_JOINS[kind]})"
    if kind == "CROSS_PRODUCT":
        return "Join cross"
    if kind == "TABLE_SCAN":
        return "Scan of rows" if "ARROW" in str(info.get("Function")) else "Scan of files"
    return _WORDS.get(kind, kind.capitalize().replace("_", " "))


def _scan_of(names: str, scans: Sequence[ScanFiles]) -> ScanFiles | None:
    """The scan that files belong to: DuckDB names a few of them."""
    if not names:
        return None
    name = names.removeprefix("file:")
    if "://" not in name:
        name = "/" + name.lstrip("/")
    return next((scan for scan in scans if any(map(name.startswith, scan.paths))), None)


def _details(node: dict[str, Any]) -> str:
    details = [
        f"{_KEYS.get(key, key.lower())}: {', '.join(value) if isinstance(value, list) else value}"
        for key, value in node["extra_info"].items()
        if value and key not in _NO_DETAILS
    ]
    if node.get("operator_rows_scanned"):
        details.append(f"rows scanned: {node['operator_rows_scanned']}")
    text = "; ".join([node["operator_name"], *details]).replace("\n", " ")
    return text if len(text) <= MOST_DETAILS else text[:MOST_DETAILS] + "…"
