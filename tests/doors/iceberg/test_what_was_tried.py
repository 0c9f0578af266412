"""What an attacker has tried on the door, and what it answers since."""

from __future__ import annotations

import json
import os
import socket
import threading
import urllib.parse
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.doors.iceberg.conftest import Rest
from tests.doors.iceberg.iceberg_door import KEYS
from tests.doors.iceberg.test_what_is_hidden import tables

from sqe.catalog.iceberg.commits import apply_updates
from sqe.doors.iceberg import replays as replays_module
from sqe.doors.iceberg.answers import NOTHING, Answer, json_answer
from sqe.doors.iceberg.replays import Replays
from sqe.errors import CommitConflict

__all__ = ["tables"]
Tables = tuple[Rest, dict[str, Any]]


@pytest.mark.parametrize("name", ["日本", "Łódź", "таблица", "😀"])
def test_any_name_can_be_loaded_again(rest: Rest, name: str) -> None:
    rest.create("spelled", name)
    answer = rest.raw("GET", f"/v1/lake/namespaces/spelled/tables/{urllib.parse.quote(name)}")
    assert answer.status == 200
    assert answer.headers["ETag"].isascii()


def test_a_namespace_is_not_found_by_another_spelling(rest: Rest) -> None:
    rest.send("POST", "/namespaces", {"namespace": ["deep"]})
    rest.send("POST", "/namespaces", {"namespace": ["deep", "er"]})
    assert rest.send("GET", "/namespaces/deep%1Fer/tables")[0] == 200
    for path in ("/namespaces/deep.er/tables", "/namespaces/deep.er/views", "/namespaces/deep.er"):
        assert rest.send("GET", path)[0] == 404
    assert rest.send("POST", "/namespaces", {"namespace": ["deep.est"]})[0] == 400


def test_a_view_is_no_way_to_the_metadata_of_a_hidden_table(tables: Tables, rest: Rest) -> None:
    joe, raw = tables
    location = f"{raw['secret']['location']}/metadata/x.metadata.json"
    body = {"name": "leak", "metadata-location": location}
    assert joe.send("POST", "/namespaces/s/register-view", body)[0] == 403
    # And what is no view does not become one.
    rest.create("registered", "t")
    stored = rest.send("GET", "/namespaces/registered/tables/t")[1]["metadata-location"]
    body = {"name": "v", "metadata-location": stored}
    assert rest.send("POST", "/namespaces/registered/register-view", body)[0] == 400


def test_hidden_tables_are_out_of_reach_of_places_and_purge(tables: Tables) -> None:
    joe, raw = tables
    hidden = raw["secret"]["location"]
    schema = raw["open"]["schemas"][0]
    body = {"name": "evil", "schema": schema, "location": f"{hidden}/data"}
    assert joe.send("POST", "/namespaces/s/tables", body)[0] == 403
    statistics = {"statistics-path": f"{hidden}/metadata/x", "snapshot-id": 1}
    update = {"action": "set-statistics", "statistics": statistics}
    commit = {"requirements": [], "updates": [update]}
    assert joe.send("POST", "/namespaces/s/tables/open", commit)[0] == 403
    assert joe.send("DELETE", "/namespaces/s/tables/open?purgeRequested=true")[0] == 403


@pytest.mark.parametrize(
    "update",
    [
        b'{"action": "set-properties", "updates": {"x": NaN}}',
        b'{"action": "set-properties", "updates": {"x": "\\ud800"}}',
        b'{"action": "remove-snapshots", "snapshot-ids": [1e999]}',
        b'{"action": "upgrade-format-version", "format-version": "x"}',
        b'{"action": "add-schema", "schema": {"type": "struct", "fields": [{"id": 2, "type": "int"}]}}',
    ],
)
def test_what_cannot_be_metadata_is_the_clients_mistake(rest: Rest, update: bytes) -> None:
    name = f"t{uuid.uuid4().hex}"
    raw = rest.create("mistakes", name)
    more = b'{"action": "set-current-schema", "schema-id": -1}'
    body = b'{"requirements": [], "updates": [%b, %b]}' % (update, more)
    assert rest.raw("POST", f"/v1/lake/namespaces/mistakes/tables/{name}", body).status == 400
    assert rest.send("GET", f"/namespaces/mistakes/tables/{name}")[1]["metadata"] == raw
    create = b'{"requirements": [{"type": "assert-create"}], "updates": [%b]}' % update
    assert rest.raw("POST", "/v1/lake/namespaces/mistakes/tables/new", create).status == 400


