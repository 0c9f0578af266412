"""What a server asks of a door: a wire format on a port of its own."""

from __future__ import annotations

from typing import Protocol


class Door(Protocol):
    """`name` is its part of readiness. One that `takes_statements` opens when they can be run, and closes
    before what runs them; the others answer operators before and after that."""

    name: str
    takes_statements: bool

    @property
    def port(self) -> int | None:
        """The one that is open, None before `start` or where none is configured."""
        ...

    def start(self) -> None:
        """The port is open when this returns."""
        ...

    def drain(self) -> None:
        """Tells whoever asks that this server is about to go; calls are answered still."""
        ...

    def close(self, grace: float = 0) -> None:
        """Calls that run get `grace` seconds. More than once does no harm."""
        ...
