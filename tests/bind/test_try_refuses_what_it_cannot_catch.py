"""TRY gives NULL for what fails, and for nothing else."""

from __future__ import annotations

import pytest

from sqe.api.connection import connect
from sqe.errors import NotSupported

LONG = "DECIMAL '0.1000000000000000000000000000000000000'"


@pytest.mark.parametrize("compared", [f"x > {LONG}", f"x IN ({LONG})", f"ARRAY[x] = ARRAY[{LONG}]"])
def test_a_cast_of_ours_that_may_fail_is_refused(compared: str) -> None:
    sql = f"SELECT TRY({compared}) FROM (VALUES BIGINT '100') AS t (x)"
    with connect(memory=True) as connection, pytest.raises(NotSupported, match="TRY of"):
        connection.execute(sql)


def test_a_null_of_try_cast_is_a_value() -> None:
    with connect(memory=True) as connection:
        assert connection.execute("SELECT TRY(coalesce(TRY_CAST('x' AS integer), 7))").fetchall() == [(7,)]
