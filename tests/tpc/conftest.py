"""The count of queries that were empty on both sides, which agree but show little."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        dict(r.user_properties)
        for r in terminalreporter.getreports("passed")
        if "vacuous" in dict(r.user_properties)
    ]
    if reports:
        vacuous = sum(bool(r["vacuous"]) for r in reports)
        terminalreporter.write_line(
            f"TPC-H and TPC-DS: {len(reports)} answers equal to DuckDB's, {vacuous} of them vacuous (no rows)"
        )
