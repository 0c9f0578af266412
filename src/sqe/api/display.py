"""A cursor as people see it: in a notebook, and at a Python prompt."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqe.api.values import rows

if TYPE_CHECKING:
    from sqe.api.cursor import Cursor

ROWS = 20
CHARACTERS = 200


def one_line(cursor: Cursor) -> str:
    if cursor.closed:
        return "<sqe.Cursor, closed>"
    statement = cursor.statement
    if statement is None:
        return "<sqe.Cursor>"
    columns = cursor.description
    if columns is None:
        return f"<sqe.Cursor: {_outcome(cursor)}>"
    return f"<sqe.Cursor: {', '.join(f'{c.name} {c.type_code}' for c in columns)}>"


def as_html(cursor: Cursor) -> str:
    """The first rows, with the types in the head. The cursor stays where it is."""
    columns = cursor.description
    if cursor.closed or columns is None:
        return f"<pre>{escape(_outcome(cursor) if not cursor.closed else one_line(cursor))}</pre>"
    shown = list(islice(_first_rows(cursor), ROWS + 1))
    head = "".join(f"<th>{escape(c.name)}<br><small>{escape(c.type_code)}</small></th>" for c in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown[:ROWS])
    count = f"the first {ROWS} rows; there are more" if len(shown) > ROWS else _rows(len(shown))
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        f'<tfoot><tr><td colspan="{len(columns)}">{count}</td></tr></tfoot></table>'
    )


def _first_rows(cursor: Cursor) -> Any:
    assert cursor.statement is not None and cursor.statement.result is not None
    fields = cursor.statement.result.fields
    for batch in cursor.fetch_record_batches():
        yield from rows(batch.slice(0, ROWS + 1), fields)


def _outcome(cursor: Cursor) -> str:
    statement = cursor.statement
    if statement is None:
        return "nothing was executed"
    if statement.error is not None:
        return f"{statement.kind or 'the statement'} failed: {statement.error.code}"
    count = "" if cursor.rowcount < 0 else f": {_rows(cursor.rowcount)}"
    return f"{cursor.update_type}{count}"


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
