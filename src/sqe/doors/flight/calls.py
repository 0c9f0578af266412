"""One call of a client: who makes it, in which session, and what it hears when something goes wrong."""

from __future__ import annotations

import base64
import binascii
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from sqe.auth.credentials import Bearer, Credentials, Grant, Password
from sqe.doors.flight.flight_pb2 import Action
from sqe.doors.flight.messages import read
from sqe.doors.flight.status import status_of, text_of, trailers_of
from sqe.errors import (
    AuthenticationFailed,
    Cancelled,
    InternalError,
    InvalidArgument,
    LimitExceeded,
    SessionExpired,
    SqeError,
)
from sqe.foundation.recursion import make_room
from sqe.server.sessions import ServerSession, Sessions
from sqe.session import Identity

log = logging.getLogger(__name__)

# Who somebody is, by what they sent and the address that they sent it from.
LogIn = Callable[[Credentials, str], Grant]
COOKIE = "arrow_flight_session_id"
# A client may name its session, and say that it has used it before.
SESSION_NAME = "x-sqe-session"
SESSION_KNOWN = "x-sqe-session-known"
# Clients that have not said yet who they are, and what may be read of all of them at once.
MOST_GREETING = 64
GREETING_BYTES = 64 << 20
# What a request has besides the text of a statement. Actions hand a FlightInfo back, with its schema.
REQUEST_BYTES = 64 << 10
ACTION_BYTES = 4 << 20


class Call:
    """`identity` is proven. The session is found, or made, when something asks for it."""

    def __init__(self, context: Any, sessions: Sessions, headers: dict[str, str], identity: Identity) -> None:
        self.context = context
        self.identity = identity
        self.headers = headers
        self._sessions = sessions
        self._session: ServerSession | None = None
        self._known: ServerSession | None = None
        self._used: list[ServerSession] = []

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
                known = self.headers.get(SESSION_KNOWN) is not None
                found = self._sessions.of_credentials(self._credentials, self.identity, known=known)
                assert found is not None
                self.context.send_initial_metadata((("set-cookie", f"{COOKIE}={found.cookie}; HttpOnly"),))
            self.use(found)
            self._session = found
        return self._session

    def known(self, session: ServerSession) -> None:
        self._known = session
        self.use(session)

    def use(self, session: ServerSession) -> None:
        """Something of that session is used by this call, so that it does not end before it."""
        if session in self._used:
            return
        if not self._sessions.enter(session):
            raise SessionExpired("the session has ended", hint="log in again")
        self._used.append(session)

    def done(self) -> None:
        for session in self._used:
            self._sessions.leave(session)

    @property
    def _credentials(self) -> str:
        """Two programs may have one key, or none: each connection is a client. One that has several sends a
        name for its session, or keeps its cookie."""
        sent = self.headers.get("authorization") or f"none {peer_host(self.context)}"
        name = self.headers.get(SESSION_NAME)
        return f"at {self.context.peer()} {sent}" if name is None else f"named {name} {sent}"


