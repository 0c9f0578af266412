"""Keys that a REST catalog hands out with a table: for one user, some prefixes, and some time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from sqe.catalog.io import storage as names
from sqe.errors import AccessDenied

Raw = dict[str, Any]
# Keys that end within this are renewed.
RENEW_SECONDS = 120.0
# Of those whose end is not told: no service makes them for less.
UNTOLD_SECONDS = 900.0
# Others name classes, or have requests signed by the catalog.
_TAKEN = frozenset(
    (
        *(names.ENDPOINT, names.REGION, names.PATH_STYLE),
        *(names.ACCESS_KEY, names.SECRET_KEY, names.SESSION_TOKEN, names.EXPIRES_AT_MS),
    )
)


class VendedStorage:
    """`configured` is what the configuration says of stores. `answer` is the catalog's, in which the keys of
    the longest prefix of a location go before others; `fetch` gives the next one."""

    def __init__(
        self,
        answer: Raw,
        configured: Mapping[str, str],
        fetch: Callable[[], Raw],
        *,
        required: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._configured = configured
        self._fetch = fetch
        self._required = required
        self._clock = clock
        self._lock = threading.Lock()
        self._read(answer)

    def __repr__(self) -> str:
        return f"VendedStorage({self.owner})"

    @property
    def owner(self) -> str:
        return "vended by the catalog" if self._is_vended else "of the configuration"

    def properties(self, location: str) -> Mapping[str, str]:
        with self._lock:
            self._renew_if_due()
            own = next((given for prefix, given in self._by_prefix if location.startswith(prefix)), {})
            properties = {**self._configured, **self._common, **own}
        if self._required and not (names.ACCESS_KEY in self._common or names.ACCESS_KEY in own):
            raise AccessDenied(
                "the catalog hands out no keys for the files of the table",
                hint="require_vended_credentials is set for it",
            )
        return properties

    def _read(self, answer: Raw) -> None:
        self._common = _of_stores(answer.get("config"))
        given = answer.get("storage-credentials")
        pairs = [
            (str(each.get("prefix") or ""), _of_stores(each.get("config")))
            for each in (given if isinstance(given, list) else ())
            if isinstance(each, dict)
        ]
        self._by_prefix = sorted(pairs, key=lambda pair: -len(pair[0]))
        every = (self._common, *(given for _, given in pairs))
        self._is_vended = any(names.ACCESS_KEY in given for given in every)
        now = self._clock()
        lifetimes = [_lifetime(given, now) for given in every if names.SESSION_TOKEN in given]
        # Short-lived ones are not had anew with every use.
        self._renew_at = now + min((life - min(RENEW_SECONDS, life / 3) for life in lifetimes), default=inf)

    def _renew_if_due(self) -> None:
        if self._clock() >= self._renew_at:
            self._read(self._fetch())


def _lifetime(given: Mapping[str, str], now: float) -> float:
    told = given.get(names.EXPIRES_AT_MS, "")
    return int(told) / 1000 - now if told.isdigit() else UNTOLD_SECONDS


def _of_stores(config: object) -> dict[str, str]:
    if not isinstance(config, dict):
        return {}
    return {key: str(value) for key, value in config.items() if key in _TAKEN}
