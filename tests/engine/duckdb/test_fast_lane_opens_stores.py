"""A child opens an object store with the keys of the statement that it runs, for that statement's tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.engine.duckdb.stores_of_tests import FakeStore, fake_store

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.duckdb.processes import Processes
from sqe.errors import AccessDenied, SqeError, Unavailable

pytestmark = pytest.mark.integration
_ids = itertools.count(1)
MINE = "s3://lake/mine/"


@pytest.fixture
def lane() -> Iterator[Processes]:
    lane = Processes(FastSettings(processes=1))
    yield lane
    lane.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FakeStore]:
    """With the tables `mine` and `mine2`, of a small and a large file each."""
    for table in ("mine", "mine2"):
        (tmp_path / "lake" / table).mkdir(parents=True)
        for file, rows in (("small", 10), ("large", 500_000)):
            path = tmp_path / "lake" / table / f"{file}.parquet"
            duckdb.execute(
                f"COPY (SELECT '{table}' AS who, i, hash(i) AS h FROM range({rows}) t(i)) TO '{path}'"
            )
    with fake_store(tmp_path) as store:
        yield store


def rows(lane: Processes, sql: str, *, identity: str = "joe", **more: Any) -> list[Any]:
    more = {"locations": [MINE], "extensions": ["httpfs"], **more}
    answer = lane.run(sql, statement_id=f"s{next(_ids)}", identity_key=identity, **more)
    return [row for batch in answer for row in batch.to_pylist()]


def failure(lane: Processes, sql: str, **more: Any) -> FastLaneFailed:
    with pytest.raises(FastLaneFailed) as caught:
        rows(lane, sql, **more)
    return caught.value


SMALL = f"SELECT count(DISTINCT who) AS n FROM read_parquet('{MINE}small.parquet')"
LARGE = f"SELECT sum(h % 7) AS n FROM read_parquet('{MINE}large.parquet')"


def test_what_was_admitted_is_read_with_its_keys(lane: Processes, store: FakeStore) -> None:
    assert rows(lane, SMALL, secrets=lambda: [store.secret(MINE)]) == [{"n": 1}]
    assert {key for _, _, key in store.requests} == {"KEY"}


def test_nothing_is_asked_twice_of_a_file(lane: Processes, store: FakeStore) -> None:
    for number in range(3):
        assert rows(lane, SMALL, secrets=lambda: [store.secret(MINE)]) == [{"n": 1}]
        assert [method for method, _, _ in store.requests] == ["HEAD", "GET"], number


def test_requests_for_a_row_of_a_file_of_several_megabytes(
    lane: Processes, store: FakeStore, tmp_path: Path
) -> None:
    """Its size, its footer, the column of the condition, the other one; then only what is not known yet."""
    path = tmp_path / "lake" / "mine" / "wide.parquet"
    columns = "i, md5(i::VARCHAR) AS a, md5((i + 1)::VARCHAR) AS b"
    duckdb.execute(f"COPY (SELECT {columns} FROM range(60000) t(i)) TO '{path}' (ROW_GROUP_SIZE 20000)")
    assert path.stat().st_size > 3 << 20
    counts = []
    for row in (25_000, 25_000, 45_000):
        store.requests.clear()
        sql = f"SELECT b FROM read_parquet('{MINE}wide.parquet') WHERE i = {row}"
        assert len(rows(lane, sql, secrets=lambda: [store.secret(MINE)])) == 1
        counts.append(len(store.requests))
    assert counts == [4, 0, 2]


@pytest.mark.parametrize(
    "place",
    [
        "s3://lake/mine2/small.parquet",
        "s3://lake/*/small.parquet",
        "s3a://lake/mine2/small.parquet",
        "https://127.0.0.1:1/lake/mine/small.parquet",
        "s3://lake/mine/small.parquet?s3_endpoint={other}",
    ],
)
def test_other_places_are_closed(lane: Processes, store: FakeStore, tmp_path: Path, place: str) -> None:
    with fake_store(tmp_path) as other:
        sql = f"SELECT * FROM read_parquet('{place.format(other=other.address)}')"
        failure(lane, sql, secrets=lambda: [store.secret(MINE)])
        assert other.requests == []
    assert not any("mine2" in key for _, key, _ in store.requests)


def test_keys_go_with_their_statement(lane: Processes, store: FakeStore) -> None:
    """Another identity's statement may be the next in the same process."""
    assert rows(lane, SMALL, secrets=lambda: [store.secret(MINE, "JOES")]) == [{"n": 1}]
    assert rows(lane, "SELECT count(*) AS n FROM duckdb_secrets()") == [{"n": 0}]
    failure(lane, "SELECT * FROM read_parquet('s3://lake/mine2/large.parquet')")
    assert rows(lane, SMALL, identity="ann", secrets=lambda: [store.secret(MINE, "ANNS")]) == [{"n": 1}]
    assert [key for _, _, key in store.requests] == ["JOES", "JOES", "ANNS", "ANNS"]


