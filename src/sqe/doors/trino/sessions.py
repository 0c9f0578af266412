"""The session of one statement: made of what its headers say, and what has changed in it is said back."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote_plus

from sqe.config.session_properties import PROPERTIES
from sqe.doors.trino.request_headers import Requested
from sqe.doors.trino.transactions import Transactions
from sqe.errors import AccessDenied, NotSupported, UserError
from sqe.server.calls import Call
from sqe.session import Identity, Session
from sqe.types.zones import canonical

UNPROVEN = "anonymous"
"""The issuer of names that nobody has proven, so that they are not taken for those who have."""


def session_for(call: Call, asked: Requested, transactions: Transactions) -> Session:
    """Another one than the server keeps for the client: what it says is for one statement. AccessDenied for a
    user that it may not be; UserError for what cannot be set."""
    base = call.session.session
    identity = identity_of(call, asked)
    session = replace(
        base,
        identity=identity,
        properties={},
        prepared=dict(asked.prepared),
        written=None,
        tokens=base.tokens if identity == call.identity else None,
    )
    if asked.catalog is not None:
        session.catalog = asked.catalog
        session.namespace = tuple((asked.schema or "default").split("."))
    session.time_zone = _zone(asked.time_zone or "UTC")
    for name, value in asked.properties.items():
        _set(session, name, value)
    if asked.transaction:
        session.written = transactions.written(asked.transaction, call.identity)
    return session


def identity_of(call: Call, asked: Requested) -> Identity:
    """Who the statement is run as: who has logged in. Whoever comes in without a proof of who they are may
    say a name, which has no roles and no token."""
    name = asked.user
    if name is None or name == call.identity.user:
        return call.identity
    if not call.is_proven:
        return Identity(name, issuer=UNPROVEN)
    raise AccessDenied(
        f"Access Denied: User {call.identity.user} cannot impersonate user {name}",
        hint=f"send {asked.prefix}User: {call.identity.user}, or log in as {name}",
    )


def changes(
    before: Session, after: Session, kind: str, asked: Requested, owner: Identity, transactions: Transactions
) -> list[tuple[str, str]]:
    """The headers that tell a client what to send from now on."""
    said: list[tuple[str, str]] = []
    if kind == "USE":
        said += [("Set-Catalog", after.catalog), ("Set-Schema", ".".join(after.namespace))]
    for name, value in after.properties.items():
        if before.properties.get(name) != value:
            said.append(("Set-Session", f"{name}={quote_plus(value)}"))
    for name in before.properties.keys() - after.properties.keys():
        said.append(("Clear-Session", name))
    if kind == "RESET SESSION" and before.time_zone != after.time_zone:
        said.append(("Clear-Session", "time_zone_id"))
    elif before.time_zone != after.time_zone:
        said.append(("Set-Session", f"time_zone_id={quote_plus(after.time_zone)}"))
    for name, text in after.prepared.items():
        if before.prepared.get(name) != text or kind == "PREPARE":
            said.append(("Added-Prepare", f"{quote_plus(name)}={quote_plus(text)}"))
    for name in before.prepared.keys() - after.prepared.keys():
        said.append(("Deallocated-Prepare", quote_plus(name)))
    said += _transaction(before, after, asked, owner, transactions)
    return [(asked.prefix + name, value) for name, value in said]


def _transaction(
    before: Session, after: Session, asked: Requested, owner: Identity, transactions: Transactions
) -> list[tuple[str, str]]:
    if before.written is None and after.written is not None:
        return [("Started-Transaction-Id", transactions.begin(owner))]
    if before.written is not None and after.written is None:
        transactions.end(asked.transaction or "")
        return [("Clear-Transaction-Id", "true")]
    if after.written is not None and asked.transaction:
        transactions.wrote(asked.transaction, after.written)
    return []


def _zone(name: str) -> str:
    try:
        return canonical(name)
    except ValueError as error:
        raise NotSupported(f"Time zone not supported: {name}", hint=str(error)) from None


def _set(session: Session, name: str, value: str) -> None:
    known = PROPERTIES.get(name)
    if known is None:
        raise UserError(
            f"Session property '{name}' does not exist",
            code="INVALID_SESSION_PROPERTY",
            hint="SHOW SESSION lists those that do",
        )
    try:
        checked = known.check(value)
    except ValueError as error:
        raise UserError(f"{name}: {error}", code="INVALID_SESSION_PROPERTY") from None
    if name == "time_zone_id":
        session.time_zone = checked
    else:
        session.properties[name] = checked
