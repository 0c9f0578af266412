"""The shell while Spark works: warming up, progress, Ctrl-C, paging. One shell for all of them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.terminal import CTRL_C, Terminal

pytestmark = pytest.mark.spark

# Rows at once, and then a search that finds none. Spark sends what a task made when the task has ended.
SOME_AND_ENDLESS = (
    "SELECT sequential_number AS {0} FROM TABLE(sequence(1, 5000)) "
    "UNION ALL SELECT a.sequential_number FROM TABLE(sequence(1, 300000)) a "
    "JOIN TABLE(sequence(1, 3000000)) b ON a.sequential_number + b.sequential_number < 0"
)
ENDLESS = "SELECT count(*) FROM TABLE(sequence(1, 300000)) a CROSS JOIN TABLE(sequence(1, 3000000)) b;"


class Shell(Terminal):
    """With a log of what becomes of its statements."""

    def __init__(self, home: Path) -> None:
        self._log = home / "events.json"
        config = home / "sqe.toml"
        config.write_text(f'[events]\nlog_path = "{self._log}"\n[engine]\nlane = "spark"\n')
        super().__init__(home, "--memory", "--memory-limit", "1g", "--config", str(config))
        self.until_prompt()

    def children(self) -> list[str]:
        """The commands of the processes that the shell has started, but for that of the fast lane."""
        listed = subprocess.run(["ps", "-A", "-o", "ppid=,args="], capture_output=True, text=True, check=True)
        rows = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
        return [row[1] for row in rows if row[0] == str(self.process.pid) and " -I -S -c " not in row[1]]

    def failure(self, text: str) -> str | None:
        """The code with which the statement of that text has failed."""
        events = [json.loads(line) for line in self._log.read_text().splitlines()]
        (statement,) = [e["statement_id"] for e in events if e["event"] == "received" and text in e["text"]]
        failed = [e["code"] for e in events if e["event"] == "failed" and e["statement_id"] == statement]
        return failed[0] if failed else None


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with Shell(tmp_path_factory.mktemp("home")) as shell:
        yield shell
        assert shell.leave() == 0


@pytest.fixture(autouse=True)
def at_the_prompt(shell: Shell) -> Iterator[None]:
    """Also after a test that failed."""
    yield
    if not shell.at_prompt():
        shell.type(f"q{CTRL_C}")
        shell.until_prompt()


def test_typing_a_write_starts_spark_and_typing_a_show_does_not(shell: Shell) -> None:
    shell.type("SHOW TABLES FROM ")
    shell.until("FROM")
    shell.type(CTRL_C)
    shell.until_prompt()
    shell.run(".tables")
    assert shell.children() == []
    shell.type("INSERT INTO ")
    shell.wait(lambda: bool(shell.children()), "Spark is not started")
    shell.type(CTRL_C)
    shell.until_prompt()


def test_waiting_for_spark_is_said_and_the_answer_comes(shell: Shell) -> None:
    shell.run(".timer on")
    shell.run("SELECT 1 AS one,", until="...>")
    seen = shell.run(" NULL AS nothing;")
    assert "│     one │ nothing │\n│ integer │ unknown │\n" in seen
    assert "│       1 │ NULL    │\n" in seen
    assert "(1 row)\nTime: " in seen and " s (spark)\nsqe>" in seen
    assert b"starting Spark, " in shell.everything
    shell.run(".timer off")


def test_progress_and_an_interrupt_that_keeps_the_shell(shell: Shell) -> None:
    shell.run(ENDLESS, until=" tasks, ")
    bar = re.compile(r"^\[[#.]{24}\] \d+/\d+ tasks, \d+ s$", re.MULTILINE)
    assert bar.search(shell.text)
    shell.resize(36, 30)
    bar = re.compile(r"^\[[#.]{4,20}\] \d+/\d+ tasks, \d+ s$", re.MULTILINE)
    shell.wait(lambda: bar.search(shell.text) is not None, "the bar keeps its width")
    shell.resize(100, 30)
    shell.type(CTRL_C * 3)  # the impatient must not undo it
    seen = shell.until_prompt()
    assert "error: [USER_CANCELED] the statement was cancelled\nsqe>" in seen
    assert "tasks" not in seen
    shell.wait(lambda: shell.failure(ENDLESS[:-1]) == "USER_CANCELED", "it was not cancelled")
    assert "│      42 │" in shell.run("SELECT 6 * 7 AS n;")


def test_a_pager_shows_rows_before_all_are_there_and_leaving_it_cancels_the_rest(shell: Shell) -> None:
    many = SOME_AND_ENDLESS.format("n")
    seen = shell.run(f"{many};", until="\n:")
    assert " 1 │" in seen
    shell.type("q")
    shell.until_prompt()
    shell.wait(lambda: shell.failure(many) == "USER_CANCELED", "it was not cancelled")


def test_an_interrupt_in_the_pager_cancels_and_keeps_both(shell: Shell) -> None:
    many = SOME_AND_ENDLESS.format("m")
    shell.run(f"{many};", until="\n:")
    shell.type(CTRL_C)
    shell.wait(lambda: shell.failure(many) == "USER_CANCELED", "it was not cancelled")
    shell.type("q")
    assert "error: [USER_CANCELED]" in shell.until_prompt()


def test_an_error_of_spark_keeps_the_shell(shell: Shell) -> None:
    seen = shell.run("SELECT 1 / (1 - 1) AS x FROM TABLE(sequence(1, 2));")
    assert "error: [DIVISION_BY_ZERO]" in seen
