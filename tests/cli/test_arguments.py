"""Which flags go together, and what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.cli.arguments import parse


@pytest.mark.parametrize(
    "flags", [["-H", "h"], ["--host", "h"], ["-p", "1"], ["--token", "t"], ["--protocol", "flight"]]
)
def test_sqe_is_embedded_unless_a_server_is_named(flags: list[str]) -> None:
    assert parse("sqe", []).server is None
    assert parse("sqe", flags).server is not None


@pytest.mark.parametrize("flags", [["--embedded"], ["--warehouse", "w"], ["--catalog", "a=b"], ["--memory"]])
def test_sqe_cli_is_remote_unless_a_warehouse_is_named(flags: list[str]) -> None:
    server = parse("sqe-cli", []).server
    assert server is not None and (server.host, server.port) == ("localhost", 50051)
    assert parse("sqe-cli", flags).server is None


@pytest.mark.parametrize("name", ["--user", "--username", "-u"])
def test_the_three_spellings_of_user(name: str) -> None:
    server = parse("sqe-cli", ["--host", "localhost", name, "root"]).server
    assert server is not None and server.user == "root"


def test_the_user_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQE_USER", "ann")
    server = parse("sqe", ["-H", "h"]).server
    assert server is not None and server.user == "ann"


def test_catalogs_are_mounted_by_name() -> None:
    given = parse("sqe", ["--catalog", "a=/x", "--catalog", "b=y=z"])
    assert given.catalogs == {"a": Path("/x"), "b": Path("y=z")}


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--warehouse", "w", "--memory"], "not allowed with"),
        (["--warehouse", "w", "--catalog", "a=b"], "not allowed with"),
        (["--memory", "--catalog", "a=b"], "not allowed with"),
        (["--catalog", "a.b=c"], "must not contain a dot"),
        (["--catalog", "a=1", "--catalog", "a=2"], "--catalog a is given twice"),
        (["--catalog", "nothing"], "expected NAME=PATH"),
        (["--catalog", "=path"], "expected NAME=PATH"),
        (["--memory-limit", "lots"], 'must be a size such as "512MB"'),
        (["-f", "xml"], "invalid choice"),
        (["--embedded", "--host", "h"], "--host is for a server"),
        (["--user", "joe"], "--user is for a server"),
        (["--host", "h", "--memory-limit", "1GB"], "not for a server"),
        (["--protocol", "odbc"], "invalid choice"),
        (["--protocol", "http"], "not built yet"),
        (["--host", ""], "--host is empty"),
        (["--port", "70000"], "from 1 to 65535"),
        (["--host", "h", "--insecure"], "about the certificate of --tls"),
        (["--exec", "SELECT 1"], "unrecognized arguments"),
    ],
)
def test_flags_that_cannot_be_used(
    flags: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        parse("sqe", flags)
    assert stopped.value.code == 2
    error, hint = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ") and complaint in error
    assert hint == "hint: sqe --help lists the flags"
