"""What a statement returns is told without running it: no turn is waited for, and nothing is counted."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa
import pytest
from plain_calls import ENDLESS, Plain, described

from flight_server import KEYS, Serve
from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.open import OpenServer

SHOWN = (
    "SHOW CATALOGS",
    "SHOW SCHEMAS",
    "SHOW TABLES",
    "SHOW VIEWS",
    "SHOW FUNCTIONS",
    "SHOW SESSION",
    "SHOW COLUMNS FROM t",
    "DESCRIBE t",
    "SHOW STATS FOR t",
    "SHOW CREATE TABLE t",
    "SHOW CREATE VIEW v",
    "SHOW CREATE SCHEMA lake.default",
    "DESCRIBE INPUT p",
    "DESCRIBE OUTPUT p",
    "EXPLAIN SELECT * FROM t",
)


@pytest.fixture
def server(serve: Serve) -> Iterator[OpenServer]:
    server = serve("[query]\nmax_concurrent_per_user = 1\nqueue_timeout_secs = 1\n")
    yield server
    server.close()


def prepared_schema(of: Plain, text: str) -> pa.Schema:
    request = pack(sql.ActionCreatePreparedStatementRequest(query=text))
    [body] = of.act("CreatePreparedStatement", request)
    return pa.ipc.read_schema(pa.py_buffer(unpack(body).dataset_schema))


def asked_schema(of: Plain, text: str) -> pa.Schema:
    [answer] = of.ask("GetSchema", described(pack(sql.CommandStatementQuery(query=text))))
    return pa.ipc.read_schema(pa.py_buffer(flight.SchemaResult.FromString(answer).schema))


def test_while_all_turns_are_taken(server: OpenServer) -> None:
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        for text in ("CREATE TABLE t (a bigint)", "CREATE VIEW v AS SELECT a FROM t"):
            ann.query(text)
        ann.query("PREPARE p FROM SELECT a FROM t WHERE a = ?")
        answers = {}
        for text in SHOWN:
            info = ann.query(text)
            answers[text] = pa.ipc.read_schema(pa.py_buffer(info.schema))
            ann.get(info)
        ann.ask("PollFlightInfo", described(pack(sql.CommandStatementQuery(query=ENDLESS))))
        end = time.monotonic() + 60
        while not (server.admission.running == 1 and server.coordinator.history.running == 1):
            assert time.monotonic() < end
            time.sleep(0.02)
        before = len(server.coordinator.history.records("ann"))
        for text, schema in answers.items():
            assert prepared_schema(ann, text) == schema, text
            assert asked_schema(ann, text) == schema, text
        assert len(server.coordinator.history.records("ann")) == before
        assert server.admission.running == 1
