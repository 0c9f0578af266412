"""What changes the session alone: USE, SET SESSION, SET TIME ZONE, SET ROLE, PREPARE, and transactions."""

from __future__ import annotations

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import AccessDenied, NotSupported, UserError
from sqe.session import Session
from sqe.tree.statements import (
    Deallocate,
    Prepare,
    SetPath,
    SetRole,
    SetSession,
    SetTimeZone,
    Transaction,
    Use,
)


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    session = statement.session
    match plan.tree:
        case Use(catalog, namespace):
            session.catalog, session.namespace = catalog, namespace
        case SetTimeZone(zone):
            session.time_zone = zone
        case SetSession("time_zone_id", zone):
            session.time_zone = zone or "UTC"
        case SetSession(name, None):
            session.properties.pop(name, None)
        case SetSession(name, value):
            assert value is not None
            session.properties[name] = value
        case Prepare(name, text):
            session.prepared[name] = text
        case Deallocate(name):
            session.prepared.pop(name, None)
        case SetRole(role):
            check_role(role, session)
        case SetPath():
            pass
        case Transaction(action):
            _transaction(action, session)


def check_role(role: str | None, session: Session) -> None:
    """All roles of a log-in hold all the time: a role may also restrict its user, who could lay it off. So a
    role that the user has is one that holds already, and another one is refused."""
    if role is not None and role not in session.identity.roles:
        raise AccessDenied(
            f"Access Denied: Cannot set role {role}", hint="SHOW ROLES lists those of this log-in"
        )


def _transaction(action: str, session: Session) -> None:
    """Drivers ask for transactions out of habit. Each statement commits by itself, so that COMMIT has
    nothing left to do, and ROLLBACK only says so where it cannot take anything back."""
    if action == "start":
        if session.written is not None:
            raise UserError("a transaction has begun already", code="NOT_SUPPORTED", hint="COMMIT it first")
        session.written = 0
        return
    written, session.written = session.written, None
    if action == "rollback" and written:
        raise NotSupported(
            f"ROLLBACK cannot take back {written} statement{'' if written == 1 else 's'}: "
            "each has committed by itself",
            hint='see "t$history" for the snapshots before, and FOR VERSION AS OF',
        )
