"""Two users of a catalog, and tokens that they ask it with."""

from __future__ import annotations

from sqe.session import Identity

ALICE, BOB = Identity("alice"), Identity("bob")


class Tokens:
    """Of a user, of which each is good until it is refused."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = list(tokens)

    def current(self) -> str:
        return self._tokens[0]

    def renewed_after(self, refused: str) -> str | None:
        if refused == self._tokens[0] and len(self._tokens) > 1:
            self._tokens.pop(0)
            return self._tokens[0]
        return None
