"""How a name is quoted in SQL as Trino reads it."""

from __future__ import annotations


def quoted(name: str) -> str:
    """In double quotes, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'
