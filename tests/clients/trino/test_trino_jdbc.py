"""Trino's JDBC driver, the newest and one from before its name was new."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.clients.jdbc_client import Jdbc
from tests.clients.trino.client_programs import JDBC, OLD_JDBC, fetched
from tests.doors.trino.test_pages_of_statements import ENDLESS
from tests.doors.trino.trino_door import Opened

pytestmark = pytest.mark.trino


@pytest.fixture(scope="module", params=[JDBC, OLD_JDBC], ids=lambda jar: jar.version)
def jdbc(shop: Opened, request: pytest.FixtureRequest) -> Iterator[Jdbc]:
    connection = Jdbc(
        f"jdbc:trino://127.0.0.1:{shop.port}/iceberg/shop", driver=fetched(request.param), user="joe"
    )
    yield connection
    connection.close()


def test_queries(jdbc: Jdbc) -> None:
    assert jdbc.connected == {"connected": True}
    assert jdbc.query("SELECT id, region FROM orders ORDER BY id") == [[1, "EU"], [2, "US"], [3, "EU"]]
    assert jdbc.query("SELECT current_user") == [["joe"]]
    rows = jdbc.query("SELECT sequential_number FROM TABLE(sequence(1, 100000))")
    assert [row[0] for row in rows] == list(range(1, 100001))


def test_values(jdbc: Jdbc) -> None:
    [row] = jdbc.query(
        "SELECT true, TINYINT '1', BIGINT '9223372036854775807', REAL '1.5', 1e0, DOUBLE 'NaN',"
        " DECIMAL '1.10', 'a\"b', CHAR 'ab', X'00ff', DATE '2026-11-15',"
        " TIMESTAMP '2026-11-15 12:34:56.123', NULL, JSON '{\"a\":1}', INTERVAL '3' MONTH, INTERVAL '2' DAY"
    )
    assert row[:4] == [True, 1, 9223372036854775807, 1.5] and row[4] == 1.0
    assert row[6:9] == ["1.10", 'a"b', "ab"] and row[9] == "00ff"
    assert row[10] == "2026-11-15" and str(row[11]).startswith("2026-11-15 12:34:56.123") and row[12] is None


def test_changes(jdbc: Jdbc) -> None:
    assert jdbc.ask("update", "CREATE TABLE from_jdbc (a bigint, b varchar)") == {"count": 0}
    assert jdbc.ask("update", "INSERT INTO from_jdbc VALUES (1, 'x'), (2, 'y')") == {"count": 2}
    assert jdbc.ask("updated", "INSERT INTO from_jdbc VALUES (?, ?)", "long:3", "string:it's") == {"count": 1}
    assert jdbc.ask("update", "DELETE FROM from_jdbc WHERE a < 3") == {"count": 2}
    assert jdbc.query("SELECT * FROM from_jdbc") == [[3, "it's"]]
    assert jdbc.ask("execute", "DROP TABLE from_jdbc") == {"count": 0}


def test_prepared(jdbc: Jdbc, request: pytest.FixtureRequest) -> None:
    assert [
        outcome["rows"] for outcome in jdbc.ask("again", "SELECT region FROM orders WHERE id = ?", "long:2")
    ] == [[["US"]]]
    if OLD_JDBC.version in request.node.name:
        # It does not describe parameters.
        return
    told = jdbc.ask("prepare", "SELECT region FROM orders WHERE id = ? AND region <> ?", "long:2", "string:x")
    assert "outcome" in told, told
    assert told["outcome"]["rows"] == [["US"]]
    assert [column["label"] for column in told["described"]] == ["region"]
    assert len(told["parameters"]) == 2


def test_metadata(jdbc: Jdbc) -> None:
    assert {row["TABLE_CAT"] for row in jdbc.metadata("getCatalogs")} >= {"iceberg", "lake", "system"}
    schemas = jdbc.metadata("getSchemas", "iceberg", "%")
    assert {row["TABLE_SCHEM"] for row in schemas} >= {"shop", "information_schema"}
    tables = jdbc.metadata("getTables", "iceberg", "shop", "%", None)
    assert {(row["TABLE_NAME"], row["TABLE_TYPE"]) for row in tables} >= {
        ("orders", "TABLE"),
        ("totals", "VIEW"),
    }
    columns = jdbc.metadata("getColumns", "iceberg", "shop", "orders", "%")
    assert [(row["COLUMN_NAME"], row["TYPE_NAME"]) for row in columns] == [
        ("id", "bigint"),
        ("region", "varchar"),
        ("amount", "decimal(10,2)"),
    ]
    assert jdbc.metadata("getPrimaryKeys", "iceberg", "shop", "orders") == []
    assert {row["TYPE_NAME"] for row in jdbc.metadata("getTypeInfo")} >= {"bigint", "varchar"}


def test_errors_and_cancel(jdbc: Jdbc) -> None:
    assert "Division by zero" in jdbc.ask("query", "SELECT 1/0")["message"]
    assert "line 1:8" in jdbc.ask("query", "SELECT nothing FROM orders")["message"]
    assert "error" in jdbc.ask("cancel", ENDLESS, "1000")
    assert jdbc.query("SELECT 1") == [[1]]
