"""The protocol as a state machine: whatever clients do in whatever order, pages are what they should be, and
nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, rule, run_state_machine_as_test
from tests.doors.trino.test_pages_of_statements import ENDLESS
from tests.doors.trino.trino_door import ANYBODY, Opened, Wire, opened_door

from sqe.doors.trino.server import IDLE_SECONDS

ROWS = 60_000
STATEMENTS = {
    "SELECT 1 AS a": 1,
    "SELECT 1/0": None,
    "SELEC": None,
    "SHOW CATALOGS": 2,
    f"SELECT sequential_number, 'some text to fill a page' FROM TABLE(sequence(1, {ROWS}))": ROWS,
    "SET TIME ZONE 'Europe/Berlin'": 0,
}


class Fetching:
    """A statement as its client knows it: the pages that it has, and where the next one is."""

    def __init__(self, sql: str, page: dict[str, Any]) -> None:
        self.sql = sql
        self.rows = 0
        self.places: list[str] = []
        self.answers: list[bytes] = []
        self.next: str | None = page["nextUri"]
        self.cancelled = False

    def take(self, answer: bytes) -> None:
        page = json.loads(answer)
        assert self.next is not None
        self.places.append(self.next)
        self.answers.append(answer)
        self.rows += len(page.get("data", []))
        self.next = page.get("nextUri")
        if self.next is None:
            self.check_end(page)

    def check_end(self, page: dict[str, Any]) -> None:
        expected = STATEMENTS[self.sql]
        if self.cancelled:
            assert page["error"]["errorName"] in ("USER_CANCELED", "DIVISION_BY_ZERO", "SYNTAX_ERROR")
        elif expected is None:
            assert page["error"]["errorType"] == "USER_ERROR"
        else:
            assert "error" not in page and self.rows == expected


class Clients(RuleBasedStateMachine):
    """`door` is set before it runs."""

    door: ClassVar[Opened]
    fetching: Bundle[Fetching] = Bundle("fetching")

    def __init__(self) -> None:
        super().__init__()
        self.wire = Wire(self.door.url)

    @rule(target=fetching, sql=st.sampled_from(sorted(STATEMENTS)))
    def post(self, sql: str) -> Fetching:
        return Fetching(sql, self.wire.post(sql))

    @rule(query=fetching, pages=st.integers(1, 4))
    def fetch(self, query: Fetching, pages: int) -> None:
        for _ in range(pages):
            if query.next is not None:
                answer = self.wire.send("GET", query.next)
                assert answer.status == 200, answer.data
                query.take(answer.data)

    @rule(query=fetching)
    def repeat(self, query: Fetching) -> None:
        if query.places:
            assert self.wire.send("GET", query.places[-1]).data == query.answers[-1]

    @rule(query=fetching)
    def go_back(self, query: Fetching) -> None:
        if len(query.places) > 1:
            assert self.wire.send("GET", query.places[-2]).status == 410

    @rule(query=fetching, step=st.integers(2, 9))
    def skip(self, query: Fetching, step: int) -> None:
        if query.next is not None:
            place, _, token = query.next.rpartition("/")
            assert self.wire.send("GET", f"{place}/{int(token) + step}").status == 404

    @rule(query=fetching)
    def somebody_else(self, query: Fetching) -> None:
        place = query.next or query.places[-1]
        other = Wire(self.door.url, **{"X-Trino-User": "eve"})
        assert other.send("GET", place).status == 404
        assert other.send("DELETE", place).status == 404

    @rule(query=fetching)
    def cancel(self, query: Fetching) -> None:
        if query.next is not None:
            assert self.wire.send("DELETE", query.next).status == 204
            query.cancelled = True

    @rule(query=consumes(fetching))
    def to_the_end(self, query: Fetching) -> None:
        while query.next is not None:
            self.fetch(query, 1)
        assert query.rows == (STATEMENTS[query.sql] or 0) or query.cancelled

    @rule(query=consumes(fetching))
    def vanish(self, query: Fetching) -> None:
        pass


def test_the_protocol(tmp_path: Path) -> None:
    with opened_door(tmp_path, "[query]\nstream_idle_timeout_secs = 2\n", providers=ANYBODY) as door:
        Clients.door = door
        steps = settings(
            max_examples=8, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        )
        run_state_machine_as_test(Clients, settings=steps)
        _wait_until_nothing_is_left(door)


@pytest.mark.trino
def test_a_hundred_clients_of_all_kinds(tmp_path: Path) -> None:
    """They vanish, cancel, repeat and skip pages; what is there before is there after, and nothing else."""
    limits = '[engine]\nlane = "fast"\n[query]\nstream_idle_timeout_secs = 2\nmax_concurrent_per_user = 100\n'
    with opened_door(tmp_path, limits, providers=ANYBODY) as door:
        Wire(door.url).run("SELECT 1")
        _wait_until_nothing_is_left(door)
        before = _taken()
        clients = [threading.Thread(target=_misbehave, args=(door, number)) for number in range(100)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(300)
        assert not any(client.is_alive() for client in clients)
        _wait_until_nothing_is_left(door)
        # A connection that nobody uses is kept for a minute.
        deadline = time.monotonic() + IDLE_SECONDS + 60
        while any(now > then for now, then in zip(_taken(), before, strict=True)) or _connections(door.port):
            assert time.monotonic() < deadline, (_taken(), before, _connections(door.port))
            time.sleep(0.2)


def _misbehave(door: Opened, number: int) -> None:
    chance = random.Random(number)
    wire = Wire(door.url, **{"X-Trino-User": f"user{number % 7}"})
    for sql in chance.sample([*STATEMENTS, ENDLESS], 4):
        page, place = wire.post(sql), ""
        for _ in range(chance.randint(0, 12)):
            if "nextUri" not in page:
                break
            place = page["nextUri"]
            page = wire.get(place)
            if chance.random() < 0.2:
                wire.send("GET", place)
            if chance.random() < 0.2:
                wire.send("GET", place + "7")
        if "nextUri" in page and chance.random() < 0.5:
            assert wire.send("DELETE", page["nextUri"]).status == 204
    if chance.random() < 0.5:
        wire.close()


def _wait_until_nothing_is_left(door: Opened) -> None:
    clients, coordinator = door.server.clients, door.server.coordinator
    deadline = time.monotonic() + 60
    while (
        len(clients.running)
        or coordinator.history.running
        or coordinator.spools.spooled
        or any(session.busy for session in clients.sessions.all())
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _taken() -> tuple[int, int]:
    """Threads of statements and of results, and open files. Those that wait for requests stay."""
    working = [t for t in threading.enumerate() if t.name in ("sqe-background", "sqe-drain")]
    # Connections are counted apart, and other sockets are those of the lane's processes, which stay.
    files = [f for f in os.listdir("/proc/self/fd") if _link(f).startswith("/")]
    return len(working), len(files)


def _connections(port: int) -> int:
    """The door's ends of connections that are open, or that its client has closed."""
    lines = Path("/proc/self/net/tcp").read_text().splitlines()[1:]
    ends = ((local.rpartition(":")[2], state) for _, local, _, state, *_ in map(str.split, lines))
    return sum(int(number, 16) == port and state in ("01", "08") for number, state in ends)


def _link(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        return "closed"
