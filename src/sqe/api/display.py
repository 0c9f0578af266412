"""A cursor as people see it: in a notebook, and at a Python prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqe.api.dbapi import Column

if TYPE_CHECKING:
    from sqe.api.protocols import RunningStatement

ROWS = 20
CHARACTERS = 200


def column_list(columns: Sequence[Column]) -> str:
    return ", ".join(f"{column.name} {column.type_code}" for column in columns)


def outcome(statement: RunningStatement | None) -> str:
    """What became of a statement that returns no rows."""
    if statement is None:
        return "nothing was executed"
    if statement.error is not None:
        return f"{statement.kind or 'the statement'} failed: {statement.error.code}"
    return statement.kind + ("" if statement.updated is None else f": {_rows(statement.updated)}")


def html_text(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def html_table(columns: Sequence[Column], rows: Iterable[tuple[Any, ...]]) -> str:
    """The first rows, with the types in the head."""
    shown = list(islice(rows, ROWS + 1))
    head = "".join(f"<th>{escape(c.name)}<br><small>{escape(c.type_code)}</small></th>" for c in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown[:ROWS])
    count = f"the first {ROWS} rows; there are more" if len(shown) > ROWS else _rows(len(shown))
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        f'<tfoot><tr><td colspan="{len(columns)}">{count}</td></tr></tfoot></table>'
    )


def _rows(count: int) -> str:
    return f"{count} row{'' if count == 1 else 's'}"


def _cell(value: Any) -> str:
    if value is None:
        return "<td><em>NULL</em></td>"
    text = value.hex() if isinstance(value, bytes) else str(value)
    if len(text) > CHARACTERS:
        text = text[:CHARACTERS] + "…"
    align = ' style="text-align: right"' if _is_number(value) else ""
    return f"<td{align}>{escape(text)}</td>"


def _is_number(value: Any) -> bool:
    from decimal import Decimal

    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
