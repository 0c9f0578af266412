"""The lock pins every package by hash and names no host."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-build.lock"])
def test_only_packages_and_hashes(name: str) -> None:
    text = (ROOT / name).read_text().replace("\\\n", " ")
    for line in text.splitlines():
        assert re.fullmatch(r"[a-z0-9.-]+==[^ ;]+(\s+--hash=sha256:[0-9a-f]{64})+", line), line[:80]


def test_every_dependency_is_pinned_in_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    pinned = set(re.findall(r"^([a-z0-9.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    for requirement in wanted:
        match = re.match(r"[A-Za-z0-9.-]+", requirement)
        assert match is not None and match[0].lower() in pinned, requirement
