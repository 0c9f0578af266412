"""Requests to an identity provider: short, without redirects, and never longer than their time-outs."""

from __future__ import annotations

import base64
import json
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import quote_plus, urlencode, urlsplit

import urllib3
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from sqe.errors import ConfigError, Unavailable
from sqe.foundation.record import record

CODE = "IDENTITY_PROVIDER_UNAVAILABLE"
CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 5.0
# After one that did not answer, others are not asked for this long: threads must not pile up.
PAUSE_SECONDS = 1.0
MOST_REQUESTS = 16
MOST_BYTES = 1 << 20


@record
class Client:
    """Who asks an identity provider. A public client has no secret."""

    id: str
    secret: str | None = field(default=None, repr=False)


@record
class Answer:
    status: int
    content: Mapping[str, object] = field(repr=False)


class IdpHttp:
    """One identity provider. Any thread may ask."""

    def __init__(self, *, allow_http: bool = False) -> None:
        self._allow_http = allow_http
        self._slots = threading.BoundedSemaphore(MOST_REQUESTS)
        self._silent_until = 0.0
        self._tls = ssl.create_default_context()

    def get(self, url: str) -> Mapping[str, object]:
        answer = self._exchange("GET", url, None, {})
        if answer.status != 200:
            raise unavailable(url, f"it answers {answer.status}")
        return answer.content

    def post(self, url: str, fields: Mapping[str, str], client: Client) -> Answer:
        """A form of OAuth, sent as a client. What is not JSON, and what is an error of the server itself, is
        Unavailable; everything else is the caller's to read."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        form = dict(fields)
        if client.secret is None:
            form["client_id"] = client.id
        else:
            # RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
            pair = f"{quote_plus(client.id)}:{quote_plus(client.secret)}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        return self._exchange("POST", url, urlencode(form).encode(), headers)

    def _exchange(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        if not is_allowed(url, allow_http=self._allow_http):
            raise unavailable(url, "its address is not https")
        if time.monotonic() < self._silent_until:
            raise unavailable(url, "it did not answer a moment ago")
        if not self._slots.acquire(timeout=ANSWER_SECONDS):
            raise unavailable(url, "too many requests wait for it")
        try:
            common = {"Accept": "application/json", "Connection": "close"}
            status, content = self._send(method, url, body, {**headers, **common})
        except (HTTPError, OSError) as error:
            self._silent_until = time.monotonic() + PAUSE_SECONDS
            # The text of the error may have the address with what was asked in it.
            raise unavailable(url, type(error).__name__) from None
        finally:
            self._slots.release()
        if status >= 500 or status == 429:
            raise unavailable(url, f"it answers {status}")
        return Answer(status, _object(url, content))

    def _send(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        # A kept connection may have ended, which is seen only after the request, and one with a refresh token
        # cannot be sent twice. So each has a connection of its own: they are few.
        with urllib3.PoolManager(retries=False, ssl_context=self._tls) as pools:
            response = pools.request(
                method,
                url,
                body=body,
                headers=headers,
                redirect=False,
                preload_content=False,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),
            )
            try:
                return response.status, self._read(response)
            finally:
                response.close()

    def _read(self, response: BaseHTTPResponse) -> bytes:
        deadline = time.monotonic() + ANSWER_SECONDS
        content = bytearray()
        while chunk := response.read1():
            content += chunk
            if len(content) > MOST_BYTES:
                raise HTTPError("the answer is too large")
            if time.monotonic() > deadline:
                raise TimeoutError("the answer is too slow")
        return bytes(content)


def is_allowed(url: str, *, allow_http: bool) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    schemes = ("https", "http") if allow_http else ("https",)
    return parts.scheme in schemes and bool(parts.hostname) and port != 0 and "@" not in parts.netloc


def check_url(where: str, url: str, *, allow_http: bool, permit: str = "allow_insecure_jwks") -> str:
    """The url, if it can be asked. `where` names the key, and `permit` the one that allows plain http."""
    if not is_allowed(url, allow_http=allow_http):
        insecure = is_allowed(url, allow_http=True)
        hint = f"set {permit} = true to allow plain http" if insecure else None
        raise ConfigError(f"{where} must be an https address, without a user in it", hint=hint)
    return url


def unavailable(url: str, reason: str) -> Unavailable:
    """Names the host alone: a path may be made of what somebody sent."""
    return Unavailable(
        f"the identity provider at {urlsplit(url).netloc.rpartition('@')[2]} cannot be used: {reason}",
        code=CODE,
        hint="try again later",
    )


def _object(url: str, content: bytes) -> Mapping[str, object]:
    try:
        tree = json.loads(content) if content else {}
    except (ValueError, RecursionError):
        raise unavailable(url, "its answer is not JSON") from None
    if not isinstance(tree, dict):
        raise unavailable(url, "its answer is not a JSON object")
    return tree
