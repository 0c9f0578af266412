"""One call of a client: who makes it, in which session, and what it hears when something goes wrong."""

from __future__ import annotations

import base64
import binascii
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any

import grpc

from sqe.auth.credentials import Bearer, Credentials, Password
from sqe.doors.flight.status import status_of, text_of, trailers_of
from sqe.errors import AuthenticationFailed, Cancelled, InternalError, SqeError
from sqe.recursion import make_room
from sqe.session import Identity
from sqe.sessions import ServerSession, Sessions

log = logging.getLogger(__name__)

# Who somebody is, by what they sent and the address that they sent it from.
LogIn = Callable[[Credentials, str], Identity]
COOKIE = "arrow_flight_session_id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Call:
    """`identity` is proven. The session is found, or made, when something asks for it."""

    def __init__(self, context: Any, sessions: Sessions, headers: dict[str, str], identity: Identity) -> None:
        self.context = context
        self.identity = identity
        self.headers = headers
        self._sessions = sessions
        self._session: ServerSession | None = None
        self._known: ServerSession | None = None

    @property
    def existing_session(self) -> ServerSession | None:
        """Does not make one: pools ask for options to see whether a connection lives."""
        if self._session is not None:
            return self._session
        found = self._known
        cookie = _cookie(self.headers)
        if found is None and cookie is not None:
            found = self._sessions.of_cookie(cookie, self.identity)
        if found is None:
            found = self._sessions.of_credentials(self._credentials, self.identity, create=False)
        return found

    @property
    def session(self) -> ServerSession:
        if self._session is None:
            found = self.existing_session
            if found is None:
                found = self._sessions.of_credentials(self._credentials, self.identity)
                assert found is not None
                self.context.send_initial_metadata((("set-cookie", f"{COOKIE}={found.cookie}; HttpOnly"),))
            self._session = found
            found.busy += 1
            found.used = time.monotonic()
        return self._session

    def known(self, session: ServerSession) -> None:
        self._known = session

    def done(self) -> None:
        if self._session is not None:
            self._session.busy -= 1
            self._session.used = time.monotonic()

    @property
    def _credentials(self) -> str:
        # Without any, everybody at one address is one client.
        return self.headers.get("authorization") or f"none {peer_host(self.context)}"


class Calls:
    """Every RPC goes through here: nothing is answered before the caller is known."""

    def __init__(self, log_in: LogIn, sessions: Sessions, watch: Watch) -> None:
        self._log_in = log_in
        self._sessions = sessions
        self.watch = watch

    def unary(self, handler: Callable[[Call, Any], Any]) -> Callable[[Any, Any], Any]:
        def answer(request: Any, context: Any) -> Any:
            try:
                with self._call(context) as call:
                    return handler(call, request)
            except Exception as error:
                failure = _known(error, context)
            return _abort(context, failure)

        return answer

    def stream(self, handler: Callable[[Call, Any], Iterator[Any]]) -> Callable[[Any, Any], Iterator[Any]]:
        def answer(request: Any, context: Any) -> Iterator[Any]:
            try:
                with self._call(context) as call:
                    for message in handler(call, request):
                        with self.watch.waiting(context):
                            yield message
                return
            except Exception as error:
                failure = _known(error, context)
            _abort(context, failure)

        return answer

    def guarded(self, handler: Callable[[Any, Any], Iterator[Any]]) -> Callable[[Any, Any], Iterator[Any]]:
        """For the one call that is made before the caller is known."""

        def answer(request: Any, context: Any) -> Iterator[Any]:
            try:
                yield from handler(request, context)
                return
            except Exception as error:
                failure = _known(error, context)
            _abort(context, failure)

        return answer

    def authenticate(self, context: Any, credentials: Credentials) -> Identity:
        return self._log_in(credentials, peer_host(context))

    @contextmanager
    def _call(self, context: Any) -> Iterator[Call]:
        make_room()
        headers = headers_of(context)
        credentials = credentials_of(headers)
        known = self._sessions.of_bearer(credentials.token) if isinstance(credentials, Bearer) else None
        identity = known.identity if known is not None else self.authenticate(context, credentials)
        call = Call(context, self._sessions, headers, identity)
        if known is not None:
            call.known(known)
        try:
            yield call
        finally:
            call.done()


class Watch:
    """Ends the calls of clients that neither send nor take anything for too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: dict[int, tuple[Any, float]] = {}

    @contextmanager
    def waiting(self, context: Any) -> Iterator[None]:
        """While it is the client's turn."""
        self._waiting[id(context)] = (context, time.monotonic())
        try:
            yield
        finally:
            self._waiting.pop(id(context), None)

    def hearing(self, context: Any, messages: Iterator[Any]) -> Iterator[Any]:
        """What a client sends."""
        while True:
            with self.waiting(context):
                message = next(messages, None)
            if message is None:
                return
            yield message

    def sweep(self) -> None:
        if not self._seconds:
            return
        before = time.monotonic() - self._seconds
        for context, since in list(self._waiting.values()):
            if since < before:
                log.warning("a client was silent for too long; its call is ended")
                context.cancel()


def headers_of(context: Any) -> dict[str, str]:
    """Text ones; of several with one name, the last."""
    return {
        key: value if isinstance(value, str) else value.decode("latin-1")
        for key, value in context.invocation_metadata()
        if not key.endswith("-bin")
    }


def credentials_of(headers: dict[str, str]) -> Credentials:
    sent = headers.get("authorization")
    if sent is None:
        return None
    scheme, _, rest = sent.strip().partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return Bearer(rest.strip())
    if scheme.lower() == "basic":
        return basic(rest.strip())
    raise AuthenticationFailed("authentication failed")


def basic(text: str) -> Password:
    """Padded or not, either alphabet; a password may have colons."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise AuthenticationFailed("authentication failed") from None
    user, colon, password = decoded.partition(":")
    if not colon:
        raise AuthenticationFailed("authentication failed")
    return Password(user, password)


def peer_host(context: Any) -> str:
    """The client's address without its port, which is another one each time."""
    return str(context.peer()).rpartition(":")[0]


def request_id(headers: dict[str, str]) -> str | None:
    asked = headers.get("x-request-id")
    return asked if asked is not None and _REQUEST_ID.fullmatch(asked) else None


def _cookie(headers: dict[str, str]) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _known(error: Exception, context: Any) -> SqeError:
    if isinstance(error, SqeError):
        return error
    if not context.is_active():
        return Cancelled("the client went away")
    # The caller hears that it was us, and nothing else; the log hears what.
    log.error("a call failed", exc_info=error)
    return InternalError(f"a bug of ours: {type(error).__name__}")


def _abort(context: Any, error: SqeError) -> Any:
    if status_of(error) is grpc.StatusCode.INTERNAL and error.__cause__ is not None:
        log.error("a statement failed by a bug of ours", exc_info=error.__cause__)
    context.set_trailing_metadata(trailers_of(error))
    context.abort(status_of(error), text_of(error))
