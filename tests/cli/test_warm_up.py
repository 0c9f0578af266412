"""When typing starts Spark."""

from __future__ import annotations

import pytest

from sqe.cli.warm_up import needs_engine


@pytest.mark.parametrize(
    "text",
    [
        "INSERT ",
        "insert into t",
        "UPDATE t",
        "DELETE FROM",
        "MERGE INTO t",
        "CREATE TABLE t AS SELECT ",
        "CREATE TABLE t WITH (format = 'x') AS WITH q AS",
        "CREATE SCHEMA s; INSERT INTO s.t",
        "-- a comment\nINSERT INTO",
    ],
)
def test_it_starts(text: str) -> None:
    assert needs_engine(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INSERT",  # may become INSERTED
        "SHOW TABLES FROM s ",
        "SHOW COLUMNS FROM t ",
        "DESCRIBE t ",
        "CREATE TABLE t (a BIGINT) ",
        "CREATE VIEW v AS SELECT a FROM t ",
        "DROP TABLE t ",
        "ALTER TABLE t ADD COLUMN insert BIGINT ",
        "SELECT 1 ",
        "SELECT a FROM ",
        "WITH q AS (SELECT 1) SELECT * FROM q",
        "SELECT 'x FROM y' ",
        "-- INSERT INTO t\nSHOW ",
        ".read insert from select ",
        ".d insert ",
    ],
)
def test_it_does_not_start(text: str) -> None:
    assert not needs_engine(text)
