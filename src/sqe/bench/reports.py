"""Report files: what was measured, on what kind of machine. Nothing in them names the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from sqe.bench.run import Outcome, SuiteReport
from sqe.errors import InvalidArgument


def machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("duckdb", "pyspark", "pyarrow")},
    }


def save(path: Path, **parts: object) -> None:
    """Parts: `suites`, `cold`, `point`, `flight`."""
    path.write_text(json.dumps({"machine": machine(), **parts}, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{path} is no report: {error}") from None
    if not isinstance(content, dict) or "machine" not in content:
        raise InvalidArgument(f"{path} is no report", hint="`sqe bench run --json FILE` writes one")
    return content


def suites(content: Mapping[str, Any]) -> list[SuiteReport]:
    return [_suite(part) for part in content.get("suites", ())]


def _suite(part: Mapping[str, Any]) -> SuiteReport:
    queries = {
        query: {engine: Outcome(**outcome) for engine, outcome in outcomes.items()}
        for query, outcomes in part["queries"].items()
    }
    return SuiteReport(**{**part, "queries": queries})
