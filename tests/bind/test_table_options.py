from __future__ import annotations

import pytest

from sqe.connection import connect
from sqe.errors import SqeError


@pytest.mark.parametrize("option", ["format", "format =", "using", "stored as", "WITH (format)"])
def test_a_format_takes_a_value(option: str) -> None:
    with connect(memory=True) as home:
        with pytest.raises(SqeError) as error:
            home.execute(f"CREATE TABLE t (a integer) {option}")
        assert (error.value.code, error.value.message) == ("INVALID_ARGUMENTS", "format takes a value")
        assert home.execute("SHOW TABLES").fetchall() == []
