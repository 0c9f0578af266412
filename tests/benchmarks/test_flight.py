"""`python -m benchmarks.flight` from end to end, on sizes at which it measures nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.flight.__main__ import main

from sqe.bench.page import write_page
from sqe.bench.reports import read

PARTS = ("start", "stream", "end-to-end", "small", "latency", "idle")


@pytest.mark.spark
def test_every_part_has_its_table_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, page = tmp_path / "r.json", tmp_path / "page.md"
    words = ["--size", "0.001", "--seconds", "0.2", "--runs", "1", "--connections", "2", "--idle", "2"]
    words += ["--sessions", "1", "2", "--without-spark", "--json", str(report)]
    assert main([*words, "--dir", str(tmp_path / "kept")]) == 0
    assert "pyarrow's server, from memory" in capsys.readouterr().out
    tables = json.loads(report.read_text())["flight"]
    assert tuple(sorted(tables)) == tuple(sorted(PARTS))
    assert tables["stream"][0]["GB"] == pytest.approx(0.001, abs=0.01)
    assert [line["sessions"] for line in tables["latency"]] == [1, 2]
    assert all(line["queries a second"] > 0 for line in tables["latency"])
    assert tables["idle"][0]["after, MB"] > 0

    write_page([read(report)], page)
    text = page.read_text()
    assert "## Flight SQL" in text and "ADBC, 4 calls: the same point query" in text
    assert str(tmp_path) not in text


@pytest.mark.spark
def test_a_session_is_small(tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    words = ["--part", "idle", "--idle", "20", "--without-spark", "--json", str(report)]
    assert main([*words, "--dir", str(tmp_path / "kept")]) == 0
    [line] = json.loads(report.read_text())["flight"]["idle"]
    assert line["idle sessions"] == 20 and line["a session, MB"] < 10
