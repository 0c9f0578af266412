"""Each configuration of docs/catalogs.md is one that starts, and mounts what it says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sqe.catalog.mount import from_config
from sqe.config.catalogs import BUILT_CATALOG_TYPES
from sqe.config.config import load

PAGE = (Path(__file__).parent.parent.parent / "docs" / "catalogs.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_mounted(tmp_path: Path, example: str) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text(example)
    catalogs = from_config(load(path, {}))
    assert catalogs.names() == sorted(tomllib.loads(example)["catalogs"])
    catalogs.close()


def test_every_type_has_an_example() -> None:
    shown = {re.search(r'type = "(\w+)"', line) for line in PAGE.splitlines()}
    assert {found[1] for found in shown if found} >= BUILT_CATALOG_TYPES
