"""The sessions of a server, each of one identity: found by the bearer or the cookie that a client sends."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable

from sqe.config import SessionSettings
from sqe.errors import LimitExceeded, SessionExpired
from sqe.session import Identity, Session

# How bearers of ours begin, so that one that has ended is not taken for somebody's wrong token.
BEARER = "sqe-session-"
# Connections of one session that are remembered: some vanish without a word.
MOST_PEERS = 100


class ServerSession:
    """`session` is what statements see. `busy` calls keep it alive however long they take."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.identity = session.identity
        self.cookie = secrets.token_urlsafe(24)
        self.created = time.monotonic()
        self.used = self.created
        self.busy = 0
        self.closed = False
        self._peers: dict[str, None] = {}
        self._lock = threading.Lock()

    def used_by(self, peer: str) -> None:
        """`peer` is one connection of a client's: those that send the same credentials share a session."""
        with self._lock:
            self._peers.pop(peer, None)
            self._peers[peer] = None
            if len(self._peers) > MOST_PEERS:
                del self._peers[next(iter(self._peers))]

    def left_by(self, peer: str) -> bool:
        """Whether it was the last that used the session."""
        with self._lock:
            self._peers.pop(peer, None)
            return not self._peers

    @property
    def id(self) -> str:
        return self.session.id


class Sessions:
    """`on_close` hears of each session that ends, so that what belongs to it can be freed."""

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
        self._salt = secrets.token_bytes(16)

    def __len__(self) -> int:
        return len(self._by_cookie)

    def begin(self, identity: Identity) -> tuple[ServerSession, str]:
        """A new session and its bearer."""
        bearer = BEARER + secrets.token_urlsafe(32)
        with self._lock:
            return self._add(identity, self._key("given", bearer)), bearer

    def of_bearer(self, bearer: str) -> ServerSession | None:
        """The session that this bearer was given for; None if it is none of ours. SessionExpired."""
        if not bearer.startswith(BEARER):
            return None
        with self._lock:
            found = self._alive(self._by_key.get(self._key("given", bearer)))
        if found is None:
            raise SessionExpired("the session has ended", hint="log in again")
        return found

    def of_cookie(self, cookie: str, identity: Identity) -> ServerSession | None:
        """None for somebody else's, too."""
        with self._lock:
            found = self._alive(self._by_cookie.get(cookie))
        return found if found is not None and found.identity == identity else None

    def of_credentials(
        self, credentials: str, identity: Identity, *, create: bool = True
    ) -> ServerSession | None:
        """The session of clients that send their own credentials with every call, and no cookie."""
        key = self._key("sent", credentials)
        with self._lock:
            found = self._alive(self._by_key.get(key))
            if found is not None and found.identity == identity:
                return found
            return self._add(identity, key) if create else None

    def enter(self, session: ServerSession, peer: str | None) -> bool:
        """Keeps it alive until `leave`, for a call of one of those that share it; False if it has ended
        meanwhile."""
        with self._lock:
            if session.closed:
                return False
            session.busy += 1
            session.used = time.monotonic()
            if peer is not None:
                session.used_by(peer)
            return True

    def leave(self, session: ServerSession) -> None:
        with self._lock:
            session.busy -= 1
            session.used = time.monotonic()

    def all(self) -> list[ServerSession]:
        with self._lock:
            return list(self._by_cookie.values())

    def close(self, session: ServerSession, *, if_over: bool = False) -> None:
        with self._lock:
            if session.closed or (if_over and not self._is_over(session)):
                return
            session.closed = True
            self._by_cookie.pop(session.cookie, None)
            for key in self._keys.pop(session.id, ()):
                self._by_key.pop(key, None)
        self._on_close(session)

    def sweep(self) -> None:
        """Ends those that were idle for too long, or are too old."""
        for session in self.all():
            if self._is_over(session):
                self.close(session, if_over=True)

    def close_all(self) -> None:
        for session in self.all():
            self.close(session)

    def _add(self, identity: Identity, key: bytes) -> ServerSession:
        """Called with the lock held."""
        if len(self._by_cookie) >= self._most(identity):
            raise LimitExceeded(
                f"there are {len(self._by_cookie)} sessions already (session.max_sessions)",
                code="TOO_MANY_SESSIONS",
                hint="close connections that are not used, or try again later",
            )
        made = ServerSession(self._make(identity))
        former = self._by_key.get(key)
        if former is not None:
            # The same credentials are somebody else now.
            self._keys.get(former.id, set()).discard(key)
        self._by_key[key] = made
        self._by_cookie[made.cookie] = made
        self._keys[made.id] = {key}
        return made

    def _most(self, identity: Identity) -> int:
        """The last tenth is for users who have none: nobody can take all there are."""
        most = self._settings.max_sessions
        kept = most - most // 10
        if len(self._by_cookie) < kept:
            return kept
        has_one = any(session.identity.user == identity.user for session in self._by_cookie.values())
        return kept if has_one else most

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
