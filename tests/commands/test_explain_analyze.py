"""EXPLAIN ANALYZE runs a query on its lane and says what each step did, in one form for both lanes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

import sqe
from sqe.api.connection import Connection
from sqe.errors import Cancelled, LimitExceeded, NotSupported, SqeError
from sqe.policy.decision import EVERYTHING, Decision
from sqe.session import Identity
from sqe.sql.parse import parse
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule

pytestmark = pytest.mark.spark
LANES = ["fast", "spark"]
COLUMNS = [
    ("step", "integer"),
    ("operation", "varchar"),
    ("rows", "bigint"),
    ("milliseconds", "double"),
    ("files_read", "bigint"),
    ("files_total", "bigint"),
    ("bytes", "bigint"),
    ("requests", "bigint"),
]
ENDLESS = (
    "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a (x)"
    " CROSS JOIN TABLE(sequence(1, 1000000)) AS b (y) WHERE x % 7 = y % 11"
)
Row = dict[str, Any]


class Some:
    """Hides rows of `people` while it is active."""

    active = False

    def table(self, identity: Identity, table: TableName) -> Decision:
        hides = self.active and table.name == "people"
        return Decision(ALL, row_filters=(Rule("id = 2"),)) if hides else EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return True


@pytest.fixture(scope="module")
def home(connect: Callable[..., Connection]) -> Iterator[Connection]:
    connection = connect(memory=True)
    for sql in (
        "CREATE TABLE parts (k varchar, n bigint) WITH (partitioning = ARRAY['k'])",
        "INSERT INTO parts VALUES ('a', 1), ('b', 2), ('c', 3), ('c', 4)",
        "CREATE TABLE names (k varchar, name varchar)",
        "INSERT INTO names VALUES ('b', 'Bob'), ('c', 'Cas')",
    ):
        connection.execute(sql)
    yield connection


@pytest.fixture(params=LANES)
def lane(request: pytest.FixtureRequest, home: Connection) -> Iterator[str]:
    home.execute(f"SET SESSION lane = '{request.param}'")
    yield request.param
    home.execute("RESET SESSION lane")
    home.execute("RESET SESSION query_max_run_time")


def analyzed(connection: Connection, sql: str, *, verbose: bool = False) -> list[Row]:
    cursor = connection.execute(f"EXPLAIN ANALYZE {'VERBOSE ' if verbose else ''}{sql}")
    assert cursor.columns is not None
    assert [(name, str(type_)) for name, type_ in cursor.columns] == COLUMNS
    names = [name for name, _ in COLUMNS]
    steps = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    return steps


def only(steps: list[Row], beginning: str) -> Row:
    (found,) = [step for step in steps if step["operation"].strip().startswith(beginning)]
    return found


def test_the_first_line_tells_lane_reason_rows_and_time(home: Connection, lane: str) -> None:
    total, *steps = analyzed(home, "SELECT n + 1 FROM parts WHERE n > 1")
    assert total["operation"].startswith(f"{lane} lane: ")
    assert total["rows"] == 3 and total["milliseconds"] > 0 and steps
    assert steps[0]["operation"] == steps[0]["operation"].strip()
    assert steps[-1]["operation"].startswith("  "), "what gives the rows is below what takes them"


def test_only_files_that_can_match_are_read(home: Connection, lane: str) -> None:
    total, *steps = analyzed(home, "SELECT n + 1 FROM parts WHERE k = 'c' AND n > 3")
    scan = only(steps, "Scan iceberg.default.parts")
    assert (scan["files_read"], scan["files_total"]) == (1, 3)
    assert (total["files_read"], total["files_total"], total["bytes"]) == (1, 3, scan["bytes"])
    assert scan["bytes"] > 0 and total["rows"] == 1


def test_files_that_were_left_out_count_though_nothing_is_read(home: Connection, lane: str) -> None:
    total, *_ = analyzed(home, "SELECT n FROM parts WHERE n > 1000")
    assert (total["rows"], total["files_read"], total["files_total"]) == (0, 0, 3)


def test_rows_of_joins_filters_and_aggregates(home: Connection, lane: str) -> None:
    total, *steps = analyzed(
        home, "SELECT name, count(*) FROM parts JOIN names ON names.k = parts.k WHERE n < 4 GROUP BY name"
    )
    assert total["rows"] == 2
    assert only(steps, "Join")["rows"] == 2
    assert next(step["rows"] for step in steps if "Aggregate" in step["operation"]) == 2
    assert only(steps, "Scan iceberg.default.names")["rows"] == 2
    read = [only(steps, f"Scan iceberg.default.{name}")["files_read"] for name in ("parts", "names")]
    assert total["files_read"] == sum(read)


@pytest.mark.parametrize("sql", [
    "SELECT 1",
    "VALUES 1, 2, 3",
    "SELECT n FROM parts ORDER BY n DESC LIMIT 2",
    "SELECT k FROM parts UNION ALL SELECT k FROM names",
    "SELECT k FROM parts EXCEPT SELECT k FROM names",
    "WITH s AS (SELECT k, sum(n) AS n FROM parts GROUP BY k) SELECT x.n FROM s x LEFT JOIN s y ON x.n > y.n",
    "SELECT n, (SELECT max(name) FROM names WHERE names.k = parts.k AND n < 4) FROM parts",
    "SELECT u FROM parts CROSS JOIN UNNEST(ARRAY[n, n]) AS t (u)",
    "SELECT k, n FROM parts WHERE EXISTS (SELECT 1 FROM names WHERE names.k = parts.k)",
    "SELECT row_number() OVER (ORDER BY n) FROM parts",
    "SELECT schema_name FROM information_schema.schemata",
])  # fmt: skip
def test_the_rows_of_the_answer_are_counted(home: Connection, lane: str, sql: str) -> None:
    assert analyzed(home, sql)[0]["rows"] == len(home.execute(sql).fetchall())


def test_what_spark_reported_of_its_scans_is_told(home: Connection) -> None:
    home.execute("CREATE TABLE months (k varchar, n bigint) WITH (partitioning = ARRAY['k'])")
    for k in "abc":
        home.execute(f"INSERT INTO months VALUES ('{k}', 1)")
    home.execute("SET SESSION lane = 'spark'")
    try:
        total = analyzed(home, "SELECT n FROM months WHERE k = 'b'", verbose=True)[0]
        assert total["operation"].endswith("[manifests read: 1; manifests skipped: 2]")
        assert (total["files_read"], total["files_total"]) == (1, 3)
        ((read, skipped),) = home.execute(
            "SELECT files_read, files_skipped FROM system.runtime.queries"
            " WHERE query LIKE 'EXPLAIN ANALYZE VERBOSE SELECT n FROM months%'"
        ).fetchall()
        # Files of manifests that are not opened are not counted.
        assert (read, skipped) == (1, 0)
    finally:
        home.execute("RESET SESSION lane")
        home.execute("DROP TABLE months")


def test_verbose_has_the_engine_s_own_words(home: Connection, lane: str) -> None:
    sql = "SELECT k, sum(n) FROM parts WHERE n > 1 GROUP BY k"
    shown, all_of_it = analyzed(home, sql), analyzed(home, sql, verbose=True)
    assert len(all_of_it) >= len(shown)
    scan = only(all_of_it, "Scan")["operation"]
    assert ("READ_PARQUET" if lane == "fast" else "BatchScan") in scan and "[" not in only(shown, "Scan")[
        "operation"
    ]
    assert not any(".parquet" in step["operation"] for step in all_of_it)


def test_errors_are_those_of_the_query(home: Connection, lane: str) -> None:
    with pytest.raises(SqeError) as error:
        home.execute("EXPLAIN ANALYZE SELECT 1 / (n - n) FROM parts")
    assert error.value.code == "DIVISION_BY_ZERO" and error.value.position is not None


@pytest.mark.parametrize("sql", [
    "INSERT INTO parts VALUES ('d', 5)",
    "DELETE FROM parts",
    "UPDATE parts SET n = 1",
    "CREATE TABLE made AS SELECT 1 AS a",
    "CREATE TABLE made (a bigint)",
    "DROP TABLE parts",
    "SHOW TABLES",
    "USE iceberg.default",
])  # fmt: skip
def test_it_is_for_queries(home: Connection, sql: str) -> None:
    before = home.execute("SELECT count(*) FROM parts").fetchall(), home.execute("SHOW TABLES").fetchall()
    with pytest.raises(NotSupported, match="for queries"):
        home.execute(f"EXPLAIN ANALYZE {sql}")
    after = home.execute("SELECT count(*) FROM parts").fetchall(), home.execute("SHOW TABLES").fetchall()
    assert after == before


def test_prepared(home: Connection, lane: str) -> None:
    home.execute("PREPARE p FROM EXPLAIN ANALYZE SELECT n FROM parts WHERE k = ?")
    assert home.execute("EXECUTE p USING 'c'").fetchall()[0][2] == 2
    home.execute("PREPARE q FROM SELECT n FROM parts WHERE k = ?")
    assert home.execute("EXPLAIN ANALYZE EXECUTE q USING 'c'").fetchall()[0][2] == 2


@pytest.mark.parametrize(("sql", "analyze", "verbose"), [
    ("EXPLAIN SELECT analyze FROM t", False, False),
    ("explain analyze SELECT 1", True, False),
    ("EXPLAIN /* why */ ANALYZE\n-- all\nVERBOSE SELECT 1", True, True),
])  # fmt: skip
def test_how_it_is_written(sql: str, analyze: bool, verbose: bool) -> None:
    syntax = parse(sql)
    assert (syntax.explain, syntax.analyze, syntax.verbose) == (True, analyze, verbose)


@pytest.mark.parametrize("sql", ["EXPLAIN VERBOSE SELECT 1", "EXPLAIN ANALYZE FULL SELECT 1"])
def test_other_options_are_refused(sql: str) -> None:
    with pytest.raises(NotSupported):
        parse(sql)


def test_a_time_limit_holds(home: Connection, lane: str) -> None:
    home.execute("SET SESSION query_max_run_time = '1s'")
    with pytest.raises(LimitExceeded) as error:
        home.execute(f"EXPLAIN ANALYZE {ENDLESS}")
    assert error.value.code == "EXCEEDED_TIME_LIMIT"


def test_cancel_ends_it(home: Connection, lane: str) -> None:
    cursor = home.cursor()
    threading.Timer(1, cursor.cancel).start()
    with pytest.raises(Cancelled):
        cursor.execute(f"EXPLAIN ANALYZE {ENDLESS}")
    assert cursor.execute("EXPLAIN ANALYZE SELECT 1").fetchall()


@pytest.mark.parametrize("lane", LANES)
def test_a_limit_of_rows_holds(connect: Callable[..., Connection], lane: str, tmp_path: Any) -> None:
    config = tmp_path / "sqe.toml"
    config.write_text("[query]\nmax_result_rows = 2\n")
    limited = connect(memory=True, config=config)
    limited.execute(f"SET SESSION lane = '{lane}'")
    assert limited.execute("EXPLAIN ANALYZE VALUES 1, 2").fetchmany(1)[0][2] == 2
    with pytest.raises(sqe.Error, match="max_result_rows"):
        limited.execute("EXPLAIN ANALYZE VALUES 1, 2, 3")


def test_nothing_is_told_of_rows_that_are_hidden(connect: Callable[..., Connection]) -> None:
    policy = Some()
    joe = connect(memory=True, policy=policy)
    joe.execute("CREATE TABLE people (id bigint)")
    joe.execute("INSERT INTO people VALUES (1), (2), (3)")
    policy.active = True
    total, *steps = analyzed(joe, "SELECT id FROM people", verbose=True)
    assert total["rows"] == 1
    assert [total[name] for name in ("files_read", "files_total", "bytes")] == [None, None, None]
    (hidden,) = steps
    assert "row filter" in hidden["operation"]
    assert [hidden[name] for name, _ in COLUMNS[2:]] == [None] * 6
