"""What was granted by SQL, and what follows of it for one user and one table.

Without a grant there is nothing. DENY wins over GRANT. Of several grants that apply, each of its filters and
masks holds: somebody with two roles sees what both would let them see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from sqe.errors import UserError
from sqe.policy.decision import EVERYTHING, NOTHING, AllowAll, Decision
from sqe.session import Identity
from sqe.tree.grants import Grant, Grantee, GranteeKind
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
        return identity.user in self._admins or bool(identity.roles & self._admin_roles)

    def table(self, identity: Identity, table: TableName) -> Decision:
        if self.is_admin(identity) or self.granted.owner(table) == identity.user:
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
        """What was granted to them, by them, or on what is theirs; everything for administrators."""
        return [
            grant
            for grant in self.granted.grants()
            if self.is_admin(identity)
            or _is(identity, grant.grantee)
            or identity.user in (grant.grantor, self.granted.owner(grant.on))
        ]

    def may_grant(self, identity: Identity, grant: Grant) -> bool:
        """Administrators and owners; and whoever has it WITH GRANT OPTION, with the rules that they are under
        themselves, which is why they add none."""
        if self.is_admin(identity) or self.granted.owner(grant.on) == identity.user:
            return True
        if grant.denies or grant.row_filter is not None or grant.masks:
            return False
        own = [
            known
            for known in self.granted.grants()
            if known.grantable and not known.denies and known.privilege is grant.privilege
            and known.covers(grant.on) and _is(identity, known.grantee)
        ]
        return bool(own) and not decide(self.granted.grants(), identity, grant.on).restricts

    def revoke(self, grant: Grant) -> None:
        """A grant or a DENY; of some columns, where others stay as they are."""
        for known in list(self.granted.grants()):
            if (known.privilege, known.scope, known.on, known.grantee) != (
                grant.privilege,
                grant.scope,
                grant.on,
                grant.grantee,
            ):
                continue
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


def _columns(reading: Sequence[Grant]) -> frozenset[int] | None:
    """Those that some grant names; None where one of them names none, or nothing may be read at all."""
    if not reading or any(g.columns is None for g in reading):
        return None
    return frozenset[int]().union(*(g.columns or () for g in reading))


def _is(identity: Identity, grantee: Grantee) -> bool:
    match grantee.kind:
        case GranteeKind.USER:
            return grantee.name == identity.user
        case GranteeKind.ROLE:
            return grantee.name in identity.roles
        case GranteeKind.GROUP:
            return grantee.name in identity.groups
        case GranteeKind.PUBLIC:
            return True
