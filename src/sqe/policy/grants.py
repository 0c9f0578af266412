"""What was granted by SQL, and what follows of it for one user and one table.

Without a grant there is nothing. DENY wins over GRANT. Of several grants that apply, each of its filters and
masks holds: somebody with two roles sees what both would let them see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from sqe.errors import AccessDenied, UserError
from sqe.policy.decision import EVERYTHING, NOTHING, AllowAll, Decision
from sqe.session import Identity
from sqe.tree.grants import Grant, Grantee, GranteeKind, Scope
from sqe.tree.privileges import Privilege
from sqe.tree.relations import TableName
from sqe.tree.rules import Mask, Rule

_NULL = Mask("nullify")


class Granted(Protocol):
    """Where grants are kept."""

    @property
    def version(self) -> int:
        """Another number after every change."""

    def grants(self) -> Sequence[Grant]:
        """All of them, as they are now."""

    def owner(self, table: TableName) -> str | None: ...

    def tables(self) -> Sequence[TableName]:
        """What is owned, and what something was granted on: tables, views, schemas and catalogs."""

    def add(self, grant: Grant) -> None:
        """In the place of one of the same privilege on the same for the same, if there is one."""

    def remove(self, grant: Grant) -> bool:
        """The one of the same privilege on the same for the same; whether there was one."""

    def forget(self, table: TableName) -> None:
        """Whoever makes another of that name begins without any."""

    def move(self, table: TableName, to: TableName) -> None: ...

    def own(self, table: TableName, user: str) -> None: ...


class GrantPolicy:
    """`admins` are users, and `admin_roles` roles, that may do everything and grant it. Places of tables are
    as they are without rules. `mask_key` is what masks hash with."""

    def __init__(
        self,
        granted: Granted,
        *,
        admins: Iterable[str],
        admin_roles: Iterable[str],
        elsewhere: AllowAll,
        mask_key: bytes = b"",
    ) -> None:
        self.granted = granted
        self._admins = frozenset(admins)
        self._admin_roles = frozenset(admin_roles)
        self._elsewhere = elsewhere
        self._mask_key = mask_key

    @property
    def version(self) -> int:
        return self.granted.version

    def is_admin(self, identity: Identity) -> bool:
        if not identity.is_proven:
            return False
        return identity.user in self._admins or bool(identity.roles & self._admin_roles)

    def administers(self, identity: Identity, on: TableName) -> bool:
        """Who may grant anything on it, with rules of their own, and see all of it: administrators, and its
        owner."""
        return self.is_admin(identity) or (identity.is_proven and self.granted.owner(on) == identity.user)

    def table(self, identity: Identity, table: TableName) -> Decision:
        if self.administers(identity, table):
            return EVERYTHING
        decision = decide(self.granted.grants(), identity, table)
        keyed = {column: self._keyed(mask) for column, mask in decision.masks.items()}
        return replace(decision, masks=keyed)

    def _keyed(self, mask: Rule | Mask) -> Rule | Mask:
        return replace(mask, key=self._mask_key) if isinstance(mask, Mask) else mask

    def created(self, table: TableName, identity: Identity) -> None:
        """Nothing of a table that had the name before holds; one that is replaced keeps its grants."""
        if self.granted.owner(table) is None:
            self.granted.forget(table)
            if identity.is_proven:
                self.granted.own(table, identity.user)

    def dropped_schema(self, catalog: str, namespace: tuple[str, ...]) -> None:
        for table in self._inside(catalog, namespace):
            self.granted.forget(table)

    def renamed_schema(self, catalog: str, namespace: tuple[str, ...], to: tuple[str, ...]) -> None:
        for table in self._inside(catalog, namespace):
            moved = (*to, *table.namespace[len(namespace) :])
            self.granted.move(table, replace(table, namespace=moved))

    def _inside(self, catalog: str, namespace: tuple[str, ...]) -> list[TableName]:
        return [
            table
            for table in self.granted.tables()
            if table.catalog == catalog and table.namespace[: len(namespace)] == namespace
        ]

    def known_to(self, identity: Identity) -> list[Grant]:
        """What was granted to them, by them, or on what is theirs; everything for administrators. A DENY does
        not name a table that there is not for them."""
        return [
            grant
            for grant in self.granted.grants()
            if self.administers(identity, grant.on)
            or (identity.is_proven and grant.grantor == identity.user)
            or (_is(identity, grant.grantee) and self._exists(identity, grant))
        ]

    def _exists(self, identity: Identity, grant: Grant) -> bool:
        return grant.scope is not Scope.TABLE or self.table(identity, grant.on).visible

    def may_grant(self, identity: Identity, grant: Grant) -> bool:
        """Who administers it; and whoever has it WITH GRANT OPTION, without rules of their own, if none holds
        for them on anything that the grant is on."""
        if self.administers(identity, grant.on):
            return True
        if grant.denies or grant.row_filter is not None or grant.masks:
            return False
        grants = self.granted.grants()
        has_option = any(
            known.grantable and not known.denies and known.privilege is grant.privilege
            and known.covers(grant.on) and _is(identity, known.grantee)
            for known in grants
        )  # fmt: skip
        places = {grant.on, *(known.on for known in grants if grant.covers(known.on))}
        return has_option and all(_has_whole(grants, identity, grant.privilege, on) for on in places)

    def grant(self, identity: Identity, grant: Grant) -> None:
        """One by somebody who does not administer it takes the place of none by others, which may have
        rules."""
        if not self.administers(identity, grant.on):
            for known in self._same(grant):
                if known.denies == grant.denies and known.grantor != identity.user:
                    if known.row_filter is not None or known.masks or known.columns is not None:
                        raise AccessDenied(f"cannot grant {grant.privilege} in the place of another's grant")
                    return
        self.granted.add(grant)

    def may_revoke(self, identity: Identity, grant: Grant) -> bool:
        """Who administers it, and what they have granted themselves: others' grants have rules, and DENY."""
        if self.administers(identity, grant.on):
            return True
        same = self._same(grant)
        return identity.is_proven and bool(same) and all(known.grantor == identity.user for known in same)

    def revoke(self, grant: Grant) -> None:
        """A grant or a DENY; of some columns, where others stay as they are."""
        for known in self._same(grant):
            if grant.grantable:
                self.granted.add(replace(known, grantable=False))
            elif grant.columns is None or grant.columns == known.columns:
                self.granted.remove(known)
            elif known.columns is None:
                raise UserError(
                    f"{known.privilege} on all columns cannot be revoked for some",
                    hint=f"DENY {known.privilege.upper()} (column) ON … hides one",
                )
            else:
                self.granted.add(replace(known, columns=known.columns - grant.columns))

    def _same(self, grant: Grant) -> list[Grant]:
        """What there is of the same privilege on the same for the same: a grant, and a DENY."""
        key = (grant.privilege, grant.scope, grant.on, grant.grantee)
        grants = self.granted.grants()
        return [known for known in grants if (known.privilege, known.scope, known.on, known.grantee) == key]

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return self.is_admin(identity) and self._elsewhere.may_read_files(identity, paths)

    def may_place(self, identity: Identity, location: str) -> bool:
        return self._elsewhere.may_place(identity, location)


