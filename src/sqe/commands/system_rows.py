"""The rows that the coordinator itself has for a query: system tables and tables of Iceberg's metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.commands.constant_rows import table_of
from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.system.listing import Listing
from sqe.tree.relations import FILE_COLUMNS, Scan, SystemScan, Values

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.tree.grants import Grant
    from sqe.types.sql_types import Type


def rows_of(
    scan: SystemScan | Scan | Values, statement: Statement, plan: Plan, coordinator: Coordinator
) -> pa.Table:
    """The columns that the scan asks for, in its order."""
    if isinstance(scan, Values):
        return table_of(scan)
    if isinstance(scan, Scan):
        from sqe.catalog.iceberg import metadata_tables

        table = plan.tables[scan.table]
        assert scan.metadata is not None
        if scan.metadata == FILE_COLUMNS:
            from sqe.catalog.iceberg import file_columns

            snapshot_id = None if scan.as_of is None else scan.as_of.snapshot_id
            files = file_columns.rows(table, snapshot_id, scan.columns)
            return _arrow(scan.columns, tuple(file_columns.COLUMNS.items()), list(files))
        kinds = metadata_tables.columns(table, scan.metadata)
        assert kinds is not None
        return _arrow(scan.columns, kinds, list(metadata_tables.rows(table, scan.metadata)))
    from sqe.foundation.version import __version__
    from sqe.system import definitions
    from sqe.system.rows import rows
    from sqe.system.sources import Sources

    listing = listing_of(statement, plan, coordinator)
    sources = Sources(
        scan,
        listing,
        lambda: coordinator.history.records(statement.who),
        __version__,
        statement.user,
        statement.session.identity.roles,
        lambda: known_grants(statement, coordinator),
    )
    system = definitions.find(scan.table.catalog, scan.table.namespace[0], scan.table.name)
    assert system is not None
    return _arrow(scan.columns, system.columns, list(rows(sources)))


def known_grants(statement: Statement, coordinator: Coordinator) -> Sequence[Grant]:
    """What was granted that the user of a statement may know of; nothing where no grants are kept."""
    from sqe.policy.grants import GrantPolicy

    policy = coordinator.policy
    return policy.known_to(statement.session.identity) if isinstance(policy, GrantPolicy) else ()


def _arrow(
    columns: Sequence[str], kinds: Sequence[tuple[str, Type]], rows: Sequence[tuple[object, ...]]
) -> pa.Table:
    import pyarrow as pa

    from sqe.types.arrow import arrow_type

    positions = {name: i for i, (name, _) in enumerate(kinds)}
    schema = pa.schema([(name, arrow_type(kinds[positions[name]][1])) for name in columns])
    arrays = [pa.array([row[positions[f.name]] for row in rows], f.type) for f in schema]
    return pa.table(arrays, schema=schema)


def listing_of(statement: Statement, plan: Plan, coordinator: Coordinator) -> Listing:
    """What exists for the user of a statement; what cannot be listed becomes a warning of it."""

    def warn(text: str) -> None:
        if text not in statement.warnings:
            statement.warnings.append(text)

    views, catalogs = plan.views, coordinator.catalogs_of(statement.session)
    return Listing(catalogs, plan.guard, views.columns, views.shows_text, warn)
