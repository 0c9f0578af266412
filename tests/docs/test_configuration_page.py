"""Every configuration key is documented, by a page made from the definitions."""

from __future__ import annotations

import runpy
from pathlib import Path

from sqe.config.config import known_keys

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_page_is_what_the_definitions_say() -> None:
    pages = runpy.run_path(str(DOCS / "generate.py"))["PAGES"]
    for name, make in pages.items():
        assert (DOCS / name).read_text() == make(), f"docs/{name} is old: run `make docs`"


def test_every_key_has_a_line() -> None:
    page = (DOCS / "configuration.md").read_text()
    for path, key in known_keys():
        name = f"`{'.'.join(path)}`"
        if not key.doc:
            assert key.awaits, path
            assert path[0] == "catalog" or f" {name}" in page, path
            continue
        if path[0] != "catalog":
            assert f"| {name} |" in page
        assert key.doc.endswith("."), path
        assert "\n" not in key.doc and len(key.doc) < 110, path
