"""The far end of one call, as the door of that call knows it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Protocol


class Client(Protocol):
    """One for each call."""

    @property
    def connection(self) -> str:
        """The address with its port, which tells connections from one another."""
        ...

    @property
    def host(self) -> str:
        """The address without its port, which is another one each time."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names in lower case."""
        ...

    @property
    def session_cookie(self) -> str | None: ...

    def keep_cookie(self, value: str) -> None:
        """Tells the client the cookie of the session that was made for it."""
        ...

    def when_gone(self, act: Callable[[], None]) -> threading.Event:
        """Acts if the client ends the call before the event is set."""
        ...

    @property
    def is_late(self) -> bool:
        """Whether the call ends because of a deadline that the client gave it."""
        ...

    def cancel(self) -> None:
        """Ends the call."""
        ...
