"""The commands with a server: the same answers, the same errors, the same shell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_line import command
from tests.cli.terminal import CTRL_C, TAB, Terminal
from tests.flight_server import KEYS, serve, server

from sqe.doors.open import OpenServer

__all__ = ["serve", "server"]

pytestmark = pytest.mark.spark


def flags(server: OpenServer, user: str = "ann") -> tuple[str, ...]:
    return ("-H", "127.0.0.1", "-p", str(server.flight.port), "-u", user)


def ask(home: Path, server: OpenServer, *words: str, user: str = "ann", **more: Any) -> Any:
    more = {"SQE_PASSWORD": KEYS.get(user, "wrong"), **more}
    return command(home, *flags(server, user), *words, **more)


def test_an_answer(tmp_path: Path, server: OpenServer) -> None:
    done = ask(tmp_path, server, "-e", "SELECT 1 AS x, TIMESTAMP '2024-07-01 10:00:00 Europe/Berlin' AS y")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2024-07-01 10:00:00 Europe/Berlin" in done.stdout


@pytest.mark.parametrize(
    "form", ["table", *(pytest.param(form, marks=pytest.mark.long) for form in ("csv", "tsv", "json"))]
)
def test_every_form_is_as_it_is_embedded(tmp_path: Path, server: OpenServer, form: str) -> None:
    sql = (
        "SELECT CAST(1.50 AS decimal(10, 2)) AS d, nan() AS n, NULL AS u, ARRAY[ROW(1, 'a')] AS r,"
        " MAP(ARRAY['k'], ARRAY[DATE '2020-01-01']) AS m, INTERVAL '1' MONTH AS i, INTERVAL '2' DAY AS j,"
        " X'00ff' AS b, TIME '10:00:00.123' AS t, UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS id,"
        " JSON '{\"a\": 1}' AS o, CAST('a' AS char(3)) AS c"
    )
    here = command(tmp_path, "--memory", "-f", form, "-e", sql)
    there = ask(tmp_path, server, "-f", form, "-e", sql)
    assert here.returncode == 0
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


@pytest.mark.parametrize(
    "sql", ["SELECT 1,\n  1/0", "SELECT foo(1)", "SELEC 1", "SELECT a FROM (SELECT 1 AS b)"]
)
def test_an_error_shows_its_place_and_hint(tmp_path: Path, server: OpenServer, sql: str) -> None:
    here = command(tmp_path, "--memory", "-e", sql)
    there = ask(tmp_path, server, "-e", sql)
    assert (there.returncode, there.stdout, there.stderr) == (1, here.stdout, here.stderr)
    assert "^" in there.stderr


def test_a_file_standard_input_and_what_was_changed(tmp_path: Path, server: OpenServer) -> None:
    script = tmp_path / "script.sql"
    script.write_text("CREATE SCHEMA s1; USE s1; CREATE TABLE t (a integer);")
    done = ask(tmp_path, server, "--file", str(script), "-e", "INSERT INTO t VALUES (1), (2); TABLE t;")
    assert done.returncode == 0
    assert "CREATE SCHEMA\nUSE\nCREATE TABLE\nINSERT: 2 rows\n" in done.stdout
    done = ask(tmp_path, server, "-f", "csv", stdin=b"SELECT sum(a) FROM s1.t; DROP SCHEMA s1 CASCADE")
    assert (done.returncode, done.stdout) == (0, "_col0\r\n3\r\n")


def test_a_token(tmp_path: Path, server: OpenServer) -> None:
    words = ("-p", str(server.flight.port), "-H", "127.0.0.1", "--token", KEYS["joe"])
    done = command(tmp_path, *words, "-f", "csv", "-e", "SELECT current_user", name="sqe_cli")
    assert (done.returncode, done.stdout) == (0, "_col0\r\njoe\r\n")


def test_who_may_not_and_what_is_not_there(tmp_path: Path, server: OpenServer) -> None:
    done = ask(tmp_path, server, "-e", "SELECT 1", SQE_PASSWORD="wrong")
    assert (done.returncode, done.stderr) == (1, "error: [AUTHENTICATION_FAILED] authentication failed\n")
    done = command(tmp_path, *flags(server), "-e", "SELECT 1")
    assert done.returncode == 2 and "there is no password for ann\nhint: set SQE_PASSWORD" in done.stderr
    done = command(tmp_path, "-H", "127.0.0.1", "-p", "1", "-e", "SELECT 1")
    assert done.returncode == 1
    assert "error: [REMOTE_HOST_GONE] the server at 127.0.0.1:1 does not answer\n" in done.stderr
    done = command(tmp_path, "-H", "127.0.0.1", "-p", str(server.flight.port), "--tls", "-e", "SELECT 1")
    assert done.returncode == 1 and "does not answer" in done.stderr


def test_the_shell(tmp_path: Path, server: OpenServer) -> None:
    with Terminal(tmp_path, *flags(server)) as shell:
        shell.until("Password of ann at 127.0.0.1:")
        shell.type(f"{KEYS['ann']}\r")
        seen = shell.until_prompt()
        assert f"ann at 127.0.0.1:{server.flight.port}" in seen and KEYS["ann"] not in seen
        shell.run("CREATE SCHEMA shop;")
        shell.run("USE shop;")
        shell.run("CREATE TABLE orders (customer_id integer);")
        assert "orders" in shell.run(".tables")
        shell.type("SELECT customer_id FROM ord" + TAB)
        shell.until("FROM orders")
        shell.type(CTRL_C)
        shell.until_prompt()
        shell.run(".lane spark")
        assert "lane: spark" in shell.run(".lane")
        shell.run(
            "SELECT count(*) FROM TABLE(sequence(1, 300000)) a CROSS JOIN TABLE(sequence(1, 3000000)) b;",
            until=" tasks, ",
        )
        assert re.search(r"^\[[#.]+\] \d+/\d+ tasks, \d+ s$", shell.text, re.MULTILINE)
        shell.type(CTRL_C)
        assert "error: [USER_CANCELED] the statement was cancelled\nsqe>" in shell.until_prompt()
        shell.wait(lambda: server.admission.running == 0, "the server still runs it")
        shell.run(".lane auto")
        assert "error: [COLUMN_NOT_FOUND] line 1:8: " in shell.run("SELECT nope FROM orders;")
        shell.run("DROP SCHEMA shop CASCADE;")
        assert shell.leave() == 0
