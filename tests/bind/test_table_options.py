from __future__ import annotations

import pytest

from sqe.api.connection import connect
from sqe.errors import SqeError


@pytest.mark.parametrize("option", ["format", "format =", "using", "stored as", "WITH (format)"])
def test_a_format_takes_a_value(option: str) -> None:
    with connect(memory=True) as home:
        with pytest.raises(SqeError) as error:
            home.execute(f"CREATE TABLE t (a integer) {option}")
        assert (error.value.code, error.value.message) == ("INVALID_ARGUMENTS", "format takes a value")
        assert home.execute("SHOW TABLES").fetchall() == []


@pytest.mark.parametrize("option", ["WITH", "WITH ()", "WITH NO", "WITH DATA", "WITH (1 = 2)", "DEFINER"])
def test_options_that_say_nothing_are_not_forgotten(option: str) -> None:
    with connect(memory=True) as home:
        with pytest.raises(SqeError) as error:
            home.execute(f"CREATE TABLE t (a integer) {option}")
        assert error.value.position is not None or option == "WITH DATA"
        assert home.execute("SHOW TABLES").fetchall() == []


def test_names_that_look_like_such_options() -> None:
    with connect(memory=True) as home:
        home.execute('CREATE TABLE "with" ("definer" integer, data integer, no integer)')
        home.execute("CREATE VIEW v SECURITY DEFINER AS WITH x AS (SELECT 1 AS a) SELECT a FROM x")
        assert home.execute("SHOW TABLES").fetchall() == [("v",), ("with",)]
