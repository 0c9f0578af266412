"""What Spark would run but we do not offer never gets past the binder, and says where it stood."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.engine.spark.spark import Spark
from sqe.errors import SqeError

REFUSED = [
    "SELECT a INTO x FROM t",
    "SELECT @x",
    "SELECT a FROM t WITH (NOLOCK)",
    "SELECT a FROM t FOR UPDATE",
    "INSERT OVERWRITE DIRECTORY '/nowhere' SELECT 1",
    "INSERT OVERWRITE TABLE t SELECT 1",
    "LOAD DATA INPATH '/nowhere' INTO TABLE t",
    "COPY INTO t FROM '/nowhere'",
    "CACHE TABLE t",
    "UNCACHE TABLE t",
    "CREATE FUNCTION f AS 'x.Y'",
    "CREATE TEMPORARY FUNCTION f AS 'x.Y' USING JAR '/nowhere.jar'",
    "SELECT a FROM t LATERAL VIEW explode(array(1)) x AS y",
    "SELECT a FROM t CLUSTER BY a",
    "SELECT a FROM t DISTRIBUTE BY a",
    "SELECT a FROM t SORT BY a",
    "SELECT TRANSFORM (a) USING 'cat' FROM t",
    "SELECT reflect('java.lang.System', 'getenv', 'HOME')",
    "SELECT java_method('java.lang.System', 'getenv', 'HOME')",
    "SELECT * FROM text.`/etc/passwd`",
    'SELECT * FROM text."/etc/passwd"',
    "SET spark.sql.ansi.enabled = false",
    "SET spark.sql.variable.substitute = true",
    "RESET spark.sql.ansi.enabled",
    "ADD JAR '/nowhere.jar'",
    "PRAGMA x",
    "ATTACH 'x' AS y",
    "CREATE VIEW v AS SELECT 1",
    "CREATE INDEX i ON t (a)",
    "KILL 1",
    "SELECT a FROM t PIVOT (sum(a) FOR a IN (1, 2))",
    "SELECT a FROM t MATCH_RECOGNIZE (PATTERN (x) DEFINE x AS true)",
    "SELECT * FROM JSON_TABLE('x', '$' COLUMNS (a INTEGER PATH '$.a'))",
    "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t",
    "SELECT a FROM t WHERE a GLOB 'x'",
    "SELECT a::integer FROM t WHERE a SIMILAR TO 'x'",
    "SELECT * FROM t NATURAL JOIN t",
    "SELECT * FROM t ASOF JOIN t ON true",
    "SELECT DISTINCT ON (a) a FROM t",
    "SELECT TOP 3 a FROM t",
    "SELECT a FROM t GROUP BY a WITH ROLLUP",
    "SELECT a FROM t GROUP BY a WITH CUBE",
    "SELECT timestamp(3) '2020-01-01 00:00:00'",
    "UPDATE t SET zzz.a = 5",
    "SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY a), w AS (ORDER BY a)",
    "SELECT sum(a) OVER (ORDER BY a ROWS 5 FOLLOWING) FROM t",
    "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN a PRECEDING AND CURRENT ROW) FROM t",
    "SELECT array_agg(a ORDER BY a) WITHIN GROUP (ORDER BY a DESC) FROM t",
    "SELECT DATE '2020-W01-1'",
    "SELECT INTERVAL '1.5' DAY",
    "SELECT INTERVAL '99999999999999' DAY",
    "SELECT a, FROM t",
    "SELECT a FROM t LIMIT 2, 5",
    "SELECT TIMESTAMP '2020-01-01 00:00:00 America'",
    "SELECT grouping(a) FROM t",
    "SELECT sum(a) FILTER (WHERE max(a) > 1) FROM t",
    "MERGE INTO t USING t u ON t.a = u.a WHEN MATCHED AND sum(u.a) > 1 THEN DELETE",
    "SELECT * EXCLUDE (a) FROM t",
    "SELECT 1_000",
    "SELECT 1a FROM t",
    "SELECT 0x1F",
    "SELECT a:b FROM t",
    "SELECT INTERVAL '2 hour' DAY",
    "SELECT INTERVAL '2 hour'",
    "SELECT (SELECT sum(t.a) FROM t u) FROM t",
    "SELECT * FROM UNNEST(ARRAY[1]) WITH OFFSET AS o",
    "SELECT * FROM UNNEST(ARRAY[1]) WITH ORDINALITY, UNNEST(ARRAY[1]) WITH /* ORDINALITY */ OFFSET",
    "SELECT a FROM t JOIN t u",
    "SELECT a FROM t FETCH LAST 2 ROWS ONLY",
    "WITH x AS MATERIALIZED (SELECT 1) SELECT * FROM x",
    "UPDATE t SET a = 1 FROM t u WHERE u.a = t.a",
    "DELETE FROM t USING t u WHERE u.a = t.a",
    "DELETE FROM t LIMIT 3",
    "INSERT INTO t PARTITION (a = 1) SELECT 1",
    "MERGE INTO t USING t u ON t.a = u.a WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "CREATE TABLE x (a bigint PRIMARY KEY)",
    "CREATE TEMPORARY TABLE x (a bigint)",
    "CREATE EXTERNAL TABLE x (a bigint) LOCATION '/nowhere'",
    "CREATE TABLE x (a bigint) LIKE t",
    "CREATE TABLE x LIKE t AS SELECT 1 AS a",
    "CREATE TABLE x (LIKE t INCLUDING CONSTRAINTS)",
    "CREATE MATERIALIZED VIEW v AS SELECT 1 AS a",
    "CREATE TEMPORARY VIEW v AS SELECT 1 AS a",
    "CREATE VIEW v (a bigint) AS SELECT 1",
    "CREATE VIEW v AS DELETE FROM t",
    "CREATE VIEW v WITH (x = 1) AS SELECT 1 AS a",
    "CREATE VIEW v TBLPROPERTIES ('io-impl' = 'x.Y') AS SELECT 1 AS a",
    "ALTER VIEW v AS SELECT 1",
    "ALTER TABLE t EXECUTE optimize",
    "ALTER TABLE t SET AUTHORIZATION joe",
    "ALTER TABLE t SET LOCATION '/nowhere'",
    "ALTER TABLE t SET PROPERTIES location = '/nowhere'",
    "ALTER TABLE t SET TBLPROPERTIES ('io-impl' = 'x.Y')",
    "ALTER TABLE t ADD COLUMN b bigint FIRST",
    "ALTER TABLE t ADD COLUMN b bigint DEFAULT 1",
    "ALTER TABLE t ADD COLUMN b bigint, DROP COLUMN a",
    "ALTER TABLE t ALTER COLUMN a SET DATA TYPE varchar USING 'x'",
    "ALTER TABLE t RECOVER PARTITIONS",
    "COMMENT ON SCHEMA default IS 'x'",
    "CREATE TABLE x USING parquet AS SELECT 1 AS a",
    "SELECT a FROM t TABLESAMPLE (10 ROWS)",
    "SELECT CAST('x' AS date FORMAT 'YYYY') FROM t",
    "SELECT array_agg(a ORDER BY a LIMIT 2) FROM t",
    "SELECT sum(a) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t",
    "SELECT a FROM t FOR VERSION BETWEEN 1 AND 2",
    "SELECT a FROM t VERSION AS OF 1 LIMIT 5 PERCENT",
]


@pytest.fixture(scope="module")
def fresh(connect: object) -> Connection:
    connection = connect(memory=True)  # type: ignore[operator]
    connection.execute("CREATE TABLE t (a bigint)")
    assert isinstance(connection, Connection)
    return connection


@pytest.mark.parametrize("sql", REFUSED)
def test_it_is_refused_with_a_position_and_never_reaches_spark(
    fresh: Connection, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[object] = []
    monkeypatch.setattr(Spark, "session", lambda *a, **k: reached.append(a))
    with pytest.raises(SqeError) as error:
        fresh.execute(sql)
    assert error.value.position is not None, error.value
    assert error.value.kind.value == "USER_ERROR"
    assert reached == []


@pytest.mark.spark
def test_substitution_syntax_is_only_text(fresh: Connection) -> None:
    assert fresh.execute("SELECT '${env:HOME}'").fetchall() == [("${env:HOME}",)]
