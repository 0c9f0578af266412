"""Prepared statements: described when they are made, bound and run as often as their client likes."""

from __future__ import annotations

import secrets
import threading

from sqe.errors import LimitExceeded, NotFound, NotSupported, SessionExpired, UserError
from sqe.server.client import Client
from sqe.server.describe import Description
from sqe.server.questions import Questions
from sqe.server.sessions import ServerSession
from sqe.session import Identity
from sqe.tree.expressions import Expression

# Per session. Drivers close theirs; a client that never does gets an error.
MOST = 1000
MOST_ROWS = 100_000

Values = tuple[Expression, ...]


class Prepared:
    """`rows` are the bound values, None before the first binding."""

    def __init__(self, text: str, session: ServerSession, description: Description) -> None:
        self.handle = secrets.token_bytes(24)
        self.text = text
        self.session = session
        self.owner = session.identity
        self.description = description
        self.rows: list[Values] | None = None

    def check_number(self, count: int) -> None:
        """UserError, if there are more or fewer values in a row than parameters."""
        expected = len(self.description.parameters)
        if count != expected:
            raise UserError(
                f"the statement has {expected} parameters, and {count} were given",
                code="INVALID_PARAMETER_USAGE",
            )

    def check_rows(self, count: int) -> None:
        if count > MOST_ROWS:
            raise LimitExceeded(
                f"more than {MOST_ROWS} rows of parameters in one statement",
                code="EXCEEDED_PARAMETER_ROWS",
                hint="ingest them, or send fewer at a time",
            )

    def changes_nothing(self, bound: list[Values] | None) -> bool:
        """Whether a run is for no rows of values at all."""
        return (self.rows if bound is None else bound) == []

    def values(self, bound: list[Values] | None = None) -> tuple[Values, int]:
        """The values of one run, and how many rows of them it is for: those that the run's own call bound,
        since another call may bind others meanwhile, else the last."""
        bound = self.rows if bound is None else bound
        rows = [()] if bound is None else bound
        if self.description.parameters and not bound:
            raise UserError(
                f"the statement has {len(self.description.parameters)} parameters, and none were given",
                code="INVALID_PARAMETER_USAGE",
            )
        if len(rows) == 1:
            return rows[0], 1
        if not self.description.takes_rows:
            raise NotSupported(
                f"only INSERT ... VALUES (?, ...) takes {len(rows)} rows of parameters at once",
                hint="run the statement once for each row",
            )
        return tuple(value for row in rows for value in row), len(rows)


class PreparedStatements:
    """Those of all sessions, by handle."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        self._lock = threading.Lock()
        self._by_handle: dict[bytes, Prepared] = {}
        self._of_session: dict[str, set[bytes]] = {}

    def __len__(self) -> int:
        return len(self._by_handle)

    def create(self, text: str, session: ServerSession, client: Client) -> Prepared:
        prepared = Prepared(text, session, self._questions.describe(session, text, client=client))
        with self._lock:
            theirs = self._of_session.setdefault(session.id, set())
            if len(theirs) >= MOST:
                raise LimitExceeded(
                    f"a session has at most {MOST} prepared statements",
                    code="TOO_MANY_PREPARED_STATEMENTS",
                    hint="close those that are not used",
                )
            self._by_handle[prepared.handle] = prepared
            theirs.add(prepared.handle)
        if session.closed:
            self.close(prepared)
            raise SessionExpired("the session has ended", hint="log in again")
        return prepared

    def find(self, handle: bytes, identity: Identity) -> Prepared:
        """Somebody else's is as unknown as one that never was."""
        prepared = self._by_handle.get(handle)
        if prepared is None or prepared.owner != identity:
            raise NotFound("there is no such prepared statement", code="NOT_FOUND")
        return prepared

    def close(self, prepared: Prepared) -> None:
        with self._lock:
            self._by_handle.pop(prepared.handle, None)
            theirs = self._of_session.get(prepared.session.id, set())
            theirs.discard(prepared.handle)
            if not theirs:
                self._of_session.pop(prepared.session.id, None)

    def close_session(self, session_id: str) -> None:
        with self._lock:
            for handle in self._of_session.pop(session_id, ()):
                self._by_handle.pop(handle, None)
