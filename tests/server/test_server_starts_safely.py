"""A server whose passwords could be overheard does not start, unless it is configured so."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.config.config import load
from sqe.doors.open import OpenServer
from sqe.errors import ConfigError
from sqe.foundation.loopback import is_loopback


def _server(home: Path, coordinator: str) -> OpenServer:
    users = home / "users.toml"
    users.write_text("")
    users.chmod(0o600)
    config = home / "sqe.toml"
    config.write_text(
        f"[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n{coordinator}\n"
        "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
        f'[[auth.providers]]\ntype = "users_file"\nusers_file = "{users}"\n'
        f'[catalogs.lake.backend]\ntype = "sqlite"\nwarehouse = "{home}/lake"\n'
    )
    return OpenServer(load(config, {}))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "sqe.example"])
def test_passwords_do_not_travel_in_clear_text(tmp_path: Path, host: str) -> None:
    with pytest.raises(ConfigError, match="clear text"):
        _server(tmp_path, f'host = "{host}"')


@pytest.mark.parametrize("more", ['host = "127.0.0.1"', 'host = "0.0.0.0"\nplaintext_passwords = true'])
def test_loopback_and_what_is_configured_so_are_fine(tmp_path: Path, more: str) -> None:
    _server(tmp_path, more).close()


def test_loopback_is_known_by_address() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "10.0.0.1", "localhost.example", "")))


def test_nor_do_those_that_an_identity_provider_checks(tmp_path: Path) -> None:
    for kind in ("oidc_password", "client_credentials"):
        config = tmp_path / "sqe.toml"
        config.write_text(
            f'[coordinator]\nhost = "0.0.0.0"\n[[auth.providers]]\ntype = "{kind}"\n'
            'issuer = "https://idp.example"\nclient_id = "sqe"\n'
        )
        with pytest.raises(ConfigError, match="clear text"):
            OpenServer(load(config, {}))
