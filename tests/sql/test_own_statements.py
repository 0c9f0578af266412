"""SHOW, DESCRIBE, prepared statements and the session: what is grammar, and where it stops being."""

from __future__ import annotations

import pytest
from sqlglot import exp

from sqe.errors import SyntaxFault
from sqe.sql import statements as own
from sqe.sql.parse import parse


def shown(sql: str) -> tuple[str, str | None, str | None, str | None]:
    node = parse(sql).node
    assert isinstance(node, own.Show)
    texts = [node.args.get(name) for name in ("like", "escape")]
    target = node.args.get("target")
    names = None if target is None else ".".join(part.name for part in target.parts)
    return node.this, names, *(None if text is None else text.name for text in texts)


@pytest.mark.parametrize(("sql", "expected"), [
    ("SHOW CATALOGS", ("CATALOGS", None, None, None)),
    ("show catalogs like 'a%'", ("CATALOGS", None, "a%", None)),
    ("SHOW SCHEMAS", ("SCHEMAS", None, None, None)),
    ("SHOW SCHEMAS IN lake LIKE 'x'", ("SCHEMAS", "lake", "x", None)),
    ("SHOW TABLES FROM lake.s LIKE 'a!_b' ESCAPE '!'", ("TABLES", "lake.s", "a!_b", "!")),
    ('SHOW TABLES FROM "Lake"."S"', ("TABLES", "Lake.S", None, None)),
    ("SHOW VIEWS", ("VIEWS", None, None, None)),
    ("SHOW COLUMNS FROM a.b.c LIKE '%'", ("COLUMNS", "a.b.c", "%", None)),
    ("DESCRIBE t", ("COLUMNS", "t", None, None)),
    ("DESC a.b.t", ("COLUMNS", "a.b.t", None, None)),
    ("DESCRIBE input", ("COLUMNS", "input", None, None)),
    ("DESCRIBE output.t", ("COLUMNS", "output.t", None, None)),
    ('DESCRIBE "t$files"', ("COLUMNS", "t$files", None, None)),
    ("SHOW FUNCTIONS LIKE 'a%'", ("FUNCTIONS", None, "a%", None)),
    ("SHOW SESSION", ("SESSION", None, None, None)),
    ("SHOW STATS FOR t", ("STATS", "t", None, None)),
    ("SHOW CREATE TABLE t", ("CREATE TABLE", "t", None, None)),
    ("SHOW CREATE VIEW s.v", ("CREATE VIEW", "s.v", None, None)),
    ("SHOW CREATE SCHEMA s", ("CREATE SCHEMA", "s", None, None)),
    ("/* why */ SHOW TABLES -- because", ("TABLES", None, None, None)),
    ("-- why\nSHOW TABLES;", ("TABLES", None, None, None)),
])  # fmt: skip
def test_show(sql: str, expected: tuple[str | None, ...]) -> None:
    assert shown(sql) == expected


@pytest.mark.parametrize(("sql", "expected"), [
    ("PREPARE p FROM SELECT ?", own.Prepare),
    ('PREPARE "P q" FROM INSERT INTO t VALUES (?)', own.Prepare),
    ("PREPARE p FROM EXPLAIN SELECT 1", own.Prepare),
    ("PREPARE p FROM EXPLAIN ANALYZE VERBOSE SELECT 1", own.Prepare),
    ("EXECUTE p", own.Execute),
    ("EXECUTE p USING 1, 'a', DATE '2020-01-01', ARRAY[1]", own.Execute),
    ("EXECUTE IMMEDIATE 'SELECT ?' USING 1", own.Execute),
    ("DEALLOCATE PREPARE p", own.Deallocate),
    ("DESCRIBE INPUT p", own.DescribePrepared),
    ("DESCRIBE OUTPUT p", own.DescribePrepared),
    ("RESET SESSION a", own.ResetSession),
    ("SET SESSION a = 'b'", exp.Set),
    ("SET TIME ZONE LOCAL", own.SetTimeZone),
    ("SET TIME ZONE INTERVAL '2' HOUR", own.SetTimeZone),
    ("SET ROLE admin IN lake", own.SetRole),
    ("SET ROLE ALL", own.SetRole),
    ('SET PATH a, "B".c', own.SetPath),
    ("CALL a.b.c('x', y => 1)", own.CallProcedure),
    ("BEGIN", exp.Transaction),
    ("START TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ WRITE", exp.Transaction),
    ("COMMIT WORK", exp.Commit),
    ("ROLLBACK", exp.Rollback),
])  # fmt: skip
def test_the_rest(sql: str, expected: type[exp.Expr]) -> None:
    assert type(parse(sql).node) is expected


@pytest.mark.parametrize(("sql", "place"), [
    ("SHOW", "1:1"),
    ("SHOW PRIVILEGES", "1:6"),
    ("SHOW CREATE FUNCTION f", "1:13"),
    ("SHOW CATALOGS FROM x", "1:15"),
    ("SHOW COLUMNS", "1:6"),
    ("SHOW COLUMNS t", "1:14"),
    ("SHOW TABLES LIKE x", "1:18"),
    ("SHOW TABLES LIKE 'x' ESCAPE y", "1:29"),
    ("SHOW TABLES x", "1:13"),
    ("SHOW TABLES FROM 'x'", "1:18"),
    ("SHOW STATS t", "1:12"),
    ("SHOW STATS FOR (SELECT 1)", "1:16"),
    ("SHOW\n  TABLES\n  x", "3:3"),
    ("DESCRIBE 'x.parquet'", "1:10"),
    ("DESCRIBE t x", "1:12"),
    ("PREPARE FROM SELECT 1", "1:9"),
    ("PREPARE 1 FROM SELECT 1", "1:9"),
    ("PREPARE p SELECT 1", "1:11"),
    ("PREPARE p FROM", "1:11"),
    ("PREPARE p FROM SELECT 1 WHERE", "1:25"),
    ("EXECUTE", "1:1"),
    ("EXECUTE p USING 1 2", "1:19"),
    ("EXECUTE IMMEDIATE p", "1:19"),
    ("DEALLOCATE PREPARE", "1:12"),
    ("RESET a", "1:7"),
    ("SET TIME ZONE", "1:10"),
    ("START", "1:1"),
    ("START TRANSACTION ISOLATION LEVEL FOO", "1:35"),
    ("START TRANSACTION LATER", "1:19"),
    ("COMMIT now", "1:8"),
    ("ROLLBACK TO SAVEPOINT a", "1:10"),
])  # fmt: skip
def test_what_is_not_grammar_has_a_place(sql: str, place: str) -> None:
    with pytest.raises(SyntaxFault) as error:
        parse(sql)
    assert str(error.value.position) == place, error.value


def test_a_quoted_word_begins_no_statement() -> None:
    with pytest.raises(SyntaxFault):
        parse('"SHOW" TABLES')


@pytest.mark.parametrize("sql", ["/* a\nb */ EXPLAIN SELECT x FROM", "-- a\n\nEXPLAIN\nSELECT x FROM"])
def test_comments_and_line_breaks_before_explain_move_no_position(sql: str) -> None:
    with pytest.raises(SyntaxFault) as error:
        parse(sql)
    assert error.value.position is not None
    assert error.value.position.line == sql.count("\n") + 1


def test_many_comments_are_skipped_once_each() -> None:
    assert parse("EXPLAIN " + "/**/" * 5000 + " SELECT 1").explain
    assert not parse("/**/" * 5000 + "SELECT 1").explain


def test_explain_after_a_comment() -> None:
    assert parse('/* {"app": "dbt"} */ EXPLAIN SELECT 1').explain
