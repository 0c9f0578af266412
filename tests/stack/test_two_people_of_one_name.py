"""Two issuers that both know an `alice`: neither lane lets one have anything of the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from tests.stack.embedded import HOLDS_SECONDS, engine_on
from tests.stack.lake import Lake
from tests.stack.tables import new_table, pyiceberg

from sqe.api.connection import Connection
from sqe.auth.tokens import ClientToken
from sqe.coordinator import Coordinator
from sqe.engine.duckdb import lane
from sqe.engine.duckdb.pool import Child
from sqe.engine.duckdb.processes import Processes, ProcessStream
from sqe.engine.duckdb.render import FastRendered
from sqe.engine.lane import Order
from sqe.engine.spark.spark import Spark
from sqe.session import Identity

pytestmark = [pytest.mark.spark, pytest.mark.integration]
HERE = Identity("alice", issuer="https://here.example", subject="1")
THERE = Identity("alice", issuer="https://there.example", subject="1")
# The catalog knows two people as well.
WHO = {HERE: "alice", THERE: "bob"}


@dataclass
class Alices:
    """A connection of each, and a question that both may ask of a table in the lake."""

    coordinator: Coordinator
    connections: dict[Identity, Connection]
    sql: str

    def ask(self, who: Identity) -> None:
        assert self.connections[who].execute(self.sql).fetchall() == [("b",)]


@pytest.fixture
def alices(lake: Lake, spark_on_s3: Spark, tmp_path: Path) -> Iterator[Alices]:
    lake.need_servers()
    more = "[engine.fast]\nprocesses = 2\n"
    with new_table(lake, "sales") as table, engine_on(lake, tmp_path, more=more, spark=spark_on_s3) as engine:
        stored = pyiceberg(lake, "bob").load_table((table.namespace, table.name))
        stored.append(pa.table({"id": [1, 2], "name": ["a", "b"]}))
        connections = {who: Connection(engine.coordinator, who) for who in WHO}
        for who, connection in connections.items():
            connection.session.tokens = ClientToken(lake.token(WHO[who]), time.time() + HOLDS_SECONDS)
        sql = f"SELECT name FROM lake.sales.{table.name} WHERE id = 2"
        yield Alices(engine.coordinator, connections, sql)


def test_both_lanes_keep_them_apart(
    alices: Alices, lake: Lake, spark_on_s3: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: dict[Identity, set[str]] = {HERE: set(), THERE: set()}
    instances: list[tuple[str, int]] = []
    secrets, child = lane._secrets, Processes.child

    def noted(rendered: FastRendered, order: Order) -> list[dict[str, str]]:
        made = secrets(rendered, order)
        keys[order.identity] |= {secret["key_id"] for secret in made}
        return made

    @contextmanager
    def watched(self: Processes, stream: ProcessStream, key: str) -> Iterator[Child]:
        with child(self, stream, key) as taken:
            instances.append((key, taken.pid))
            yield taken

    monkeypatch.setattr(lane, "_secrets", noted)
    monkeypatch.setattr(Processes, "child", watched)
    before = len(lake.object_log())
    for _ in range(2):
        for who in WHO:
            alices.ask(who)
    log = [line for line in lake.object_log()[before:] if str(line["object"]).endswith(".parquet")]
    assert all(keys.values()) and not keys[HERE] & keys[THERE]
    for own in keys.values():
        assert [line for line in log if line["access_key"] in own], "what one has read is not the other's"
    by_instance = [key for key, _ in instances]
    assert by_instance[0] == by_instance[2] != by_instance[1] == by_instance[3]

    for who in WHO:
        alices.connections[who].execute("SET SESSION lane = 'spark'")
        alices.ask(who)
    conf = alices.coordinator.gateway.spark_conf()
    connected = [spark_on_s3.session(who.key, conf).connected()[1] for who in WHO]
    assert len({each.id for each in connected}) == len({each._user.user_id for each in connected}) == 2


def test_at_once_they_are_in_two_processes(alices: Alices, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process runs the statement of one of them, and has no key of the other meanwhile."""
    pids: dict[str, int] = {}
    child = Processes.child

    @contextmanager
    def while_the_other_asks(self: Processes, stream: ProcessStream, key: str) -> Iterator[Child]:
        with child(self, stream, key) as taken:
            pids[key] = taken.pid
            if len(pids) == 1:
                alices.ask(THERE)
            yield taken

    monkeypatch.setattr(Processes, "child", while_the_other_asks)
    alices.ask(HERE)
    assert len(pids) == len(set(pids.values())) == 2
