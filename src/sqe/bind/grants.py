"""GRANT, DENY and REVOKE: names to what they stand for. A rule is checked while its author can mend it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS
from sqe.bind.names import Name, matches, name_of
from sqe.bind.query.tables import catalog_and_namespace, find_table_or_view, plain_table_parts
from sqe.bind.rules import check_rule, reads_tables
from sqe.catalog.iceberg.table import Column, Table
from sqe.errors import AccessDenied, NotFound, NotSupported, SqeError, UserError
from sqe.policy.masks import MASKS, mask_rule
from sqe.sql.grants import ChangeGrants
from sqe.tree import statements as s
from sqe.tree.grants import Grant, Grantee, GranteeKind, Scope
from sqe.tree.privileges import Privilege
from sqe.tree.relations import TableName
from sqe.tree.rules import Mask, Rule
from sqe.types.sql_types import BOOLEAN

_SEVERAL = {
    "ALL": tuple(Privilege),
    "MODIFY": (Privilege.INSERT, Privilege.UPDATE, Privilege.DELETE),
}
# What other systems call our masks.
_ALIASES = {"null": "nullify", "partial": "mask-alphanum", "sha256": "sha-256-global"}


@STATEMENTS.of(ChangeGrants, reads="this privileges on target grantees rows masks option")
def _change_grants(b: Binder, node: ChangeGrants) -> s.Statement:
    scope, on, table = _target(b, node)
    rows, masks = node.args.get("rows"), node.args.get("masks") or []
    if (rows is not None or masks) and table is None:
        raise NotSupported("ROWS WHERE and MASKED WITH are for a table", position=b.position(node))
    action = str(node.this)
    if (rows is not None or masks) and action != "GRANT":
        raise NotSupported(
            f"{action} takes no ROWS WHERE and no MASKED WITH",
            position=b.position(node),
            hint="a GRANT of the same privilege replaces the rules of the one before",
        )
    if (rows is not None or masks) and not b.guard.administers(on):
        # Before it is read: what is wrong with a rule tells of the tables that it names.
        raise AccessDenied(f"cannot {action.lower()} on '{on}' with rules")
    row_filter = None
    if rows is not None:
        assert table is not None
        row_filter = _rule(b, rows, table)
        check_rule(b, row_filter, table, BOOLEAN)
    masked = dict(_masks(b, masks, table)) if table is not None else {}
    grants = [
        Grant(
            privilege,
            scope,
            on,
            Grantee(GranteeKind(kind.lower()), name),
            denies=action == "DENY",
            columns=columns,
            row_filter=row_filter if privilege is Privilege.SELECT else None,
            masks=masked if privilege is Privilege.SELECT else {},
            grantable=bool(node.args.get("option")),
            grantor=b.session.identity.user,
        )
        for privilege, columns in _privileges(b, node, table)
        for kind, name in node.args["grantees"]
    ]
    if (row_filter is not None or masked) and not any(g.privilege is Privilege.SELECT for g in grants):
        raise UserError("ROWS WHERE and MASKED WITH go with SELECT", position=b.position(node))
    return s.ChangeGrants(action, tuple(grants))


def _target(b: Binder, node: ChangeGrants) -> tuple[Scope, TableName, Table | None]:
    target, position = node.args["target"], b.position(node.args["target"])
    parts = plain_table_parts(b, target)
    match node.args["on"]:
        case "CATALOG":
            if len(parts) != 1:
                raise UserError("a catalog has one name", position=position)
            catalog, _ = catalog_and_namespace(b, [parts[0], Name("x", True)], position)
            return Scope.CATALOG, TableName(catalog.name, (), ""), None
        case "SCHEMA" | "TABLES" as on:
            catalog, namespace = catalog_and_namespace(b, parts, position)
            try:
                found = catalog.find_namespace(namespace)
            except SqeError as error:
                error.position = error.position or position
                raise
            scope = Scope.SCHEMA if on == "SCHEMA" else Scope.TABLES
            return scope, TableName(catalog.name, found, ""), None
    table = find_table_or_view(b, parts, position)
    return Scope.TABLE, table.name, table if isinstance(table, Table) else None


def _privileges(
    b: Binder, node: ChangeGrants, table: Table | None
) -> Iterator[tuple[Privilege, frozenset[int] | None]]:
    for word, names in node.args["privileges"]:
        columns = None
        if names:
            if word != "SELECT":
                raise NotSupported(f"{word} is on whole tables", position=b.position(names[0]))
            columns = frozenset(_column(b, table, name).field_id for name in names)
        for privilege in _SEVERAL.get(word) or (Privilege(word.lower()),):
            yield privilege, columns


def _masks(
    b: Binder, masks: Sequence[tuple[exp.Expr, str, bool]], table: Table
) -> Iterator[tuple[int, Rule | Mask]]:
    for name, text, is_name in masks:
        column = _column(b, table, name)
        mask = _named(b, text, name) if is_name else _rule(b, text, table)
        check_rule(b, mask if isinstance(mask, Rule) else mask_rule(mask, column), table, column.type)
        yield column.field_id, mask


def _named(b: Binder, text: str, node: exp.Expr) -> Mask:
    """'hash', 'show-last-4'; a text that is no name of a mask is what is shown."""
    word = text.strip().lower()
    word = _ALIASES.get(word, word)
    if word == "redact":
        return Mask("redact", "***")
    return Mask(word) if word in MASKS else Mask("redact", text)


def _rule(b: Binder, text: str, table: Table) -> Rule:
    if not b.guard.is_administrator and reads_tables(text):
        raise AccessDenied("only an administrator's rules may read other tables")
    return Rule(text, tuple((c.name, c.field_id) for c in table.columns))


def _column(b: Binder, table: Table | None, node: exp.Expr) -> Column:
    name = name_of(node)
    if table is None:
        raise NotSupported("columns are those of one table", position=b.position(node))
    found = matches(name.folded, [(c.name, c) for c in b.guard.columns(table, table.columns)])
    if len(found) != 1:
        raise NotFound(
            f"column '{name}' does not exist in '{table.name}'",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
        )
    return found[0]
