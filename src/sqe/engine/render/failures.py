"""Errors of our own that rendered SQL raises when it runs.

While a statement is put together such an error is a token, which no template and no search takes for SQL.
The call that it belongs to tells it where in the user's statement it arises, or TRY puts NULL in its place;
it becomes SQL when the statement is whole. No text of a user's can hold such a token (quoting.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqe.errors import Position
from sqe.foundation.record import record

_MARK = "\x11"
# What other searches could take for SQL. (Not urllib's: a cold start would load it for this alone.)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~ -]")
_ESCAPED = re.compile(r"(?:%[0-9A-F]{2})+")
_TOKEN = re.compile(rf"{_MARK}(?:@(\d+):(\d+))?:([A-Z_]+):([^{_MARK}]*){_MARK}")


@record
class Failure:
    """`str()` of it may stand in a rendering wherever an expression may."""

    code: str
    message: str
    position: Position | None = None

    def __str__(self) -> str:
        place = "" if self.position is None else f"@{self.position}"
        return f"{_MARK}{place}:{self.code}:{_escape(self.message)}{_MARK}"

    @property
    def text(self) -> str:
        """What the engine says when it fails; read by the errors.py of each engine."""
        place = "" if self.position is None else f"@{self.position}"
        return f"SQE{place}:{self.code}:{self.message}"


def replace_failures(sql: str, change: Callable[[Failure], object]) -> str:
    if _MARK not in sql:
        return sql

    def changed(token: re.Match[str]) -> str:
        position = Position(int(token[1]), int(token[2])) if token[1] else None
        return str(change(Failure(token[3], _unescape(token[4]), position)))

    return _TOKEN.sub(changed, sql)


def located(sql: str, position: Position) -> str:
    """The failures that have no place yet arise here."""
    return replace_failures(sql, lambda f: f if f.position else Failure(f.code, f.message, position))


def silenced(sql: str) -> str:
    """NULL in the place of failures, as TRY wants it; not of what cannot be computed here, which has another
    answer than NULL."""
    return replace_failures(sql, lambda f: f if f.code == "NOT_SUPPORTED" else "NULL")


def may_fail(sql: str) -> bool:
    return _MARK in sql


def _escape(message: str) -> str:
    return _UNSAFE.sub(lambda unsafe: "".join(f"%{byte:02X}" for byte in unsafe[0].encode()), message)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode(), text)
