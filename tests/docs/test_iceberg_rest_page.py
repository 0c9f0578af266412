"""docs/iceberg-rest.md: its configuration opens the door, and its Python reads through it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.doors.iceberg.iceberg_door import KEYS, opened_door

from sqe.config.config import load

PAGE = (Path(__file__).parents[2] / "docs" / "iceberg-rest.md").read_text()


def _block(language: str) -> str:
    block = re.search(f"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    return block[1]


def test_the_configuration_opens_the_door(tmp_path: Path) -> None:
    config = tmp_path / "sqe.toml"
    config.write_text(_block("toml").replace("sha256:…", f"sha256:{'0' * 64}"))
    assert load(config, {}).server.iceberg_rest_port == 8181


def test_the_python_runs(tmp_path: Path) -> None:
    with opened_door(tmp_path) as (_, url):
        names: dict[str, object] = {"KEY": KEYS["ann"]}
        exec(_block("py").replace("http://127.0.0.1:8181", url), names)
        catalog = names["catalog"]
        assert catalog.list_namespaces() == [("default",)]  # type: ignore[attr-defined]
