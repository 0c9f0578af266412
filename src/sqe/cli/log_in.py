"""Who asks a server: the password comes from the environment or from a prompt, never from the command; a
token from `--token`, or from `sqe auth login`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.arguments import Server
from sqe.errors import ConfigError

if TYPE_CHECKING:
    from sqe.api.remote.client import Address


def address_of(server: Server) -> Address:
    password, token, renewed = None, server.token, None
    if token is None and server.user is not None:
        password = _password(server)
    elif token is None:
        renewed = _kept_token(server)
        token = None if renewed is None else renewed()
    from sqe.api.remote.client import Address

    return Address(
        server.host,
        server.port,
        server.user,
        password,
        token,
        tls=server.tls,
        insecure=server.insecure,
        renewed_token=renewed,
    )


def _kept_token(server: Server) -> Callable[[], str | None] | None:
    """Gives the token of somebody who has logged in for this very server: no other may get it."""
    # Looked for by itself: what reads it takes a while to import.
    if not (Path(os.environ.get("HOME") or Path.home()) / ".sqe" / "log-ins.json").exists():
        return None
    from sqe.cli.auth import kept_log_ins
    from sqe.foundation.loopback import is_loopback

    log_ins, name = kept_log_ins(), f"{server.host}:{server.port}"
    if log_ins.find(name) is None:
        return None
    if not server.tls and not is_loopback(server.host):
        raise ConfigError(f"the token would travel in clear text to {server.host}", hint="add --tls")
    return lambda: log_ins.token(name)


def _password(server: Server) -> str:
    password = os.environ.get("SQE_PASSWORD")
    if password is not None:
        return password
    if not sys.stdin.isatty():
        raise ConfigError(f"there is no password for {server.user}", hint="set SQE_PASSWORD")
    from getpass import getpass

    try:
        return getpass(f"Password of {server.user} at {server.host}: ")
    except EOFError:
        raise KeyboardInterrupt from None
