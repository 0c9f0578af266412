"""What a statement returns is told without running it. Describing takes a turn like any statement."""

from __future__ import annotations

import pyarrow as pa
from tests.doors.flight.plain_calls import ENDLESS, Plain, described
from tests.flight_server import KEYS

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


def prepared_schema(of: Plain, text: str) -> pa.Schema:
    request = pack(sql.ActionCreatePreparedStatementRequest(query=text))
    [body] = of.act("CreatePreparedStatement", request)
    return pa.ipc.read_schema(pa.py_buffer(unpack(body).dataset_schema))


def asked_schema(of: Plain, text: str) -> pa.Schema:
    [answer] = of.ask("GetSchema", described(pack(sql.CommandStatementQuery(query=text))))
    return pa.ipc.read_schema(pa.py_buffer(flight.SchemaResult.FromString(answer).schema))


def test_the_columns_are_those_of_the_answer(server: OpenServer) -> None:
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        for text in ("CREATE OR REPLACE TABLE t (a bigint)", "CREATE OR REPLACE VIEW v AS SELECT a FROM t"):
            ann.query(text)
        ann.query("PREPARE p FROM SELECT a FROM t WHERE a = ?")
        answers = {}
        for text in SHOWN:
            info = ann.query(text)
            answers[text] = pa.ipc.read_schema(pa.py_buffer(info.schema))
            ann.get(info)
        for text, schema in answers.items():
            assert prepared_schema(ann, text) == schema, text
            assert asked_schema(ann, text) == schema, text


def test_nothing_of_the_statement_runs(server: OpenServer) -> None:
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        before = {record.id for record in server.coordinator.history.records("ann")}
        kept = len(server.clients.running)
        for text in ("CREATE TABLE never (a bigint)", "USE lake.information_schema", ENDLESS):
            ann.prepare(text)
        after = [r for r in server.coordinator.history.records("ann") if r.id not in before]
        assert [record.text for record in after] == [
            "Describe: CREATE TABLE never (a bigint)",
            "Describe: USE lake.information_schema",
            f"Describe: {ENDLESS}",
        ]
        assert len(server.clients.running) == kept
        assert "never" not in server.coordinator.catalogs.get("lake").tables(("default",))
