"""SHOW and DESCRIBE, which are answered from names alone, without an engine."""

from __future__ import annotations

import re

from sqe.catalog.catalogs import Catalogs
from sqe.commands.answer import Column, Rows, answer
from sqe.commands.running import Statement
from sqe.commands.system_rows import listing_of
from sqe.config.session_properties import PROPERTIES, value_of
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.functions import registry
from sqe.policy.grants import GrantPolicy
from sqe.session import Identity
from sqe.system.listing import Accepts
from sqe.system.patterns import like
from sqe.tree import statements as s
from sqe.tree.expressions import Field, Ref
from sqe.tree.relations import Project, Relation, Scan, TableName
from sqe.types import sql_types as t

_TEXT = t.VARCHAR


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    answer(statement, columns_of(plan.tree), _rows(statement, plan, coordinator), plan, coordinator)


def columns_of(tree: s.Statement) -> list[Column]:
    """The columns of its answer; asks no catalog."""
    match tree:
        case s.Show():
            return _SHOWN[tree.what]
        case s.ShowColumns():
            return _texts("Column", "Type", "Extra", "Comment")
        case s.ShowCreate():
            return _texts(f"Create {tree.what.title()}")
        case s.DescribeInput():
            return [("Position", t.INTEGER), ("Type", _TEXT)]
        case s.DescribeOutput():
            return [
                *_texts("Column Name", "Catalog", "Schema", "Table", "Type"),
                ("Type Size", t.INTEGER),
                ("Aliased", t.BOOLEAN),
            ]
        case _:
            raise AssertionError(tree)


def _texts(*names: str) -> list[Column]:
    return [(name, _TEXT) for name in names]


_SHOWN: dict[str, list[Column]] = {
    "catalogs": _texts("Catalog"),
    "schemas": _texts("Schema"),
    "tables": _texts("Table"),
    "views": _texts("Table"),
    "functions": [
        *_texts("Function", "Return Type", "Argument Types", "Function Type"),
        ("Deterministic", t.BOOLEAN),
        ("Description", _TEXT),
    ],
    "session": _texts("Name", "Value", "Default", "Type", "Description"),
    "roles": _texts("Role"),
    "currentroles": _texts("Role"),
    "rolegrants": _texts("Role Grants"),
    "grants": _texts(
        *("Grantor", "Grantor Type", "Grantee", "Grantee Type", "Catalog", "Schema", "Table", "Privilege"),
        "Grantable",
    ),
}


def _rows(statement: Statement, plan: Plan, coordinator: Coordinator) -> Rows:
    tree = plan.tree
    match tree:
        case s.Show():
            return _show(statement, tree, plan, coordinator)
        case s.ShowColumns():
            matches = like(tree.pattern, tree.escape)
            shown = [c for c in tree.columns if matches.match(c.name)]
            return [(c.name, str(c.type), "", c.comment or "") for c in shown]
        case s.ShowCreate():
            return [(_show_create(tree, coordinator.catalogs_of(statement.session)),)]
        case s.DescribeInput():
            return list(enumerate(map(str, tree.types)))
        case s.DescribeOutput():
            return _describe_output(tree.statement)
        case _:
            raise AssertionError(tree)


def _show(statement: Statement, tree: s.Show, plan: Plan, coordinator: Coordinator) -> Rows:
    matches = like(tree.pattern, tree.escape)
    listing = listing_of(statement, plan, coordinator)

    def accepts(name: str) -> bool:
        return matches.match(name) is not None

    schema = ".".join(tree.namespace)
    match tree.what:
        case "catalogs":
            return [(name,) for name in listing.catalogs(accepts)]
        case "schemas":
            assert tree.catalog is not None
            return [(name,) for name in listing.schemas(tree.catalog, accepts)]
        case "tables" | "views":
            assert tree.catalog is not None
            entries = listing.entries(tree.catalog, schema, accepts)
            return [(e.name.name,) for e in entries if tree.what == "tables" or e.kind == "VIEW"]
        case "functions":
            return _functions(accepts)
        case "roles" | "currentroles" | "rolegrants":
            return [(role,) for role in sorted(statement.session.identity.roles) if accepts(role)]
        case "grants":
            return _grants(statement.session.identity, tree.table, coordinator)
        case _:
            return _session(statement, coordinator, accepts)


