"""Which columns of a table exist for a user."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.iceberg.table import Column, Table
from sqe.policy.decision import Decision


def visible_columns(decision: Decision, table: Table, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Restricted columns look absent."""
    if not decision.restricts:
        return tuple(columns)
    # By id: a column of the past may have had another name. One that is gone has no policy, so it is hidden.
    allowed = {c.field_id for c in table.columns if c.name not in decision.restricted}
    return tuple(c for c in columns if c.field_id in allowed)
