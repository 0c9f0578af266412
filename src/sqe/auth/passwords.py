"""Passwords as they are kept: scrypt, in the form `$scrypt$ln=14,r=8,p=5$salt$hash` that others read too."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import threading
import unicodedata

from sqe.foundation.record import record


@record
class Cost:
    """What one attempt costs: memory is 128 * r * 2 ** ln bytes, and time is p times that."""

    ln: int
    r: int
    p: int


# 16 MB: many log-ins at once must not fill the memory; five rounds make up for what is saved there.
COST = Cost(ln=14, r=8, p=5)
_HASH = re.compile(
    r"\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{43})"
)
_MOST_MEMORY = 256 << 20
# Attempts wait for each other before they take the machine from the statements.
_slots = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))


@record
class PasswordHash:
    cost: Cost
    salt: bytes
    digest: bytes

    def __repr__(self) -> str:
        return f"PasswordHash(cost={self.cost!r})"

    def __str__(self) -> str:
        cost = self.cost
        return f"$scrypt$ln={cost.ln},r={cost.r},p={cost.p}${_text(self.salt)}${_text(self.digest)}"

    def matches(self, password: str) -> bool:
        return hmac.compare_digest(_scrypt(password, self.salt, self.cost), self.digest)


def hash_password(password: str, cost: Cost = COST) -> PasswordHash:
    salt = secrets.token_bytes(16)
    return PasswordHash(cost, salt, _scrypt(password, salt, cost))


def read_hash(text: str) -> PasswordHash:
    """ValueError says what is wrong, without showing the text."""
    match = _HASH.fullmatch(text)
    if match is None:
        raise ValueError("it is no hash of the form $scrypt$ln=…,r=…,p=…$salt$hash")
    cost = Cost(int(match[1]), int(match[2]), int(match[3]))
    if not (1 <= cost.ln <= 24 and cost.r >= 1 and cost.p >= 1 and _memory(cost) <= _MOST_MEMORY):
        raise ValueError(f"its cost is out of bounds: ln={cost.ln}, r={cost.r}, p={cost.p}")
    return PasswordHash(cost, _bytes(match[4]), _bytes(match[5]))


def encoded(password: str) -> bytes:
    """The same password however a keyboard composes it, and no error that would show it."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")


def _scrypt(password: str, salt: bytes, cost: Cost) -> bytes:
    with _slots:
        return hashlib.scrypt(
            encoded(password),
            salt=salt,
            n=1 << cost.ln,
            r=cost.r,
            p=cost.p,
            maxmem=_memory(cost) + (1 << 20),
            dklen=32,
        )


def _memory(cost: Cost) -> int:
    return 128 * cost.r * ((1 << cost.ln) + cost.p)


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4))
