"""Every function is documented, by a page made from the registry."""

from __future__ import annotations

from pathlib import Path

from sqe.functions import registry

PAGE = (Path(__file__).parent.parent.parent / "docs" / "functions.md").read_text()


def test_every_function_has_a_row() -> None:
    for name in registry.names():
        assert f"`{name}(" in PAGE, name
        function = registry.lookup(name)
        assert function is not None and function.help
