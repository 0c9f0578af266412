"""Users and their passwords in a file, hashed by scrypt; `sqe server passwd` writes it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

from sqe.auth.credentials import Credentials, Password, refused
from sqe.auth.entries import identity_of, only
from sqe.auth.passwords import COST, Cost, PasswordHash, encoded, read_hash
from sqe.auth.private_file import PrivateFile
from sqe.errors import ConfigError
from sqe.foundation.record import record
from sqe.session import Identity

REMEMBERED_SECS = 30.0
_MOST_REMEMBERED = 10_000
_LONGEST = 1024


@record
class UserEntry:
    password: PasswordHash
    identity: Identity


Users = Mapping[str, UserEntry]


class UsersFile:
    """Without `fall_through` it decides about every password; with it, the next provider is asked both
    about unknown users and about wrong passwords, so that the time taken does not tell them apart."""

    name = "users_file"

    def __init__(
        self,
        file: PrivateFile[Users],
        *,
        fall_through: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = file
        self._fall_through = fall_through
        self._verified = _Verified(clock)
        self._secret = secrets.token_bytes(32)

    def authenticate(self, credentials: Credentials) -> Identity | None:
        # No user has an empty password: that may be for `anonymous`.
        if not isinstance(credentials, Password) or not credentials.password:
            return None
        users = self._file.content()
        entry = users.get(credentials.user)
        if self._is_right(entry, credentials, users) and entry is not None:
            return entry.identity
        if self._fall_through:
            return None
        raise refused()

    def lasting(self, credentials: Credentials) -> Callable[[], bool]:
        assert isinstance(credentials, Password)
        user = credentials.user
        entry = self._file.content().get(user)
        return lambda: entry is not None and self._file.content().get(user) == entry

    def _is_right(self, entry: UserEntry | None, credentials: Password, users: Users) -> bool:
        if len(credentials.password) > _LONGEST:
            return False
        # For a user that is not there the same work is done: time must not tell who is.
        password_hash = entry.password if entry is not None else self._decoy(credentials.user, users)
        if self._verified.has(credentials, password_hash):
            return entry is not None
        right = password_hash.matches(credentials.password) and entry is not None
        if right:
            self._verified.add(credentials, password_hash)
        return right

    def _decoy(self, user: str, users: Users) -> PasswordHash:
        """Costs what one of the file's entries costs, for one name always the same."""
        digest = hmac.digest(self._secret, user.encode("utf-8", "surrogatepass"), "sha256")
        costs = [entry.password.cost for entry in users.values()]
        cost: Cost = costs[int.from_bytes(digest[:8], "big") % len(costs)] if costs else COST
        return PasswordHash(cost, digest[:16], digest)


class _Verified:
    """Passwords that were right a moment ago, as keyed hashes, so that not every call costs a scrypt.
    The entry's own hash is part of the key: a password that was changed is not remembered."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def has(self, credentials: Password, password_hash: PasswordHash) -> bool:
        key = self._key(credentials, password_hash)
        with self._lock:
            return self._until.get(key, 0.0) > self._clock()

    def add(self, credentials: Password, password_hash: PasswordHash) -> None:
        key = self._key(credentials, password_hash)
        with self._lock:
            self._until[key] = self._clock() + REMEMBERED_SECS
            self._until.move_to_end(key)
            # The oldest end first.
            while len(self._until) > _MOST_REMEMBERED or next(iter(self._until.values())) <= self._clock():
                self._until.popitem(last=False)

    def _key(self, credentials: Password, password_hash: PasswordHash) -> bytes:
        user = credentials.user.encode("utf-8", "surrogatepass")
        inner = b"".join(
            hashlib.sha256(part).digest()
            for part in (user, str(password_hash).encode(), encoded(credentials.password))
        )
        return hmac.digest(self._secret, inner, "sha256")


def read_users(tree: Mapping[str, object]) -> Users:
    """Of `[users.<name>]` with `password`, `roles` and `groups`."""
    rows = only(tree, "users").get("users", {})
    if not isinstance(rows, Mapping):
        raise ValueError("users must be a table")
    users = {}
    for name, row in rows.items():
        try:
            entry = only(row, "password", "roles", "groups")
            users[name] = UserEntry(read_hash(str(entry.get("password", ""))), identity_of(name, entry))
        except ValueError as error:
            raise ValueError(f"user {name!r}: {error}") from None
    return users


def provider(options: Mapping[str, object]) -> UsersFile:
    path = options.get("users_file")
    if not path:
        raise ConfigError('auth.providers: type "users_file" needs users_file')
    file = PrivateFile(Path(str(path)).expanduser(), read_users)
    return UsersFile(file, fall_through=bool(options.get("fallthrough_on_reject", False)))
