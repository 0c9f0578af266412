"""The suites' queries, one file each, in our dialect."""

from __future__ import annotations

from importlib import resources


def queries(suite: str) -> dict[str, str]:
    """The queries of a suite by name: q01, q02, ..."""
    folder = resources.files(__package__) / suite
    found = {
        f.name.removesuffix(".sql"): f.read_text(encoding="utf-8")
        for f in folder.iterdir()
        if f.name.endswith(".sql")
    }
    return dict(sorted(found.items()))
