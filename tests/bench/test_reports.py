from __future__ import annotations

import json
import re
import socket
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from sqe.bench.page import write_page
from sqe.bench.plot import bars
from sqe.bench.ratio import ratio
from sqe.bench.reports import read, save, suites
from sqe.bench.run import Outcome, SuiteReport
from sqe.bench.summary import as_text, by_engine, by_query, troubles
from sqe.errors import InvalidArgument


@pytest.fixture
def report() -> SuiteReport:
    return SuiteReport(
        "tpch",
        1.0,
        3,
        ["sqe-auto", "duckdb"],
        "sqe-auto",
        {
            "q01": {
                "sqe-auto": Outcome(2.0, [2.0], 3.0, 10**9, 4, "fast", "why", "PASS"),
                "duckdb": Outcome(1.0, [1.0], 1.5, 10**8, 4, verdict="PASS"),
            },
            "q02": {
                "sqe-auto": Outcome(1.0, [1.0], 1.0, 10**8, 0, "spark", "too large", "VACUOUS"),
                "duckdb": Outcome(2.0, [2.0], 1.0, 10**8, 0, verdict="VACUOUS"),
            },
            "q03": {
                "sqe-auto": Outcome(1.0, [1.0], 1.0, 10**8, 7, "fast", "why", "PASS"),
                "duckdb": Outcome(error="Binder Error"),
            },
        },
    )


def test_a_ratio_counts_what_both_answered(report: SuiteReport) -> None:
    found = ratio([report], "sqe-auto", "duckdb")
    assert found is not None
    assert (found.queries, found.total) == (2, 1.0)
    assert found.mean == pytest.approx(1.0)
    assert (found.highest, found.worst) == (2.0, "tpch q01")
    assert found.cpu == 1.6
    assert ratio([report], "sqe-auto", "pyspark") is None


def test_a_file_keeps_everything(report: SuiteReport, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    save(file, suites=[report.as_json()])
    assert suites(read(file)) == [report]
    assert {"cores", "memory_gb", "duckdb", "pyspark", "python"} <= json.loads(file.read_text())[
        "machine"
    ].keys()
    assert socket.gethostname() not in file.read_text()


@pytest.mark.parametrize("content", ["", "[]", "{}"])
def test_what_is_no_report(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InvalidArgument, match="is no report"):
        read(tmp_path / "x.json")


def test_tables(report: SuiteReport) -> None:
    engines = as_text(by_engine(report)).splitlines()
    assert len(engines) == 4
    assert re.search(
        r"sqe-auto\s+4.00\s+1.00\s+1.00\s+5.00\s+1000\s+3 of 3\s+2\s+reference\s+0\s+1", engines[2]
    )
    assert re.search(r"duckdb\s+3.00\s+1.00\s+1.00\s+2.50\s+100\s+2 of 3\s+1\s+0\s+1", engines[3])
    assert by_query(report)[1][1:] == [
        ["q02", "0", "VACUOUS 1.000", "VACUOUS 2.000"],
        ["q03", "7", "1.000", "ERROR"],
    ]
    assert troubles(report) == ["q02 sqe-auto: spark lane, too large", "q03 duckdb: Binder Error"]


def test_a_page_with_plots(report: SuiteReport, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "benchmarks.md"
    page.parent.mkdir()
    save(tmp_path / "a.json", suites=[report.as_json()])
    save(tmp_path / "b.json", cold=[{"cold process": "sqe", "seconds": 0.5, "ratio": 2.0, "JVM": "no"}])
    write_page([read(tmp_path / "a.json"), read(tmp_path / "b.json")], page)
    text = page.read_text()
    assert "## TPC-H, scale 1" in text and "## Cold processes" in text and "## Ratios" in text
    assert str(tmp_path) not in text
    [image] = re.findall(r"\]\((images/[^)]+)\)", text)
    ElementTree.parse(page.parent / image)


def test_a_plot_leaves_out_what_is_not_known() -> None:
    plot = bars("t <1>", "s", ["q1", "q2"], {"a": [1.0, None], "b": [2.0, 0.0]})
    root = ElementTree.fromstring(plot)
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["q1 a: 1.000", "q1 b: 2.000", "q2 b: 0.000"]
    assert "prefers-color-scheme:dark" in plot
