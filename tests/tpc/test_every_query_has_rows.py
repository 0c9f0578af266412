"""A query without rows shows nothing: none of a suite is compared so."""

from __future__ import annotations

import pytest
from tests.tpc import duck
from tests.tpc.parameters import PARAMETERS, answerable

from sqe.bench.generators import database
from sqe.bench.suites import queries


@pytest.mark.parametrize("suite", ["tpch", "tpcds"])
def test_every_query_has_rows(suite: str) -> None:
    with database(suite, duck.SCALE) as oracle:
        empty = [name for name, sql in answerable(suite).items() if not oracle.execute(sql).fetchall()]
    assert not empty


def test_no_parameter_is_changed_in_vain() -> None:
    with database("tpcds", duck.SCALE) as oracle:
        given = queries("tpcds")
        needless = [name for name in PARAMETERS if oracle.execute(given[name]).fetchall()]
    assert not needless
