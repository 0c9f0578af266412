"""API keys: long random texts, kept as SHA-256, which is enough where nothing can be guessed.

Sent as a bearer token, or as the password of whose key it is (or of nobody: the name may be empty).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sqe.auth.credentials import Bearer, Credentials, Password, refused
from sqe.auth.entries import identity_of, only
from sqe.auth.private_file import PrivateFile
from sqe.config.providers import KEY_PREFIX
from sqe.errors import ConfigError
from sqe.foundation.record import record
from sqe.session import Identity

_HASH = re.compile(r"sha256:([0-9a-f]{64})")


@record
class KeyEntry:
    digest: bytes
    identity: Identity

    def __repr__(self) -> str:
        return f"KeyEntry(identity={self.identity!r})"


class ApiKeys:
    name = "api_key"

    def __init__(
        self, file: PrivateFile[Sequence[KeyEntry]] | None, inline: Sequence[KeyEntry] = (), *, prefix: str
    ) -> None:
        self._file = file
        self._inline = tuple(inline)
        self._prefix = prefix

    def authenticate(self, credentials: Credentials) -> Identity | None:
        entry = self._entry(credentials)
        return None if entry is None else entry.identity

    def lasting(self, credentials: Credentials) -> Callable[[], bool]:
        entry = self._entry(credentials)
        return lambda: entry in self._entries()

    def _entries(self) -> tuple[KeyEntry, ...]:
        return (*self._inline, *(self._file.content() if self._file is not None else ()))

    def _entry(self, credentials: Credentials) -> KeyEntry | None:
        key = credentials.password if isinstance(credentials, Password) else ""
        if isinstance(credentials, Bearer):
            key = credentials.token
        if not key or not key.startswith(self._prefix):
            return None
        digest = _digest(key)
        matching: KeyEntry | None = None
        for entry in self._entries():
            # All are compared, however early one is right.
            if hmac.compare_digest(digest, entry.digest):
                matching = entry
        user = credentials.user if isinstance(credentials, Password) else ""
        if matching is None or user not in ("", matching.identity.user):
            raise refused()
        return matching


def new_key(prefix: str = KEY_PREFIX) -> str:
    return prefix + secrets.token_hex(32)


def hash_of(key: str) -> str:
    return f"sha256:{_digest(key).hex()}"


def read_keys(tree: Mapping[str, object]) -> Sequence[KeyEntry]:
    """Of `[[keys]]` with `hash`, `user`, `roles` and `groups`."""
    rows = only(tree, "keys").get("keys", ())
    if not isinstance(rows, (list, tuple)):
        raise ValueError("keys must be an array of tables")
    entries = []
    for number, row in enumerate(rows, 1):
        try:
            entries.append(_entry(row))
        except ValueError as error:
            raise ValueError(f"key {number}: {error}") from None
    if len({entry.digest for entry in entries}) < len(entries):
        raise ValueError("one key is there twice")
    return entries


def provider(options: Mapping[str, object]) -> ApiKeys:
    path = options.get("keys_file")
    try:
        inline = read_keys({"keys": options.get("keys", ())})
    except ValueError as error:
        raise ConfigError(f"auth.providers.keys: {error}") from None
    if not path and not inline:
        raise ConfigError('auth.providers: type "api_key" needs keys_file or keys')
    file = PrivateFile(Path(str(path)).expanduser(), read_keys) if path else None
    return ApiKeys(file, inline, prefix=str(options.get("key_prefix", KEY_PREFIX)))


def _entry(row: object) -> KeyEntry:
    if isinstance(row, Mapping) and "key" in row:
        raise ValueError("keys are kept as hashes; `sqe server api-key --stdin` takes one that exists")
    entry = only(row, "hash", "user", "roles", "groups", "created")
    match = _HASH.fullmatch(str(entry.get("hash", "")))
    if match is None:
        raise ValueError("hash must be sha256: and 64 hexadecimal digits")
    return KeyEntry(bytes.fromhex(match[1]), identity_of(entry.get("user"), entry))


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
