"""The keys that an identity provider signs with: which of them a token names, and by which algorithms."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jwt

from sqe.auth.oidc.fetched import Fetched
from sqe.foundation.record import record

# Asymmetric alone: with a shared secret whoever can check a token could make one.
ALGORITHMS: dict[str, tuple[str, ...]] = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
MOST_KEYS = 100
# A key that was not there is not looked for again for this long.
UNKNOWN_SECONDS = 60.0
MOST_UNKNOWN = 1000


@record
class SigningKey:
    id: str | None
    algorithms: tuple[str, ...]
    key: Any


class SigningKeys:
    """Of one identity provider. A key that is not known is fetched, but somebody who makes names of keys up
    does not cause requests: see LEAST_SECONDS and UNKNOWN_SECONDS."""

    def __init__(
        self, fetch: Callable[[], Mapping[str, object]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keys = Fetched(lambda: read_keys(fetch()), clock=clock)
        self._clock = clock
        self._lock = threading.Lock()
        self._unknown: OrderedDict[str, float] = OrderedDict()

    def find(self, key_id: str | None) -> SigningKey | None:
        """A token without a key's name is for an identity provider that has one key."""
        keys = self._keys.get()
        key = _named(keys, key_id)
        if key is not None or key_id is None or self._is_known_to_be_absent(key_id):
            return key
        newer = self._keys.newer_than(keys)
        key = None if newer is None else _named(newer, key_id)
        if key is None and newer is not None:
            self._remember_absent(key_id)
        return key

    def _is_known_to_be_absent(self, key_id: str) -> bool:
        with self._lock:
            return self._unknown.get(key_id[:256], 0.0) > self._clock()

    def _remember_absent(self, key_id: str) -> None:
        with self._lock:
            self._unknown[key_id[:256]] = self._clock() + UNKNOWN_SECONDS
            while len(self._unknown) > MOST_UNKNOWN:
                self._unknown.popitem(last=False)


def read_keys(document: Mapping[str, object]) -> Sequence[SigningKey]:
    """Those of a JSON Web Key Set that can check a signature; the others are somebody else's."""
    rows = document.get("keys")
    keys = []
    for row in rows[:MOST_KEYS] if isinstance(rows, list) else ():
        if not isinstance(row, dict) or row.get("use", "sig") != "sig":
            continue
        algorithms = ALGORITHMS.get(str(row.get("kty")), ())
        if "alg" in row:
            algorithms = tuple(name for name in algorithms if name == row["alg"])
        key_id = row.get("kid")
        if not algorithms or not isinstance(key_id, str | None):
            continue
        try:
            key = jwt.PyJWK({**row, "alg": algorithms[0]}).key
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        keys.append(SigningKey(key_id, algorithms, key))
    return keys


def _named(keys: Sequence[SigningKey], key_id: str | None) -> SigningKey | None:
    matching = [key for key in keys if key_id is None or key.id == key_id]
    return matching[0] if len(matching) == 1 else None
