"""The statements of the door's clients: each is a row of pages that its client fetches one after the other.

A client may lose an answer and ask again, so that the newest page is kept until the next is asked for.
Nothing runs before its first page is asked for: a client that sends a statement twice since the first answer
was lost must not run it twice.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from sqe.doors.trino.errors import error_document
from sqe.doors.trino.request_headers import Requested
from sqe.doors.trino.rows import RowReader, Rows
from sqe.doors.trino.segments import chosen_encoding, segment
from sqe.doors.trino.sessions import changes
from sqe.doors.trino.stats import state_of, stats
from sqe.doors.trino.transactions import Transactions
from sqe.doors.trino.wire_types import signature, type_name
from sqe.errors import Cancelled, NotFound, NotSupported, SqeError, UserError
from sqe.foundation.record import record
from sqe.results.result import Result
from sqe.server.running_statements import RunningStatement, RunningStatements
from sqe.session import Identity, Session
from sqe.types import sql_types as t

QUEUED, EXECUTING = "queued", "executing"
POLL_SECONDS = 1.0
"""How long a page waits for news at most."""
# How often to look whether a statement's turn has come.
LOOK_SECONDS = 0.02
# Pages of statements that have ended, for clients that have lost the last answer.
KEPT_SECONDS = 300.0
MOST_KEPT = 1000
MOST_KEPT_BYTES = 64 << 20
_COUNTED = [{"name": "rows", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}]


# What Trino calls otherwise.
_UPDATE_TYPES = {"CREATE TABLE AS": "CREATE TABLE"}


class Gone(NotFound):
    """A page that was fetched, and the next one too."""


@record
class Page:
    """`next` is the phase and the token of what to ask for after it; None for the last one. `rows` is what
    stands for `data`."""

    document: dict[str, Any]
    columns: bytes | None
    rows: bytes | None
    next: tuple[str, int] | None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        return len(self.rows or b"")


class Query:
    """One statement. `owner` is who has logged in, `session` has what the statement has changed of it."""

    def __init__(
        self,
        running: RunningStatement,
        asked: Requested,
        session: Session,
        *,
        statements: RunningStatements,
        transactions: Transactions,
        threads: Executor,
    ) -> None:
        self.id = running.statement.id
        self.owner = running.owner
        self.user = session.identity.user
        self.running = running
        self.asked = asked
        self.encoding = chosen_encoding(asked.encodings)
        self.ended_at: float | None = None
        self._session = session
        self._statements = statements
        self._transactions = transactions
        self._threads = threads
        self._key = secrets.token_bytes(16)
        self._lock = threading.Lock()
        self._submitted = self._cut_short = self._cancelled = False
        self._phase, self._token = QUEUED, 0
        self._page = self._waiting(QUEUED, 1)
        self._reader: RowReader | None = None
        self._columns: bytes | None = None
        self._on_end: Callable[[Query], None] = lambda query: None

    def when_ended(self, act: Callable[[Query], None]) -> None:
        self._on_end = act
        self.running.on_close = self._given_up

    def slug(self, phase: str, token: int) -> str:
        """Known to whom it was told alone, and good for one page."""
        return "y" + hmac.digest(self._key, f"{phase}/{token}".encode(), "sha1").hex()

    def opens(self, phase: str, slug: str, token: int) -> bool:
        return hmac.compare_digest(self.slug(phase, token).encode(), slug.encode())

    @property
    def first_page(self) -> Page:
        return self._page

    @property
    def kept_bytes(self) -> int:
        """Of what is left of it after its end."""
        return self._page.size + len(self.running.statement.text)

    def page(self, phase: str, token: int, seconds: float) -> Page:
        """The page that has this token: the newest again, or the next one. Gone, NotFound."""
        with self._lock:
            if (phase, token) == (self._phase, self._token):
                return self._page
            if (phase, token) != self._page.next:
                self._refuse(phase, token)
            page = self._queued(token, seconds) if phase == QUEUED else self._executing(token, seconds)
            self._phase, self._token, self._page = phase, token, page
        if page.next is None:
            self._end()
        return page

    def cancel(self) -> None:
        self._cancelled = True
        self._statements.cancel(self.running)

    def cut_short(self) -> None:
        """The client wants no more rows: what it has is the result."""
        self._cut_short = True

    def fail(self, error: SqeError) -> None:
        """Before it could run: its client hears of it as of any other failure, when it asks for a page."""
        self.running.error = error
        self.running.started.set()
        self._submitted = True

    def _refuse(self, phase: str, token: int) -> None:
        is_older = phase == QUEUED if self._phase == EXECUTING else token < self._token
        if is_older or (phase == self._phase and token < self._token):
            raise Gone("the page was fetched", code="NOT_FOUND")
        raise NotFound("there is no such page", code="NOT_FOUND")

    def _queued(self, token: int, seconds: float) -> Page:
        if not self._submitted and self.ended_at is None:
            self._submitted = True
            self._statements.begin(self.running)
        if not self._has_begun(seconds):
            return self._waiting(QUEUED, token + 1)
        error = self.running.error
        return self._waiting(EXECUTING, 0) if error is None else self._failed(error)

    def _has_begun(self, seconds: float) -> bool:
        """Whether it waits for its turn no more."""
        deadline = time.monotonic() + seconds
        while not self.running.started.wait(LOOK_SECONDS):
            if state_of(self.running.statement) != "QUEUED":
                return True
            if time.monotonic() > deadline:
                return False
        return True

    def _waiting(self, phase: str, token: int) -> Page:
        return Page(self._document("QUEUED"), None, None, (phase, token))

    def _executing(self, token: int, seconds: float) -> Page:
        running = self.running
        if not running.started.wait(seconds):
            return Page(self._document(state_of(running.statement)), None, None, (EXECUTING, token + 1))
        if running.error is not None:
            return self._failed(running.error)
        if running.result is None:
            return self._changed()
        try:
            return self._read(running.result, token, seconds)
        except SqeError as error:
            return self._failed(error)

    def _read(self, result: Result, token: int, seconds: float) -> Page:
        if self._reader is None:
            types = [field.type for field in result.fields]
            self._reader = RowReader(result, types, precise=self.asked.precise, threads=self._threads)
            self._columns = json.dumps(
                [_column(field.name, field.type, self.asked.precise) for field in result.fields]
            ).encode()
        if self._cut_short:
            return Page(self._document("FINISHED"), self._columns, None, None)
        rows = self._reader.read(seconds)
        data = self._data(rows) if rows.count else None
        following = None if rows.last else (EXECUTING, token + 1)
        state = "FINISHED" if rows.last else "RUNNING"
        return Page(
            self._document(state), self._columns, data, following, self._changes() if rows.last else ()
        )

    def _data(self, rows: Rows) -> bytes:
        content = b"".join((b"[", rows.content, b"]"))
        if self.encoding is None:
            return content
        return segment(content, encoding=self.encoding, first_row=rows.first, count=rows.count)

    def _changed(self) -> Page:
        """A statement without rows; clients of those that change rows are told how many as a row."""
        statement = self.running.statement
        if statement.kind == "START TRANSACTION" and self.asked.transaction is None:
            return self._failed(UserError("Client does not support transactions", code="INCOMPATIBLE_CLIENT"))
        if statement.kind in ("COMMIT", "ROLLBACK") and not self.asked.transaction:
            return self._failed(UserError("No transaction in progress", code="NOT_IN_TRANSACTION"))
        count = statement.updated
        columns, data = (b"[]", None) if count is None else (json.dumps(_COUNTED).encode(), b"[[%d]]" % count)
        if data is not None and self.encoding is not None:
            data = segment(data, encoding=self.encoding, first_row=0, count=1)
        document = self._document("FINISHED") | {
            "updateType": _UPDATE_TYPES.get(statement.kind, statement.kind)
        }
        if count is not None:
            document["updateCount"] = count
        try:
            told = self._changes()
        except NotSupported as error:
            return self._failed(error)
        return Page(document, columns, data, None, told)

    def _changes(self) -> tuple[tuple[str, str], ...]:
        bound = self.running.statement.bound
        if bound is None:
            return ()
        return tuple(changes(bound.tree, self._session, self.asked, self.owner, self._transactions))

    def _failed(self, error: SqeError) -> Page:
        document = self._document("FAILED") | {"error": error_document(error)}
        # A ROLLBACK that cannot take back what was written has ended the transaction all the same.
        ends = self.running.statement.kind == "ROLLBACK" and self.asked.transaction
        told = self._changes() if ends else ()
        return Page(document, self._columns, None, None, told)

    def _document(self, state: str) -> dict[str, Any]:
        statement = self.running.statement
        warnings = [
            {"warningCode": {"code": 0x100_0000, "name": "SQE_WARNING"}, "message": text}
            for text in statement.warnings
        ]
        return {"id": self.id, "stats": stats(statement, state=state), "warnings": warnings}

    def _end(self) -> None:
        """Its rows were fetched, or never will be: only the last page is kept."""
        if self.ended_at is None:
            self._forget_prepared()
            self.ended_at = time.monotonic()
            self._statements.close(self.running)
            self._on_end(self)

    def _forget_prepared(self) -> None:
        """The statements that its client sent with it: a megabyte each, and of no use any more."""
        self.asked = replace(self.asked, prepared={})
        self._session.prepared.clear()

    def _given_up(self) -> None:
        """The server has closed it: its client has cancelled, or has not come for long."""
        if self.ended_at is not None:
            return
        self._forget_prepared()
        error: SqeError = UserError(
            "the query was abandoned: nobody has asked for its rows", code="ABANDONED_QUERY"
        )
        if self._cancelled:
            error = Cancelled("Query was canceled")
        self.running.error = self.running.error or error
        self.running.started.set()
        self.ended_at = time.monotonic()
        self._on_end(self)


def _column(name: str, type_: t.Type, precise: bool) -> dict[str, Any]:
    return {
        "name": name,
        "type": type_name(type_, precise=precise),
        "typeSignature": signature(type_, precise=precise),
    }


class Queries:
    """Those of all clients, by id; and those that have ended, for a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_id: dict[str, Query] = {}
        self._ended: OrderedDict[str, Query] = OrderedDict()
        self._kept_bytes = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, query: Query, release: Callable[[], None] = lambda: None) -> None:
        """`release` is called once it has ended."""

        def ended(query: Query) -> None:
            release()
            self._keep_for_a_while(query)

        with self._lock:
            self._by_id[query.id] = query
        query.when_ended(ended)

    def find(self, id_: str, owner: Identity, user: str | None = None) -> Query:
        """Somebody else's is as unknown as one that never was. `user` is the name that an unproven client
        says."""
        query = self._by_id.get(id_)
        if query is None or query.owner != owner or user not in (None, query.asked.user):
            raise NotFound("there is no such query: it has expired, or never was", code="NOT_FOUND")
        query.running.used = time.monotonic()
        return query

    def close(self) -> None:
        with self._lock:
            self._by_id.clear()
            self._ended.clear()

    def _keep_for_a_while(self, query: Query) -> None:
        with self._lock:
            self._ended[query.id] = query
            self._kept_bytes += query.kept_bytes
            before = time.monotonic() - KEPT_SECONDS
            while self._ended:
                oldest = next(iter(self._ended.values()))
                full = len(self._ended) > MOST_KEPT or self._kept_bytes > MOST_KEPT_BYTES
                if not full and (oldest.ended_at or 0.0) > before:
                    break
                del self._ended[oldest.id]
                self._by_id.pop(oldest.id, None)
                self._kept_bytes -= oldest.kept_bytes
