"""Log-in in a browser of this machine: the authorization code grant with PKCE (RFC 7636, 8252).

The browser is sent back to a port of the loopback address that listens for this one log-in.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from sqe.auth.logins.external import External, Show, not_logged_in
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint, Tokens
from sqe.errors import ConfigError
from sqe.foundation.loopback import is_loopback

_PAGE = b"<!doctype html><title>SQE</title><p>%s You may close this window."
# One request of the browser's must not hold up the others.
_REQUEST_SECONDS = 5.0


def log_in(external: External, show: Show, open_browser: Callable[[str], object]) -> Tokens:
    """Waits until the browser has come back."""
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    with _Callback(external.redirect_uri, state, external.idp.issuer) as callback:
        query = {
            "response_type": "code",
            "client_id": external.client.id,
            "redirect_uri": callback.uri,
            "scope": external.scope,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        page = external.idp.endpoint("authorization_endpoint")
        url = f"{page}{'&' if urlsplit(page).query else '?'}{urlencode(query)}"
        show(f"Log in at {url}")
        open_browser(url)
        code = callback.wait(external.timeout)
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": callback.uri}
        try:
            return TokenEndpoint(external.idp, external.client).grant({**fields, "code_verifier": verifier})
        except GrantRefused as refusal:
            raise not_logged_in(f"the identity provider says {refusal.error}") from None


class _Callback:
    """A page on the loopback address that waits for one code. What is not for this log-in is ignored."""

    def __init__(self, redirect_uri: str | None, state: str, issuer: str) -> None:
        parts = urlsplit(redirect_uri or "http://127.0.0.1/callback")
        if parts.scheme != "http" or not is_loopback(parts.hostname or "") or parts.query:
            raise ConfigError("auth.external.redirect_uri must be http on this machine, for sqe auth login")
        self._path = parts.path or "/"
        self._state = state
        self._issuer = issuer
        self._code: str | None = None
        self._error: str | None = None
        try:
            # Never on the name: it may lead elsewhere.
            self._server = HTTPServer(("127.0.0.1", parts.port or 0), self._handler())
        except OSError as error:
            raise ConfigError(
                f"port {parts.port} of this machine cannot be listened on: {error.strerror}",
                hint="choose another one in auth.external.redirect_uri, or none for any",
            ) from None
        self.uri = f"http://{parts.hostname}:{self._server.server_port}{self._path}"

    def __enter__(self) -> _Callback:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()

    def wait(self, seconds: float) -> str:
        deadline = time.monotonic() + seconds
        while self._code is None and self._error is None:
            self._server.timeout = max(0.0, deadline - time.monotonic())
            if self._server.timeout == 0.0:
                raise not_logged_in("the browser did not come back in time")
            self._server.handle_request()
        if self._code is None:
            raise not_logged_in(f"the identity provider says {self._error}")
        return self._code

    def _take(self, target: str) -> tuple[int, bytes]:
        parts = urlsplit(target)
        answer = {key: values[0] for key, values in parse_qs(parts.query).items()}
        state = answer.get("state", "").encode()
        if parts.path != self._path or not hmac.compare_digest(state, self._state.encode()):
            return 404, b"There is nothing here."
        # RFC 9207: an answer of another identity provider is not for this one.
        if answer.get("iss", self._issuer) != self._issuer:
            self._error = "another issuer"
        elif "code" in answer:
            self._code = answer["code"]
            return 200, b"You are logged in."
        else:
            self._error = "".join(c for c in answer.get("error", "nothing")[:64] if c.isalnum() or c in "_-")
        return 400, b"You are not logged in."

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take = self._take

        class Handler(BaseHTTPRequestHandler):
            timeout = _REQUEST_SECONDS

            def do_GET(self) -> None:
                status, text = take(self.path)
                content = _PAGE % text
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """The address has the code in it."""

        return Handler
