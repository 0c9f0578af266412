"""What ADBC's driver raises, as the errors that a connection in this process would have raised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import adbc_driver_manager as adbc

from sqe import errors
from sqe.errors import (
    AuthenticationFailed,
    Cancelled,
    InternalError,
    Position,
    SqeError,
    Unavailable,
    UserError,
)

# `NOT_FOUND: [FlightSQL] line 1:15: table 'a.b.c' does not exist (NotFound; ExecutePartitions)`
_WRAPPED = re.compile(
    r"[A-Z_]+: \[FlightSQL\] (.*?)(?: \(\w+; [\w()]*\))?(?:\. Vendor code: \d+)?", re.DOTALL
)
# What Arrow makes of it when it comes while rows are read.
_RPC = re.compile(r".*?rpc error: code = (\w+) desc = (.*)", re.DOTALL)
_POSITION = re.compile(r"(\d+):(\d+)")


@contextmanager
def translated(where: str) -> Iterator[None]:
    """`where` is the server's address, for when there is no answer from it."""
    try:
        yield
    except adbc.Error as error:
        raise failure_of(error, where) from None


def failure_of(error: adbc.Error, where: str) -> SqeError:
    details = {_text(name): value for name, value in error.details or ()}
    text = _unwrapped(str(error))
    code = details.get("x-sqe-error-name")
    if code is None:
        return _unnamed(error, text, where)
    kind = getattr(errors, _text(details.get("x-sqe-error-class", b"")), UserError)
    if not (isinstance(kind, type) and issubclass(kind, SqeError)):
        kind = UserError
    position = _position(details.get("x-sqe-error-position"))
    hint = _text(details["x-sqe-error-hint-bin"]) if "x-sqe-error-hint-bin" in details else None
    if position is not None:
        text = text.removeprefix(f"line {position}: ")
    if hint is not None:
        text = text.removesuffix(f" ({hint})")
    failure: SqeError = kind(text, code=_text(code), position=position, hint=hint)
    if "x-sqe-query-id" in details:
        failure.query_id = _text(details["x-sqe-query-id"])
    return failure


def broken_off(error: Exception) -> SqeError:
    match = _RPC.fullmatch(str(error))
    if match is None:
        return InternalError(f"the result could not be read: {type(error).__name__}")
    if match[1] in ("Canceled", "Cancelled"):
        return Cancelled("the statement was cancelled")
    if match[1] == "Unavailable":
        return Unavailable("the server has gone away while rows were read")
    return UserError(match[2])


def _unnamed(error: adbc.Error, text: str, where: str) -> SqeError:
    """Not by our server, or not by any."""
    match error.status_code:
        case adbc.AdbcStatusCode.CANCELLED:
            return Cancelled("the statement was cancelled")
        case adbc.AdbcStatusCode.UNAUTHENTICATED:
            return AuthenticationFailed("authentication failed")
        case adbc.AdbcStatusCode.IO | adbc.AdbcStatusCode.TIMEOUT:
            return Unavailable(f"the server at {where} does not answer", hint=_reason(text))
    return InternalError(text)


def _reason(text: str) -> str | None:
    for sign, reason in (
        ("connection refused", "nothing listens there"),
        ("no such host", "there is no such host"),
        ("first record does not look like a TLS handshake", "it does not speak TLS: leave out --tls"),
        ("failed to verify certificate", "its certificate is not one that is trusted here"),
        ("error reading server preface", "if it speaks TLS: --tls, or tls=True"),
    ):
        if sign in text:
            return reason
    return None


def _unwrapped(text: str) -> str:
    match = _WRAPPED.fullmatch(text)
    return match.group(1) if match is not None else text


def _position(sent: bytes | str | None) -> Position | None:
    match = _POSITION.fullmatch(_text(sent)) if sent is not None else None
    return None if match is None else Position(int(match.group(1)), int(match.group(2)))


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
