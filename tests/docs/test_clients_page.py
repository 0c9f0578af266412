"""docs/clients.md: its Python runs, its command runs, its configuration is one."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.trino.client_programs import cli
from tests.clients.trino.conftest import shop, trino_client
from tests.doors.trino.trino_door import Opened

from sqe.config.config import load

__all__ = ["shop", "trino_client"]

PAGE = (Path(__file__).parents[2] / "docs" / "clients.md").read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(f"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_configuration(tmp_path: Path) -> None:
    [block] = _blocks("toml")
    config = tmp_path / "sqe.toml"
    config.write_text(block)
    assert load(config, {}).security.trusted_proxies == ("10.0.0.0/8",)


@pytest.mark.trino
@pytest.mark.parametrize("block", _blocks("py"), ids=["python", "sqlalchemy"])
def test_the_python(block: str, shop: Opened, trino_client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = block.replace("localhost:8080", f"127.0.0.1:{shop.port}")
    text = text.replace('host="localhost", port=8080', f'host="127.0.0.1", port={shop.port}')
    exec(text, {})
    said = capsys.readouterr().out
    assert "42.50" in said or said.startswith("3\n")


@pytest.mark.trino
def test_the_command(shop: Opened) -> None:
    [block] = _blocks("sh")
    words = shlex.split(block)
    command = cli(shop.port, *words[words.index("--catalog") :])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == '"1"\n'