def decide(grants: Sequence[Grant], identity: Identity, table: TableName) -> Decision:
    holding = [g for g in grants if g.covers(table) and _is(identity, g.grantee)]
    denied = {g.privilege for g in holding if g.denies and g.columns is None}
    given = [g for g in holding if not g.denies and g.privilege not in denied]
    privileges = frozenset(g.privilege for g in given)
    if not privileges:
        return NOTHING
    reading = [g for g in given if g.privilege is Privilege.SELECT]
    hidden = [g.columns for g in holding if g.denies and g.columns and g.privilege is Privilege.SELECT]
    masks: dict[int | str, Rule | Mask] = {}
    for grant in reading:
        for column, mask in grant.masks.items():
            # Two that differ: what neither would show.
            masks[column] = mask if masks.get(column, mask) == mask else _NULL
    return Decision(
        privileges,
        row_filters=tuple(dict.fromkeys(g.row_filter for g in reading if g.row_filter is not None)),
        masks=masks,
        restricted=frozenset[int | str]().union(*hidden),
        columns=_columns(reading),
    )


def _has_whole(grants: Sequence[Grant], identity: Identity, privilege: Privilege, on: TableName) -> bool:
    decision = decide(grants, identity, on)
    rules = decision.row_filters or decision.masks or decision.hides_columns
    return privilege in decision.privileges and not rules


def _columns(reading: Sequence[Grant]) -> frozenset[int] | None:
    """Those that some grant names; None where one of them names none, or nothing may be read at all."""
    if not reading or any(g.columns is None for g in reading):
        return None
    return frozenset[int]().union(*(g.columns or () for g in reading))


def _is(identity: Identity, grantee: Grantee) -> bool:
    if not identity.is_proven:
        return grantee.kind is GranteeKind.PUBLIC
    match grantee.kind:
        case GranteeKind.USER:
            return grantee.name == identity.user
        case GranteeKind.ROLE:
            return grantee.name in identity.roles
        case GranteeKind.GROUP:
            return grantee.name in identity.groups
        case GranteeKind.PUBLIC:
            return True