def test_a_clock_that_runs_backwards_leaves_a_log_that_does_not(rest: Rest) -> None:
    raw = rest.create("clock", "t")

    def added(raw: dict[str, Any], number: int, moment: int) -> dict[str, Any]:
        snapshot = {
            **{"snapshot-id": number, "timestamp-ms": moment, "sequence-number": number},
            **{"manifest-list": "/x", "summary": {"operation": "append"}, "schema-id": 0},
        }
        ref = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": number}
        return apply_updates(raw, "", [{"action": "add-snapshot", "snapshot": snapshot}, ref])

    now = raw["last-updated-ms"]
    log = added(added(raw, 1, now), 2, now - 120_000)["snapshot-log"]
    assert [entry["timestamp-ms"] for entry in log] == [now, now]


def test_register_opens_no_file_that_may_not_be_there(rest: Rest, tmp_path: Path) -> None:
    raw = rest.create("registering", "t")
    directory = Path(urllib.parse.urlparse(raw["location"]).path) / "metadata"
    os.mkfifo(tmp_path / "fifo")
    for key, value in (("manifest-list", str(tmp_path / "fifo")), ("manifests", ["/etc/passwd"])):
        snapshot = {"snapshot-id": 1, "timestamp-ms": 1, "sequence-number": 1, "summary": {}, key: value}
        (directory / "v9.metadata.json").write_text(json.dumps({**raw, "snapshots": [snapshot]}))
        body = {"name": "r", "metadata-location": f"file://{directory}/v9.metadata.json"}
        assert rest.send("POST", "/namespaces/registering/register", body)[0] in (400, 403)


def test_many_slow_log_ins_stall_nobody(rest: Rest) -> None:
    address = urllib.parse.urlparse(rest.url)
    head = b"POST /v1/oauth/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx"
    slow = [socket.create_connection((str(address.hostname), int(address.port or 0))) for _ in range(150)]
    try:
        for connection in slow:
            connection.sendall(head)
        assert rest.raw("GET", "/v1/config", headers={"Authorization": f"Bearer {KEYS['joe']}"}).status == 200
        done = threading.Event()

        def ask() -> None:
            rest.send("GET", "/namespaces")
            done.set()

        threading.Thread(target=ask).start()
        # Their time is over after 5 seconds; nobody waits for that.
        assert done.wait(4)
    finally:
        for connection in slow:
            connection.close()


def test_a_success_is_kept_though_another_of_its_key_has_failed() -> None:
    replays = Replays()
    failing, waiting = threading.Event(), threading.Event()
    runs: list[int] = []

    def fail() -> Answer:
        failing.set()
        waiting.wait(10)
        raise CommitConflict("no")

    def succeed() -> Answer:
        runs.append(1)
        return NOTHING

    def first() -> None:
        with pytest.raises(CommitConflict):
            replays.once(("k",), "d", fail)

    one = threading.Thread(target=first)
    one.start()
    failing.wait(10)
    two = threading.Thread(target=lambda: replays.once(("k",), "d", succeed))
    two.start()
    waiting.set()
    one.join(10)
    two.join(10)
    assert replays.once(("k",), "d", succeed) == NOTHING
    assert len(runs) <= 2 and replays.bytes > 0


def test_large_answers_of_one_user_cost_no_other_their_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays_module, "MOST_BYTES", 20_000)
    replays = Replays()
    runs: list[None] = []

    def work() -> Answer:
        runs.append(None)
        return json_answer({"text": "x" * 5000})

    replays.once(("alice", "1"), "d", lambda: NOTHING)
    for number in range(10):
        replays.once(("bob", str(number)), "d", work)
    assert replays.bytes <= 20_000 and len(runs) == 10
    replays.once(("alice", "1"), "d", work)
    replays.once(("bob", "9"), "d", work)
    assert len(runs) == 10
    replays.once(("bob", "0"), "d", work)
    assert len(runs) == 11
