"""The session of one statement: made of what its headers say, and what has changed in it is said back."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote_plus

from sqe.commands.session_control import check_role
from sqe.config.session_properties import PROPERTIES
from sqe.doors.trino.request_headers import Requested
from sqe.doors.trino.transactions import Transactions
from sqe.errors import AccessDenied, NotSupported, UserError
from sqe.server.calls import Call
from sqe.session import UNPROVEN, Identity, Session, TokenSource
from sqe.tree import statements as s
from sqe.types.zones import canonical


def session_for(call: Call, asked: Requested, transactions: Transactions) -> Session:
    """Another one than the server keeps for the client: what it says is for one statement. AccessDenied for a
    user that it may not be; UserError for what cannot be set."""
    base = call.session.session
    identity, tokens = user_of(call, asked)
    session = replace(
        base,
        identity=identity,
        properties={},
        prepared=dict(asked.prepared),
        written=None,
        tokens=base.tokens if identity == call.identity else tokens,
        # Else each name that somebody thinks of would have a quota of its own.
        charged=None if call.is_proven else f"{UNPROVEN}\0{call.client.host}",
    )
    if asked.catalog is not None:
        session.catalog = asked.catalog
        session.namespace = tuple((asked.schema or "default").split("."))
    session.time_zone = _zone(asked.time_zone or "UTC")
    for name, value in asked.properties.items():
        _set(session, name, value)
    for role in asked.roles.values():
        _check_role(role, session)
    if asked.transaction:
        session.written = transactions.written(asked.transaction, call.identity)
    return session


def user_of(call: Call, asked: Requested) -> tuple[Identity, TokenSource | None]:
    """Who the statement is run as, with which tokens if these are not the session's: who has logged in, or a
    user whose own token the identity provider gives them. Whoever comes in without a proof of who they are
    may say a name, which has no roles and no token."""
    name = asked.user
    if name is None or name == call.identity.user:
        return call.identity, None
    if not call.is_proven:
        return Identity(name, issuer=UNPROVEN), None
    grant = call.impersonate(name)
    if grant is not None:
        return grant.identity, grant.tokens
    raise AccessDenied(
        f"Access Denied: User {call.identity.user} cannot impersonate user {name}",
        hint=f"send {asked.prefix}User: {call.identity.user}, or log in as {name}",
    )


def changes(
    tree: s.Statement, session: Session, asked: Requested, owner: Identity, transactions: Transactions
) -> list[tuple[str, str]]:
    """The headers that tell a client what to send from now on, after a statement that has run in
    `session`. NotSupported, for what no header can say."""
    said: list[tuple[str, str]] = []
    match tree:
        case s.Use(catalog, namespace):
            said = [("Set-Catalog", _sayable(catalog)), ("Set-Schema", _sayable(".".join(namespace)))]
        case s.SetSession(name, None):
            said = [("Clear-Session", name)]
        case s.SetSession(name, value):
            said = [("Set-Session", f"{name}={quote_plus(value or '')}")]
        case s.SetTimeZone(zone):
            said = [("Set-Session", f"time_zone_id={quote_plus(zone)}")]
        case s.SetRole(role):
            said = [("Set-Role", "system=" + quote_plus("ALL" if role is None else f"ROLE{{{role}}}"))]
        case s.SetPath(path):
            said = [("Set-Path", _sayable(path))]
        case s.Prepare(name, text):
            said = [("Added-Prepare", f"{quote_plus(name)}={quote_plus(text)}")]
        case s.Deallocate(name):
            said = [("Deallocated-Prepare", quote_plus(name))]
        case s.Transaction("start"):
            said = [("Started-Transaction-Id", transactions.begin(owner))]
        case s.Transaction():
            transactions.end(asked.transaction or "")
            said = [("Clear-Transaction-Id", "true")]
        case _ if session.written is not None and asked.transaction:
            transactions.wrote(asked.transaction, session.written)
    return [(asked.prefix + name, value) for name, value in said]


def _sayable(name: str) -> str:
    """Trino's clients take these names as they stand in a header, and send them back like that: what a header
    cannot hold would come back as another name."""
    if not name.isascii() or not name.isprintable() or name != name.strip():
        raise NotSupported(
            f"the protocol's headers cannot say the name '{name}'",
            hint="write names with their schema instead, or connect by Flight SQL",
        )
    return name


def _check_role(sent: str, session: Session) -> None:
    """All roles of a log-in hold; one that it does not have cannot be asked for, and none cannot be laid
    off."""
    if sent == "NONE" and session.identity.roles:
        raise NotSupported("SET ROLE NONE: the roles of a log-in hold all the time")
    if sent not in ("ALL", "NONE"):
        check_role(sent[len("ROLE{") : -1], session)


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
