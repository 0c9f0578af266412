"""information_schema of one catalog."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.catalog.iceberg.view import View
from sqe.system.listing import Entry
from sqe.system.sources import Row, Sources
from sqe.tree.grants import Grant


def schemata(of: Sources) -> Iterator[Row]:
    yield from of.listing.each_schema([of.catalog], of.accepts("schema_name"))


def tables(of: Sources) -> Iterator[Row]:
    """Comments are read only where somebody asks for them."""
    for entry in _entries(of):
        comment = _comment(of, entry) if of.asks_for("table_comment") else None
        yield *_full_name(entry), entry.kind, comment


def columns(of: Sources) -> Iterator[Row]:
    accepts = of.accepts("column_name")
    for entry in _entries(of):
        for position, column in enumerate(of.listing.columns(entry), 1):
            if accepts(column.name):
                nullable = "YES" if column.nullable else "NO"
                comments = (column.comment, column.comment, None)
                yield *_full_name(entry), column.name, position, None, nullable, str(column.type), *comments


def views(of: Sources) -> Iterator[Row]:
    for entry in _entries(of):
        if entry.kind == "VIEW":
            view = of.listing.load(entry)
            if isinstance(view, View):
                text = of.listing.text(view) if of.asks_for("view_definition") else None
                yield *_full_name(entry), text


def roles(of: Sources) -> Iterator[Row]:
    """Those of this log-in, which hold all the time: nobody is told of roles that they do not have."""
    yield from ((role,) for role in sorted(of.roles))


def applicable_roles(of: Sources) -> Iterator[Row]:
    yield from ((of.user, "USER", role, "NO") for role in sorted(of.roles))


def table_privileges(of: Sources) -> Iterator[Row]:
    """What was granted on whole tables and views, by themselves or with all in their schema or catalog. What
    is on some columns is no privilege of a table, and what is denied to whom it was granted is none."""
    grants = of.grants()
    if not grants:
        return
    for entry in _entries(of):
        holding = [grant for grant in grants if grant.covers(entry.name) and grant.columns is None]
        denied = {(grant.grantee, grant.privilege) for grant in holding if grant.denies}
        rows = {_privilege(grant) for grant in holding if (grant.grantee, grant.privilege) not in denied}
        for grantor, kind, grantee, privilege, grantable in sorted(rows):
            by = (grantor, "USER") if grantor else (None, None)
            yield *by, grantee or None, kind, *_full_name(entry), privilege, grantable, None


def _privilege(grant: Grant) -> tuple[str, str, str, str, str]:
    grantee, grantable = grant.grantee, "YES" if grant.grantable else "NO"
    return grant.grantor, grantee.kind.upper(), grantee.name, grant.privilege.upper(), grantable


def _entries(of: Sources) -> Iterator[Entry]:
    if of.accepts("table_catalog")(of.catalog):
        yield from of.listing.walk([of.catalog], of.accepts("table_schema"), of.accepts("table_name"))


def _full_name(entry: Entry) -> tuple[str, str, str]:
    return entry.name.catalog, ".".join(entry.name.namespace), entry.name.name


def _comment(of: Sources, entry: Entry) -> str | None:
    table_or_view = None if entry.is_system else of.listing.load(entry)
    return None if table_or_view is None else table_or_view.comment
