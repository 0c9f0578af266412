from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.api.connection import Connection, connect
from sqe.cli.dot_commands import COMMANDS, Leave
from sqe.cli.shell import Shell

PAGE = (Path(__file__).parent.parent.parent / "docs" / "cli.md").read_text()


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with connect(memory=True) as connection:
        connection.execute("CREATE SCHEMA shop")
        connection.execute('CREATE TABLE shop."Big Orders" (id BIGINT, day DATE)')
        yield Shell(connection, form="csv")


@pytest.fixture(autouse=True)
def as_at_first(shell: Shell) -> Iterator[None]:
    yield
    shell.display.form, shell.display.timer = "csv", False
    assert isinstance(shell.connection, Connection)
    shell.connection.session.properties["lane"] = "auto"


def says(shell: Shell, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    shell.run(text)
    seen = capsys.readouterr()
    return seen.out + seen.err


def test_every_command_is_on_the_page_and_in_the_help(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    help_ = says(shell, ".help", capsys)
    for command in COMMANDS:
        for name in command.names:
            assert f"`.{name}" in PAGE, name
            assert f".{name}" in help_


def test_what_there_is(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert says(shell, ".tables shop", capsys) == "Table\r\nBig Orders\r\n"
    assert says(shell, ".tables", capsys) == "Table\r\n"
    assert says(shell, '.d shop."Big Orders";', capsys).splitlines()[1:] == [
        'id,bigint,"",""',
        'day,date,"",""',
    ]
    assert says(shell, r'\schema shop."Big Orders"', capsys) == says(
        shell, '.describe shop."Big Orders"', capsys
    )
    assert "iceberg" in says(shell, ".catalogs", capsys) == says(shell, ".databases", capsys)


def test_errors_of_what_they_run(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error: [TABLE_NOT_FOUND]" in says(shell, ".d nothing", capsys)
    assert "error: [TABLE_NOT_FOUND]" in says(shell, ".summarize nothing", capsys)
    assert "which table?" in says(shell, ".summarize", capsys)
    assert "which file?" in says(shell, ".read", capsys)
    assert "cannot be read" in says(shell, ".read nothing.sql", capsys)


def test_an_unknown_one_names_the_nearest(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert says(shell, ".tabels", capsys) == (
        "error: [COMMAND_NOT_FOUND] there is no command .tabels\n"
        "hint: did you mean .tables? .help lists the commands\n"
    )
    assert "\nhint: .help lists the commands" in says(shell, r"\xyzzy", capsys)


def test_a_file_of_statements(shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "script.sql"
    file.write_text("CREATE SCHEMA a;\nDESCRIBE a.nothing;\nDROP SCHEMA a;")
    seen = says(shell, f".read {file}", capsys)
    assert "TABLE_NOT_FOUND] line 2:" in seen
    assert seen.splitlines()[-1] == "DROP SCHEMA"


def test_format(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert says(shell, r"\format json", capsys) == "format: json\n"
    assert says(shell, ".tables shop", capsys) == '{"Table": "Big Orders"}\n'
    assert says(shell, ".format", capsys) == "format: json\n"
    assert "'xml' is none of table, csv, tsv, json" in says(shell, ".format xml", capsys)


def test_timer(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert says(shell, ".timer on", capsys) == "timer: on\n"
    lines = says(shell, "SHOW TABLES FROM shop;", capsys).splitlines()
    assert lines[-1].startswith("Time: 0.") and " s (" in lines[-1]
    assert says(shell, ".timer off", capsys) == "timer: off\n"


def test_the_lane_of_a_new_session(capsys: pytest.CaptureFixture[str]) -> None:
    with connect(memory=True) as connection:
        assert says(Shell(connection, form="json"), ".lane", capsys) == "lane: auto\n"


def test_lane(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert says(shell, ".lane", capsys) == "lane: auto\n"
    says(shell, ".lane spark", capsys)
    assert says(shell, ".lane", capsys) == "lane: spark\n"
    assert "'warp' is none of auto, spark, fast" in says(shell, ".lane warp", capsys)


@pytest.mark.parametrize("text", [".quit", ".exit", ".q", r"\q", "exit", "QUIT;", ".q;"])
def test_leaving(shell: Shell, text: str) -> None:
    with pytest.raises(Leave):
        shell.run(text)
