"""The tokens of the user of this process, for an embedded engine whose catalog asks who is there: those of
`sqe auth login` for the catalog's own host and port."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqe.errors import ConfigError, SessionExpired
from sqe.foundation.loopback import is_loopback

if TYPE_CHECKING:
    from sqe.auth.logins.kept_log_ins import KeptLogIns
    from sqe.config.config import CatalogSettings

_PORTS = {"https": 443, "http": 80}


class KeptTokens:
    """Of a log-in, renewed when it is used. Another process may log out meanwhile."""

    def __init__(self, log_ins: KeptLogIns, server: str) -> None:
        self._log_ins = log_ins
        self._server = server

    def __repr__(self) -> str:
        return f"KeptTokens({self._server!r})"

    def current(self) -> str:
        token = self._log_ins.token(self._server)
        if token is None:
            raise SessionExpired("nobody is logged in for the catalog", hint="run sqe auth login")
        return token

    def renewed_after(self, refused: str) -> str | None:
        current = self.current()
        return None if current == refused else current


def own_tokens(catalogs: Iterable[CatalogSettings]) -> KeptTokens | None:
    """None where nobody has logged in. A session has one token, which no other server may get: with catalogs
    at several addresses there is none."""
    # Looked for by itself: what reads it takes a while to import.
    if not (Path(os.environ.get("HOME") or Path.home()) / ".sqe" / "log-ins.json").exists():
        return None
    asking = [
        catalog
        for catalog in catalogs
        if catalog.type == "rest" and catalog.auth.get("type", "session_bearer") == "session_bearer"
    ]
    servers = {_server(catalog) for catalog in asking}
    if not servers:
        return None
    from sqe.cli.auth import kept_log_ins

    log_ins = kept_log_ins()
    known = sorted(server for server in servers if log_ins.find(server) is not None)
    if not known:
        return None
    if len(servers) > 1:
        raise ConfigError(
            f"the log-in for {known[0]} is for one server, and there are catalogs at {len(servers)}",
            hint="give the others an auth of their own, or a configuration each",
        )
    for catalog in asking:
        parts = urlsplit(catalog.catalog_url or "")
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            raise ConfigError(
                f"catalog '{catalog.name}': the token would travel in clear text",
                hint="give it a catalog_url with https",
            )
    return KeptTokens(log_ins, known[0])


def _server(catalog: CatalogSettings) -> str:
    """As `sqe auth login -H HOST -p PORT` calls it."""
    parts = urlsplit(catalog.catalog_url or "")
    return f"{parts.hostname}:{parts.port or _PORTS.get(parts.scheme, 0)}"
