"""Parts of a URL, as java.net.URI reads it: RFC 2396 with a few liberties."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.kept import kept

_UNRESERVED = r"A-Za-z0-9\-_.!~*'()"
# Characters beyond ASCII need no escape, unless they are blanks or cannot be seen.
_OTHER = r"[^\x00-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_ESCAPE = r"%[0-9A-Fa-f]{2}"
_ESCAPES = re.compile(f"(?:{_ESCAPE})+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+\-.]*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.?|{_LABEL}\.?")
_IPV4 = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)\.([0-9]+)")
_SCOPE = re.compile(r"[A-Za-z0-9_.]+")
_PORT = re.compile(r"[0-9]*")
_MOST = 2147483647
# Half of a pair is one mistake to Java, and as many as it has bytes to Python.
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")
_REPLACEMENT = "\ufffd".encode()
# Java reads two characters as a number, which may have a sign.
_ENCODED = re.compile(rf"(?:{_ESCAPE}|%\+[0-9A-Fa-f]|%-0)+|\+|%")


def _of(characters: str) -> re.Pattern[str]:
    return re.compile(f"(?:[{characters}]|{_ESCAPE}|{_OTHER})*")


_ANY = _of(_UNRESERVED + r";/?:@&=+$,\[\]")
_PATH = _of(_UNRESERVED + ":@&=+$,;/")
_USER = _of(_UNRESERVED + ";:&=+$,")
_NAME = _of(_UNRESERVED + "$,;:@&=+")
_SERVER = _of(_UNRESERVED + r";:&=+$,@\[\]")
_SERVER_WITH_SCOPE = _of(_UNRESERVED + r";:&=+$,@\[\]%")


class _Bad(Exception):
    pass


class _Parts(NamedTuple):
    """The path of mailto:a@b is None; the other parts are None where there are none."""

    protocol: str | None = None
    host: str | None = None
    port: int | None = None
    path: str | None = None
    query: str | None = None
    fragment: str | None = None


def protocol(url: str) -> str | None:
    parts = _parts(url)
    return None if parts is None else parts.protocol or ""


def host(url: str) -> str | None:
    parts = _parts(url)
    return None if parts is None else parts.host or ""


def path(url: str) -> str | None:
    parts = _parts(url)
    return None if parts is None else _unescaped(parts.path or "")


def query(url: str) -> str | None:
    parts = _parts(url)
    return None if parts is None else _unescaped(parts.query or "")


def fragment(url: str) -> str | None:
    parts = _parts(url)
    return None if parts is None else _unescaped(parts.fragment or "")


def port(url: str) -> int | None:
    parts = _parts(url)
    return None if parts is None else parts.port


def parameter(url: str, name: str) -> str | None:
    """The value of the first parameter of that name; nothing where it has none."""
    parts = _parts(url)
    if parts is None or parts.query is None:
        return None
    for pair in parts.query.split("&"):
        found, _, value = pair.partition("=")
        if found == name:
            return decode(value)
    return None


def decode(text: str) -> str:
    """As java.net.URLDecoder, where + is a blank."""

    def decoded(found: re.Match[str]) -> str:
        if found[0] == "%":
            raise BodyError("INVALID_FUNCTION_ARGUMENT", "Illegal hex characters in escape (%) pattern")
        return " " if found[0] == "+" else _bytes(found[0])

    return _ENCODED.sub(decoded, text)


def _bytes(escapes: str) -> str:
    data = bytes(int(escape, 16) for escape in escapes.split("%")[1:])
    return _SURROGATE.sub(_REPLACEMENT, data).decode(errors="replace")


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda found: _bytes(found[0]), text)


@kept
def _parts(url: str) -> _Parts | None:
    try:
        return _read(url)
    except _Bad:
        return None


def _read(url: str) -> _Parts:
    rest, hash_, fragment_ = url.partition("#")
    _require(_ANY, fragment_)
    before = re.match(r"[^:/?]*", rest)
    assert before is not None
    scheme = None
    if rest[before.end() : before.end() + 1] == ":":
        scheme = before[0]
        _require(_SCHEME, scheme)
        rest = rest[before.end() + 1 :]
        if not rest.startswith("/"):
            if not rest:
                raise _Bad
            _require(_ANY, rest)
            return _Parts(scheme, fragment=fragment_ if hash_ else None)
    host_: str | None = None
    port_: int | None = None
    if rest.startswith("//"):
        authority, rest = _split_at(rest[2:], "/?")
        if authority:
            host_, port_ = _server(authority)
        elif not rest and not hash_:
            raise _Bad
    path_, rest = _split_at(rest, "?")
    _require(_PATH, path_)
    _require(_ANY, rest[1:])
    return _Parts(scheme, host_, port_, path_, rest[1:] if rest else None, fragment_ if hash_ else None)


def _split_at(text: str, stops: str) -> tuple[str, str]:
    found = re.search(f"[{re.escape(stops)}]", text)
    at = found.start() if found is not None else len(text)
    return text[:at], text[at:]


def _require(pattern: re.Pattern[str], text: str) -> None:
    if pattern.fullmatch(text) is None:
        raise _Bad


def _server(authority: str) -> tuple[str | None, int | None]:
    """The host and port, none of both where the authority is only a name."""
    allowed = _SERVER_WITH_SCOPE if authority.find("]") > 0 else _SERVER
    is_name = _NAME.fullmatch(authority) is not None
    if allowed.fullmatch(authority) is not None:
        try:
            return _host_and_port(authority)
        except _Bad:
            if is_name:
                return None, None
            raise
    if not is_name:
        raise _Bad
    return None, None


def _host_and_port(authority: str) -> tuple[str, int | None]:
    user, at, rest = authority.partition("@")
    if at:
        _require(_USER, user)
    else:
        rest = authority
    if rest.startswith("["):
        address, bracket, after = rest[1:].partition("]")
        if not bracket or not address:
            raise _Bad
        _require_ipv6(address)
        found = f"[{address}]"
    else:
        found, colon, digits = rest.partition(":")
        after = colon + digits
        ipv4 = _IPV4.fullmatch(found)
        if ipv4 is None or any(_number(byte) > 255 for byte in ipv4.groups()):
            _require(_HOST, found)
    if not after:
        return found, None
    if not after.startswith(":"):
        raise _Bad
    _require(_PORT, after[1:])
    if _number(after[1:]) > _MOST:
        raise _Bad
    return found, _number(after[1:]) if after[1:] else None


def _number(digits: str) -> int:
    """Of as many digits as Python reads, which are more than any number here may have."""
    return int(digits.lstrip("0")[:20] or 0)


def _require_ipv6(address: str) -> None:
    number, percent, scope = address.partition("%")
    if percent:
        _require(_SCOPE, scope)
    try:
        ipaddress.IPv6Address(number)
    except ValueError:
        raise _Bad from None
