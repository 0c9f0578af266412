"""Texts that sqlglot would read in another way than Trino does."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import NotFound, SyntaxFault


@pytest.fixture(scope="module")
def connection() -> Connection:
    return connect(memory=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1E0+3", 4.0),
        ("1E0-3", -2.0),
        ("1.5E1-1", 14.0),
        (".5e0+1", 1.5),
        ("2.E0+1", 3.0),
        ("1E16+1E0", 1e16),
        ("1E0+1E0-1E0", 1.0),
        ("1E+3+4", 1004.0),
        ("1E-1+0", 0.1),
        ("1E0--a comment\n+3", 4.0),
        ("1E0/*a*/+3", 4.0),
    ],
)
def test_a_sign_after_an_exponent_is_an_operator(connection: Connection, text: str, value: float) -> None:
    assert connection.execute(f"SELECT {text}").fetchall() == [(value,)]


def test_texts_and_names_stay_as_they_are(connection: Connection) -> None:
    sql = """SELECT '1E0+3', "1E0-3", '''1E0+3' FROM (VALUES 1E0+1) t ("1E0-3") -- 1E0+3"""
    assert connection.execute(sql).fetchall() == [("1E0+3", 2.0, "'1E0+3")]


def test_places_are_those_of_the_text(connection: Connection) -> None:
    with pytest.raises(NotFound) as error:
        connection.execute("SELECT 1E0+1,\n 1E0-1E0+nope")
    assert str(error.value.position) == "2:10"


def test_many_of_them_take_no_longer_each(connection: Connection) -> None:
    assert connection.execute("SELECT " + ", ".join(["1E0+1"] * 2000)).fetchone() == (2.0,) * 2000


@pytest.mark.parametrize(
    ("sql", "place"),
    [('SELECT 1 AS ""', "1:13"), ('CREATE TABLE "" (a bigint)', "1:14"), ('SELECT "".a', "1:8")],
)
def test_a_name_has_a_letter(connection: Connection, sql: str, place: str) -> None:
    with pytest.raises(SyntaxFault, match="Zero-length") as error:
        connection.execute(sql)
    assert str(error.value.position) == place
