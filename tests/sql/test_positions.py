"""Where in a text something is."""

from __future__ import annotations

import pytest
from sqlglot import exp

from sqe.errors import Position
from sqe.sql.parse import parse, position_at, position_of


def test_lines_and_columns_are_counted_from_one() -> None:
    text = "ab\n\ncd"
    places = [position_at(text, offset) for offset in range(6)]
    assert places == [
        Position(1, 1),
        Position(1, 2),
        Position(1, 3),
        Position(2, 1),
        Position(3, 1),
        Position(3, 2),
    ]


def test_each_operator_of_a_long_chain_begins_where_the_chain_does() -> None:
    """Each is asked for while it is bound: to walk down from each would take minutes."""
    text = "SELECT\n  one" + " + one" * 3000
    syntax = parse(text, max_bytes=len(text))
    assert isinstance(syntax.node, exp.Select)
    node = syntax.node.selects[0]
    for _ in range(3000):
        assert position_of(node, text) == Position(2, 3)
        node = node.this


@pytest.mark.parametrize(
    "literal", ["DATE 'x'", "TIME 'x'", "TIMESTAMP 'x'", "JSON 'x'", "INTERVAL '1' DAY", "DECIMAL '1'"]
)
def test_a_literal_begins_at_its_keyword(literal: str) -> None:
    text = f"SELECT 1, {literal}"
    syntax = parse(text, max_bytes=len(text))
    assert isinstance(syntax.node, exp.Select)
    assert position_of(syntax.node.selects[1], text) == Position(1, 11)
