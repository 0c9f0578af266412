"""Which columns of a table exist for a user, and what is seen in them."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.iceberg.table import Column, Table
from sqe.errors import AccessDenied
from sqe.policy.decision import Decision
from sqe.tree.rules import ColumnKey, Rule


def visible_columns(decision: Decision, table: Table, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Restricted columns look absent."""
    if not decision.restricts:
        return tuple(columns)
    # By id: a column of the past may have had another name. One that is gone has no policy, so it is hidden.
    restricted = {_id(key, table) for key in decision.restricted}
    allowed = {c.field_id for c in table.columns} - restricted
    if decision.columns is not None:
        allowed &= {_id(key, table) for key in decision.columns}
    return tuple(c for c in columns if c.field_id in allowed)


def masks_by_id(decision: Decision, table: Table) -> dict[int, Rule]:
    if not decision.masks:
        return {}
    from sqe.policy.masks import mask_rule

    columns = {c.field_id: c for c in table.columns}
    masks = {_id(key, table): mask for key, mask in decision.masks.items()}
    # What masked a column that is gone masks nothing.
    return {
        key: mask if isinstance(mask, Rule) else mask_rule(mask, columns[key])
        for key, mask in masks.items()
        if key in columns
    }


def _id(key: ColumnKey, table: Table) -> int:
    """A rule on a column that there is not is one that we do not understand."""
    if isinstance(key, int):
        return key
    for column in table.columns:
        if column.name == key:
            return column.field_id
    raise AccessDenied(f"cannot read '{table.name}': a rule on it cannot be applied")
