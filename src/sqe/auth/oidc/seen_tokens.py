"""Tokens that were verified a moment ago, by keyed hashes: a client sends its token with every call, and the
arithmetic takes longer than the rest of a log-in."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.auth.oidc.verifier import issuer_of
from sqe.foundation.record import record
from sqe.session import Identity

# For this long nobody looks whether the issuer has withdrawn its key.
SEEN_SECS = 30.0
MOST_SEEN = 10_000


@record
class SeenToken:
    """Who it was, and until when it holds, in seconds since 1970."""

    identity: Identity
    expires_at: float


class SeenTokens:
    """Of one issuer, each verified by `verify` when it comes first, and again after a while."""

    def __init__(
        self,
        issuer: str,
        verify: Callable[[str], SeenToken],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        self._verify = verify
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._until: OrderedDict[bytes, tuple[float, SeenToken]] = OrderedDict()
        self._lock = threading.Lock()

    def verified(self, token: str) -> SeenToken | None:
        """None for a token of another issuer. AuthenticationFailed, Unavailable."""
        seen = self._find(token)
        if seen is None and issuer_of(token) == self._issuer:
            seen = self._verify(token)
            self._add(token, seen)
        return seen

    def _find(self, token: str) -> SeenToken | None:
        until, seen = self._until.get(self._key(token), (0.0, None))
        return seen if seen is not None and self._clock() < until and time.time() < seen.expires_at else None

    def _add(self, token: str, seen: SeenToken) -> None:
        with self._lock:
            key = self._key(token)
            self._until[key] = self._clock() + SEEN_SECS, seen
            self._until.move_to_end(key)
            while len(self._until) > MOST_SEEN:
                self._until.popitem(last=False)

    def _key(self, token: str) -> bytes:
        return hashlib.blake2b(
            token.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=32
        ).digest()