def _grants(identity: Identity, table: TableName | None, coordinator: Coordinator) -> Rows:
    """Those that the user may know of, as Trino shows them; rules and columns are in none of its columns."""
    policy = coordinator.policy
    if not isinstance(policy, GrantPolicy):
        # Without GRANT nobody was granted anything.
        return []
    return [
        (
            grant.grantor,
            "USER",
            grant.grantee.name or None,
            grant.grantee.kind.upper(),
            grant.on.catalog,
            ".".join(grant.on.namespace) or None,
            grant.on.name or None,
            ("DENY " if grant.denies else "") + grant.privilege.upper(),
            "YES" if grant.grantable else "NO",
        )
        for grant in policy.known_to(identity)
        if table is None or grant.covers(table)
    ]


def _functions(accepts: Accepts) -> Rows:
    rows: Rows = []
    for name in registry.names():
        function = registry.lookup(name)
        if function is None or not accepts(name):
            continue
        random = name in ("random", "rand", "uuid", "shuffle")
        for signature in function.spellings:
            arguments, _, result = signature.rpartition(" -> ")
            inside = arguments[arguments.index("(") + 1 : -1] if "(" in arguments else arguments
            rows.append((name, result, inside, function.kind, not random, function.help))
    return rows


def _session(statement: Statement, coordinator: Coordinator, accepts: Accepts) -> Rows:
    rows: Rows = []
    for name, property_ in PROPERTIES.items():
        if accepts(name):
            value = value_of(statement.session, name, coordinator.config)
            default = property_.default(coordinator.config)
            rows.append((name, value, default, property_.type, property_.description))
    return rows


def _show_create(tree: s.ShowCreate, catalogs: Catalogs) -> str:
    from sqe.catalog.show_create import create_schema_text, create_table_text, create_view_text

    name = tree.table
    catalog = catalogs.get(name.catalog)
    if tree.what == "schema":
        location = catalog.namespace_location(name.namespace)
        return create_schema_text(name.catalog, name.namespace, location)
    if tree.what == "view":
        view = catalog.find_view(name.namespace, name.name)
        assert view is not None
        return create_view_text(view)
    return create_table_text(catalog.find_table(name.namespace, name.name))


def _describe_output(statement: s.Statement) -> Rows:
    if isinstance(statement, (s.Insert, s.Update, s.Delete, s.Merge)):
        return [("rows", "", "", "", "bigint", 8, False)]
    if isinstance(statement, (s.Show, s.ShowColumns, s.ShowCreate)):
        columns = columns_of(statement)
        return [(name, "", "", "", str(kind), _size(kind), False) for name, kind in columns]
    if not isinstance(statement, s.Query):
        return []
    rows: Rows = []
    for field in statement.relation.fields:
        scan, column = _origin(statement.relation, field)
        table = ("", "", "")
        if scan is not None:
            table = (scan.table.catalog, ".".join(scan.table.namespace), scan.table.name)
        aliased = field.name != column if scan is not None else not re.fullmatch(r"_col\d+", field.name)
        rows.append((field.name, *table, str(field.type), _size(field.type), aliased))
    return rows


def _origin(relation: Relation, field: Field) -> tuple[Scan | None, str]:
    """The scan that a column comes from unchanged, and its name there."""
    if isinstance(relation, Scan):
        for own, column in zip(relation.fields, relation.columns, strict=True):
            if own.id == field.id:
                return relation, column
    if isinstance(relation, Project):
        for own, expression in zip(relation.fields, relation.expressions, strict=True):
            if own.id == field.id:
                inner = expression.field if isinstance(expression, Ref) else None
                return (None, "") if inner is None else _origin(relation.input, inner)
        return None, ""
    for name in ("input", "left", "right"):
        below = getattr(relation, name, None)
        if isinstance(below, Relation):
            origin = _origin(below, field)
            if origin[0] is not None:
                return origin
    return None, ""


_SIZES: dict[t.Type, int] = {
    t.BOOLEAN: 1,
    t.TINYINT: 1,
    t.SMALLINT: 2,
    t.INTEGER: 4,
    t.BIGINT: 8,
    t.REAL: 4,
    t.DOUBLE: 8,
    t.DATE: 4,
}


def _size(type_: t.Type) -> int:
    return _SIZES.get(type_, 0)