def test_requests_are_counted_and_their_log_is_gone(lane: Processes, store: FakeStore) -> None:
    """Its lines have the headers of requests in them."""
    more: dict[str, Any] = {"locations": [MINE], "extensions": ["httpfs"]}
    more["secrets"] = lambda: [store.secret(MINE)]
    stream = lane.run(LARGE, statement_id="counted", identity_key="joe", mode="profile", **more)
    assert [batch.num_rows for batch in stream] == [1]
    assert stream.store_requests == len(store.requests) > 2
    assert rows(lane, "SELECT count(*) AS n FROM duckdb_logs()") == [{"n": 0}]
    assert rows(lane, SMALL, secrets=lambda: [store.secret(MINE)]) == [{"n": 1}]
    assert rows(lane, "SELECT count(*) AS n FROM duckdb_logs()") == [{"n": 0}]


def test_renewed_keys_are_used_at_once(lane: Processes, store: FakeStore) -> None:
    keys = iter(("FIRST", "SECOND"))
    for sql in (SMALL, LARGE):
        rows(lane, sql, secrets=lambda: [store.secret(MINE, next(keys))])
    used = [key for _, _, key in store.requests]
    assert used[:2] == ["FIRST"] * 2 and set(used[2:]) == {"SECOND"}


@pytest.mark.parametrize("status", [400, 403])
def test_keys_that_end_while_it_reads_are_one_error(lane: Processes, store: FakeStore, status: int) -> None:
    store.most, store.status = 1, status
    store.body = "<Error><Code>ExpiredToken</Code><Token-0>token-of-KEY</Token-0></Error>"
    failed = failure(lane, LARGE, secrets=lambda: [store.secret(MINE)])
    assert isinstance(failed.as_user_error(), AccessDenied)
    for secret in ("token-of-KEY", "secret-of-KEY", "KEY"):
        assert secret not in failed.engine_text + str(failed)
    # And the child goes on.
    store.most = None
    assert rows(lane, SMALL, secrets=lambda: [store.secret(MINE)]) == [{"n": 1}]


def test_a_store_that_fails_is_told(lane: Processes, store: FakeStore) -> None:
    store.most, store.status = 0, 500
    failed = failure(lane, SMALL, secrets=lambda: [store.secret(MINE)]).as_user_error()
    assert isinstance(failed, Unavailable) and "the object store cannot be used" in str(failed)
    store.most = None
    missing = failure(
        lane, f"SELECT * FROM read_parquet('{MINE}none.parquet')", secrets=lambda: [store.secret(MINE)]
    )
    assert "missing" in str(missing.as_user_error())


def test_no_key_is_seen_from_outside(lane: Processes, store: FakeStore) -> None:
    for sql in (SMALL, "SELECT nothing FROM nowhere"):
        try:
            rows(lane, sql, secrets=lambda: [store.secret(MINE)])
        except SqeError as error:
            assert "of-KEY" not in str(error)
        (pid,) = lane.children()
        for file in ("cmdline", "environ"):
            assert b"of-KEY" not in Path(f"/proc/{pid}/{file}").read_bytes()
