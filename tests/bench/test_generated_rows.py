"""The rows are the same in every run, and they answer the queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.bench.generators import database, generate
from sqe.bench.suites import queries
from sqe.errors import InvalidArgument

# Without rows at such a small scale, and why.
FEW_CITIES = {"q3.2"}
LARGE_GROUPS = {"q27", "q28"}
LARGE_OFFSETS = {"q38", "q40", "q41", "q42"}


@pytest.mark.parametrize(
    ("suite", "vacuous"), [("ssb", FEW_CITIES), ("clickbench", LARGE_GROUPS | LARGE_OFFSETS)]
)
def test_queries_return_rows(suite: str, vacuous: set[str]) -> None:
    with database(suite, 0.01) as source:
        if suite == "clickbench":
            # Once, rather than for each query.
            source.execute("CREATE TABLE made AS SELECT * FROM hits; DROP VIEW hits")
            source.execute("ALTER TABLE made RENAME TO hits")
        counts = {name: len(source.execute(sql).fetchall()) for name, sql in queries(suite, "duckdb").items()}
    assert {name for name, rows in counts.items() if not rows} == vacuous


@pytest.mark.parametrize(("suite", "table"), [("ssb", "lineorder"), ("clickbench", "hits")])
def test_the_same_rows_again(suite: str, table: str) -> None:
    def rows() -> list[tuple[object, ...]]:
        with database(suite, 0.0005) as source:
            return source.table(table).fetchall()

    assert rows() == rows()


def test_ssb_keys_lead_somewhere() -> None:
    with database("ssb", 0.005) as source:
        [(lines, found)] = source.execute(
            """
            SELECT (SELECT count(*) FROM lineorder), count(*)
            FROM lineorder, date, customer, supplier, part
            WHERE lo_orderdate = d_datekey AND lo_custkey = c_custkey
                AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
            """
        ).fetchall()
    assert lines == found > 0


def test_clickbench_is_skewed() -> None:
    with database("clickbench", 0.002) as source:
        [(most, users, rows)] = source.execute(
            "SELECT max(c), count(*), sum(c) FROM (SELECT count(*) AS c FROM hits GROUP BY userid)"
        ).fetchall()
    assert most > 50 * rows / users


def test_files_are_made_once(tmp_path: Path) -> None:
    files = generate("ssb", 0.0005, tmp_path / "ssb")
    assert set(files) == {"customer", "date", "lineorder", "part", "supplier"}
    times = {file: file.stat().st_mtime_ns for file in files.values()}
    assert generate("ssb", 0.0005, tmp_path / "ssb") == files
    assert times == {file: file.stat().st_mtime_ns for file in files.values()}


def test_no_such_suite() -> None:
    with pytest.raises(InvalidArgument, match="no suite 'tpcx'"):
        database("tpcx", 1)
