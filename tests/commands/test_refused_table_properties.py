"""Table properties that engines compute, or that would have no effect, are the author's to mend."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.errors import UserError

PROPERTIES = ("uuid", "current-snapshot-id", "io-impl", "encryption.key-id", "Encryption.data-key-length")


def test_they_are_refused_wherever_they_are_set(schema: Connection) -> None:
    schema.execute("CREATE TABLE kept (a integer)")
    for name in PROPERTIES:
        for statement in (
            f"CREATE TABLE t (a integer) TBLPROPERTIES ('{name}' = 'x')",
            f"CREATE TABLE t TBLPROPERTIES ('{name}' = 'x') AS SELECT 1 AS a",
            f"ALTER TABLE kept SET PROPERTIES \"{name}\" = 'x'",
        ):
            with pytest.raises(UserError) as refused:
                schema.execute(statement)
            assert refused.value.code == "INVALID_TABLE_PROPERTY", statement
            assert "internal" not in str(refused.value).lower()
