from __future__ import annotations

from pathlib import Path

from sqe.cli.arguments import FORMATS, parser

PAGE = (Path(__file__).parent.parent.parent / "docs" / "cli.md").read_text()


def test_every_flag_is_on_the_page() -> None:
    for action in parser("sqe")._actions:
        for name in action.option_strings:
            assert f"`{name}" in PAGE or f" {name}" in PAGE, name


def test_every_format_is_on_the_page() -> None:
    for name in FORMATS:
        assert f"`{name}`" in PAGE
