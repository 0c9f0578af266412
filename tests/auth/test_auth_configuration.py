"""`[auth]` and `[rate_limit]`: the chain that they make, and what stops the start."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auth.provider_cases import ANN_SECRET, KEY, install_package, keys_toml, private, users_toml

from sqe.auth.chain import Chain, from_config
from sqe.auth.credentials import Bearer, Password
from sqe.config.config import load
from sqe.errors import ConfigError, LimitExceeded, SqeError

PEER = "192.0.2.1"


def chain(folder: Path, text: str) -> Chain:
    file = folder / "sqe.toml"
    file.write_text(text)
    return from_config(load(file, {}))


def failure(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        chain(folder, text)
    return str(caught.value)


def test_the_order_of_the_file_is_the_order_of_the_chain(tmp_path: Path) -> None:
    private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    private(tmp_path / "keys.toml", keys_toml())
    made = chain(
        tmp_path,
        f"""
        [[auth.providers]]
        type = "api_key"
        keys_file = "{tmp_path}/keys.toml"
        [[auth.providers]]
        type = "users_file"
        users_file = "{tmp_path}/users.toml"
        [[auth.providers]]
        type = "anonymous"
        user = "visitor"
        [auth.role_mappings]
        writer = ["ingest", "reader"]
        """,
    )
    assert made.names == ("api_key", "users_file", "anonymous")
    assert made.authenticate(Bearer(KEY), peer=PEER).roles == {"ingest", "reader"}
    assert made.authenticate(Password("etl", KEY), peer=PEER).user == "etl"
    assert made.authenticate(Password("ann", ANN_SECRET), peer=PEER).user == "ann"
    assert made.authenticate(Password("ann", ""), peer=PEER).user == "visitor"
    assert made.authenticate(None, peer=PEER).user == "visitor"


def test_without_a_provider_the_server_does_not_start(tmp_path: Path) -> None:
    message = failure(tmp_path, "")
    assert "no authentication provider is configured" in message
    assert "[[auth.providers]]" in message and 'type = "users_file"' in message


def test_nobody_is_anonymous_unless_configured(tmp_path: Path) -> None:
    private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    made = chain(tmp_path, f'[[auth.providers]]\ntype = "users_file"\nusers_file = "{tmp_path}/users.toml"')
    for credentials in (None, Password("", ""), Password("ann", ""), Bearer("")):
        with pytest.raises(SqeError, match=r"^authentication failed$"):
            made.authenticate(credentials, peer=PEER)


def test_the_limit_is_the_configured_one(tmp_path: Path) -> None:
    made = chain(
        tmp_path, '[[auth.providers]]\ntype = "anonymous"\n[rate_limit]\nauth_attempts_per_minute = 2'
    )
    for _ in range(2):
        with pytest.raises(SqeError, match=r"^authentication failed$"):
            made.authenticate(Bearer("x"), peer=PEER)
    with pytest.raises(LimitExceeded, match=r"rate_limit\.auth_attempts_per_minute is 2"):
        made.authenticate(Bearer("x"), peer=PEER)
    message = failure(tmp_path, "[rate_limit]\nauth_attempts_per_minute = 0")
    assert "rate_limit.auth_attempts_per_minute must be at least 1" in message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("user = 'x'", "there is a provider without a type"),
        ("type = 'ldap'", "auth.providers.type must be one of oidc_password, "),
        ("type = 'aws_iam'\nregion = 'x'", 'type "aws_iam" is known but not built yet'),
        ("type = 'oidc_password'\ntoken_url = 'x'", 'type "oidc_password" needs issuer'),
        ("type = 'bearer_token'\nissuer = 'https://idp'", 'type "bearer_token" needs audience (without it'),
        ("type = 'bearer_token'\naudience = 'x'", 'type "bearer_token" needs issuer'),
        (
            "type = 'bearer_token'\nissuer = 'http://idp'\naudience = 'x'",
            "issuer must be an https address, without a user in it (set allow_insecure_jwks = true",
        ),
        (
            "type = 'bearer_token'\nissuer = 'https://idp'\naudience = 'x'\njwks_url = 'file:///etc/passwd'",
            "jwks_url must be an https address",
        ),
        (
            "type = 'client_credentials'\nissuer = 'https://idp'\nclient_secret = 'x'",
            "takes no client_secret",
        ),
        ("type = 'token_exchange'\nissuer = 'https://idp'", 'type "token_exchange" needs audience'),
        ("type = 'anonymous'\nissuer = 'https://idp'", 'type "anonymous" has no key issuer'),
        ("type = 'anonymous'\nkeys_file = 'x'", 'type "anonymous" has no key keys_file (it has user, roles)'),
        ("type = 'anonymous'\noptions = {}", 'type "anonymous" has no key options'),
        ("type = 'anonymous'\nuser = ''", "a user must have a name"),
        ("type = 'anonymous'\nroles = ['']", "roles must be a list of names"),
        ("type = 'users_file'\nusers_fil = 'x'", "did you mean auth.providers.users_file?"),
        ("type = 'api_key'\n[[auth.providers.keys]]\nuser = 'x'", "auth.providers.keys: key 1: hash must be"),
        (
            "type = 'anonymous'\n[auth.role_mappings]\na = 'b'",
            'auth.role_mappings."a" must be a list of roles',
        ),
        (
            "type = 'anonymous'\n[auth.external]\naccept_invalid_certs = true",
            "auth.external.accept_invalid_certs is known but not built yet",
        ),
        ("type = 'anonymous'\n[rate_limit]\nenabled = true", "rate_limit.enabled is known but not built yet"),
    ],
)
def test_a_wrong_provider_says_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    assert complaint in failure(tmp_path, f"[[auth.providers]]\n{text}")


def test_keys_that_nothing_obeys_stop_the_start(tmp_path: Path) -> None:
    for key in ("admin_roles = ['x']", "keycloak_url = 'x'", "ssl_verification = true"):
        assert "known but not built yet" in failure(tmp_path, f"[auth]\n{key}")


def test_providers_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_package(tmp_path / "site", monkeypatch)
    made = chain(tmp_path, '[[auth.providers]]\ntype = "rot13"')
    assert made.authenticate(Password("ann", "naa"), peer=PEER).user == "ann"
    assert "cannot be loaded" in failure(tmp_path, '[[auth.providers]]\ntype = "broken"')
    assert 'type "rot13" has no key user (it has options)' in failure(
        tmp_path, '[[auth.providers]]\ntype = "rot13"\nuser = "x"'
    )


def test_no_package_stands_in_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_package(tmp_path / "site", monkeypatch)
    made = chain(tmp_path, '[[auth.providers]]\ntype = "anonymous"')
    assert made.authenticate(None, peer=PEER).user == "anonymous"


def test_the_configuration_shows_no_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_package(tmp_path / "site", monkeypatch)
    file = tmp_path / "sqe.toml"
    file.write_text('[[auth.providers]]\ntype = "rot13"\noptions = { bind_password = "hush-hush" }')
    assert "hush-hush" not in repr(load(file, {}))
