"""Tables in an object store are answered without Java, with the keys of who asks, and with nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from tests.stack.embedded import Engine, engine_on
from tests.stack.lake import Lake
from tests.stack.tables import Stored, new_table, pyiceberg

pytestmark = pytest.mark.integration
ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


@pytest.fixture(scope="module")
def engine(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_on(lake, tmp_path_factory.mktemp("sqe")) as engine:
        yield engine


@pytest.fixture(scope="module")
def orders(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "sales") as table:
        pyiceberg(lake, "bob").load_table((table.namespace, table.name)).append(ROWS)
        yield table


def keys_in(log: list[dict[str, Any]], table: Stored) -> set[str]:
    return {str(line["access_key"]) for line in log if str(line["object"]).startswith(table.directory)}


def test_both_read_it_on_the_fast_lane(engine: Engine, orders: Stored, lake: Lake) -> None:
    sql = f"SELECT id, name FROM lake.sales.{orders.name} WHERE id > 1 ORDER BY id"
    before = len(lake.object_log())
    for user in ("alice", "bob"):
        assert engine.lane(user, sql).startswith("Lane: fast (")
        assert engine.rows(user, sql) == [(2, "b"), (3, "c")]
    log = lake.object_log()[before:]
    assert keys_in(log, orders) and lake.servers["s3"].facts["access_key"] not in keys_in(log, orders)


def test_explain_says_whose_keys(engine: Engine, orders: Stored) -> None:
    (text,) = engine.rows("alice", f"EXPLAIN SELECT * FROM lake.sales.{orders.name}")[0]
    assert f"Keys of lake.sales.{orders.name}: vended by the catalog, for alice" in text
