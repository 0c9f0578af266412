"""A pattern that the fast lane admits matches as a backtracking engine does: Python's stands for Java's here,
with the same lines and the same order of choices."""

from __future__ import annotations

import random
import re

import duckdb
import pyarrow as pa
import pytest

from sqe.engine.duckdb.functions.patterns import translated
from sqe.engine.duckdb.functions.rendering import render
from sqe.engine.render.templates import restore
from sqe.errors import NotSupported
from sqe.functions.registry import lookup
from sqe.tree.expressions import Call, Literal
from sqe.types.sql_types import VARCHAR

ATOMS = (
    "a",
    "b",
    ",",
    "é",
    ".",
    r"\.",
    "[ab]",
    "[^a]",
    r"[^\n]",
    r"[\s,]",
    "[a-c]",
    r"\d",
    r"\w",
    r"\S",
    r"\n",
)
LOOPS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}", "{1,}")
REFUSED = (
    *(
        r"\ba",
        r"(a)\1",
        "(?=a)",
        "(?<!a)b",
        "a++",
        "(a*)*",
        "(?m)^a",
        "[a&&b]",
        "[[:alpha:]]",
        "(?i)ß",
        "(?i)ss",
        r"(?i)[\w]",
        "(a",
    ),
    *("a)", "*", r"\Qa\E", "a{1001}", "[b-a]", r"\p{IsLatin}", "$a", "(?x) a"),
)
LETTERS = "aabbc,\n\n .1é_"


def pattern(dice: random.Random, depth: int = 0) -> str:
    match dice.randrange(8) if depth < 3 else 0:
        case 0 | 1 | 2:
            return dice.choice(ATOMS)
        case 3 | 4:
            return pattern(dice, depth + 1) + pattern(dice, depth + 1)
        case 5:
            return f"({pattern(dice, depth + 1)}|{pattern(dice, depth + 1)})"
        case 6:
            return f"({pattern(dice, depth + 1)})"
    return f"(?:{pattern(dice, depth + 1)}){dice.choice(LOOPS)}"


def around(dice: random.Random, inner: str) -> str:
    begin = "^" if dice.random() < 0.2 else ""
    return begin + inner + ("$" if dice.random() < 0.3 else "")


def fast(function: str, *constants: str) -> str:
    """DuckDB's text of a call over the column s."""
    row = lookup(function)
    assert row is not None
    literals = [Literal(VARCHAR, text) for text in constants]
    call = Call(VARCHAR, function, (Literal(VARCHAR, None), *literals))
    return restore(render(row, call, ("s", *("" for _ in constants))))


@pytest.mark.parametrize("seed", range(6))
def test_admitted_patterns_match_alike(seed: int) -> None:
    dice = random.Random(seed)
    texts = ["".join(dice.choices(LETTERS, k=dice.randrange(8))) for _ in range(150)]
    connection = duckdb.connect()
    connection.register("texts", pa.table({"s": texts}))
    compared = 0
    for _ in range(150):
        source = around(dice, pattern(dice))
        known = re.compile(source, re.ASCII)
        expected = {
            ("regexp_like", source): [known.search(text) is not None for text in texts],
            ("regexp_extract", source): [m[0] if (m := known.search(text)) else None for text in texts],
            ("regexp_count", source): [len(list(known.finditer(text))) for text in texts],
            ("regexp_replace", source, "<$0>"): [known.sub(r"<\g<0>>", text) for text in texts],
        }
        for (function, *constants), wanted in expected.items():
            try:
                sql = fast(function, *constants)
            except NotSupported:
                continue
            got = [row[0] for row in connection.execute(f"SELECT {sql} FROM texts").fetchall()]
            assert got == wanted, (function, source)
            compared += 1
    assert compared > 250


@pytest.mark.parametrize(
    "source",
    REFUSED,
)
def test_what_engines_read_otherwise_is_refused(source: str) -> None:
    with pytest.raises(NotSupported):
        translated(source, consuming=False)


def test_what_people_write_is_admitted() -> None:
    for source in (
        r"^https?://(?:www\.)?([^/]+)/.*$",
        r"^\s+|\s+$",
        r"([0-9]{4})-([0-9]{2})",
        r"(?i)error|warning",
        r"[^@]+@[^@]+\.[a-z]{2,}$",
        r"(?<year>\d+)",
        r"\p{L}+",
    ):
        translated(source, consuming=True)
