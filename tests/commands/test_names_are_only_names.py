"""Whatever a name consists of, a statement means the same as with a plain one, on both lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from tests.local_files import to_path

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import SqeError

# The parser of an engine, a template, a pattern or a layout could take these for something else.
WORST = (
    """a "double" 'single' `back` \\""",
    "${user.name}",
    "{0} {over} {}",
    "a -- b",
    "/*1:2*/ ) (",
    "a.b",
    " two  spaces ",
    "line\u2028separator\u202e",
    "arg_",
    "a=b/c%20*",
)
OTHERS = (
    'double " quote',
    "single ' quote",
    "back`tick",
    "back\\slash",
    "ends in \\",
    "'",
    '"',
    "''",
    "``",
    "${user.name}",
    "${env:HOME}",
    "$snapshots",
    "{0}",
    "{}",
    "{over}",
    "{distinct}",
    "{args}",
    "a -- comment",
    "/* comment",
    "*/",
    "/*1:2*/",
    "semi;colon",
    "(",
    ")",
    "a.b",
    ".",
    "a, b",
    "per%cent %s",
    "star*",
    "what?",
    "[x]",
    " leads",
    "trails ",
    "two  spaces",
    "\u202ebidi\u202c",
    "zero\u200bwidth",
    "line\u2028separator",
    "no\u00a0break",
    "na\u00efve",
    "nai\u0308ve",
    "Stra\u00dfe",
    "STRASSE",
    "\u0130",
    "\u0131",
    "\U0001f4a9",
    "arg_",
    "e_",
    "x_",
    "t",
    "tt",
    "target",
    "source",
    "a0",
    "key",
    "value",
    "field0",
    "rows",
    "select",
    "NULL",
    "1",
    "CAST(x AS INT)",
    "raise_error('SQE:X:y')",
    "SQE@1:2:X",
    "sqe_json_text_parse(",
    "=",
    "a=b/c",
    "long " * 60,
)
UNSPEAKABLE = ("line\nbreak", "next\x85line", "nul\0")


def q(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


Script = Callable[[Sequence[str]], list[str]]


def each(names: Sequence[str], template: str, between: str = ", ") -> str:
    """The template once a name: #n is the name, #m another, #i its number, #j the next."""
    pieces = re.split("#([nmij])", template)
    made = []
    for number, name in enumerate(names):
        known = {"n": q(name), "m": q(name + " too"), "i": str(number), "j": str(number + 1)}
        made.append("".join(known[p] if odd % 2 else p for odd, p in enumerate(pieces)))
    return between.join(made)


def columns(names: Sequence[str]) -> list[str]:
    a, b = q(names[0]), q(names[1])
    listed = each(names, "#n")
    return [
        f"SELECT {listed} FROM c WHERE {each(names, '#n >= #i', ' AND ')} ORDER BY {a}",
        f"SELECT {each(names, 'CASE WHEN #n = #i THEN -#n ELSE round(#n, 1) END')} FROM c ORDER BY 1",
        f"SELECT {listed}, count(*), sum({b}) FROM c GROUP BY {listed} ORDER BY {a} DESC",
        f"SELECT {each(names[:3], 'count(DISTINCT #n), max(#n) FILTER (WHERE #n > #i)')} FROM c",
        f"SELECT {each(names[:3], 'lag(#n) OVER (ORDER BY #n), sum(#n) OVER (PARTITION BY #n)')} FROM c"
        f" ORDER BY {a}",
        f"SELECT x.{a}, y.{b} FROM c x JOIN c y ON {each(names, 'x.#n = y.#n', ' AND ')} ORDER BY 1",
        f"SELECT {a} FROM c x JOIN c y USING ({listed}) ORDER BY 1",
        f"SELECT (SELECT max(x.{a}) FROM c x WHERE {each(names, 'x.#n = c.#n', ' AND ')}) FROM c ORDER BY 1",
        f"SELECT {each(names[:3], 'cardinality(filter(ARRAY[#n, 1], e -> e >= #n)), TRY(10 / #n)')} FROM c"
        f" ORDER BY {a}",
        f"WITH w AS (SELECT {listed} FROM c UNION SELECT {listed} FROM c LIMIT 10)"
        f" SELECT {each(names, '#n', ' + ')} FROM w ORDER BY 1",
        f"SELECT listagg(CAST({a} AS varchar), '-') WITHIN GROUP (ORDER BY {b}) FROM c",
    ]


