"""Our views in a plain Spark session: its own SQL, its own catalog, and the text that we left for it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.local_files import to_path
from tests.plain_spark import run_plain as spark

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def home(connect: Callable[..., Connection]) -> Connection:
    connection = connect(memory=True)
    for sql in (
        "CREATE SCHEMA other",
        "CREATE TABLE t (a integer, b varchar, d decimal(9,2), at timestamp(6), r row(x integer))",
        "INSERT INTO t VALUES (1, 'one', 1.10, TIMESTAMP '2024-01-01 00:00:00', ROW(10)), "
        "(2, 'two', 2.20, NULL, ROW(20)), (3, NULL, NULL, NULL, NULL)",
        "CREATE TABLE other.names (a integer, name varchar)",
        "INSERT INTO other.names VALUES (1, 'uno'), (2, 'dos')",
    ):
        connection.execute(sql)
    return connection


def stored(home: Connection, name: str) -> dict[str, Any]:
    catalog = home.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    with contextlib.closing(sqlite3.connect(catalog.path / "sqe.db")) as db:
        [(location, kind)] = db.execute(
            "SELECT metadata_location, iceberg_type FROM iceberg_tables WHERE table_name = ?", (name,)
        ).fetchall()
    assert kind == "VIEW"
    raw = json.loads(to_path(location).read_text())
    assert isinstance(raw, dict)
    return raw


def texts(raw: dict[str, Any]) -> dict[str, str]:
    version = next(v for v in raw["versions"] if v["version-id"] == raw["current-version-id"])
    return {r["dialect"]: r["sql"] for r in version["representations"]}


VIEWS = [
    ("SELECT * FROM t", "SELECT a, b, d, at, r.x FROM {} ORDER BY a"),
    ("SELECT a + 1 AS n, upper(b) AS b FROM t WHERE a < 3", "SELECT n, b FROM {} ORDER BY n"),
    ("SELECT count(*) AS n, sum(d) AS total, max(at) AS last FROM t", "SELECT n, total, last FROM {}"),
    ("SELECT name, d FROM t JOIN other.names AS n ON t.a = n.a", "SELECT name, d FROM {} ORDER BY name"),
    ("WITH w AS (SELECT a FROM t) SELECT a FROM w UNION ALL SELECT 7", "SELECT a FROM {} ORDER BY a"),
    ("SELECT a, row_number() OVER (ORDER BY a DESC) AS place FROM t", "SELECT a, place FROM {} ORDER BY a"),
    ("VALUES (1, 'x')", "SELECT p, q FROM {}"),
    ("SELECT a, s FROM t CROSS JOIN UNNEST(split(b, 'o')) AS u (s)", "SELECT a, s FROM {} ORDER BY a, s"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "question"), VIEWS)
def test_plain_spark_answers_as_we_do(home: Connection, query: str, question: str) -> None:
    columns = " (p, q)" if query.startswith("VALUES") else ""
    home.execute(f"CREATE OR REPLACE VIEW v{columns} AS {query}")
    assert set(texts(stored(home, "v"))) == {"trino", "spark"}
    ours = home.execute(question.format("v")).fetchall()
    assert ours and spark(home, question.format("iceberg.default.v")) == ours


def test_views_of_views_and_names_that_need_quotes(home: Connection) -> None:
    home.execute('CREATE OR REPLACE VIEW other."In ner" ("My Column", b) AS SELECT a, b FROM default.t')
    home.execute('CREATE OR REPLACE VIEW outside AS SELECT "My Column" * 2 AS n FROM other."In ner"')
    assert spark(home, "SELECT `My Column` FROM iceberg.other.`In ner` ORDER BY 1") == [(1,), (2,), (3,)]
    assert spark(home, "SELECT n FROM iceberg.default.outside ORDER BY n") == [(2,), (4,), (6,)]
    assert "outside" in str(spark(home, "SHOW VIEWS IN iceberg.default"))


def test_a_column_list_over_a_star_holds_when_the_table_grows(home: Connection) -> None:
    home.execute("CREATE OR REPLACE TABLE grows (x integer, y varchar)")
    home.execute("INSERT INTO grows VALUES (1, 'y')")
    home.execute("CREATE OR REPLACE VIEW listed (a, b) AS SELECT * FROM grows")
    home.execute("CREATE OR REPLACE VIEW starred AS SELECT * FROM grows")
    home.execute("ALTER TABLE grows ADD COLUMN z date")
    for name in ("listed", "starred"):
        assert home.execute(f"SELECT * FROM {name}").fetchall() == [(1, "y")]
        assert spark(home, f"SELECT * FROM iceberg.default.{name}") == [(1, "y")]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a, current_timestamp AS c FROM t",
        "SELECT now() AS c",
        "SELECT a FROM t WHERE at < current_date",
        "SELECT current_user AS c",
        "SELECT c FROM momentary",
        "SELECT a FROM t FOR VERSION AS OF 'main'",
        "SELECT a FROM t FOR TIMESTAMP AS OF TIMESTAMP '2999-01-01 00:00:00 UTC'",
        "SELECT table_name FROM information_schema.tables",
        'SELECT snapshot_id FROM "t$snapshots"',
    ],
)
def test_what_would_freeze_has_no_text_for_spark(home: Connection, query: str) -> None:
    home.execute("CREATE OR REPLACE VIEW momentary AS SELECT localtimestamp AS c")
    home.execute(f"CREATE OR REPLACE VIEW v AS {query}")
    assert texts(stored(home, "v")) == {"trino": query}
    home.execute("SELECT * FROM v").fetchall()


def test_a_view_over_files_is_ours_alone(home: Connection, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "x.parquet")
    home.execute(f"CREATE OR REPLACE VIEW files AS SELECT a FROM '{tmp_path}/x.parquet'")
    assert set(texts(stored(home, "files"))) == {"trino"}
    assert home.execute("SELECT sum(a) FROM files").fetchall() == [(3,)]


def test_spark_drops_and_renames_our_views(home: Connection) -> None:
    home.execute("CREATE OR REPLACE VIEW theirs AS SELECT a FROM t")
    spark(home, "ALTER VIEW iceberg.default.theirs RENAME TO iceberg.default.renamed")
    assert home.execute("SELECT count(*) FROM renamed").fetchall() == [(3,)]
    spark(home, "DROP VIEW iceberg.default.renamed")
    assert "renamed" not in home.coordinator.catalogs.get("iceberg").views(("default",))


def test_a_view_that_spark_made_is_dropped_by_us(home: Connection) -> None:
    spark(home, "CREATE VIEW iceberg.default.sparks AS SELECT 1 AS one")
    assert "sparks" in home.coordinator.catalogs.get("iceberg").views(("default",))
    home.execute("ALTER VIEW sparks RENAME TO sparks2")
    assert spark(home, "SELECT one FROM iceberg.default.sparks2") == [(1,)]
    home.execute("CREATE OR REPLACE VIEW sparks2 AS SELECT 2 AS one")
    assert spark(home, "SELECT one FROM iceberg.default.sparks2") == [(2,)]
    assert [v["version-id"] for v in stored(home, "sparks2")["versions"]] == [1, 2]
    home.execute("DROP VIEW sparks2")
