"""A client of the door, as the server's rooms see it."""

from __future__ import annotations

import ipaddress
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from starlette.requests import Request

from sqe.doors.trino.request_headers import BadRequest
from sqe.foundation.loopback import is_loopback

_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TrinoClient:
    """A `sqe.server.client.Client`. The protocol has no sessions: all calls from one host that say the same
    of who makes them have one, and what a statement sets is its own."""

    session_cookie = None
    is_late = False

    def __init__(self, request: Request, trusted: Sequence[Network]) -> None:
        peer = request.client.host if request.client is not None else ""
        headers = request.headers
        self._forwarded = _is_one_of(peer, trusted)
        # Whether a proxy of ours says by which address the client knows us.
        self.is_forwarded = self._first(headers, "x-forwarded-host") is not None
        self.host = self._farthest(headers.get("x-forwarded-for"), trusted) or peer
        self.connection = f"trino {self.host}"
        self.base = self._base(request)
        self.headers: Mapping[str, str] = _with_trace(dict(headers))

    @property
    def names_loopback(self) -> bool:
        """Whether the client knows us by an address of this machine."""
        return is_loopback(urlsplit(self.base).hostname or "")

    def keep_cookie(self, value: str) -> None:
        """These clients keep none."""

    def when_gone(self, act: Callable[[], None]) -> threading.Event:
        """A poll that breaks off is made again; who says nothing for long is given up."""
        return threading.Event()

    def cancel(self) -> None:
        """It is answered in any case."""

    def _base(self, request: Request) -> str:
        """The address by which the client knows us: it follows the links that start with it."""
        headers = request.headers
        scheme = self._first(headers, "x-forwarded-proto") or request.url.scheme
        host = self._first(headers, "x-forwarded-host") or headers.get("host", "")
        port = self._first(headers, "x-forwarded-port")
        if not _HOST.fullmatch(host) or scheme not in ("http", "https"):
            raise BadRequest("Invalid Host header")
        if port is not None and port.isdecimal() and not re.search(r":\d+$", host):
            usual = "443" if scheme == "https" else "80"
            host = host if port == usual else f"{host}:{port}"
        return f"{scheme}://{host}"

    def _farthest(self, forwarded: str | None, trusted: Sequence[Network]) -> str | None:
        """The address that the first of our proxies saw. Each adds one to the end; what stands before them
        all is the client's to choose."""
        if forwarded is None or not self._forwarded:
            return None
        addresses = [address.strip() for address in forwarded.split(",")]
        return next((each for each in reversed(addresses) if not _is_one_of(each, trusted)), None)

    def _first(self, headers: Mapping[str, str], name: str) -> str | None:
        """What a proxy says; anybody could say it who is none."""
        value = headers.get(name) if self._forwarded else None
        return value.partition(",")[0].strip() or None if value else None


def _with_trace(headers: dict[str, str]) -> dict[str, str]:
    """Trino's name for the id that the client's own systems know the request by."""
    trace = headers.get("x-trino-trace-token") or headers.get("x-presto-trace-token")
    if trace is not None:
        headers.setdefault("x-request-id", trace)
    return headers


def _is_one_of(peer: str, networks: Sequence[Network]) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    return any(address in network for network in networks)
