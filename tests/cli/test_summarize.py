"""What .summarize says of a table of many types."""

from __future__ import annotations

import json

import pytest

from sqe.api.connection import Connection
from sqe.cli.shell import Shell

ROWS = """
(1, 'b', DATE '2020-01-01', 1.5, 2.25, ARRAY[1], true, TIMESTAMP '2020-01-01 00:00:00', X'00ff'),
(2, 'a', DATE '2020-01-03', 2.5, 3.25, NULL, false, TIMESTAMP '2020-01-02 00:00:00', X'01'),
(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(4, 'c', DATE '2020-01-05', 4.5, 4.25, NULL, NULL, NULL, NULL)
"""


@pytest.mark.spark
def test_every_kind_of_column(schema: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    schema.execute(
        'CREATE TABLE t (id BIGINT, "a name" VARCHAR, day DATE, x DOUBLE, price DECIMAL(10, 2), '
        "list ARRAY(INTEGER), flag BOOLEAN, at TIMESTAMP(6), bytes VARBINARY)"
    )
    schema.execute(f"INSERT INTO t VALUES {ROWS}")
    Shell(schema, form="json").run(".summarize t")
    rows = {row["column_name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert list(rows["id"].values()) == [
        *("id", "bigint", "1", "4", 4, 2.5, pytest.approx(1.29099, abs=1e-4), "2", "3", "4", 4, 0.0),
    ]
    assert (rows["a name"]["min"], rows["a name"]["max"]) == ("a", "c")
    assert rows["a name"]["null_percentage"] == 25.0
    assert rows["a name"]["avg"] is None and rows["a name"]["q50"] is None
    assert rows["day"]["q50"] == "2020-01-03"
    assert rows["price"]["max"] == "4.25"
    assert rows["list"] == {
        **dict.fromkeys(rows["list"]),
        **{"column_name": "list", "column_type": "array(integer)", "count": 4, "null_percentage": 75.0},
    }
    assert (rows["flag"]["min"], rows["flag"]["max"]) == ("false", "true")
    assert rows["at"]["min"] == "2020-01-01 00:00:00.000000"
    assert rows["bytes"]["max"] == "01"


@pytest.mark.spark
def test_an_empty_table(schema: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    schema.execute("CREATE TABLE t (id BIGINT)")
    Shell(schema, form="json").run(".summary t")
    row = json.loads(capsys.readouterr().out)
    assert (row["count"], row["min"], row["approx_unique"], row["null_percentage"]) == (0, None, 0, None)
