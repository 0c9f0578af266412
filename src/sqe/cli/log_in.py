"""Who asks a server: the password comes from the environment or from a prompt, never from the command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sqe.cli.arguments import Server
from sqe.errors import ConfigError

if TYPE_CHECKING:
    from sqe.api.remote.client import Address


def address_of(server: Server) -> Address:
    password = None
    if server.token is None and server.user is not None:
        password = _password(server)
    from sqe.api.remote.client import Address

    return Address(
        server.host,
        server.port,
        server.user,
        password,
        server.token,
        tls=server.tls,
        insecure=server.insecure,
    )


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
