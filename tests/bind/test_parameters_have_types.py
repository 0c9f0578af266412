"""The `?` of a statement: what it is taken for while it has no value, and what its value becomes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from tests.bind.binding import Binding


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT * FROM t WHERE a = ?", ["bigint"]),
        ("SELECT * FROM t WHERE b LIKE ?", ["varchar"]),
        ("SELECT * FROM u WHERE d BETWEEN ? AND ?", ["date", "date"]),
        ("SELECT * FROM t WHERE a IN (?, ?)", ["bigint", "bigint"]),
        ("SELECT a + ? FROM t", ["bigint"]),
        ("SELECT coalesce(b, ?) FROM t", ["varchar"]),
        ("INSERT INTO strict (id, n, s) VALUES (?, ?, ?)", ["bigint", "decimal(5,2)", "varchar"]),
        ("UPDATE strict SET ts = ? WHERE id = ?", ["timestamp(6)", "bigint"]),
        ("SELECT abs(?)", ["double"]),
        ("SELECT strpos(b, ?) FROM t", ["varchar"]),
        # Where nothing tells, anything will do.
        ("SELECT ?", ["unknown"]),
        ("SELECT CAST(? AS date)", ["unknown"]),
    ],
)
def test_what_it_is_taken_for(binding: Binding, sql: str, types: list[str]) -> None:
    assert binding.parameter_types(sql) == types


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (True, "boolean"),
        (1, "integer"),
        (2**31, "bigint"),
        (2**63, "decimal(38,0)"),
        (Decimal("1.50"), "decimal(3,2)"),
        (1.5, "double"),
        ("é", "varchar"),
        (b"\0", "varbinary"),
        (dt.date(2024, 2, 29), "date"),
        (None, "unknown"),
        ([1, 2], "array(integer)"),
    ],
)
def test_the_type_of_a_value(binding: Binding, value: object, type_: str) -> None:
    name, _, announced = binding.columns("SELECT ? AS x", value).partition(" ")
    assert (name, announced.partition("(")[0] if type_ == "varchar" else announced) == ("x", type_)


@pytest.mark.parametrize(("sql", "values"), [("SELECT ?", ()), ("SELECT 1", (1,)), ("SELECT ?, ?", (1,))])
def test_each_has_one_value(binding: Binding, sql: str, values: tuple[object, ...]) -> None:
    assert binding.error(sql, *values).code == "INVALID_PARAMETER_USAGE"
