"""Which columns of a table exist for a user, and what is seen in them."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.iceberg.table import Column, Table
from sqe.errors import AccessDenied
from sqe.policy.decision import ColumnKey, Decision, Rule


def visible_columns(decision: Decision, table: Table, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Restricted columns look absent."""
    if not decision.restricts:
        return tuple(columns)
    # By id: a column of the past may have had another name. One that is gone has no policy, so it is hidden.
    restricted = {_id(key, table) for key in decision.restricted}
    allowed = {c.field_id for c in table.columns} - restricted
    return tuple(c for c in columns if c.field_id in allowed)


def masks_by_id(decision: Decision, table: Table) -> dict[int, Rule]:
    return {_id(key, table): rule for key, rule in decision.masks.items()}


def _id(key: ColumnKey, table: Table) -> int:
    """A rule on a column that there is not is one that we do not understand."""
    if isinstance(key, int):
        return key
    for column in table.columns:
        if column.name == key:
            return column.field_id
    raise AccessDenied(f"cannot read '{table.name}': a rule on it cannot be applied")
