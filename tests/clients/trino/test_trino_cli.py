"""Trino's CLI, as a command and in a terminal."""

from __future__ import annotations

import subprocess

import pexpect
import pytest
from tests.clients.trino.client_programs import cli
from tests.doors.trino.trino_door import Opened

pytestmark = pytest.mark.trino


def run(shop: Opened, sql: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = cli(shop.port, "--catalog", "iceberg", "--schema", "shop", *words, "--execute", sql)
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_statements_of_a_batch(shop: Opened) -> None:
    done = run(
        shop,
        "SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY region; SHOW TABLES;"
        " PREPARE p FROM SELECT id FROM orders WHERE id = ?; EXECUTE p USING 3; DEALLOCATE PREPARE p;"
        " USE iceberg.information_schema; SHOW TABLES LIKE 'views'; SET SESSION query_max_run_time = '7m';"
        " SHOW SESSION LIKE 'query%'; SET TIME ZONE 'Europe/Berlin'; SELECT current_timezone()",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:6] == [
        *('"EU","42.50"', '"US","7.25"', '"orders"', '"totals"', '"3"'),
        '"views"',
    ]
    assert '"query_max_run_time","7m"' in done.stdout and '"Europe/Berlin"' in done.stdout


def test_writes(shop: Opened) -> None:
    done = run(
        shop,
        "CREATE TABLE from_cli (a integer, b varchar); INSERT INTO from_cli VALUES (1, 'x'), (2, NULL);"
        " UPDATE from_cli SET b = 'y' WHERE a = 2; SELECT * FROM from_cli ORDER BY a; DROP TABLE from_cli",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ['"1","x"', '"2","y"']
    assert "INSERT: 2 rows" in done.stderr and "UPDATE: 1 row" in done.stderr and "DROP TABLE" in done.stderr


def test_errors_show_their_place(shop: Opened) -> None:
    done = run(shop, "SELECT nothing FROM orders")
    assert done.returncode == 1 and "line 1:8" in done.stderr and "LINE 1: SELECT nothing" in done.stderr


def test_a_large_result(shop: Opened) -> None:
    done = run(shop, "SELECT sequential_number FROM TABLE(sequence(1, 200000))", "--output-format", "TSV")
    assert done.stdout.split() == [str(number) for number in range(1, 200001)]


def test_in_a_terminal(shop: Opened) -> None:
    program, *words = cli(shop.port, "--catalog", "iceberg", "--schema", "shop", "--disable-auto-suggestion")
    shell = pexpect.spawn(program, words, encoding="utf-8", timeout=60, dimensions=(40, 120))
    try:
        shell.expect("trino:shop>")
        shell.sendline("SELECT count(*) AS orders FROM orders;")
        shell.expect("orders")
        shell.expect("3")
        shell.expect("trino:shop>")
        shell.sendline("USE iceberg.default;")
        shell.expect("trino:default>")
        shell.sendline("quit")
        shell.expect(pexpect.EOF)
    finally:
        shell.close(force=True)
