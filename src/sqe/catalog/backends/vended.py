"""Keys that a REST catalog hands out with a table: for one user, some prefixes, and some time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from sqe.catalog.io import storage as names
from sqe.catalog.io.location import scheme_of
from sqe.catalog.io.places import AllowedPlaces
from sqe.errors import AccessDenied, Unavailable

Raw = dict[str, Any]
# Keys that end within this are renewed: as early as Iceberg's clients ask for the next.
RENEW_SECONDS = 300.0
# After a catalog did not answer, it is asked for the next keys again no earlier.
RETRY_SECONDS = 5.0
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
    the longest prefix of a location go before others; `fetch` gives the next one. `allowed` says which places
    it is believed about. `answered_at`, in seconds since 1970, is now unless it says otherwise."""

    def __init__(
        self,
        answer: Raw,
        configured: Mapping[str, str],
        fetch: Callable[[], Raw],
        *,
        allowed: AllowedPlaces,
        required: bool = False,
        answered_at: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._configured = configured
        self._fetch = fetch
        self._required = required
        self._clock = clock
        self._lock = threading.Lock()
        self._read(answer, clock() if answered_at is None else answered_at)
        # Of the first answer: later ones bring keys, and no other places.
        metadata = answer.get("metadata")
        location = str(metadata.get("location") or "") if isinstance(metadata, dict) else ""
        self.places = allowed.of_table(location, [prefix for prefix, _ in self._by_prefix])

    def __repr__(self) -> str:
        return f"VendedStorage({self.owner})"

    @property
    def owner(self) -> str:
        if self._is_vended:
            return "vended by the catalog"
        return "of the configuration" if names.ACCESS_KEY in self._configured else "none"

    def properties(self, location: str) -> Mapping[str, str]:
        self.places.check(location)
        if scheme_of(location) == "file":
            return {}
        vended = self._vended(location)
        if names.ACCESS_KEY in vended:
            return {**self._configured, **vended}
        if self._required:
            raise AccessDenied(
                "the catalog hands out no keys for the files of the table",
                hint="require_vended_credentials is set for it",
            )
        if names.ACCESS_KEY not in self._configured:
            # Those of a public bucket need none.
            return {**self._configured, **vended}
        # Keys of the configuration go where it says, and nowhere that a catalog names.
        self.places.keys_for(location)
        vended.pop(names.ENDPOINT, None)
        return {**vended, **self._configured}

    def scope(self, location: str) -> str | None:
        if names.ACCESS_KEY not in self._configured or names.ACCESS_KEY in self._vended(location):
            return None
        return self.places.keys_for(location)

    def _vended(self, location: str) -> dict[str, str]:
        with self._lock:
            self._renew_if_due()
            own = next((given for prefix, given in self._by_prefix if location.startswith(prefix)), {})
            return {**self._common, **own}

    def _read(self, answer: Raw, at: float) -> None:
        self._common = _with_end(_of_stores(answer.get("config")), at)
        given = answer.get("storage-credentials")
        pairs = [
            (str(each.get("prefix") or ""), _with_end(_of_stores(each.get("config")), at))
            for each in (given if isinstance(given, list) else ())
            if isinstance(each, dict)
        ]
        self._by_prefix = sorted(pairs, key=lambda pair: -len(pair[0]))
        every = (self._common, *(given for _, given in pairs))
        self._is_vended = any(names.ACCESS_KEY in given for given in every)
        ends = [int(given[names.EXPIRES_AT_MS]) / 1000 for given in every if names.EXPIRES_AT_MS in given]
        self._ends_at = min(ends, default=inf)
        # Short-lived ones are not had anew with every use.
        self._renew_at = self._ends_at - min(RENEW_SECONDS, (self._ends_at - at) / 3) if ends else inf

    def _renew_if_due(self) -> None:
        """A catalog that refuses now ends the use of keys that would hold a little longer; one that does not
        answer does not."""
        now = self._clock()
        if now < self._renew_at:
            return
        try:
            self._read(self._fetch(), self._clock())
        except Unavailable:
            if now >= self._ends_at:
                raise
            self._renew_at = min(now + RETRY_SECONDS, self._ends_at)


def _with_end(given: dict[str, str], at: float) -> dict[str, str]:
    """Of keys that end, when they do: Spark asks for the next by it."""
    if names.SESSION_TOKEN not in given:
        return {key: value for key, value in given.items() if key != names.EXPIRES_AT_MS}
    told = given.get(names.EXPIRES_AT_MS, "")
    ends = told if told.isdigit() else str(int((at + UNTOLD_SECONDS) * 1000))
    return {**given, names.EXPIRES_AT_MS: ends}


def _of_stores(config: object) -> dict[str, str]:
    if not isinstance(config, dict):
        return {}
    return {key: str(value) for key, value in config.items() if key in _TAKEN}