class Calls:
    """Every RPC goes through here: nothing is answered before the caller is known."""

    def __init__(
        self,
        log_in: LogIn,
        sessions: Sessions,
        watch: Watch,
        *,
        most_of_one: int,
        first_seconds: float,
        largest_message: int,
        largest_text: int,
    ) -> None:
        """One user has at most so many calls at once; a call says within so many seconds what it asks.
        gRPC receives no message over `largest_message`; a statement's text has at most `largest_text`."""
        self._log_in = log_in
        self._sessions = sessions
        self.watch = watch
        self._most_of_one = most_of_one
        self._first_seconds = first_seconds
        self._lock = threading.Lock()
        self._of_user: Counter[str] = Counter()
        self._largest_text = largest_text
        self._greeting = threading.BoundedSemaphore(MOST_GREETING)
        self._heard = threading.BoundedSemaphore(max(GREETING_BYTES // largest_message, 1))

    # To gRPC all requests are streams of bytes: what somebody sends is neither kept nor read before it is
    # known who they are, and what cannot be read is theirs to mend.

    def unary(self, handler: Callable[[Call, Any], Any], kind: Any) -> Callable[[Any, Any], Any]:
        def answer(requests: Iterator[bytes], context: Any) -> Any:
            try:
                with self._call(context) as call:
                    return handler(call, self._asked(kind, requests, context))
            except Exception as error:
                failure = _known(error, context)
            return _abort(context, failure)

        return answer

    def stream(
        self, handler: Callable[[Call, Any], Iterator[Any]], kind: Any, *, many: bool = False
    ) -> Callable[[Any, Any], Iterator[Any]]:
        """With `many` the handler gets all that the client sends, as it comes."""

        def answer(requests: Iterator[bytes], context: Any) -> Iterator[Any]:
            try:
                with self._call(context) as call:
                    if many:
                        request: Any = (read(kind, sent) for sent in self.watch.hearing(context, requests))
                    else:
                        request = self._asked(kind, requests, context)
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

    def grant(self, context: Any, credentials: Credentials) -> Grant:
        return self._log_in(credentials, peer_host(context))

    def greeting(self, context: Any, requests: Iterator[bytes]) -> bytes | None:
        """The first message of somebody who is not known yet. Few wait for it at once, and not for long;
        fewer are heard at once, since gRPC may hold the largest message for each of them."""
        if not self._greeting.acquire(blocking=False):
            raise _too_many_greet()
        try:
            if not self._heard.acquire(timeout=self._first_seconds or None):
                raise _too_many_greet()
            try:
                sent = next(self.watch.hearing(context, requests, self._first_seconds), None)
                return None if sent is None else _within(REQUEST_BYTES, sent)
            finally:
                self._heard.release()
        finally:
            self._greeting.release()

    def _asked(self, kind: Any, requests: Iterator[bytes], context: Any) -> Any:
        sent = next(self.watch.hearing(context, requests, self._first_seconds), None)
        if sent is None:
            raise InvalidArgument("nothing was asked", code="INVALID_COMMAND")
        return read(kind, _within(self._largest(kind), sent))

    def _largest(self, kind: Any) -> int:
        return self._largest_text + (ACTION_BYTES if kind is Action else REQUEST_BYTES)

    @contextmanager
    def _call(self, context: Any) -> Iterator[Call]:
        make_room()
        headers = headers_of(context)
        credentials = credentials_of(headers)
        known = self._sessions.of_bearer(credentials.token) if isinstance(credentials, Bearer) else None
        identity = known.identity if known is not None else self.grant(context, credentials).identity
        call = Call(context, self._sessions, headers, identity)
        with self._counted(identity.user):
            try:
                if known is not None:
                    call.known(known)
                yield call
            finally:
                call.done()

    @contextmanager
    def _counted(self, user: str) -> Iterator[None]:
        """Each call takes a thread. Nobody may take them all."""
        with self._lock:
            if self._of_user[user] >= self._most_of_one:
                raise LimitExceeded(
                    f"there are {self._most_of_one} calls of one user already", code="TOO_MANY_CALLS"
                )
            self._of_user[user] += 1
        try:
            yield
        finally:
            with self._lock:
                self._of_user[user] -= 1
                if not self._of_user[user]:
                    del self._of_user[user]


class Watch:
    """Ends the calls of clients that neither send nor take anything for too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: dict[int, tuple[Any, float]] = {}

    @contextmanager
    def waiting(self, context: Any, seconds: float | None = None) -> Iterator[None]:
        """While it is the client's turn, for which it has `seconds`, or what all have. 0 is no limit."""
        seconds = self._seconds if seconds is None else seconds
        self._waiting[id(context)] = (context, time.monotonic() + (seconds or math.inf))
        try:
            yield
        finally:
            self._waiting.pop(id(context), None)

    def hearing(self, context: Any, messages: Iterator[Any], seconds: float | None = None) -> Iterator[Any]:
        """What a client sends."""
        while True:
            with self.waiting(context, seconds):
                message = next(messages, None)
            if message is None:
                return
            yield message

    def sweep(self) -> None:
        now = time.monotonic()
        for context, until in list(self._waiting.values()):
            if until < now:
                log.warning("a client was silent for too long; its call is ended")
                context.cancel()


def when_left(context: Any, act: Callable[[], None]) -> threading.Event:
    """Acts if the call ends before the event is set. Not in gRPC's own thread, which all calls wait for."""
    over = threading.Event()

    def ended() -> None:
        if not over.is_set():
            threading.Thread(target=act, name="sqe-flight-left", daemon=True).start()

    if not context.add_callback(ended):
        ended()
    return over


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


def _within(largest: int, sent: bytes) -> bytes:
    if len(sent) > largest:
        raise LimitExceeded(
            f"the request has {len(sent)} bytes, more than the {largest} that it can need",
            code="EXCEEDED_REQUEST_SIZE",
            hint="a statement's text has at most query.max_sql_bytes",
        )
    return sent


def _too_many_greet() -> LimitExceeded:
    return LimitExceeded("too many clients are logging in", code="TOO_MANY_HANDSHAKES")


def peer_host(context: Any) -> str:
    """The client's address without its port, which is another one each time."""
    return str(context.peer()).rpartition(":")[0]


def _cookie(headers: dict[str, str]) -> str | None:
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value.strip('"')
    return None


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
