"""`sqe auth login`, `logout` and `status`: log-ins of a person at an identity provider, for a server."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqe.auth.logins import auth_code, device_code
from sqe.auth.logins.external import External, external_of
from sqe.auth.logins.kept_log_ins import KeptLogIns, kept, usable_keyring
from sqe.auth.oidc.claims import USER
from sqe.auth.oidc.token_endpoint import Tokens
from sqe.auth.oidc.token_kinds import TokenKinds
from sqe.auth.oidc.verifier import Verifier
from sqe.cli.arguments import OneLineParser
from sqe.config.config import load, usual_path
from sqe.config.providers import CLOCK_SKEW_SECS
from sqe.errors import AuthenticationFailed, Unavailable

FAILED = 1


def main(words: Sequence[str]) -> int:
    options = parser().parse_args(words)
    log_ins = kept_log_ins()
    if options.command == "status":
        return _status(log_ins)
    server = f"{options.host}:{options.port}"
    return _login(log_ins, server, options) if options.command == "login" else _logout(log_ins, server)


def parser() -> argparse.ArgumentParser:
    flags = OneLineParser(
        prog="sqe auth", allow_abbrev=False, description="Log in to a server by an identity provider."
    )
    commands = flags.add_subparsers(dest="command", required=True, metavar="login | logout | status")
    login = commands.add_parser(
        "login",
        allow_abbrev=False,
        help="log in in a browser, or by a code that is typed into one elsewhere",
        description="Log in at an identity provider. The tokens are kept for commands that name the server,"
        " in ~/.sqe/log-ins.json or in the system's keyring.",
    )
    login.add_argument("--issuer", metavar="URL", help="the identity provider (auth.external.issuer)")
    login.add_argument("--client-id", metavar="ID", help="as which client (auth.external.client_id)")
    login.add_argument("--device", action="store_true", help="show a code, and open no browser")
    login.add_argument("--config", type=Path, metavar="FILE", help="sqe.toml with [auth.external]")
    logout = commands.add_parser(
        "logout",
        allow_abbrev=False,
        help="forget the tokens for a server, here and at the identity provider",
        description="Forget the tokens for a server, here and at the identity provider.",
    )
    for command in (login, logout):
        command.add_argument("-H", "--host", default="localhost", help="of the server (localhost)")
        command.add_argument("-p", "--port", type=int, default=50051, help="of the server (50051)")
    commands.add_parser(
        "status",
        allow_abbrev=False,
        help="list who is logged in where",
        description="List who is logged in where.",
    )
    return flags


def kept_log_ins() -> KeptLogIns:
    home = Path(os.environ.get("HOME") or Path.home()) / ".sqe"
    return KeptLogIns(home, keyring=usable_keyring())


def _login(log_ins: KeptLogIns, server: str, options: argparse.Namespace) -> int:
    config = load(options.config or usual_path(os.environ), os.environ)
    settings = config.auth.external
    if options.issuer is not None:
        settings = replace(settings, issuer=options.issuer)
    if options.client_id is not None:
        settings = replace(settings, client_id=options.client_id, device_client_id=None)
    external = external_of(settings, device=options.device)
    tokens = device_code.log_in(external, _show) if options.device else _in_browser(external)
    user = _user(external, tokens)
    log_ins.keep(kept(server, external.idp, external.client, tokens, user=user))
    print(f"logged in to {server}" + (f" as {user}" if user else ""))
    return 0


def _in_browser(external: External) -> Tokens:
    import webbrowser

    return auth_code.log_in(external, _show, webbrowser.open)


def _logout(log_ins: KeptLogIns, server: str) -> int:
    entry = log_ins.forget(server)
    if entry is None:
        print(f"nobody is logged in to {server}")
        return 0
    print(f"logged out of {server}")
    if entry.refresh_token is not None:
        try:
            entry.endpoint().revoke(entry.refresh_token)
        except Unavailable as error:
            print(f"the identity provider has not heard of it: {error.message}", file=sys.stderr)
            return FAILED
    return 0


def _status(log_ins: KeptLogIns) -> int:
    entries = log_ins.all()
    for entry in entries:
        until = datetime.fromtimestamp(entry.expires_at).astimezone().isoformat(" ", "seconds")
        state = f"the token holds until {until}" if not entry.is_over else "the token has expired"
        if entry.refresh_token is not None:
            state += ", and is renewed when it is used"
        print(f"{entry.server}: {entry.user or 'somebody'} of {entry.issuer}; {state}")
    if not entries:
        print("nobody is logged in")
    return 0


def _show(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _user(external: External, tokens: Tokens) -> str | None:
    """For people alone: the server reads the access token, and makes up its own mind."""
    if tokens.id_token is None:
        return None
    verifier = Verifier(
        external.idp.keys,
        issuer=external.idp.issuer,
        audience=external.client.id,
        skew=CLOCK_SKEW_SECS,
        kinds=TokenKinds(allow_id_tokens=True),
    )
    try:
        user = verifier.claims(tokens.id_token).get(USER)
    except (AuthenticationFailed, Unavailable):
        return None
    return user if isinstance(user, str) and user.isprintable() else None
