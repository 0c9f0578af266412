"""One call of a client: who makes it, and in which session. No door answers before that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqe.auth.authorization_header import credentials_of
from sqe.auth.credentials import Bearer, Credentials, Grant
from sqe.errors import SessionExpired
from sqe.server.call_limits import CallLimits
from sqe.server.client import Client
from sqe.server.sessions import ServerSession, Sessions
from sqe.session import Identity, TokenSource

# Who somebody is, by what they sent and the address that they sent it from.
LogIn = Callable[[Credentials, str], Grant]
# Another user, for whom somebody may be by what they sent.
Impersonate = Callable[[Credentials, str, str], Grant | None]
AUTHORIZATION = "authorization"
# A client may name its session, and say that it has used it before.
SESSION_NAME = "x-sqe-session"
SESSION_KNOWN = "x-sqe-session-known"


class Call:
    """`identity` is who has logged in; without `is_proven` it is whoever comes. The session is found, or
    made, when something asks for it."""

    def __init__(
        self,
        client: Client,
        sessions: Sessions,
        identity: Identity,
        tokens: TokenSource | None = None,
        *,
        is_proven: bool = True,
        impersonate: Callable[[str], Grant | None] = lambda user: None,
    ) -> None:
        """`tokens` came with the log-in of this call; `impersonate` gives another user, if they may."""
        self.client = client
        self.identity = identity
        self.is_proven = is_proven
        self.impersonate = impersonate
        self._sessions = sessions
        self._tokens = tokens
        self._session: ServerSession | None = None
        self._of_bearer: ServerSession | None = None
        self._used: list[ServerSession] = []

    @property
    def existing_session(self) -> ServerSession | None:
        """Does not make one: pools ask for options to see whether a connection lives."""
        if self._session is not None:
            return self._session
        session = self._of_bearer
        cookie = self.client.session_cookie
        if session is None and cookie is not None:
            session = self._sessions.of_cookie(cookie, self.identity)
        if session is None:
            session = self._sessions.of_credentials(self._credentials, self.identity, create=False)
        return session

    @property
    def session(self) -> ServerSession:
        if self._session is None:
            session = self.existing_session
            if session is None:
                known = self.client.headers.get(SESSION_KNOWN) is not None
                session = self._sessions.of_credentials(self._credentials, self.identity, known=known)
                assert session is not None
                self.client.keep_cookie(session.cookie)
            self.use(session)
            self._session = session
        return self._session

    def came_with_bearer_of(self, session: ServerSession) -> None:
        self._of_bearer = session
        self.use(session)

    def use(self, session: ServerSession) -> None:
        """Something of that session is used by this call, so that it does not end before it."""
        if session in self._used:
            return
        if not self._sessions.enter(session):
            raise SessionExpired("the session has ended", hint="log in again")
        self._used.append(session)
        if session.identity == self.identity:
            session.take_tokens(self._tokens)

    def done(self) -> None:
        for session in self._used:
            self._sessions.leave(session)

    @property
    def _credentials(self) -> str:
        """Two programs may have one key, or none: each connection is a client. One that has several sends a
        name for its session, or keeps its cookie. A token that is renewed is the same client's."""
        sent = self.client.headers.get(AUTHORIZATION) or f"none {self.client.host}"
        if self._tokens is not None and isinstance(credentials_of(sent), Bearer):
            sent = f"tokens of {self.identity.key}"
        name = self.client.headers.get(SESSION_NAME)
        return f"at {self.client.connection} {sent}" if name is None else f"named {name} {sent}"


class Calls:
    """Every call of every door begins here."""

    def __init__(self, log_in: LogIn, sessions: Sessions, impersonate: Impersonate | None = None) -> None:
        self._log_in = log_in
        self._impersonate = impersonate or (lambda credentials, user, peer: None)
        self._sessions = sessions
        self._limits = CallLimits()

    @contextmanager
    def begin(self, client: Client) -> Iterator[Call]:
        """The call of a client that says who it is. AuthenticationFailed, LimitExceeded, SessionExpired,
        Unavailable."""
        credentials = credentials_of(client.headers.get(AUTHORIZATION))
        session = self._of_bearer(credentials)
        if session is not None:
            call = Call(client, self._sessions, session.identity)
        else:
            grant = self._grant(client, credentials)
            call = Call(
                client,
                self._sessions,
                grant.identity,
                grant.tokens,
                is_proven=grant.is_proven,
                impersonate=lambda user: self._impersonate(credentials, user, client.host),
            )
        with self._limits.counted(call.identity.who):
            try:
                if session is not None:
                    call.came_with_bearer_of(session)
                yield call
            finally:
                call.done()

    def bearer(self, client: Client, credentials: Credentials) -> str:
        """Logs in: what the client is to send from now on, which stands for a session of its own."""
        if isinstance(credentials, Bearer) and self._of_bearer(credentials) is not None:
            return credentials.token
        return self._sessions.begin(self._grant(client, credentials))

    def _of_bearer(self, credentials: Credentials) -> ServerSession | None:
        return self._sessions.of_bearer(credentials.token) if isinstance(credentials, Bearer) else None

    def _grant(self, client: Client, credentials: Credentials) -> Grant:
        return self._log_in(credentials, client.host)
