"""Functions that stand in FROM, and that the binder makes other relations of: none has a rendering."""

from __future__ import annotations

from sqe.functions.function import Function

FUNCTIONS = (
    Function(
        "exclude_columns",
        "table",
        ("(T, varchar) -> T",),
        True,
        "TABLE(exclude_columns(TABLE(t), DESCRIPTOR(a, b))): a table without some of its columns",
    ),
)
