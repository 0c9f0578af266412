"""Log-in in a browser, for clients that cannot ask for a password: Trino's external authentication.

A client without credentials is told two addresses. The first is for the browser of its user, which is sent to
the identity provider and comes back with a code; at the second the client waits for the token that the code
is worth. The secret that the client waits with is known to the browser only by its hash, so that nobody who
sees the browser's address can fetch the token.

A link can be sent to somebody else, who would log the sender in. So it carries, signed, from where and by
which program it was asked for, which the person is shown before anything begins.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from urllib.parse import urlencode, urlsplit

from sqe.auth.logins.external import External
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.errors import LimitExceeded, NotFound, SqeError
from sqe.foundation.record import record

CALLBACK = "/oauth2/callback"
TOKEN = "/oauth2/token"
INITIATE = "/oauth2/token/initiate"
MOST_PENDING = 1000
MOST_OF_ONE_ADDRESS = 20
"""Browsers at one address that are being logged in at once."""
_PROGRAM = 80
_HASH = re.compile(r"[0-9a-f]{64}")
_SECRET = re.compile(r"[\w-]{43}")


class LogIn:
    """One that a browser has begun. `cookie` is what that browser shows when it comes back."""

    def __init__(self, redirect_uri: str, address: str, browser: str) -> None:
        self.redirect_uri = redirect_uri
        self.address, self.browser = address, browser
        self.state, self.verifier, self.cookie = (secrets.token_urlsafe(32) for _ in range(3))
        self.began = time.monotonic()
        self.token: str | None = None
        self.error: str | None = None

    @property
    def challenge(self) -> str:
        """PKCE: who steals the code cannot use it."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return _base64(digest)


@record
class Redirect:
    url: str
    cookie: str


@record
class Asked:
    """From where a log-in was asked for, by which program, and how many seconds ago."""

    address: str
    program: str
    seconds: int


class BrowserLogIns:
    """Those that were begun and not fetched yet, by the hash of their client's secret. Nothing is kept of
    clients whose user never opens the browser."""

    def __init__(self, external: External) -> None:
        self._external = external
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(32)
        self._pending: OrderedDict[str, LogIn] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pending)

    def challenge(self, base: str, address: str, program: str) -> str:
        """What a client without credentials is answered, at that address and of that name."""
        secret = secrets.token_urlsafe(32)
        hash_ = _hash(secret)
        told = json.dumps([int(time.time()), address, program[:_PROGRAM]]).encode()
        origin = f"{_base64(told)}.{self._signature(hash_, told)}"
        initiate = f"{base}{INITIATE}/{hash_}?from={origin}"
        return f'Bearer x_redirect_server="{initiate}", x_token_server="{base}{TOKEN}/{secret}"'

    def asked(self, hash_: str, origin: str) -> Asked:
        """Who has asked for the log-in of a link of ours. NotFound, for one that is not ours or too old."""
        text, _, signature = origin.partition(".")
        try:
            told = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except ValueError:
            raise _unknown() from None
        if not _HASH.fullmatch(hash_) or not _same(self._signature(hash_, told), signature):
            raise _unknown()
        began, address, program = json.loads(told)
        seconds = max(0, int(time.time()) - began)
        if seconds > self._external.timeout:
            raise _unknown()
        return Asked(address, program, seconds)

    def check_same(self, cookie: str, sent: str) -> None:
        """NotFound, unless the form is of the page that this browser was shown."""
        if not cookie or not _same(cookie, sent):
            raise _unknown()

    def begin(self, hash_: str, base: str | None, *, address: str, browser: str) -> Redirect:
        """Where the browser goes, which is at that address and has shown that it wants to. LimitExceeded, if
        too many are on their way; Unavailable, if the identity provider does not say where to go."""
        if base is None:
            raise _unknown()
        page = self._external.idp.endpoint("authorization_endpoint")
        log_in = LogIn(base + CALLBACK, address, browser)
        with self._lock:
            self._forget_old()
            before = self._pending.pop(hash_, None)
            if before is not None and not _same(before.browser, browser):
                # It is another browser's, which may be about to come back.
                self._pending[hash_] = before
                raise _unknown()
            of_address = sum(1 for each in self._pending.values() if each.address == address)
            if len(self._pending) >= MOST_PENDING or of_address >= MOST_OF_ONE_ADDRESS:
                # Nobody who is on their way is given up for somebody who comes later.
                raise LimitExceeded(
                    "too many log-ins are on their way", code="QUERY_QUEUE_FULL", hint="try again later"
                )
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
            if oldest.began > before:
                return
            self._pending.popitem(last=False)

    def _signature(self, hash_: str, told: bytes) -> str:
        return _base64(hmac.digest(self._key, hash_.encode() + b"." + told, "sha256"))


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _unknown() -> NotFound:
    return NotFound("there is no such log-in: it was too long ago, or never begun", code="NOT_FOUND")
