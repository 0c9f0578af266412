"""The log-ins of a person, by server: kept in a file that is nobody else's, or in the system's keyring where
the package `keyring` is there. Tokens are renewed when they are asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from sqe.auth.oidc.idp import Idp
from sqe.auth.oidc.idp_http import Client, IdpHttp
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint, Tokens
from sqe.auth.private_file import read_private, replacing
from sqe.errors import AuthenticationFailed, ConfigError, Unavailable
from sqe.foundation.record import record

KEYRING = "sqe"
BUFFER_SECONDS = 60.0


@record
class KeptLogIn:
    """Who has logged in for one server, where, and the tokens of it."""

    server: str
    issuer: str
    token_endpoint: str
    revocation_endpoint: str | None
    client_id: str
    user: str | None
    expires_at: float
    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    client_secret: str | None = field(default=None, repr=False)

    @property
    def is_over(self) -> bool:
        return time.time() >= self.expires_at

    def endpoint(self) -> TokenEndpoint:
        """As it was when somebody logged in; that it was allowed was checked then."""
        endpoints = {"token_endpoint": self.token_endpoint}
        if self.revocation_endpoint is not None:
            endpoints["revocation_endpoint"] = self.revocation_endpoint
        allow_http = self.issuer.startswith("http:")
        return TokenEndpoint(
            Idp(self.issuer, IdpHttp(allow_http=allow_http), endpoints),
            Client(self.client_id, self.client_secret),
        )


_SECRETS = ("access_token", "refresh_token", "client_secret")
_FIELDS = (
    *("server", "issuer", "token_endpoint", "revocation_endpoint", "client_id", "user", "expires_at"),
    *_SECRETS,
)


class KeptLogIns:
    """In a directory of the person's. One process at a time changes it."""

    def __init__(self, home: Path, *, keyring: Any = None) -> None:
        """`keyring` is the package, or what stands for it."""
        self._file = home / "log-ins.json"
        self._keyring = keyring

    def all(self) -> list[KeptLogIn]:
        return [entry for server in sorted(self._read()) if (entry := self.find(server)) is not None]

    def find(self, server: str) -> KeptLogIn | None:
        row = self._read().get(server)
        if row is None:
            return None
        if row.get("in_keyring"):
            text = None if self._keyring is None else self._keyring.get_password(KEYRING, server)
            row = {**row, **(json.loads(text) if text else {"access_token": "", "expires_at": 0.0})}
        values: dict[str, Any] = {name: row.get(name) for name in _FIELDS}
        return KeptLogIn(**values)

    def keep(self, entry: KeptLogIn) -> None:
        with self._changing() as rows:
            self._put(rows, entry)

    def forget(self, server: str) -> KeptLogIn | None:
        """What was forgotten."""
        entry = self.find(server)
        with self._changing() as rows:
            row = rows.pop(server, None)
        if row is not None and row.get("in_keyring") and self._keyring is not None:
            self._keyring.delete_password(KEYRING, server)
        return entry

    def token(self, server: str) -> str | None:
        """One that holds, renewed if need be; None if nobody has logged in. AuthenticationFailed."""
        entry = self.find(server)
        if entry is None or time.time() < entry.expires_at - BUFFER_SECONDS:
            return None if entry is None else entry.access_token
        with self._changing() as rows:
            # Another process may have renewed it while this one waited, and a refresh token works once.
            entry = self.find(server) or entry
            if time.time() >= entry.expires_at - BUFFER_SECONDS:
                entry = _renewed(entry)
                self._put(rows, entry)
        return entry.access_token

    def _put(self, rows: dict[str, Any], entry: KeptLogIn) -> None:
        row = {name: getattr(entry, name) for name in _FIELDS}
        if self._keyring is not None:
            secrets = {name: row.pop(name) for name in _SECRETS}
            self._keyring.set_password(KEYRING, entry.server, json.dumps(secrets))
            row["in_keyring"] = True
        rows[entry.server] = row

    def _read(self) -> dict[str, Any]:
        if not self._file.exists():
            return {}
        rows = read_private(self._file).get("log_ins")
        if not isinstance(rows, dict) or not all(isinstance(row, Mapping) for row in rows.values()):
            raise ConfigError(f"{self._file} cannot be read", hint="remove it, and log in again")
        return rows

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(self._file) as replace_file:
            rows = self._read()
            yield rows
            replace_file(json.dumps({"log_ins": rows}, indent=2) + "\n")


def kept(server: str, idp: Idp, client: Client, tokens: Tokens, *, user: str | None) -> KeptLogIn:
    """A log-in just made."""
    try:
        revocation = idp.known_endpoint("revocation_endpoint")
    except Unavailable:
        revocation = None  # one without a discovery document
    return KeptLogIn(
        server,
        idp.issuer,
        idp.endpoint("token_endpoint"),
        revocation,
        client.id,
        user,
        tokens.expires_at,
        tokens.access_token,
        tokens.refresh_token,
        client.secret,
    )


def usable_keyring() -> Any:
    """The package `keyring`, if it is there and has somewhere to keep a secret."""
    try:
        import keyring
    except ImportError:
        return None
    backend = keyring.get_keyring()
    return keyring if backend.priority >= 1 else None


def _renewed(entry: KeptLogIn) -> KeptLogIn:
    if entry.refresh_token is None:
        if not entry.is_over:
            return entry
        raise _over("the token has expired")
    try:
        tokens = entry.endpoint().refresh(entry.refresh_token)
    except GrantRefused as refusal:
        raise _over(f"the identity provider says {refusal.error}") from None
    return replace(
        entry,
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token,
        expires_at=tokens.expires_at,
    )


def _over(reason: str) -> AuthenticationFailed:
    return AuthenticationFailed(f"the log-in is over: {reason}", hint="run sqe auth login again")
