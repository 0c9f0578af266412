"""Failed log-ins are limited by user and by address.

Only failures count, for a minute each, and no success takes one back: else whoever has an account could
guess at others' without end. A user who has logged in from an address before is stopped there by their
own failures alone, so that strangers cannot lock them out.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import unquote

from sqe.errors import LimitExceeded
from sqe.foundation.record import record

MINUTE = 60.0
LONGEST_WAIT = 10.0
KEY = "rate_limit.auth_attempts_per_minute"


@record
class Attempt:
    """One that was let through: what it is counted for, and which of that bounds it."""

    peer: bytes
    user: bytes
    both: bytes
    bounds: tuple[bytes, ...]


class Limiter:
    """`keys` bounds the memory: the counts that were not asked for longest are forgotten."""

    def __init__(
        self, per_minute: int, *, keys: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = per_minute
        self._keys = keys
        self._clock = clock
        # What is counted is kept by keyed hashes, each as short as the next: no names, no tokens.
        self._secret = secrets.token_bytes(32)
        self._failures: OrderedDict[bytes, deque[float]] = OrderedDict()
        self._accepted: OrderedDict[bytes, None] = OrderedDict()
        self._running: Counter[bytes] = Counter()
        self._settled = threading.Condition()

    def begin(self, peer: str, user: str) -> Attempt:
        """LimitExceeded, if there were too many failures. Attempts that run count as failures until they
        are known: those beyond the limit wait for them, so that many at once are no way around it."""
        place = network(peer)
        keys = self._key("peer", place), self._key("user", user), self._key("both", place, user)
        deadline = time.monotonic() + LONGEST_WAIT
        with self._settled:
            while True:
                bounds = keys[2:] if keys[2] in self._accepted else keys[:2]
                for key in bounds:
                    self._check(key)
                if all(self._count(key) + self._running[key] < self._most for key in bounds):
                    self._running.update(bounds)
                    return Attempt(*keys, bounds)
                if not self._settled.wait(max(0.0, deadline - time.monotonic())):
                    raise _exceeded(self._most, 1)

    def end(self, attempt: Attempt, *, accepted: bool | None) -> None:
        """None: nobody could say, which counts for nothing."""
        with self._settled:
            self._running.subtract(attempt.bounds)
            for key in attempt.bounds:
                if self._running[key] <= 0:
                    del self._running[key]
            if accepted:
                self._accepted[attempt.both] = None
                self._accepted.move_to_end(attempt.both)
                if len(self._accepted) > self._keys:
                    self._accepted.popitem(last=False)
            elif accepted is not None:
                for key in (attempt.peer, attempt.user, attempt.both):
                    self._failures.setdefault(key, deque()).append(self._clock())
                    self._failures.move_to_end(key)
                while len(self._failures) > self._keys:
                    self._failures.popitem(last=False)
            self._settled.notify_all()

    def __len__(self) -> int:
        """Counts that are kept."""
        return len(self._failures) + len(self._accepted) + len(self._running)

    def _key(self, *parts: str) -> bytes:
        digest = hashlib.blake2b(key=self._secret, digest_size=16)
        for part in parts:
            content = part.encode("utf-8", "surrogatepass")
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.digest()

    def _count(self, key: bytes) -> int:
        """Failures of the last minute."""
        failures = self._failures.get(key)
        if failures is None:
            return 0
        while failures and failures[0] <= self._clock() - MINUTE:
            failures.popleft()
        if failures:
            self._failures.move_to_end(key)
        else:
            del self._failures[key]
        return len(failures)

    def _check(self, key: bytes) -> None:
        count = self._count(key)
        if count >= self._most:
            # When so many are old enough that one more fits.
            freed = self._failures[key][count - self._most] + MINUTE
            raise _exceeded(self._most, max(1, math.ceil(freed - self._clock())))


def network(peer: str) -> str:
    """Where a peer is: without its port, and of IPv6 the network, of which one machine has all addresses.

    `192.0.2.1`, `192.0.2.1:5000`, `[2001:db8::1]:5000`, and as gRPC says it, `ipv6:%5B2001:db8::1%5D:5000`.
    """
    text = unquote(peer)
    host = text.removeprefix("ipv4:").removeprefix("ipv6:")
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
    return str(address)


def _exceeded(most: int, seconds: int) -> LimitExceeded:
    return LimitExceeded(
        f"too many failed log-ins: {KEY} is {most}",
        code="TOO_MANY_ATTEMPTS",
        hint=f"try again in {seconds} second{'s' if seconds > 1 else ''}",
    )
