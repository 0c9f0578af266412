"""`sqe bench` from end to end, on a small suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqe.bench.command import parser
from sqe.cli.main import sqe


def bench(directory: Path, *words: str) -> int:
    return sqe(["bench", *words, "--dir", str(directory)])


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        sqe(["bench", "--help"])
    told = capsys.readouterr().out
    for command in ("generate", "load", "run", "ratio", "report"):
        assert f"    {command} " in told


def test_every_command_and_flag_is_on_the_page() -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "cli.md").read_text()
    (commands,) = (action.choices for action in parser()._actions if isinstance(action.choices, dict))
    for name, flags in commands.items():
        assert f"sqe bench {name}" in page
        for action in flags._actions:
            for option in action.option_strings:
                assert f"`{option}" in page or f" {option}" in page, f"{name} {option}"


def test_run_and_what_follows(
    directory: Path,
    scale: float,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "--suite", "ssb", "--scale", str(scale), "--engines", "duckdb", "--runs", "2"]
    assert bench(directory, *words, "--json", "r.json", "--query", "q1.1", "--query", "q4.1") == 0
    assert "2 of 2" in capsys.readouterr().out
    content = json.loads(Path("r.json").read_text())
    [suite] = content["suites"]
    outcome = suite["queries"]["q1.1"]["duckdb"]
    assert outcome["rows"] == 1 and outcome["verdict"] == "PASS" and len(outcome["runs"]) == 2
    assert str(directory) not in Path("r.json").read_text()

    assert sqe(["bench", "ratio", "r.json", "--engine", "duckdb", "--against", "duckdb"]) == 0
    assert "ssb: duckdb takes 1.000 times as long as duckdb in total" in capsys.readouterr().out
    same = ["bench", "ratio", "r.json", "--engine", "duckdb", "--against", "duckdb"]
    assert sqe([*same, "--at-most", "0.9"]) == 1
    assert sqe(["bench", "ratio", "r.json"]) == 1

    assert sqe(["bench", "report", "r.json", "--page", "page.md"]) == 0
    assert "Star Schema Benchmark, scale 0.001" in Path("page.md").read_text()
    assert [file.name for file in Path("images").iterdir()] == ["bench-1-ssb.svg"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "--engines", "duckdb,oracle"], "there is no engine 'oracle'"),
        (["run", "--suite", "ssb", "--query", "q99"], "ssb has no query q99"),
        (["run", "--engines", "duckdb", "--reference", "pyspark"], "not among the engines"),
        (["generate", "--suite", "ssb", "--scale", "-1"], "a scale is 0 or more"),
    ],
)
def test_what_cannot_be_run(
    directory: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(directory, *words) == 1
    assert says in capsys.readouterr().err
