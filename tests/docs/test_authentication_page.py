"""docs/authentication.md: its commands run, its configurations make chains, its provider is one."""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from sqe.auth.chain import Chain, from_config
from sqe.auth.credentials import Bearer, Password
from sqe.auth.logins.external import external_of
from sqe.auth.private_file import read_private
from sqe.auth.providers.users_file import read_users
from sqe.cli.auth import parser
from sqe.cli.main import sqe
from sqe.config.config import load
from sqe.config.providers import PROVIDER_KEYS
from sqe.errors import AuthenticationFailed
from sqe.session import Identity

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "authentication.md").read_text()
IDENTITY = (DOCS / "identity.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
PEER = "192.0.2.1"


def install_badges(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (python,) = [text for language, text in BLOCKS if language == "python"]
    (project,) = [text for _, text in BLOCKS if "entry-points" in text]
    match = re.search(r'badge = "(.*)"', project)
    assert match is not None
    info = site / "badges-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: badges\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[sqe.auth.providers]\nbadge = {match[1]}\n")
    (site / "badges.py").write_text(python)
    monkeypatch.syspath_prepend(str(site))


def test_everything_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()):
        words = shlex.split(command.replace("/etc/sqe", str(tmp_path)))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a password of ann's\n")))
        assert sqe(words[1:]) == 0, capsys.readouterr().err
    key = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("sqe_"))
    install_badges(tmp_path / "site", monkeypatch)
    chains: list[Chain] = []
    for text in (text for kind, text in BLOCKS if kind == "toml" and "auth.providers]]" in text):
        file = tmp_path / "sqe.toml"
        file.write_text(text.replace("/etc/sqe", str(tmp_path)))
        chains.append(from_config(load(file, {})))
    users, keys, _inline, anybody, roles, badges = chains
    ann = users.authenticate(Password("ann", "a password of ann's"), peer=PEER)
    assert ann == Identity("ann", frozenset({"analyst", "reader"}), frozenset({"finance"}))
    assert keys.authenticate(Bearer(key), peer=PEER).roles == {"writer"}
    assert anybody.authenticate(None, peer=PEER).user == "visitor"
    mapped = roles.authenticate(Password("ann", "a password of ann's"), peer=PEER)
    assert mapped.roles == {"sales_reader", "stock_reader", "reader", "ledger_reader"}
    assert badges.authenticate(Bearer("badge-17"), peer=PEER).user == "ann"
    for chain in chains:
        with pytest.raises(AuthenticationFailed):
            chain.authenticate(Bearer("badge-99"), peer=PEER)


def test_the_file_on_the_page_is_one(tmp_path: Path) -> None:
    (text,) = [text for _, text in BLOCKS if text.startswith("# /etc/sqe/users.toml")]
    file = tmp_path / "users.toml"
    file.write_text(text)
    file.chmod(0o600)
    assert read_users(read_private(file))["ann"].password.matches("a password of ann's")


def test_every_provider_that_is_built_is_on_the_page() -> None:
    for kind, keys in PROVIDER_KEYS.items():
        assert f"| `{kind}` |" in PAGE + IDENTITY
        for key in keys:
            assert key in PAGE + IDENTITY


def test_every_configuration_with_an_identity_provider_can_be_used(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", IDENTITY, re.DOTALL)
    assert len(blocks) == 5
    for text in blocks:
        file = tmp_path / "sqe.toml"
        file.write_text(text)
        config = load(file, {})
        if config.auth.providers:
            from_config(config)
        else:
            assert external_of(config.auth.external, device=True).client.id == "cli"


def test_the_example_with_a_keycloak_makes_a_chain() -> None:
    config = load(DOCS.parent / "examples" / "keycloak.toml", {})
    assert from_config(config).names == ("bearer_token", "oidc_password")


def test_every_flag_of_sqe_auth_is_on_the_page() -> None:
    (commands,) = [action for action in parser()._actions if isinstance(action.choices, dict)]
    assert commands.choices is not None
    for name, command in dict(commands.choices).items():
        assert f"`sqe auth {name}" in IDENTITY
        for flag in (flag for action in command._actions for flag in action.option_strings):
            assert f"{flag}" in IDENTITY or flag in ("--help", "-h", "--host", "--port"), flag
