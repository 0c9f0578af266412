"""Log-ins that an identity provider has just confirmed: clients send the same credentials with every call,
and it must not be asked each time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.auth.tokens import Issued, RenewedTokens

REMEMBERED_SECS = 30.0
MOST_REMEMBERED = 10_000

LogIn = Callable[[], Issued]
Renewing = Callable[[Issued], RenewedTokens]


class _Entry:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tokens: RenewedTokens | None = None
        self.until = 0.0


class RememberedLogIns:
    """By keyed hashes of what was sent. One log-in at a time for the same credentials; those that are
    confirmed again feed the tokens that sessions have already."""

    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = REMEMBERED_SECS if seconds is None else seconds
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def tokens(self, *credentials: str, log_in: LogIn, renewing: Renewing) -> RenewedTokens:
        """`log_in` asks the identity provider, and what it raises is raised; `renewing` makes the tokens of
        a new session there."""
        key = self._key(credentials)
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
        with entry.lock:
            known = entry.tokens
            if known is not None and not known.ended and self._clock() < entry.until:
                return known
            try:
                issued = log_in()
            except BaseException:
                self._forget(key, entry)
                raise
            if known is None or known.ended or known.identity.who != issued.identity.who:
                known = entry.tokens = renewing(issued)
            else:
                known.adopt(issued)
            entry.until = self._clock() + self._seconds
        self._keep(key, entry)
        return known

    def _keep(self, key: bytes, entry: _Entry) -> None:
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > MOST_REMEMBERED:
                self._entries.popitem(last=False)

    def _forget(self, key: bytes, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                del self._entries[key]

    def _key(self, credentials: tuple[str, ...]) -> bytes:
        parts = [hashlib.sha256(part.encode("utf-8", "surrogatepass")).digest() for part in credentials]
        return hmac.digest(self._secret, b"".join(parts), "sha256")
