"""Log-in in a browser, for clients that cannot ask for a password: Trino's external authentication.

A client without credentials is told two addresses. The first is for the browser of its user, which is sent to
the identity provider and comes back with a code; at the second the client waits for the token that the code
is worth. The secret that the client waits with is known to the browser only by its hash, so that nobody who
sees the browser's address can fetch the token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from urllib.parse import urlencode, urlsplit

from sqe.auth.logins.external import External
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.errors import NotFound, SqeError
from sqe.foundation.record import record

CALLBACK = "/oauth2/callback"
TOKEN = "/oauth2/token"
INITIATE = "/oauth2/token/initiate"
MOST_PENDING = 1000
_HASH = re.compile(r"[0-9a-f]{64}")
_SECRET = re.compile(r"[\w-]{43}")


class LogIn:
    """One that a browser has begun. `cookie` is what that browser shows when it comes back."""

    def __init__(self, redirect_uri: str) -> None:
        self.redirect_uri = redirect_uri
        self.state, self.verifier, self.cookie = (secrets.token_urlsafe(32) for _ in range(3))
        self.began = time.monotonic()
        self.token: str | None = None
        self.error: str | None = None

    @property
    def challenge(self) -> str:
        """PKCE: who steals the code cannot use it."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@record
class Redirect:
    url: str
    cookie: str


class BrowserLogIns:
    """Those that were begun and not fetched yet, by the hash of their client's secret. Nothing is kept of
    clients whose user never opens the browser."""

    def __init__(self, external: External) -> None:
        self._external = external
        self._lock = threading.Lock()
        self._pending: OrderedDict[str, LogIn] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pending)

    def challenge(self, base: str) -> str:
        """What a client without credentials is answered."""
        secret = secrets.token_urlsafe(32)
        initiate = f"{base}{INITIATE}/{_hash(secret)}"
        return f'Bearer x_redirect_server="{initiate}", x_token_server="{base}{TOKEN}/{secret}"'

    def begin(self, hash_: str, base: str) -> Redirect:
        """Where the browser goes. Unavailable, if the identity provider does not say where that is."""
        if not _HASH.fullmatch(hash_):
            raise _unknown()
        page = self._external.idp.endpoint("authorization_endpoint")
        log_in = LogIn(base + CALLBACK)
        with self._lock:
            self._forget_old()
            self._pending[hash_] = log_in
        query = {
            "response_type": "code",
            "client_id": self._external.client.id,
            "redirect_uri": log_in.redirect_uri,
            "scope": self._external.scope,
            "state": f"{hash_}.{log_in.state}",
            "code_challenge": log_in.challenge,
            "code_challenge_method": "S256",
        }
        separator = "&" if urlsplit(page).query else "?"
        return Redirect(f"{page}{separator}{urlencode(query)}", log_in.cookie)

    def come_back(self, state: str, code: str | None, issuer: str | None, cookie: str | None) -> bool:
        """The browser is back, with a code or without; whether its user is logged in. NotFound for an answer
        to no log-in of this browser."""
        hash_, _, secret = state.partition(".")
        with self._lock:
            log_in = self._pending.get(hash_)
        if log_in is None or log_in.token is not None or not _same(log_in.state, secret):
            raise _unknown()
        # Else somebody could be made to log in for a client of somebody else's.
        if not _same(log_in.cookie, cookie or ""):
            raise _unknown()
        # An answer counts once.
        log_in.state = secrets.token_urlsafe(32)
        # RFC 9207: an answer of another identity provider is not for this one.
        if code is None or (issuer or self._external.idp.issuer) != self._external.idp.issuer:
            log_in.error = "the log-in was refused"
            return False
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": log_in.redirect_uri}
        try:
            endpoint = TokenEndpoint(self._external.idp, self._external.client)
            tokens = endpoint.grant({**fields, "code_verifier": log_in.verifier})
        except GrantRefused:
            log_in.error = "the identity provider gives no token for it"
            return False
        except SqeError:
            log_in.error = "the identity provider does not answer"
            raise
        log_in.token = tokens.access_token
        return True

    def outcome(self, secret: str) -> tuple[str, str] | None:
        """`token` or `error` with its value, and once only; None as long as there is neither."""
        if not _SECRET.fullmatch(secret):
            raise _unknown()
        with self._lock:
            self._forget_old()
            log_in = self._pending.get(_hash(secret))
            if log_in is None or (log_in.token is None and log_in.error is None):
                return None
            del self._pending[_hash(secret)]
        if log_in.token is not None:
            return "token", log_in.token
        return "error", log_in.error or ""

    def forget(self, secret: str) -> None:
        with self._lock:
            self._pending.pop(_hash(secret), None)

    def _forget_old(self) -> None:
        """Called with the lock held."""
        before = time.monotonic() - self._external.timeout
        while self._pending:
            oldest = next(iter(self._pending.values()))
            if oldest.began > before and len(self._pending) < MOST_PENDING:
                return
            self._pending.popitem(last=False)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _unknown() -> NotFound:
    return NotFound("there is no such log-in: it was too long ago, or never begun", code="NOT_FOUND")
