"""Table names to tables and views: current catalog and schema, time travel, metadata tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import Name, name_of
from sqe.bind.query import literals
from sqe.bind.query.system_tables import bind_system_table, refuse_system_schema
from sqe.catalog.iceberg.view import View
from sqe.catalog.names import nearest
from sqe.errors import AccessDenied, InvalidArgument, NotFound, NotSupported, Position, SqeError, UserError
from sqe.system.definitions import SYSTEM
from sqe.tree.names import check_characters
from sqe.tree.privileges import Need, Privilege
from sqe.tree.relations import FILE_MODIFIED_TIME, PARTITION, PATH, AsOf, Relation, Scan, TableName
from sqe.types import sql_types as t
from sqe.types.zones import zone

if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import Column, Table
    from sqe.catalog.protocol import Catalog

_HIDDEN: dict[str, t.Type] = {PATH: t.VARCHAR, PARTITION: t.VARCHAR, FILE_MODIFIED_TIME: t.TimestampTz(3)}


def catalog_and_namespace(
    b: Binder, parts: Sequence[Name], position: Position | None
) -> tuple[Catalog, tuple[str, ...]]:
    """The catalog and the schema as written; the first part is a catalog if there is one of that name."""
    folded = tuple(p.folded for p in parts)
    for part in folded or b.namespace:
        check_characters(part, "schema", position=position)
    try:
        refuse_system_schema(b, folded or b.namespace, position)
        if not folded:
            return b.catalogs.get(b.catalog), b.namespace
        if len(folded) > 1 and _is_catalog(b, folded[0]):
            return b.catalogs.get(folded[0]), folded[1:]
        return b.catalogs.get(b.catalog), folded
    except SqeError as error:
        error.position = error.position or position
        raise


def _is_catalog(b: Binder, name: str) -> bool:
    return any(c.lower() == name.lower() for c in (*b.catalogs.names(), SYSTEM))


def split_table_name(
    b: Binder, parts: Sequence[Name], position: Position | None
) -> tuple[Catalog, tuple[str, ...], Name]:
    if len(parts) == 3 and not _is_catalog(b, parts[0].folded):
        # Three parts are a catalog's name first; a nested schema of the current one only if it exists.
        catalog = b.catalogs.get(b.catalog)
        try:
            catalog.find_namespace(tuple(p.folded for p in parts[:-1]))
        except NotFound:
            raise NotFound(
                f"catalog '{parts[0]}' does not exist",
                code="CATALOG_NOT_FOUND",
                position=position,
                hint=nearest(parts[0].folded, b.catalogs.names()),
            ) from None
    catalog, namespace = catalog_and_namespace(b, parts[:-1], position)
    return catalog, namespace, parts[-1]


def find_table_or_view(b: Binder, parts: Sequence[Name], position: Position | None) -> Table | View:
    catalog, namespace, name = split_table_name(b, parts, position)

    visible = visible_in(b, catalog)
    try:
        try:
            table = catalog.find_table(namespace, name.folded, visible=visible)
        except NotFound:
            view = catalog.find_view(namespace, name.folded, visible=visible)
            if view is None:
                raise
            return view
    except SqeError as error:
        error.position = error.position or position
        raise
    # One statement sees one version of a table, however often it names it.
    return b.tables.setdefault(table.name, table)


def find_table(b: Binder, parts: Sequence[Name], position: Position | None) -> Table:
    """A table where a view will not do: to be written, or for its metadata tables."""
    table = find_table_or_view(b, parts, position)
    if isinstance(table, View):
        raise NotSupported(f"'{table.name}' is a view, and this needs a table", position=position)
    return table


def visible_in(b: Binder, catalog: Catalog) -> Callable[[tuple[str, ...], str | None], bool]:
    """Which tables and views of a catalog exist for this user."""

    def visible(schema: tuple[str, ...], name: str | None) -> bool:
        return name is None or b.guard.exists(TableName(catalog.name, schema, name))

    return visible


def bind_table(b: Binder, node: exp.Table) -> tuple[Relation, tuple[str, ...]]:
    """A stored table or view, and the name that its columns can be qualified with."""
    parts = table_parts(b, node)
    position = b.position(node)
    version = node.args.get("version")
    system = bind_system_table(b, parts, position)
    if system is not None:
        if version is not None:
            raise NotSupported("a system table has no past", position=position)
        return system, (system.table.catalog, *system.table.namespace, system.table.name)
    base, suffix = _metadata_suffix(parts[-1])
    if suffix is not None:
        try:
            table_or_view = find_table_or_view(b, parts, position)
        except NotFound:
            return _bind_metadata(b, [*parts[:-1], base], suffix, node, version)
    else:
        table_or_view = find_table_or_view(b, parts, position)
    qualifier = (table_or_view.name.catalog, *table_or_view.name.namespace, table_or_view.name.name)
    if isinstance(table_or_view, View):
        from sqe.bind.views.inline import inline

        if version is not None:
            raise NotSupported("a view has no past", position=position, hint="its tables have one")
        return inline(b, table_or_view, position), qualifier
    columns, as_of = table_or_view.columns, None
    if version is not None:
        as_of, columns = _as_of(b, table_or_view, version)
    return make_scan(b, table_or_view, columns, as_of), qualifier


def make_scan(b: Binder, table: Table, columns: Sequence[Column], as_of: AsOf | None = None) -> Scan:
    b.guard.require(Need(Privilege.SELECT, table.name))
    visible = b.guard.columns(table, columns)
    if not visible:
        raise AccessDenied(f"cannot read '{table.name}'")
    fields = tuple(b.fresh(c.name, c.type) for c in visible)
    hidden = _hidden(b, table, columns)
    fields += tuple(b.fresh(name, _HIDDEN[name]) for name in hidden)
    return Scan(fields, table.name, (*(c.name for c in visible), *hidden), as_of=as_of, hidden=hidden)


def _hidden(b: Binder, table: Table, columns: Sequence[Column]) -> tuple[str, ...]:
    """Hidden columns, where the statement names one. Files tell of rows: who sees a part of a table alone has
    none of them."""
    text = b.text.lower()
    named = [name for name in _HIDDEN if f'"{name}"' in text]
    if not named or not b.guard.sees_all_of(table.name):
        return ()
    stored = {c.name.lower() for c in columns}
    # The others are found by the path.
    return () if PATH in stored else tuple(name for name in named if name not in stored)


def table_parts(b: Binder, node: exp.Table) -> list[Name]:
    parts = node.parts
    if not all(isinstance(p, exp.Identifier) for p in parts):
        raise NotSupported("this is not a table's name", position=b.position(node))
    names = [name_of(p) for p in parts]
    for name in names:
        check_characters(name.text, "table or schema", position=b.position(node))
    return names


def _metadata_suffix(name: Name) -> tuple[Name, str | None]:
    base, dollar, suffix = name.folded.rpartition("$")
    if not dollar or not base:
        return name, None
    return Name(base, True), suffix.lower()


def _bind_metadata(
    b: Binder, parts: list[Name], suffix: str, node: exp.Table, version: exp.Expr | None
) -> tuple[Relation, tuple[str, ...]]:
    position = b.position(node)
    table = find_table(b, parts, position)
    if version is not None:
        raise NotSupported("a metadata table has no past", position=position)
    if not b.guard.sees_all_of(table.name):
        # Even their columns tell: "t$partitions" has one for each column of the table.
        raise AccessDenied(
            f"cannot read '{table.name}${suffix}': a row filter, mask or restriction applies",
            position=position,
        )
    from sqe.catalog.iceberg import metadata_tables

    columns = metadata_tables.columns(table, suffix)
    if columns is None:
        raise NotFound(
            f"table '{table.name}${suffix}' does not exist",
            position=position,
            hint="there are " + ", ".join(f'"{table.name.name}${k}"' for k in metadata_tables.NAMES),
        )
    fields = tuple(b.fresh(n, k) for n, k in columns)
    scan = Scan(fields, table.name, tuple(n for n, _ in columns), metadata=suffix)
    namespace = (table.name.catalog, *table.name.namespace)
    return scan, (*namespace, f"{table.name.name}${suffix}")


def _as_of(b: Binder, table: Table, node: exp.Expr) -> tuple[AsOf, tuple[Column, ...]]:
    check_arguments(node, {"this", "kind", "expression"}, b.text)
    position = b.position(node)
    if str(node.args.get("kind")).upper() != "AS OF":
        raise NotSupported("time travel is FOR VERSION|TIMESTAMP AS OF", position=position)
    value = node.args["expression"]
    if str(node.this).upper() == "VERSION":
        return _as_of_version(b, table, value, position)
    moment = _moment(b, value, position)
    snapshot = table.snapshot_at(moment)
    if snapshot is None:
        raise InvalidArgument(
            f"table '{table.name}' has no snapshot at or before that time",
            position=position,
            hint=f'see SELECT committed_at, snapshot_id FROM "{table.name.name}$snapshots"',
        )
    return AsOf(snapshot), table.columns_at(snapshot)


def _as_of_version(
    b: Binder, table: Table, node: exp.Expr, position: Position | None
) -> tuple[AsOf, tuple[Column, ...]]:
    if isinstance(node, exp.Literal) and node.is_string:
        name = node.this
        snapshot = table.snapshot_of_ref(name)
        if snapshot is not None:
            return AsOf(snapshot, name), table.columns_at(snapshot)
        if not name.isdigit():
            raise InvalidArgument(
                f"table '{table.name}' has no branch or tag '{name}'",
                position=position,
                hint=nearest(name, table.refs),
            )
    if not (isinstance(node, exp.Literal) and node.this.isdigit()):
        raise UserError(
            "FOR VERSION AS OF takes a snapshot id or the name of a branch or tag", position=position
        )
    snapshot_id = int(node.this)
    if snapshot_id not in table.snapshots:
        raise InvalidArgument(
            f"table '{table.name}' has no snapshot {snapshot_id}",
            position=position,
            hint=f'see SELECT snapshot_id FROM "{table.name.name}$snapshots"',
        )
    return AsOf(snapshot_id), table.columns_at(snapshot_id)


def _moment(b: Binder, node: exp.Expr, position: Position | None) -> int:
    """Milliseconds since the epoch of a date, timestamp, text or number."""
    from sqe.bind.query.expressions import bind_expression
    from sqe.bind.query.scope import Scope

    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        return int(node.this)
    if isinstance(node, exp.Literal) and node.is_string:
        text = re.sub(r"(?<=[0-9])T(?=[0-9])", " ", node.this)
        value = literals.timestamp(text, position).value
    else:
        bound = bind_expression(b, node, Scope())
        value = getattr(bound, "value", None)
    if isinstance(value, dt.datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=zone(b.session.time_zone))
    elif isinstance(value, dt.date):
        zoned = dt.datetime(value.year, value.month, value.day, tzinfo=zone(b.session.time_zone))
    else:
        raise UserError("FOR TIMESTAMP AS OF takes a date, a timestamp or a text of one", position=position)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (zoned - epoch) // dt.timedelta(milliseconds=1)


def plain_table_parts(b: Binder, node: exp.Expr) -> list[Name]:
    if not isinstance(node, exp.Table):
        raise NotSupported("this is not a table's name", position=b.position(node))
    check_arguments(node, {"this", "db", "catalog", "alias"}, b.text)
    return table_parts(b, node)
