"""What is the operator's to mend names files to the log, and not to clients."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import adbc_driver_manager
import pytest
from tests.flight_server import Connect, Serve


def failure(cursor: Any, sql: str) -> str:
    with pytest.raises(adbc_driver_manager.Error) as caught:
        cursor.execute(sql)
        cursor.fetchall()
    return f"{caught.value} {caught.value.details}"


@pytest.mark.parametrize("what", ["metadata file", "metadata", "database"])
def test_of_a_warehouse_that_broke(serve: Serve, connect_as: Connect, tmp_path: Path, what: str) -> None:
    lake = tmp_path / "lake"
    with connect_as("ann", to=serve(warehouse=lake)).cursor() as cursor:
        cursor.execute("CREATE TABLE broken (a bigint)")
    [metadata] = lake.rglob("*.metadata.json")
    if what == "metadata file":
        metadata.write_text("{}")
    elif what == "metadata":
        shutil.rmtree(metadata.parent)
    else:
        (lake / "sqe.db").write_bytes(b"no database" * 100)
    # The first server would not read again what it has written itself.
    with connect_as("ann", to=serve(warehouse=lake)).cursor() as cursor:
        for sql in ("SELECT * FROM broken", "DESCRIBE broken", "ALTER TABLE broken ADD COLUMN b bigint"):
            text = failure(cursor, sql)
            assert str(tmp_path) not in text and "lake/" not in text, text
            assert "<path>" in text, text
