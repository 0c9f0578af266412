"""What clients ask besides running SQL: which tables there are, what a statement would return.

To a server these are statements: they wait for their turn, have a time limit, are in the history, and are
heard by observers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqe.commands.running import Statement, life, started
from sqe.coordinator import Coordinator
from sqe.foundation.recursion import deep_recursion
from sqe.observe.request_ids import request_ids
from sqe.server.client import Client
from sqe.server.describe import Description, describe
from sqe.server.running_statements import RunningStatements
from sqe.server.sessions import ServerSession

Answer = TypeVar("Answer")


class Questions:
    def __init__(self, coordinator: Coordinator, running: RunningStatements) -> None:
        self._coordinator = coordinator
        self._running = running

    @deep_recursion()
    def answer(
        self,
        session: ServerSession,
        text: str,
        *,
        client: Client,
        label: str,
        work: Callable[[Statement], Answer],
    ) -> Answer:
        """`text` is what the history calls it, `label` what metrics do. `work` calls `check` of the statement
        now and then, and at its end; a client that goes away cancels it."""
        statement = Statement(text, session.session, label=label, request=request_ids(client.headers))
        with self._running.attended(statement, client), life(statement, self._coordinator):
            started(statement, self._coordinator)
            return work(statement)

    def describe(self, session: ServerSession, text: str, *, client: Client) -> Description:
        """What a statement returns and takes. Nothing of it runs."""
        return self.answer(
            session,
            f"Describe: {text}",
            client=client,
            label="describe",
            work=lambda statement: describe(text, session.session, self._coordinator, check=statement.check),
        )
