"""An embedded engine asks a REST catalog as the user who has logged in for it with `sqe auth login`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
from tests.auth.fake_idp import FakeIdp
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server

from sqe.auth.logins.kept_log_ins import KeptLogIn, KeptLogIns
from sqe.cli.own_tokens import own_tokens
from sqe.config.config import CatalogSettings
from sqe.errors import ConfigError


@pytest.fixture
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path / "lake") as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def log_in(home: Path, idp: FakeIdp, server: str) -> str:
    """As `sqe auth login` leaves it, some time ago."""
    (home / ".sqe").mkdir(mode=0o700, exist_ok=True)
    token, renewal = idp.token("alice"), "refresh-1"
    idp.refresh_tokens[renewal] = "alice"
    entry = KeptLogIn(
        server, idp.issuer, f"{idp.issuer}/token", None, "cli", "alice", time.time() + 1, token, renewal
    )
    KeptLogIns(home / ".sqe").keep(entry)
    return token


def catalog(name: str, url: str) -> CatalogSettings:
    return CatalogSettings(name, "rest", "lake", url)


def test_the_shell_asks_as_whoever_has_logged_in(home: Path, idp: FakeIdp, server: FakeRestServer) -> None:
    """With a renewed token, as the former is over. No other process is told it."""
    former = log_in(home, idp, server.url.split("/")[2])
    config = home / "sqe.toml"
    config.write_text(f'[catalogs.lake]\ncatalog_url = "{server.url}"\nwarehouse = "lake"\n')
    words = ["-e", "CREATE SCHEMA lake.s; SHOW SCHEMAS FROM lake", "--config", str(config), "-f", "csv"]
    done = subprocess.run(
        [sys.executable, "-m", "sqe", *words],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "s" in done.stdout.split()
    tokens = set(server.tokens)
    assert None not in tokens and former not in tokens and len(tokens) == 1
    (token,) = tokens
    assert token is not None and token not in done.stdout + done.stderr
    assert jwt.decode(token, options={"verify_signature": False})["preferred_username"] == "alice"


def test_nobody_else_gets_the_token(home: Path, idp: FakeIdp) -> None:
    assert own_tokens([catalog("a", "https://one.example/x")]) is None
    log_in(home, idp, "one.example:443")
    assert own_tokens([catalog("a", "https://two.example/x")]) is None
    assert own_tokens([catalog("a", "https://one.example:8443/x")]) is None
    assert own_tokens([CatalogSettings("d", "sqlite", "/w")]) is None
    tokens = own_tokens([catalog("a", "https://one.example/x"), CatalogSettings("d", "sqlite", "/w")])
    assert tokens is not None and "one.example" in repr(tokens)
    with pytest.raises(ConfigError, match="is for one server, and there are catalogs at 2"):
        own_tokens([catalog("a", "https://one.example/x"), catalog("b", "https://two.example/x")])


def test_a_token_does_not_travel_in_clear_text(home: Path, idp: FakeIdp) -> None:
    log_in(home, idp, "one.example:80")
    with pytest.raises(ConfigError, match="in clear text"):
        own_tokens([catalog("a", "http://one.example/x")])
