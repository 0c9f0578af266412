"""Every function of Trino is in the registry, or refused by name with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.api.connection import Connection
from sqe.api.connection import connect as open_connection
from sqe.errors import NotFound, NotSupported
from sqe.functions import registry
from sqe.functions.refused import REFUSED

LIST = Path(__file__).parent.parent / "parity" / "trino_functions.txt"
TRINO = [line.split(" | ")[0].lower() for line in LIST.read_text().splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def metadata() -> Connection:
    """A connection that never needs an engine: a name is refused while a statement is bound."""
    return open_connection(memory=True)


def test_the_list_is_whole() -> None:
    assert len(TRINO) == len(set(TRINO)) == 398


def test_no_name_is_unknown() -> None:
    assert sorted(set(TRINO) - set(registry.names()) - REFUSED.keys()) == []


def test_no_reason_is_left_for_what_exists() -> None:
    assert sorted(REFUSED.keys() & set(registry.names())) == []
    assert sorted(REFUSED.keys() - set(TRINO)) == []
    assert all(REFUSED.values())


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_it_is_refused_with_its_reason(metadata: Connection, name: str) -> None:
    with pytest.raises(NotSupported) as error:
        metadata.execute(f"SELECT {name}()")
    assert error.value.code == "NOT_SUPPORTED"
    assert name in error.value.message and REFUSED[name] in error.value.message
    assert error.value.position is not None


def test_as_an_aggregate_a_window_and_a_table_too(metadata: Connection) -> None:
    for sql in (
        "SELECT convex_hull_agg(x) FILTER (WHERE true) FROM (VALUES st_point(1, 2)) AS t(x)",
        "SELECT geometry_union_agg(x) OVER () FROM (VALUES st_point(1, 2)) AS t(x)",
        "SELECT * FROM TABLE(table_changes('a', 'b', 1, 2))",
    ):
        with pytest.raises(NotSupported):
            metadata.execute(sql)


def test_what_nobody_knows_is_not_found(metadata: Connection) -> None:
    with pytest.raises(NotFound) as error:
        metadata.execute("SELECT st_nonsense(1)")
    assert error.value.code == "FUNCTION_NOT_FOUND"
