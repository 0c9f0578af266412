"""Starts Spark while a statement that will need it is still being typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.cli.tokens import tokens

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection

_WRITES = {"INSERT", "UPDATE", "DELETE", "MERGE"}
_QUERIES = {"SELECT", "WITH"}


class WarmUp:
    """Once: a server that was ended on purpose, or could not start, is left alone."""

    def __init__(self, connection: BaseConnection[Any]) -> None:
        self._connection = connection
        self._done = False

    def typed(self, text: str) -> None:
        if self._done or not needs_engine(text):
            return
        self._done = True
        self._connection.warm_up()


def needs_engine(text: str) -> bool:
    """Whether some statement of the text writes rows. Most reads are for the fast lane."""
    words: list[str] = []
    for token in tokens(text):
        if token.kind == "mark" and token.text == ";":
            words = []
            continue
        # The word that is being typed may become another.
        if token.end < len(text):
            words.append(token.upper)
            if _is_enough(words):
                return True
    return False


def _is_enough(words: list[str]) -> bool:
    first, last = words[0], words[-1]
    if first in _WRITES:
        return True
    return first == "CREATE" and "TABLE" in words[:4] and last in _QUERIES and "AS" in words[3:]
