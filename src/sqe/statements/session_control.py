"""USE and SET SESSION."""

from __future__ import annotations

from sqe.session import Session
from sqe.tree.statements import SetSession, Use


def execute(statement: Use | SetSession, session: Session) -> None:
    match statement:
        case Use(catalog, namespace):
            session.catalog, session.namespace = catalog, namespace
        case SetSession(name, value):
            if value is None:
                session.properties.pop(name, None)
            else:
                session.properties[name] = value
