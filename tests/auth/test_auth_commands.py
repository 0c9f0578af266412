"""`sqe server passwd` and `sqe server api-key` write what the providers read."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pexpect
import pytest
from tests.auth.provider_cases import configured, identity_in, private

import sqe
from sqe.auth import passwords
from sqe.auth.credentials import Bearer, Credentials, Password
from sqe.auth.private_file import read_private
from sqe.auth.providers.users_file import read_users
from sqe.cli.main import sqe_server
from sqe.session import Identity


class Commands:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: object, stdin: str | bytes = "") -> tuple[int, str, str]:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code = sqe_server([str(word) for word in words])
        return code, *self._capsys.readouterr()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(capsys, monkeypatch)


def ask(folder: Path, kind: str, path: Path, credentials: Credentials) -> Identity | None:
    key = "users_file" if kind == "users_file" else "keys_file"
    return identity_in(configured(folder, f'type = "{kind}"\n{key} = "{path}"').authenticate(credentials))


@pytest.mark.parametrize("name", ["users.toml", "users.json"])
def test_a_user_gets_a_password(tmp_path: Path, run: Commands, name: str) -> None:
    path = tmp_path / name
    flags = ("passwd", "--users", path)
    code, out, err = run(*flags, "ann", "--roles", "analyst, reader", stdin="päss:wörd 1\r\nmore")
    assert (code, err) == (0, "") and "ann" in out and "päss" not in out
    assert path.stat().st_mode & 0o777 == 0o600
    assert "$scrypt$ln=14,r=8,p=5$" in path.read_text() and "päss" not in path.read_text()
    ann = Identity("ann", frozenset({"analyst", "reader"}))
    assert ask(tmp_path, "users_file", path, Password("ann", "päss:wörd 1")) == ann

    awkward = 'b"o\\b.ö@x [y]'
    assert run(*flags, awkward, "--groups", "finance", stdin="of-awkward")[0] == 0
    before = read_users(read_private(path))
    assert before[awkward].identity == Identity(awkward, groups=frozenset({"finance"}))

    assert run(*flags, "ann", stdin="a-new-one")[0] == 0
    after = read_users(read_private(path))
    assert after["ann"].password != before["ann"].password
    assert after["ann"].identity == ann, "roles stay"
    assert run(*flags, "ann", "--roles", "", stdin="a-new-one")[0] == 0
    assert read_users(read_private(path))["ann"].identity == Identity("ann")
    assert read_users(read_private(path))[awkward] == before[awkward]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["keys.toml", "keys.json"])
def test_a_key_is_shown_once(tmp_path: Path, run: Commands, name: str) -> None:
    path = tmp_path / name
    keys = []
    for user, roles in (("etl", "writer"), ("etl", "writer"), ("bi", "reader")):
        code, out, err = run("api-key", "--file", path, user, "--roles", roles)
        key = out.strip()
        assert code == 0 and key.startswith("sqe_") and len(key) == 68
        assert key not in err and key not in path.read_text()
        keys.append((key, Identity(user, frozenset({roles}))))
    assert path.stat().st_mode & 0o777 == 0o600
    assert len({key for key, _ in keys}) == 3
    for key, identity in keys:
        assert ask(tmp_path, "api_key", path, Bearer(key)) == identity


def test_a_key_that_exists_is_taken_over(tmp_path: Path, run: Commands) -> None:
    path, key = tmp_path / "keys.toml", "sqe_" + "k" * 40
    flags = ("api-key", "--file", path, "etl", "--stdin")
    assert run(*flags, stdin=key + "\n") == (0, "", "")
    assert ask(tmp_path, "api_key", path, Bearer(key)) == Identity("etl")
    code, _, err = run(*flags, stdin=key)
    assert code == 2 and "one key is there twice" in err and key not in err
    code, _, err = run(*flags, stdin="sqe_short")
    assert code == 1 and "at least 32 characters" in err


def test_another_prefix(tmp_path: Path, run: Commands) -> None:
    _, out, _ = run("api-key", "--file", tmp_path / "keys.toml", "etl", "--prefix", "acme-")
    assert out.startswith("acme-")
    text = f'type = "api_key"\nkeys_file = "{tmp_path}/keys.toml"\nkey_prefix = "acme-"'
    assert configured(tmp_path, text).authenticate(Bearer(out.strip())) == Identity("etl")


@pytest.mark.parametrize(
    ("words", "stdin", "complaint"),
    [
        (("passwd", "ann"), "", "--users"),
        (("passwd", "--users", "{}/u.toml", "ann"), "short", "8 to 1024 characters"),
        (("passwd", "--users", "{}/u.toml", "ann"), "", "8 to 1024 characters"),
        (("passwd", "--users", "{}/u.toml", "ann"), b"\xff\xfe-not-text", "not UTF-8"),
        (("passwd", "--users", "{}/u.toml", ""), "long-enough", "a user must have a name"),
        (("passwd", "--users", "{}/u.toml", "a\nb"), "long-enough", "control characters"),
        (("passwd", "--users", "{}/no/u.toml", "ann"), "long-enough", "is not a directory"),
        (("passwd", "--users", "{}/u.toml", "ann", "--roles", "a\x07"), "long-enough", "control characters"),
        (("api-key", "etl"), "", "--file"),
        (("api-key", "--file", "{}/k.toml", ""), "", "a user must have a name"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    tmp_path: Path,
    run: Commands,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    stdin: str | bytes,
    complaint: str,
) -> None:
    try:
        code, _, err = run(*(word.format(tmp_path) for word in words), stdin=stdin)
    except SystemExit as stop:  # wrong flags
        code, err = int(str(stop.code)), capsys.readouterr().err
    assert code != 0 and complaint in err
    assert "Traceback" not in err and "long-enough" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_wrong_stays_as_it_is(tmp_path: Path, run: Commands) -> None:
    path = private(tmp_path / "users.toml", '[users.bob]\npassword = "hunter2"\n')
    code, _, err = run("passwd", "--users", path, "ann", stdin="long-enough")
    assert code == 2 and "user 'bob'" in err and "hunter2" not in err
    path.chmod(0o644)
    code, _, err = run("passwd", "--users", path, "ann", stdin="long-enough")
    assert code == 2 and "chmod 600" in err
    assert path.read_text() == '[users.bob]\npassword = "hunter2"\n'


def test_a_link_stays_a_link(tmp_path: Path, run: Commands) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "users.json"
    link.symlink_to(private(tmp_path / "real" / "users.json", "{}"))
    assert run("passwd", "--users", link, "ann", stdin="long-enough")[0] == 0
    assert link.is_symlink()
    assert "ann" in json.loads((tmp_path / "real" / "users.json").read_text())["users"]


def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "users.toml"
    code = "import sys; from sqe.cli.main import sqe; sys.exit(sqe())"
    words = ["-c", code, "server", "passwd", "--users", str(path), "ann"]
    environ = {**os.environ, "PYTHONPATH": str(Path(sqe.__file__).parent.parent)}
    for second, status in (("another-one", 1), ("long-enough", 0)):
        child = pexpect.spawn(sys.executable, words, env=environ, timeout=30, encoding="utf-8")
        child.expect("Password of ann: ")
        child.sendline("long-enough")
        child.expect("Once more: ")
        child.sendline(second)
        child.expect(pexpect.EOF)
        assert "long-enough" not in (child.before or "")
        child.close()
        assert child.exitstatus == status
        assert path.exists() == (status == 0)


def test_what_is_written_is_worth_guessing_at() -> None:
    """OWASP's least: 2**14 with r = 8 and p = 5, or as much in another form."""
    cost = passwords.COST
    assert (cost.ln, cost.r) >= (14, 8) and (cost.p << cost.ln) >= 5 << 14
