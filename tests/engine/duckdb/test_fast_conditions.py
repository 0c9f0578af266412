"""Which conditions choose a table's files: those that no row of it can fail and still matter."""

from __future__ import annotations

import pytest
from render_trees import Trees, compare, filtered, is_equal, joined, limited, literal

from sqe.engine.duckdb.conditions import conditions_of
from sqe.tree.expressions import conjunction
from sqe.tree.relations import Relation, Scan
from sqe.tree.statements import Query


def chosen(relation: Relation) -> dict[str, int]:
    """How many conditions each table has."""
    return {scan.table.name: len(terms) for scan, terms in conditions_of(Query(relation)).items()}


def two() -> tuple[Scan, Scan]:
    trees = Trees()
    return trees.scan("left", ("a", "b")), trees.scan("right", ("c", "d"))


def test_a_filter_chooses_the_files_below_it() -> None:
    scan = Trees().scan("t", ("a", "b"))
    once = filtered(scan, compare("$gt", scan.fields[0], literal(1)))
    twice = filtered(once, compare("$lt", scan.fields[1], literal(5)))
    assert chosen(twice) == {"t": 2}


def test_a_limit_is_taken_before_the_filter_above_it() -> None:
    scan = Trees().scan("t", ("a", "b"))
    assert chosen(filtered(limited(scan, 3), is_equal(scan.fields[0], literal(1)))) == {"t": 0}


@pytest.mark.parametrize(
    ("kind", "above", "on"),
    [
        ("inner", {"left": 1, "right": 1}, {"left": 1, "right": 1}),
        ("left", {"left": 1, "right": 0}, {"left": 0, "right": 1}),
        ("right", {"left": 0, "right": 1}, {"left": 1, "right": 0}),
        ("full", {"left": 0, "right": 0}, {"left": 0, "right": 0}),
    ],
)
def test_a_join_lets_through_what_its_kind_allows(
    kind: str, above: dict[str, int], on: dict[str, int]
) -> None:
    left, right = two()
    tests = [is_equal(left.fields[0], literal(1)), is_equal(right.fields[0], literal(2))]
    keys = is_equal(left.fields[1], right.fields[1])
    plain = joined(kind, left, right, keys)
    assert chosen(filtered(filtered(plain, tests[0]), tests[1])) == above
    assert chosen(joined(kind, left, right, conjunction(keys, *tests))) == on
