"""GRANT, DENY and REVOKE: by administrators, by owners of tables, and by whoever was given the right to."""

from __future__ import annotations

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import AccessDenied, NotSupported
from sqe.policy.grants import GrantPolicy
from sqe.tree.grants import Grant
from sqe.tree.statements import ChangeGrants


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    tree = plan.tree
    assert isinstance(tree, ChangeGrants)
    policy = coordinator.policy
    if not isinstance(policy, GrantPolicy):
        raise NotSupported(
            f"{tree.action} needs a place to keep grants in", hint="set policy.engine = \"grants\""
        )
    identity = statement.session.identity
    may = policy.may_revoke if tree.action == "REVOKE" else policy.may_grant
    for grant in tree.grants:
        if not may(identity, grant):
            raise AccessDenied(f"cannot {tree.action.lower()} {grant.privilege} on '{_shown(grant)}'")
    for grant in tree.grants:
        if tree.action == "REVOKE":
            policy.revoke(grant)
        else:
            policy.grant(identity, grant)


def _shown(grant: Grant) -> str:
    on = grant.on
    return ".".join((on.catalog, *on.namespace, *((on.name,) if on.name else ())))
