"""The sessions of a server, each of one identity: found by the bearer or the cookie that a client sends."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.auth.credentials import Grant
from sqe.auth.tokens import SessionTokens
from sqe.config.config import SessionSettings
from sqe.errors import LimitExceeded, SessionExpired
from sqe.session import Identity, Session, TokenSource

# How bearers of ours begin, so that one that has ended is not taken for somebody's wrong token.
BEARER = "sqe-session-"
# A client in the middle of something comes back within this time.
AWAY_SECONDS = 5.0
# Sessions that have ended by themselves, and whose clients have not heard of it yet.
MOST_ENDED = 10_000


class ServerSession:
    """`session` is what statements see. `busy` calls keep it alive however long they take."""

    def __init__(self, session: Session, holds: Callable[[], bool]) -> None:
        """`holds` says whether what let its client in is still there."""
        self.session = session
        self.holds = holds
        self.identity = session.identity
        self.cookie = secrets.token_urlsafe(24)
        self.created = time.monotonic()
        self.used = self.created
        self.busy = 0
        self.closed = False
        self._tokens = SessionTokens()

    @property
    def id(self) -> str:
        return self.session.id

    def take_tokens(self, tokens: TokenSource | None) -> None:
        """Those of its newest log-in; what runs in the session has them too."""
        if tokens is not None:
            self._tokens.take(tokens)
            self.session.tokens = self._tokens

    def keep_tokens_fresh(self) -> None:
        self._tokens.keep_fresh()

    def forget_tokens(self) -> None:
        self._tokens.close()


class Sessions:
    """`on_close` is called with each session that ends, so that what belongs to it can be freed."""

    def __init__(
        self,
        settings: SessionSettings,
        make: Callable[[Identity], Session],
        on_close: Callable[[ServerSession], None],
    ) -> None:
        self._settings = settings
        self._make = make
        self._on_close = on_close
        self._lock = threading.Lock()
        self._by_key: dict[bytes, ServerSession] = {}
        self._by_cookie: dict[str, ServerSession] = {}
        self._keys: dict[str, set[bytes]] = {}
        self._ended: OrderedDict[bytes | str, Identity] = OrderedDict()
        self._salt = secrets.token_bytes(16)

    def __len__(self) -> int:
        return len(self._by_cookie)

    def begin(self, grant: Grant) -> str:
        """The bearer of a new session."""
        bearer = BEARER + secrets.token_urlsafe(32)
        self._evict_oldest(grant.identity)
        with self._lock:
            session = self._add(grant.identity, self._key("given", bearer), grant.lasting())
        session.take_tokens(grant.tokens)
        return bearer

    def of_bearer(self, bearer: str) -> ServerSession | None:
        """The session that this bearer was given for; None if it is none of ours. SessionExpired."""
        if not bearer.startswith(BEARER):
            return None
        with self._lock:
            session = self._alive(self._by_key.get(self._key("given", bearer)))
        if session is not None and not session.holds():
            self.close(session)
            session = None
        if session is None:
            raise SessionExpired("the session has ended", hint="log in again")
        return session

    def of_cookie(self, cookie: str, identity: Identity) -> ServerSession | None:
        """None for somebody else's, too."""
        with self._lock:
            session = self._alive(self._by_cookie.get(cookie))
        if session is None:
            self._raise_if_ended(cookie, identity)
        return session if session is not None and session.identity == identity else None

    def of_credentials(
        self, credentials: str, identity: Identity, *, create: bool = True, known: bool = False
    ) -> ServerSession | None:
        """The session of a client that sends its own credentials with every call, and no cookie. With
        `known` it has had one. SessionExpired."""
        key = self._key("sent", credentials)
        with self._lock:
            session = self._of_key(key, identity)
        if session is not None or not create:
            return session
        self._raise_if_ended(key, identity)
        if known:
            raise _forgotten()
        self._evict_oldest(identity)
        with self._lock:
            return self._of_key(key, identity) or self._add(identity, key, _always)

    def enter(self, session: ServerSession) -> bool:
        """Keeps it alive until `leave`; False if it has ended meanwhile."""
        with self._lock:
            if session.closed:
                return False
            session.busy += 1
            session.used = time.monotonic()
            return True

    def leave(self, session: ServerSession) -> None:
        with self._lock:
            session.busy -= 1
            session.used = time.monotonic()

    def all(self) -> list[ServerSession]:
        with self._lock:
            return list(self._by_cookie.values())

    def close(self, session: ServerSession, only_if: Callable[[ServerSession], bool] | None = None) -> None:
        with self._lock:
            if session.closed or (only_if is not None and not only_if(session)):
                return
            session.closed = True
            # One that has nothing set is not missed: a new one is the same.
            remember = only_if is not None and self._has_settings(session)
            self._by_cookie.pop(session.cookie, None)
            for key in self._keys.pop(session.id, ()):
                self._by_key.pop(key, None)
                if remember:
                    self._ended[key] = session.identity
            if remember:
                self._ended[session.cookie] = session.identity
            while len(self._ended) > MOST_ENDED:
                self._ended.popitem(last=False)
        self._on_close(session)
        session.forget_tokens()

    def sweep(self) -> None:
        """Ends those that were idle for too long, or are too old."""
        for session in self.all():
            if self._is_over(session):
                self.close(session, self._is_over)

    def close_all(self) -> None:
        for session in self.all():
            self.close(session)

    def _evict_oldest(self, identity: Identity) -> None:
        """Where there are too many, the one ends that its user has left for longest: some drivers close
        connections without a word."""
        with self._lock:
            theirs = [s for s in self._by_cookie.values() if s.identity.who == identity.who]
            most, most_of_one = self._most(identity), self._settings.max_sessions_per_user
            if len(self._by_cookie) < most and len(theirs) < most_of_one:
                return
        oldest = min((s for s in theirs if not s.busy), key=lambda session: session.used, default=None)
        if oldest is not None:
            self.close(oldest, _is_away)

    def _add(self, identity: Identity, key: bytes, holds: Callable[[], bool]) -> ServerSession:
        """Called with the lock held."""
        if len(self._by_cookie) >= self._most(identity):
            raise LimitExceeded(
                f"there are {len(self._by_cookie)} sessions already (session.max_sessions)",
                code="TOO_MANY_SESSIONS",
                hint="close connections that are not used, or try again later",
            )
        theirs = sum(session.identity.who == identity.who for session in self._by_cookie.values())
        if theirs >= self._settings.max_sessions_per_user:
            raise LimitExceeded(
                f"there are {theirs} sessions of one user already (session.max_sessions_per_user)",
                code="TOO_MANY_SESSIONS",
                hint="close connections that are not used, or try again later",
            )
        session = ServerSession(self._make(identity), holds)
        former = self._by_key.get(key)
        if former is not None:
            # The same credentials are somebody else now.
            self._keys.get(former.id, set()).discard(key)
        self._by_key[key] = session
        self._by_cookie[session.cookie] = session
        self._keys[session.id] = {key}
        return session

    def _of_key(self, key: bytes, identity: Identity) -> ServerSession | None:
        """Called with the lock held."""
        session = self._alive(self._by_key.get(key))
        return session if session is not None and session.identity == identity else None

    def _raise_if_ended(self, key: bytes | str, identity: Identity) -> None:
        """Once, and to nobody else: a client must not go on in another schema without a word."""
        with self._lock:
            session = self._by_key.get(key) if isinstance(key, bytes) else self._by_cookie.get(key)
        if session is not None:
            self.close(session, self._is_over)
        with self._lock:
            if self._ended.get(key) != identity:
                return
            del self._ended[key]
        raise _forgotten()

    def _has_settings(self, session: ServerSession) -> bool:
        fresh, current = self._make(session.identity), session.session
        names = ("catalog", "namespace", "time_zone", "properties", "prepared")
        return any(getattr(current, name) != getattr(fresh, name) for name in names)

    def _most(self, identity: Identity) -> int:
        """The last tenth is for users who have none: nobody can take all there are."""
        most = self._settings.max_sessions
        for_all = most - most // 10
        if len(self._by_cookie) < for_all:
            return for_all
        has_one = any(session.identity.who == identity.who for session in self._by_cookie.values())
        return for_all if has_one else most

    def _alive(self, session: ServerSession | None) -> ServerSession | None:
        return None if session is None or session.closed or self._is_over(session) else session

    def _is_over(self, session: ServerSession) -> bool:
        if session.busy:
            return False
        now = time.monotonic()
        idle, age = self._settings.idle_timeout, self._settings.absolute_timeout
        return bool((idle and now - session.used > idle) or (age and now - session.created > age))

    def _key(self, kind: str, credentials: str) -> bytes:
        """What was sent is not kept. A bearer that we gave proves who asks, and what a client sends of its
        own does not: one must never be taken for the other."""
        return hashlib.blake2b(f"{kind} {credentials}".encode(), key=self._salt, digest_size=16).digest()


def _is_away(session: ServerSession) -> bool:
    return not session.busy and time.monotonic() - session.used > AWAY_SECONDS


def _forgotten() -> SessionExpired:
    return SessionExpired(
        "the session has ended, and what USE and SET SESSION said is forgotten",
        hint="say it again, and run the statement again",
    )


def _always() -> bool:
    return True
