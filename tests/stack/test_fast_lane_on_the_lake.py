"""Tables in an object store are answered without Java, with the keys of who asks, and with nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from benchmarks.many_files import ROWS_EACH, append_files
from tests.stack.embedded import Engine, engine_on
from tests.stack.lake import Lake
from tests.stack.tables import Stored, new_table, pyiceberg

from sqe.catalog.io.storage import Storage
from sqe.engine.duckdb import lane
from sqe.engine.duckdb.render import FastRendered
from sqe.engine.lane import Order

pytestmark = pytest.mark.integration
FILES = 1000
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


@pytest.fixture(scope="module")
def many(engine: Engine, lake: Lake, orders: Stored) -> str:
    """A table of 1,000 files, which Spark would take minutes for."""
    name = f"many_{orders.name}"
    columns = "id bigint, name varchar, price decimal(10, 2), day date"
    engine.of("bob").execute(f"CREATE TABLE lake.sales.{name} ({columns})")
    append_files(pyiceberg(lake, "bob").load_table(("sales", name)), FILES)
    return f"lake.sales.{name}"


def requests_of_users(lake: Lake) -> list[dict[str, Any]]:
    """Those with vended keys: the catalog has its own, and asks for the others."""
    root = lake.servers["s3"].facts["access_key"]
    return [line for line in lake.object_log() if line["access_key"] not in ("", root)]


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


def test_a_cached_plan_is_used_with_the_keys_of_the_session_that_asks(
    engine: Engine, orders: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session that it was planned in may have ended, and its token too."""
    sql = f"SELECT max(id) FROM lake.sales.{orders.name}"
    seen: list[Storage] = []
    before = lane._secrets

    def noted(rendered: FastRendered, order: Order) -> list[dict[str, str]]:
        seen.extend(order.storages.values())
        return before(rendered, order)

    monkeypatch.setattr(lane, "_secrets", noted)
    assert engine.rows("alice", sql) == [(3,)]
    used = engine.coordinator.plans.used
    assert engine.another("alice").execute(sql).fetchall() == [(3,)]
    assert engine.coordinator.plans.used == used + 1
    assert len(seen) == 2 and seen[0] is not seen[1]


def test_explain_says_whose_keys(engine: Engine, orders: Stored) -> None:
    (text,) = engine.rows("alice", f"EXPLAIN SELECT * FROM lake.sales.{orders.name}")[0]
    assert f"Keys of lake.sales.{orders.name}: vended by the catalog, for alice" in text


def test_a_warm_point_query_makes_at_most_three_requests(engine: Engine, many: str, lake: Lake) -> None:
    """Warm: the table was asked before. The file with the row may be another one."""
    assert engine.rows("alice", f"SELECT name FROM {many} WHERE id = 7") == [("name 7",)]
    for row_id in (8, 42 * ROWS_EACH, (FILES - 1) * ROWS_EACH, 8):
        sql = f"SELECT name FROM {many} WHERE id = {row_id}"
        before = len(requests_of_users(lake))
        counted = engine.requests("alice", sql)
        seen = len(requests_of_users(lake)) - before
        assert counted == seen <= 3, sql
        before = len(requests_of_users(lake))
        assert engine.rows("alice", sql) == [(f"name {row_id}",)]
        assert len(requests_of_users(lake)) == before, "everything is cached by now"


def test_a_scan_of_all_files_is_counted(engine: Engine, many: str, lake: Lake) -> None:
    before = len(requests_of_users(lake))
    counted = engine.requests("bob", f"SELECT count(DISTINCT name) FROM {many}")
    assert counted == len(requests_of_users(lake)) - before
    assert counted >= FILES
    assert engine.requests("bob", f"SELECT count(DISTINCT name) FROM {many}") == 0


def test_two_users_in_turns_never_use_the_others_keys(
    engine: Engine, many: str, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each asks for a file of their own, so that the store's log tells who asked for what."""
    keys: dict[str, set[str]] = {"alice": set(), "bob": set()}
    before = lane._secrets

    def noted(rendered: FastRendered, order: Order) -> list[dict[str, str]]:
        secrets = before(rendered, order)
        keys[order.identity.user] |= {secret["key_id"] for secret in secrets}
        return secrets

    monkeypatch.setattr(lane, "_secrets", noted)
    wanted: dict[str, set[str]] = {"alice": set(), "bob": set()}
    begin = len(lake.object_log())
    for number in range(FILES):
        user = "alice" if number % 2 else "bob"
        row_id = number * ROWS_EACH + 1
        wanted[user].add(f"{number:06}.parquet")
        assert engine.rows(user, f"SELECT name FROM {many} WHERE id = {row_id}") == [(f"name {row_id}",)]
    assert keys["alice"] and keys["bob"] and not keys["alice"] & keys["bob"]
    data = [line for line in lake.object_log()[begin:] if str(line["object"]).endswith(".parquet")]
    for user, others in (("alice", "bob"), ("bob", "alice")):
        files = {str(line["object"]).rpartition("/")[2] for line in data if line["access_key"] in keys[user]}
        assert files <= wanted[user] and not files & wanted[others]
    assert {str(line["access_key"]) for line in data} <= keys["alice"] | keys["bob"]
