from __future__ import annotations

from pathlib import Path

import pytest

from sqe.cli.history import StatementHistory
from sqe.cli.secret_text import holds_secret

SECRET = [
    "CREATE SECRET s3 (TYPE s3, KEY_ID 'a', VALUE 'b');",
    "create or replace temporary secret x (type gcs);",
    "ATTACH 'lake' AS l (TYPE iceberg, SECRET my_secret);",
    "CREATE USER u PASSWORD 'hunter2';",
    "ALTER USER u IDENTIFIED BY PASSWORD 'x';",
    "SET SESSION api_key = 'abc';",
    "CREATE SCHEMA s WITH (\"s3.secret-access-key\" = 'abc');",
    "CREATE TABLE t (a INT) WITH (access_key = 'x')",
    "SELECT * FROM read('x', token => 'eyJ')",
    "EXECUTE q USING 'a', password: 'x'",
    'SELECT \'{"password": "x"}\'',
    "SELECT 'https://me:pass@host/x'",
    "SELECT 'https://host/x?sig=abc'",
    "SELECT 'Authorization: Bearer abcdefghijkl'",
    "SET SESSION\n  client_secret\n  = 'x';",
    "EXECUTE IMMEDIATE 'SET SESSION x.password = ''hunter2'''",
    "EXECUTE IMMEDIATE 'SELECT f(''token'', ''eyJ'')'",
    "SELECT * FROM 'https://b.s3.amazonaws.com/x.parquet?X-Amz-Date=1&X-Amz-Signature=abcdef0123456789'",
    "SELECT * FROM 'https://storage.googleapis.com/b/x?X-Goog-Signature=abc'",
    "SELECT * FROM 'https://host/x?a=1&X-Amz-Security-Token=abc'",
    "SELECT * FROM 'https://host/x?access_token=abc'",
    "ALTER USER u IDENTIFIED BY 'hunter2';",
    "CREATE USER u IDENTIFIED WITH plain BY 'hunter2';",
]
HARMLESS = [
    "SELECT * FROM shop.orders WHERE region = 'EU';",
    "SELECT token FROM t;",
    "SELECT count(*) FROM secrets;",
    "CREATE TABLE passwords (id BIGINT);",
    "SELECT passenger = 'x' FROM flights;",
    "SELECT '12:30 @ noon'",
    "SELECT * FROM t WHERE token = ''",
    "SELECT * FROM 'https://host/x.parquet?version=3&design=new'",
]


@pytest.mark.parametrize("text", SECRET)
def test_it_holds_a_secret(text: str) -> None:
    assert holds_secret(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_it_holds_none(text: str) -> None:
    assert not holds_secret(text)


def test_a_secret_can_be_recalled_until_the_shell_ends_and_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = StatementHistory(file)
    history.append_string("SELECT 1;")
    history.append_string(SECRET[0])
    assert history.get_strings() == ["SELECT 1;", SECRET[0]]
    assert list(StatementHistory(file).load_history_strings()) == ["SELECT 1;"]
    assert "VALUE" not in file.read_text()
