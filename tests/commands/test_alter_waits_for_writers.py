"""A change of a table's definition waits for our own writers of its rows."""

from __future__ import annotations

import threading

import pytest

from sqe.api.connection import Connection
from sqe.errors import Cancelled


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t ALTER COLUMN a SET NOT NULL",
        "ALTER TABLE t RENAME TO u",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN b integer",
    ],
)
def test_it_waits(schema: Connection, change: str) -> None:
    schema.execute("CREATE TABLE t (a integer)")
    table = ".".join((schema.session.catalog, *schema.session.namespace, "t"))
    cursor = schema.cursor()
    with schema.coordinator.write_lock(table):
        threading.Timer(0.3, cursor.cancel).start()
        with pytest.raises(Cancelled):
            cursor.execute(change)
    assert schema.execute("SHOW TABLES").fetchall() == [("t",)]
    schema.execute(change)
