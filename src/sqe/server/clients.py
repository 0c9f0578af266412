"""What a server keeps for its clients, whichever door they come through."""

from __future__ import annotations

import threading
import time

from sqe.coordinator import Coordinator
from sqe.server.calls import Calls, Impersonate, LogIn
from sqe.server.prepared import PreparedStatements
from sqe.server.questions import Questions
from sqe.server.running_statements import RunningStatements
from sqe.server.sessions import ServerSession, Sessions
from sqe.server.silent_clients import SilentClients

SWEEP_SECONDS = 1.0
# Tokens are renewed also for statements that ask for none for long: the commit at their end needs one.
TOKEN_SECONDS = 10.0


class Clients:
    """Sessions, and what belongs to them. From `start` to `close` it gives up what nobody uses."""

    def __init__(
        self, coordinator: Coordinator, log_in: LogIn, impersonate: Impersonate | None = None
    ) -> None:
        self.coordinator = coordinator
        self.sessions = Sessions(coordinator.config.sessions, coordinator.session, self._session_ended)
        self.calls = Calls(log_in, self.sessions, impersonate)
        self.running = RunningStatements(coordinator)
        self.questions = Questions(coordinator, self.running)
        self.prepared = PreparedStatements(self.questions)
        self.silent = SilentClients(coordinator.config.query.stream_idle_timeout_secs)
        self._closed = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._sweep, name="sqe-sweep", daemon=True).start()
        threading.Thread(target=self._keep_tokens_fresh, name="sqe-tokens", daemon=True).start()

    def close(self) -> None:
        """Ends all sessions, and what they run. More than once does no harm."""
        self._closed.set()
        self.sessions.close_all()

    def _session_ended(self, session: ServerSession) -> None:
        self.running.close_session(session.id)
        self.prepared.close_session(session.id)

    def _sweep(self) -> None:
        interval = self.coordinator.config.sessions.sweep_interval
        next_sweep = time.monotonic() + interval
        while not self._closed.wait(SWEEP_SECONDS):
            self.silent.sweep()
            self.running.sweep()
            if time.monotonic() >= next_sweep:
                self.sessions.sweep()
                next_sweep = time.monotonic() + interval

    def _keep_tokens_fresh(self) -> None:
        while not self._closed.wait(TOKEN_SECONDS):
            for session in self.sessions.all():
                session.keep_tokens_fresh()