def aliases(names: Sequence[str]) -> list[str]:
    listed = each(names, "#n")
    return [
        f"WITH {each(names, '#n AS (SELECT #i AS #n)')}"
        f" SELECT {each(names, '#m.#n')} FROM {each(names, '#n AS #m')}",
        f"SELECT {each(names, 'transform(ARRAY[#i], #n -> #n + 1)')}",
        f"SELECT {each(names, 'reduce(ARRAY[1, 2], #i, (#n, #m) -> #n + #m, #n -> #n)')}",
        f"SELECT {listed} FROM (VALUES ({each(names, '#i')})) AS v ({listed}) ORDER BY {q(names[0])}",
        f"SELECT {each(names, 'count(*) OVER #n')} FROM (VALUES 1, 2) v (x)"
        f" WINDOW {each(names, '#n AS (ORDER BY x)')} ORDER BY 1",
        f"SELECT u.* FROM UNNEST(ARRAY[1, 2]) AS u ({q(names[0])}) ORDER BY {q(names[0])}",
    ]


def rows(names: Sequence[str]) -> list[str]:
    made = f"CAST(ROW({each(names, '#i')}) AS ROW({each(names, '#n integer')}))"
    more = f"CAST(ROW({each(names, '#j')}) AS ROW({each(names, '#n integer')}))"
    return [
        f"SELECT {each(names, 'r.#n')} FROM (SELECT CAST({made} AS ROW({each(names, '#n bigint')})) AS r)",
        f"SELECT {made} = {more}, {made} = {made}, transform(ARRAY[{more}], e -> e.{q(names[1])})",
        f"SELECT * FROM UNNEST(ARRAY[{made}, {more}]) AS u ({each(names, '#n')}) ORDER BY 1",
        f"SELECT m[7].{q(names[0])} FROM (SELECT map(ARRAY[7], ARRAY[{made}]) AS m)",
        f"SELECT {each(names, 's.#n')} FROM s WHERE s.{q(names[1])} = 1",
        "SELECT s FROM s",
    ]


def changes(names: Sequence[str]) -> list[str]:
    """Of tables, the last statement reads what became of them."""
    a, b = q(names[0]), q(names[1])
    return [
        f"UPDATE c SET {each(names, '#n = #n + 1')} WHERE {each(names, '#n = #i', ' AND ')}",
        f"MERGE INTO c USING (SELECT 100 AS {a}, 7 AS {b}) AS x ON c.{a} = x.{a}"
        f" WHEN MATCHED THEN UPDATE SET {b} = x.{b}"
        f" WHEN NOT MATCHED THEN INSERT ({a}, {b}) VALUES (x.{a}, x.{b})",
        f"DELETE FROM c WHERE {a} = 100 AND {b} IS NULL",
        f"CREATE OR REPLACE TABLE d WITH (partitioning = ARRAY[{text(a)}]) AS"
        f" SELECT {each(names, '#n')} FROM c",
        f"ALTER TABLE d RENAME COLUMN {b} TO renamed",
        f"ALTER TABLE d RENAME COLUMN renamed TO {b}",
        f"CREATE OR REPLACE VIEW e AS SELECT {each(names, '#n AS #m')} FROM d",
        f"PREPARE {a} FROM SELECT {each(names, '#m')} FROM e WHERE {q(names[0] + ' too')} > ? ORDER BY 1",
        f"EXECUTE {a} USING 0",
        f"DEALLOCATE PREPARE {a}",
    ]


def stored(names: Sequence[str]) -> list[str]:
    """Schemas, tables, views and values of partitions."""
    tables = [n.replace("$", "_").strip() for n in names]
    made = [
        statement
        for name in tables
        for statement in (
            f"CREATE SCHEMA IF NOT EXISTS {q(name)}",
            f"CREATE TABLE IF NOT EXISTS {q(name)}.{q(name)} ({q(name)} integer)",
            f"CREATE VIEW IF NOT EXISTS {q(name)}.{q(name + ' v')} AS"
            f" SELECT {q(name)} FROM {q(name)}.{q(name)}",
        )
    ]
    one = f"{q(tables[0])}.{q(tables[0])}"
    return [
        *made,
        f"INSERT INTO {one} VALUES 1",
        each(tables, "SELECT #i, #n FROM #n.#n", " UNION ALL ") + " ORDER BY 1",
        " UNION ALL ".join(f"SELECT {q(n)} FROM {q(n)}.{q(n + ' v')}" for n in tables),
        *(f"DROP SCHEMA {q(name)} CASCADE" for name in tables),
    ]


