"""What is compared several times is one value: an operand that would be another each time is refused."""

from __future__ import annotations

import pytest

from sqe.api.connection import connect
from sqe.errors import NotSupported


@pytest.mark.parametrize("sql", [
    "SELECT random() BETWEEN 0.2 AND 0.4",
    "SELECT CASE random(3) WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c' END",
    "SELECT CASE CAST(uuid() AS varchar) || 'x' WHEN '' THEN 1 END",
])  # fmt: skip
def test_a_random_operand_is_refused(sql: str) -> None:
    with connect(memory=True) as connection, pytest.raises(NotSupported, match="cannot be the operand of"):
        connection.execute(sql)


def test_a_column_of_random_numbers_is_one_value() -> None:
    rows = "(SELECT random(3) AS r FROM TABLE(sequence(1, 1000)))"
    with connect(memory=True) as connection:
        for none in ("CASE r WHEN 0 THEN 0 WHEN 1 THEN 0 WHEN 2 THEN 0 END IS NULL", "r NOT BETWEEN 0 AND 2"):
            sql = f"SELECT count(*) FROM {rows} WHERE {none}"
            assert connection.execute(sql).fetchall() == [(0,)]
