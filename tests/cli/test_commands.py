"""The commands from outside: exit codes, what goes to which stream."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.command_line import SOURCE, command, environment

import sqe

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("sqe_server", ["--mode", "worker"], "workers are not built yet"),
        ("sqe", ["worker"], "workers are not built yet"),
        ("sqe_worker", [], "workers are not built yet"),
    ],
)
def test_what_is_not_built_says_so_in_one_line(
    tmp_path: Path, name: str, words: list[str], says: str
) -> None:
    done = command(tmp_path, *words, name=name)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ") and says in line


def test_a_server_checks_its_configuration_first(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text("[coordinator]\nflight_port = 1")
    for name, words in (("sqe_coordinator", [str(file)]), ("sqe", ["server", "--config", str(file)])):
        done = command(tmp_path, *words, name=name)
        assert done.returncode == 2
        assert "did you mean coordinator.flight_sql_port?" in done.stderr


def test_help_and_version_import_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom sqe.cli.main import sqe\n"
        "try: sqe(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pyarrow', 'pyspark', 'pyiceberg', 'sqlalchemy', 'sqlglot', 'grpc', 'pandas', 'numpy',"
        " 'prompt_toolkit'}\n"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        check=True,
    )
    assert done.stderr.strip() == "[]"
    assert "--stop-on-error" in done.stdout
    assert command(tmp_path, "--version").stdout == f"sqe {sqe.__version__}\n"


def test_statements_without_a_shell_import_no_editor() -> None:
    code = (
        "import sys\nfrom sqe.cli.main import sqe\n"
        "sqe(['--memory', '-e', 'CREATE SCHEMA a'])\n"
        "print('prompt_toolkit' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        check=True,
    )
    assert done.stdout == "CREATE SCHEMA\nFalse\n"


def test_warnings_stand_beside_the_output(tmp_path: Path) -> None:
    done = command(tmp_path, "--memory", "-e", "CREATE VIEW v SECURITY DEFINER AS SELECT 1 AS a")
    assert (done.returncode, done.stdout) == (0, "CREATE VIEW\n")
    assert done.stderr.startswith("warning: ") and done.stderr.count("\n") == 1


def test_statements_that_change_metadata(tmp_path: Path) -> None:
    script = "CREATE SCHEMA shop; CREATE TABLE shop.orders (id BIGINT, note VARCHAR); DROP TABLE shop.orders"
    done = command(tmp_path, "--warehouse", str(tmp_path / "w"), "-e", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["CREATE SCHEMA", "CREATE TABLE", "DROP TABLE"]


def test_no_word_about_updates_where_a_program_reads(tmp_path: Path) -> None:
    done = command(tmp_path, "--warehouse", str(tmp_path / "w"), "-f", "csv", "-e", "CREATE SCHEMA shop")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "CREATE SCHEMA\n")


def test_a_failed_statement(tmp_path: Path) -> None:
    done = command(tmp_path, "--memory", "-e", "SELECT a FROM nowhere.t")
    assert done.returncode == 1
    assert done.stdout == ""
    first, *_ = done.stderr.splitlines()
    assert first.startswith("error: [SCHEMA_NOT_FOUND] line 1:")
    assert done.stderr.rstrip().endswith("^")


def test_a_script_goes_on_after_an_error_unless_told_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "script.sql"
    file.write_text("CREATE SCHEMA a;\nSELEC 1;\n\n  CREATE SCHEMA b;\n")
    done = command(tmp_path, "--memory", "--file", str(file))
    assert done.returncode == 1
    assert done.stdout == "CREATE SCHEMA\nCREATE SCHEMA\n"
    assert "line 2:" in done.stderr
    done = command(tmp_path, "--memory", "--file", str(file), "--stop-on-error", "-e", "CREATE SCHEMA c")
    assert done.returncode == 1
    assert done.stdout == "CREATE SCHEMA\n"


def test_a_file_runs_before_the_statements_of_the_flag(tmp_path: Path) -> None:
    file = tmp_path / "script.sql"
    file.write_text("CREATE SCHEMA a")
    done = command(tmp_path, "--memory", "-e", "CREATE TABLE a.t (x INTEGER)", "--file", str(file))
    assert (done.returncode, done.stdout) == (0, "CREATE SCHEMA\nCREATE TABLE\n")


def test_statements_from_standard_input(tmp_path: Path) -> None:
    done = command(tmp_path, "--memory", stdin=b"CREATE SCHEMA a; -- done\n")
    assert (done.returncode, done.stdout) == (0, "CREATE SCHEMA\n")


def test_binary_garbage_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "garbage.sql"
    file.write_bytes(b"\x00\xff\xfe SELECT")
    for done in (
        command(tmp_path, "--memory", "--file", str(file)),
        command(tmp_path, "--memory", stdin=file.read_bytes()),
    ):
        assert done.returncode == 1
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: [SYNTAX_ERROR] ") and "is not UTF-8 text" in line


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = command(tmp_path, "--memory", "--file", str(tmp_path / "absent.sql"))
    assert done.returncode == 1
    assert "absent.sql cannot be read: No such file or directory" in done.stderr


def test_a_wrong_configuration_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text("[query]\ntimeout_sec = 5")
    done = command(tmp_path, "--config", str(file), "--memory", "-e", "CREATE SCHEMA a")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean query.timeout_secs?" in done.stderr
    done = command(tmp_path, "--memory", "-e", "CREATE SCHEMA a", SQE_POLICY__OPA__URL="http://opa")
    assert done.returncode == 2
    assert "policy.opa.url is known but not built yet" in done.stderr


def test_the_users_own_configuration_is_found(tmp_path: Path) -> None:
    (tmp_path / ".sqe").mkdir()
    (tmp_path / ".sqe" / "sqe.toml").write_text("[query]\nmax_sql_bytes = 10")
    done = command(tmp_path, "--memory", "-e", "CREATE SCHEMA a_long_name")
    assert done.returncode == 1


def test_catalogs_of_the_configuration_are_mounted(tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text(
        f'[catalogs.one]\ntype = "sqlite"\nwarehouse = "{tmp_path}/one"\n'
        f'[catalogs.two]\ntype = "sqlite"\nwarehouse = "{tmp_path}/two"\n'
        '[query]\ndefault_catalog = "two"'
    )
    script = "CREATE SCHEMA one.a; CREATE SCHEMA b; CREATE TABLE one.a.t (x INTEGER); DROP SCHEMA two.b"
    done = command(tmp_path, "--config", str(file), "-e", script)
    assert (done.returncode, done.stderr) == (0, "")


def test_catalogs_of_flags_are_mounted(tmp_path: Path) -> None:
    words = ["--catalog", f"one={tmp_path}/one", "--catalog", f"two={tmp_path}/two"]
    assert command(tmp_path, *words, "-e", "CREATE SCHEMA one.a; CREATE SCHEMA two.b").returncode == 0
    done = command(tmp_path, *words, "-e", "CREATE TABLE one.a.t (x INTEGER)")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_warehouse_of_the_home_directory_survives(tmp_path: Path) -> None:
    assert command(tmp_path, "-e", "CREATE SCHEMA kept").returncode == 0
    assert (tmp_path / ".sqe" / "warehouse").is_dir()
    done = command(tmp_path, "-e", "CREATE SCHEMA kept")
    assert done.returncode == 1
    assert "SCHEMA_ALREADY_EXISTS" in done.stderr


@pytest.mark.spark
def test_a_query_in_each_format(tmp_path: Path) -> None:
    sql = "SELECT 1 AS n, 'x' AS s, NULL AS nothing"
    done = command(tmp_path, "--memory", "-e", sql)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        "| n | s | nothing |",
        "+---+---+---------+",
        "| 1 | x | NULL    |",
        "+---+---+---------+",
        "(1 row)",
    ]
    done = command(tmp_path, "--memory", "-f", "json", "-e", sql)
    assert json.loads(done.stdout) == {"n": 1, "s": "x", "nothing": None}


@pytest.mark.spark
def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    code = "import sys; from sqe.cli.main import sqe; sys.exit(sqe())"
    sql = "SELECT * FROM TABLE(sequence(1, 200000)) AS t (n)"
    running = subprocess.Popen(
        [sys.executable, "-c", code, "--memory", "-f", "csv", "-e", sql],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert running.stdout is not None and running.stderr is not None
    assert running.stdout.readline() == b"n\r\n"
    running.stdout.close()
    assert running.wait(timeout=120) == 0
    assert running.stderr.read() == b""
    running.stderr.close()


def test_the_launcher_is_a_shell_script_that_parses() -> None:
    subprocess.run(["sh", "-n", str(ROOT / "sqe")], check=True)
    assert os.access(ROOT / "sqe", os.X_OK)


@pytest.mark.spark
def test_an_interrupt_cancels_the_statement(tmp_path: Path) -> None:
    code = "import sys; from sqe.cli.main import sqe; sys.exit(sqe())"
    log = tmp_path / "events.jsonl"
    numbers = "TABLE(sequence(1, 100000))"
    endless = f"SELECT count(*) FROM {numbers} a (x), {numbers} b (y) WHERE x % 7 = y % 11"
    running = subprocess.Popen(
        [sys.executable, "-c", code, "--memory", "-e", f"SELECT 1; {endless}; SELECT 2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path, SQE__events__log_path=str(log)),
    )
    while not log.exists() or log.read_text().count('"started"') < 2:
        assert running.poll() is None
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.decode() == "error: [USER_CANCELED] the statement was cancelled\n"
    assert out.decode().count("row") == 1
