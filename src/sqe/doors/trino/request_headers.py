"""What a client says in the headers of a statement: the protocol has no sessions, so it says everything each
time."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import unquote_plus

from sqe.errors import InvalidArgument
from sqe.foundation.record import record

PARAMETRIC_DATETIME = "PARAMETRIC_DATETIME"
NO_TRANSACTION = "NONE"
_ZSTD = "$zstd:"
_TRANSACTION = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ROLE = re.compile(r"(ALL|NONE|ROLE\{(.*)\})", re.DOTALL)
_ESTIMATES = ("EXECUTION_TIME", "CPU_TIME", "PEAK_MEMORY")
# Programs of ours keep what a client tells of itself.
_LONGEST_LABEL = 256


class BadRequest(InvalidArgument):
    """A header that cannot be read: the request is answered with 400, in Trino's words."""


class Headers(Protocol):
    """By their names in any case; one may come several times."""

    def getlist(self, key: str) -> Sequence[str]: ...

    def keys(self) -> Sequence[str]: ...


@record
class Requested:
    """`prefix` is how the client's headers begin, and so are those that it is sent. `transaction` is None for
    a client that knows none, and empty for one that is in none."""

    prefix: str
    user: str | None
    source: str | None
    catalog: str | None
    schema: str | None
    path: str | None
    time_zone: str | None
    trace_token: str | None
    client_info: str | None
    client_tags: tuple[str, ...]
    capabilities: frozenset[str]
    properties: Mapping[str, str]
    roles: Mapping[str, str]
    prepared: Mapping[str, str]
    transaction: str | None
    encodings: tuple[str, ...]

    @property
    def precise(self) -> bool:
        """Whether it knows times of other precisions than three digits."""
        return PARAMETRIC_DATETIME in self.capabilities


def prefix_of(names: Sequence[str]) -> str:
    """Old clients say Presto where Trino's say Trino."""
    is_presto = any(name.lower().startswith("x-presto-") for name in names)
    if is_presto and any(name.lower().startswith("x-trino-") for name in names):
        raise BadRequest("Both Trino and Presto headers detected")
    return "X-Presto-" if is_presto else "X-Trino-"


def read(headers: Headers, *, longest_statement: int) -> Requested:
    """BadRequest for what is malformed."""
    return _Reader(headers, longest_statement).read()


class _Reader:
    def __init__(self, headers: Headers, longest_statement: int) -> None:
        self._headers = headers
        self._longest_statement = longest_statement
        self._prefix = prefix_of(headers.keys())

    def read(self) -> Requested:
        catalog, schema, path = self._one("Catalog"), self._one("Schema"), self._one("Path")
        if schema is not None and catalog is None:
            raise BadRequest("Schema is set but catalog is not")
        self._check_credentials()
        self._check_estimates()
        return Requested(
            self._prefix,
            self._one("User"),
            self._label("Source"),
            catalog,
            schema,
            path,
            self._one("Time-Zone"),
            self._label("Trace-Token"),
            self._label("Client-Info"),
            tuple(tag[:_LONGEST_LABEL] for tag in self._list("Client-Tags")),
            frozenset(name.upper() for name in self._list("Client-Capabilities")),
            {name: self._decoded("Session", value) for name, value in self._pairs("Session")},
            dict(self._roles()),
            dict(self._prepared()),
            self._transaction(),
            tuple(self._list("Query-Data-Encoding")),
        )

    def _name(self, name: str) -> str:
        return self._prefix + name

    def _one(self, name: str) -> str | None:
        values = self._headers.getlist(self._name(name))
        value = values[0].strip() if values else ""
        return value or None

    def _label(self, name: str) -> str | None:
        value = self._one(name)
        return None if value is None else value[:_LONGEST_LABEL]

    def _list(self, name: str) -> list[str]:
        parts = (part.strip() for line in self._headers.getlist(self._name(name)) for part in line.split(","))
        return [part for part in parts if part]

    def _pairs(self, name: str) -> list[tuple[str, str]]:
        pairs = []
        for part in self._list(name):
            key, equals, value = part.partition("=")
            if not equals or not key.strip() or "=" in value:
                raise BadRequest(f"Invalid {self._name(name)} header")
            pairs.append((key.strip(), value.strip()))
        return pairs

    def _decoded(self, name: str, text: str) -> str:
        try:
            return unquote_plus(text, errors="strict")
        except UnicodeDecodeError:
            raise BadRequest(f"Invalid {self._name(name)} header") from None

    def _roles(self) -> list[tuple[str, str]]:
        roles = []
        for catalog, value in self._pairs("Role"):
            role = self._decoded("Role", value)
            if not _ROLE.fullmatch(role):
                raise BadRequest(f"Invalid {self._name('Role')} header")
            roles.append((catalog, role))
        return roles

    def _prepared(self) -> list[tuple[str, str]]:
        statements = []
        left = self._longest_statement
        for name, value in self._pairs("Prepared-Statement"):
            text = self._decoded("Prepared-Statement", value)
            if text.startswith(_ZSTD):
                text = self._unpacked(text[len(_ZSTD) :], left)
                left -= len(text)
            statements.append((self._decoded("Prepared-Statement", name), text))
        return statements

    def _unpacked(self, text: str, most: int) -> str:
        """A few bytes can hold gigabytes of the same letter: of all statements together no more is unpacked
        than one may have."""
        import zstandard

        invalid = BadRequest(f"Invalid {self._name('Prepared-Statement')} header")
        try:
            packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            plain = zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(packed).read(most + 1)
            if len(plain) > most:
                raise BadRequest(
                    f"{invalid.message}: more than {self._longest_statement} bytes (query.max_sql_bytes)"
                )
            return plain.decode()
        except (binascii.Error, UnicodeDecodeError, ValueError, zstandard.ZstdError):
            raise invalid from None

    def _transaction(self) -> str | None:
        value = self._one("Transaction-Id")
        if value is None:
            return None
        if value.upper() == NO_TRANSACTION:
            return ""
        if not _TRANSACTION.fullmatch(value):
            raise BadRequest(f"Invalid {self._name('Transaction-Id')} header")
        return value.lower()

    def _check_credentials(self) -> None:
        """They are for catalogs that log in by themselves, which ours do not: none is kept."""
        for name, _ in self._pairs("Extra-Credential"):
            if name.startswith("internal$"):
                raise BadRequest(f"Invalid extra credential name: {name}")

    def _check_estimates(self) -> None:
        for name, _ in self._pairs("Resource-Estimate"):
            if name.upper() not in _ESTIMATES:
                raise BadRequest(f"Unsupported resource name {name}")
