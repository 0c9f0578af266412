"""Scripts are cut at semicolons that end a statement, and at no others."""

from __future__ import annotations

import pytest

from sqe.sql.split import find_unquoted, is_complete, split

SCRIPTS = {
    "SELECT 1; SELECT 2": ["SELECT 1", "SELECT 2"],
    "SELECT ';' AS a; SELECT 2;": ["SELECT ';' AS a", "SELECT 2"],
    "SELECT 'it''s; fine'; SELECT 2": ["SELECT 'it''s; fine'", "SELECT 2"],
    'SELECT ";" FROM "a;""b"; SELECT 2': ['SELECT ";" FROM "a;""b"', "SELECT 2"],
    "SELECT 1 -- no; end\n; SELECT 2": ["SELECT 1 -- no; end", "SELECT 2"],
    "SELECT /* ; */ 1; SELECT 2": ["SELECT /* ; */ 1", "SELECT 2"],
    "SELECT $$a;b$$; SELECT $x$ ; $$ ; $x$": ["SELECT $$a;b$$", "SELECT $x$ ; $$ ; $x$"],
    ";;  ; -- nothing\n; /* nothing */": [],
    "SELECT 'never closed; SELECT 2": ["SELECT 'never closed; SELECT 2"],
    "-- first\nSELECT 1": ["SELECT 1"],
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_statements_of(script: str) -> None:
    assert [s.text for s in split(script)] == SCRIPTS[script]


def test_a_statement_knows_where_it_begins() -> None:
    first, second = split("\n  SELECT 1;\n-- x\n SELECT 2")
    assert (first.line, first.column, second.line, second.column) == (2, 3, 4, 2)


def test_a_shell_waits_for_the_semicolon() -> None:
    assert not is_complete("SELECT ';'")
    assert not is_complete("SELECT 1 -- ;")
    assert is_complete("SELECT 1; -- done")


def test_a_character_in_quotes_does_not_count() -> None:
    assert find_unquoted("SELECT '`', \"`\" -- `\n, `a`", "`") == 23
    assert find_unquoted("SELECT '`'", "`") is None