SCRIPTS = (columns, aliases, rows, changes, stored)


def answers(connection: Connection, script: Script, names: Sequence[str], lane: str) -> list[object]:
    listed = each(names, "#n integer")
    connection.execute(f"CREATE OR REPLACE TABLE c ({listed})")
    connection.execute(f"INSERT INTO c VALUES ({each(names, '#i')}), ({each(names, '#j')})")
    if script is rows:
        made = f"CAST(ROW({each(names, '#i')}) AS ROW({listed}))"
        connection.execute(f"CREATE OR REPLACE TABLE s AS SELECT {made} AS s")
    connection.execute(f"SET SESSION lane = '{lane}'")
    try:
        cursors = (connection.execute(statement) for statement in script(names))
        return [c.fetchall() if c.description else c.rowcount for c in cursors]
    finally:
        connection.execute("RESET SESSION lane")


def compare(connection: Connection, script: Script, names: Sequence[str]) -> None:
    expected = answers(connection, script, [f"p{number}" for number in range(len(names))], "auto")
    # All changes are Spark's.
    for lane in ("auto",) if script is changes else ("auto", "spark"):
        found = answers(connection, script, names, lane)
        for statement, e, f in zip(script(names), expected, found, strict=True):
            assert (statement, f) == (statement, e)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_names_mean_what_plain_names_mean(schema: Connection, script: Script) -> None:
    compare(schema, script, WORST)


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_more_names_mean_what_plain_names_mean(schema: Connection, script: Script) -> None:
    for start in range(0, len(OTHERS), 12):
        compare(schema, script, OTHERS[start : start + 12])


@pytest.mark.parametrize("name", UNSPEAKABLE)
def test_no_name_that_is_kept_has_a_control_character(schema: Connection, name: str) -> None:
    schema.execute("CREATE TABLE x (a integer, r ROW(b integer))")
    for statement in (
        f"CREATE SCHEMA {q(name)}",
        f"CREATE TABLE {q(name)} (a integer)",
        f"CREATE TABLE y ({q(name)} integer)",
        f"CREATE TABLE y (a array(ROW({q(name)} integer)))",
        f"CREATE TABLE y AS SELECT 1 AS {q(name)}",
        f"CREATE TABLE y AS SELECT CAST(ROW(1) AS ROW({q(name)} integer)) AS r",
        f"CREATE VIEW y AS SELECT 1 AS {q(name)}",
        f"CREATE VIEW {q(name)} AS SELECT 1 AS a",
        f"ALTER TABLE x RENAME TO {q(name)}",
        f"ALTER TABLE x ADD COLUMN {q(name)} integer",
        f"ALTER TABLE x ADD COLUMN b ROW({q(name)} integer)",
        f"ALTER TABLE x RENAME COLUMN a TO {q(name)}",
        f"ALTER TABLE x RENAME COLUMN r.b TO {q(name)}",
        f"SELECT * FROM {q(name)}",
        f"SELECT * FROM {q(name)}.x",
    ):
        with pytest.raises(SqeError, match=r"control character|contains the character U\+0000"):
            schema.execute(statement)


def test_an_alias_may_have_a_line_break(schema: Connection) -> None:
    cursor = schema.execute('WITH "w\n" AS (SELECT 1 AS "a\nb") SELECT "a\nb", "a\nb" AS "c\n  d" FROM "w\n"')
    assert cursor.description is not None
    assert [column[0] for column in cursor.description] == ["a\nb", "c\n  d"]
    assert cursor.fetchall() == [(1, 1)]


def test_columns_of_others_with_control_characters_are_refused_until_they_are_renamed(
    schema: Connection,
) -> None:
    schema.execute("CREATE TABLE others (a integer, b integer)")
    catalog = schema.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    table = catalog.find_table(schema.session.namespace, "others")
    file = to_path(table.metadata_location)
    file.write_text(file.read_text().replace('"name": "b"', '"name": "b\\r"'))
    catalog._tables.remove([table.metadata_location])
    for statement in ("SELECT * FROM others", "INSERT INTO others VALUES (1, 2)", "DELETE FROM others"):
        with pytest.raises(SqeError, match=r"control character U\+000D"):
            schema.execute(statement)
    schema.execute('ALTER TABLE others RENAME COLUMN "b\r" TO b')
    assert schema.execute("SELECT * FROM others").fetchall() == []
