"""The Flight SQL JDBC driver, as DBeaver and Tableau have it.

Some of what is expected is the driver's own: 18.3.0 cuts times to milliseconds, cannot make objects of
timestamps with a zone, and binds a value only where its Java type is that of the parameter."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.clients.jdbc_client import Jdbc
from tests.clients.sql_values import VALUES, Value
from tests.clients.test_adbc_connections import LONG
from tests.flight_server import KEYS, Serve

import sqe
from sqe.doors.open import OpenServer

pytestmark = pytest.mark.flight

# What Java makes of the values that it does not write as Python does.
SHOWN = {
    "float_end": "Infinity",
    "double_end": "-Infinity",
    "bytes": "00ff",
    "day": "0001-01-01",
    "clock": "23:59:59.999",
    "local": "2024-02-29 12:34:56.789012",
    "instant": "2024-02-29 12:34:56.789012",
    "days": "PT51H4M5.006S",
    "map": '{"a":1.0,"b":null}',
    "row": '{"x":1}',
}
# The numbers of java.sql.Types.
TYPES = {
    "yes": 16,
    "tiny": -6,
    "small": 5,
    "whole": 4,
    "big": -5,
    "float": 6,
    "double": 8,
    "cents": 3,
    "longest": 3,
    "text": 12,
    "bytes": -3,
    "day": 91,
    "clock": 92,
    "local": 93,
    "instant": 2014,
    "id": 12,
    "list": 2003,
}
BOUND = [
    ("boolean", "boolean:true", True),
    ("tinyint", "byte:-128", -128),
    ("smallint", "short:32767", 32767),
    ("integer", "int:-2147483648", -(2**31)),
    ("bigint", "long:9223372036854775807", 2**63 - 1),
    ("bigint", "int:3", 3),
    ("bigint", "object:7", 7),
    ("real", "float:1.5", 1.5),
    ("double", "double:2.5", 2.5),
    ("double", "double:NaN", "NaN"),
    ("double", "int:3", 3.0),
    ("decimal(10,2)", "decimal:-1.25", "-1.25"),
    ("decimal(38,0)", "decimal:" + "9" * 38, "9" * 38),
    ("varchar", "string:東京 ' 🙂", "東京 ' 🙂"),
    ("varchar", "nstring:b", "b"),
    ("varchar", "string:", ""),
    ("varbinary", "bytes:00ff", "00ff"),
    ("date", "date:2024-02-29", "2024-02-29"),
    ("time(3)", "time:12:34:56", "12:34:56"),
    ("timestamp(6)", "timestamp:2024-02-29 12:34:56.789", "2024-02-29 12:34:56.789"),
    ("timestamp(6) with time zone", "timestamp:2024-02-29 12:34:56.789", "2024-02-29 12:34:56.789"),
    ("uuid", "string:12151fd2-7586-11e9-8f9e-2a86e4085a59", "12151fd2-7586-11e9-8f9e-2a86e4085a59"),
    ("bigint", "null:BIGINT", None),
    ("varchar", "null:VARCHAR", None),
    ("timestamp(6)", "null:TIMESTAMP", None),
    ("decimal(38,2)", "null:DECIMAL", None),
]


def _url(server: OpenServer, more: str = "") -> str:
    return f"jdbc:arrow-flight-sql://127.0.0.1:{server.flight.port}/?useEncryption=false{more}"


@pytest.fixture(scope="module")
def jdbc(server: OpenServer) -> Iterator[Jdbc]:
    client = Jdbc(_url(server), user="ann", password=KEYS["ann"])
    assert client.connected == {"connected": True}
    yield client
    client.close()


def test_a_token_and_a_catalog(server: OpenServer) -> None:
    client = Jdbc(_url(server, "&catalog=system"), token=KEYS["joe"])
    try:
        assert client.query("SELECT current_user, current_catalog") == [["joe", "system"]]
    finally:
        client.close()


def test_strangers_stay_outside(server: OpenServer) -> None:
    client = Jdbc(_url(server), user="ann", password="wrong")
    client.close()
    assert "authentication failed" in client.connected["message"]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.name)
def test_a_value_and_null(jdbc: Jdbc, value: Value) -> None:
    answer = jdbc.ask("query", f'SELECT {value.typed} AS "Value", IF(1 = 0, {value.typed}) AS n')
    [[found, none]] = answer["rows"]
    if value.name == "nested":
        assert "1.25" in str(found)
    else:
        plain = value.python if isinstance(value.python, (bool, int, float, list)) else str(value.python)
        assert found == SHOWN.get(value.name, plain)
    assert none is None
    first, second = answer["columns"]
    assert (first["label"], second["label"]) == ("Value", "n")
    assert first["type"] == TYPES.get(value.name, first["type"])


def test_no_rows(jdbc: Jdbc) -> None:
    assert jdbc.query("SELECT 1 AS x, 'a' AS y WHERE 1 = 0") == []


@pytest.mark.parametrize(("kind", "given", "answer"), BOUND, ids=lambda part: str(part)[:30])
def test_a_parameter_of_every_type(jdbc: Jdbc, kind: str, given: str, answer: Any) -> None:
    found = jdbc.ask("prepare", f"SELECT CAST(? AS {kind}) AS v", given)
    assert len(found["parameters"]) == 1 and found["described"][0]["label"] == "v"
    assert found["outcome"]["rows"] == [[answer]]


def test_parameters_without_a_type_are_text(jdbc: Jdbc) -> None:
    assert jdbc.ask("prepare", "SELECT ?", "string:a")["outcome"]["rows"] == [["a"]]
    assert jdbc.ask("prepare", "SELECT ? * 2", "int:3")["outcome"]["rows"] == [[6]]
    assert jdbc.ask("prepare", "SELECT upper(?) WHERE 1 = ?", "string:a", "int:1")["outcome"]["rows"] == [
        ["A"]
    ]


def test_a_prepared_statement_runs_often(jdbc: Jdbc) -> None:
    found = jdbc.ask("again", "SELECT ? + 1", "int:1", "int:2", "int:3")
    assert [outcome["rows"] for outcome in found] == [[[2]], [[3]], [[4]]]


def test_updates_and_their_counts(jdbc: Jdbc) -> None:
    assert jdbc.ask("update", "CREATE TABLE by_jdbc (a bigint, b varchar, c timestamp(6))") == {"count": 0}
    assert jdbc.ask("update", "INSERT INTO by_jdbc (a, b) VALUES (1, 'x'), (2, 'y')") == {"count": 2}
    assert jdbc.ask("execute", "UPDATE by_jdbc SET b = 'z' WHERE a = 2") == {"count": 1}
    moment = "timestamp:2024-02-29 12:34:56.789"
    insert = "INSERT INTO by_jdbc VALUES (?, ?, ?)"
    assert jdbc.ask("updated", insert, "long:3", "string:p", moment) == {"count": 1}
    assert jdbc.ask("updated", "UPDATE by_jdbc SET b = ? WHERE a > ?", "string:q", "long:1") == {"count": 2}
    rows = ["long:4", "string:r", moment, "long:5", "null:VARCHAR", "null:TIMESTAMP"]
    assert sum(jdbc.ask("batch", insert, "3", *rows)) == 2
    assert jdbc.query("SELECT a, b, c FROM by_jdbc ORDER BY a") == [
        [1, "x", None],
        [2, "q", None],
        [3, "q", "2024-02-29 12:34:56.789"],
        [4, "r", "2024-02-29 12:34:56.789"],
        [5, None, None],
    ]
    assert jdbc.query('SELECT count(*) FROM "by_jdbc$snapshots"') == [[5]]
    assert jdbc.ask("updated", "DELETE FROM by_jdbc WHERE a = ?", "long:99") == {"count": 0}
    assert jdbc.ask("update", "DROP TABLE by_jdbc") == {"count": 0}


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1/0", "line 1:8: Division by zero"),
        ("SELECT *\nFROM nope", "line 2:6: table 'lake.default.nope' does not exist"),
        ("SELEC 1", "line 1:1"),
    ],
)
def test_errors(jdbc: Jdbc, sql: str, text: str) -> None:
    found = jdbc.ask("query", sql)
    assert found["error"] == "java.sql.SQLException" and text in found["message"]
    assert jdbc.query("SELECT 1") == [[1]]


def test_several_results_at_once(jdbc: Jdbc) -> None:
    queries = [f"SELECT n FROM UNNEST(sequence({n}, {n + 2})) AS t(n) ORDER BY n" for n in (1, 10, 20)]
    assert jdbc.ask("interleaved", *queries) == [1, 10, 20, 2, 11, 21, 3, 12, 22]


def test_a_large_result(jdbc: Jdbc) -> None:
    rows = jdbc.query(
        "SELECT n, CAST(n AS varchar) FROM UNNEST(sequence(1, 10000)) AS t(n)"
        " CROSS JOIN UNNEST(sequence(1, 5)) AS u(m)"
    )
    assert len(rows) == 50_000 and sum(row[0] for row in rows) == 5 * 50_005_000


@pytest.mark.parametrize(("how", "when"), [("cancel", "4000"), ("timeout", "1")])
def test_a_statement_that_is_given_up_ends(jdbc: Jdbc, how: str, when: str) -> None:
    """The driver can give up what it already reads: the first answer comes within two seconds."""
    found = jdbc.ask(how, LONG, when)
    assert "Cancelling" in found["message"] or "timed out" in found["message"]
    end = time.monotonic() + 60
    running = (
        "SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND query LIKE '%CROSS JOIN%z %'"
    )
    while jdbc.query(running) != [[1]]:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_every_call_about_the_database_is_answered(jdbc: Jdbc) -> None:
    found = jdbc.ask("everything")
    # The driver does not have them.
    missing = {"getClientInfoProperties", "getRowIdLifetime"}
    failed = {name: f for name, f in found.items() if isinstance(f, dict) and "error" in f}
    assert set(failed) <= missing, failed
    assert found["getDatabaseProductName"] == "SQE"
    assert found["getDatabaseProductVersion"] == sqe.__version__
    assert found["getIdentifierQuoteString"] == '"'
    assert found["getSearchStringEscape"] == "\\"
    assert "unnest" in found["getSQLKeywords"].lower()
    assert "upper" in found["getStringFunctions"].lower()
    assert found["supportsTransactions"] is False and found["isReadOnly"] is False
    assert found["getMaxConnections"] > 0 and found["getMaxStatementLength"] > 0
    assert ["lake"] in found["getCatalogs"]["rows"]
    assert [row[0] for row in found["getTableTypes"]["rows"]] == ["TABLE", "VIEW"]
    # The driver asks no server for its types.
    assert found["getTypeInfo"]["columns"][0]["label"] == "TYPE_NAME"


def test_tables_and_columns(jdbc: Jdbc) -> None:
    jdbc.ask("update", "CREATE SCHEMA seen")
    jdbc.ask("update", "CREATE TABLE seen.things (id bigint NOT NULL, price decimal(12, 2), at timestamp(6))")
    jdbc.ask("update", "CREATE VIEW seen.cheap AS SELECT id FROM seen.things")
    assert {"TABLE_SCHEM": "seen", "TABLE_CATALOG": "lake"} in jdbc.metadata("getSchemas")
    tables = jdbc.metadata("getTables", "lake", "see_", "%", None)
    assert [(t["TABLE_NAME"], t["TABLE_TYPE"]) for t in tables] == [("cheap", "VIEW"), ("things", "TABLE")]
    assert [t["TABLE_NAME"] for t in jdbc.metadata("getTables", None, "seen", "th%", "TABLE")] == ["things"]
    columns = jdbc.metadata("getColumns", "lake", "seen", "things", "%")
    assert [(c["COLUMN_NAME"], c["TYPE_NAME"], c["IS_NULLABLE"], c["ORDINAL_POSITION"]) for c in columns] == [
        ("id", "bigint", "NO", 1),
        ("price", "decimal(12,2)", "YES", 2),
        ("at", "timestamp(6)", "YES", 3),
    ]
    assert [(c["DATA_TYPE"], c["COLUMN_SIZE"], c["DECIMAL_DIGITS"]) for c in columns][1] == (3, 12, 2)
    for method in ("getPrimaryKeys", "getImportedKeys", "getExportedKeys"):
        assert jdbc.metadata(method, "lake", "seen", "things") == []
    jdbc.ask("update", "DROP SCHEMA seen CASCADE")


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_results_are_not_for_this_driver(serve: Serve, codec: str) -> None:
    """Which is why nothing is compressed unless it is asked for."""
    client = Jdbc(_url(serve(coordinator=f'flight_compression = "{codec}"')), token=KEYS["ann"])
    found = client.ask("query", "SELECT 1")
    client.close()
    assert "arrow-compression" in found["message"]
