"""Which conditions choose a table's files: those that no row of it can fail and still matter."""

from __future__ import annotations

import pytest
from tests.engine.render.render_trees import (
    Trees,
    compare,
    count_rows,
    filtered,
    is_equal,
    joined,
    limited,
    literal,
    plus,
)

from sqe.tree.expressions import Ref, conjunction, walk
from sqe.tree.pushdown import conditions_by_scan
from sqe.tree.relations import Cte, CteRef, Relation, Scan, SetOperation, With
from sqe.tree.statements import Query
from sqe.types.sql_types import BIGINT, DOUBLE


def chosen(relation: Relation) -> dict[str, int]:
    """How many conditions each table has."""
    return {
        scan.table.name: len(terms)
        for scan, terms in conditions_by_scan(Query(relation)).items()
        if isinstance(scan, Scan)
    }


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


def names(relation: Relation) -> dict[str, set[str]]:
    """Which columns of each table the conditions on it read."""
    return {
        scan.table.name: {n.field.name for term in terms for n in walk(term) if isinstance(n, Ref)}
        for scan, terms in conditions_by_scan(Query(relation)).items()
        if isinstance(scan, Scan)
    }


def test_a_column_is_followed_through_its_names() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a", "b"))
    once = trees.project(scan, scan.fields[1], names=["x"])
    twice = trees.project(once, once.fields[0], names=["y"])
    assert names(filtered(twice, is_equal(twice.fields[0], literal(1)))) == {"t": {"b"}}
    computed = trees.extend(scan, "c", plus(scan.fields[0], scan.fields[1]))
    assert names(filtered(computed, is_equal(computed.fields[2], literal(1)))) == {"t": set()}
    assert names(filtered(computed, is_equal(computed.fields[0], literal(1)))) == {"t": {"a"}}


def test_a_group_goes_with_its_rows() -> None:
    trees = Trees()
    scan = trees.scan("t", ("a", "b"))
    grouped = trees.aggregate(scan, scan.fields[:1], count_rows())
    assert names(filtered(grouped, is_equal(grouped.fields[0], literal(1)))) == {"t": {"a"}}
    assert names(filtered(grouped, is_equal(grouped.fields[1], literal(1, BIGINT)))) == {"t": set()}


@pytest.mark.parametrize("op", ["union", "intersect", "except"])
def test_both_sides_of_a_set_operation_are_filtered(op: str) -> None:
    trees = Trees()
    left, right = trees.scan("left", ("a", "b")), trees.scan("right", ("c", "d"))
    both = SetOperation((trees.field("x"), trees.field("y")), op, True, left, right)
    assert names(filtered(both, is_equal(both.fields[1], literal(1)))) == {"left": {"b"}, "right": {"d"}}


def test_what_is_equal_is_filtered_alike() -> None:
    left, right = two()
    keys = is_equal(left.fields[0], right.fields[0])
    one = is_equal(left.fields[0], literal(1))
    assert names(filtered(joined("inner", left, right, keys), one)) == {"left": {"a"}, "right": {"c"}}
    assert names(filtered(joined("cross", left, right), one, keys)) == {"left": {"a"}, "right": {"c"}}
    # The other side of an outer join lacks rows, which is what its NULLs say.
    assert names(filtered(joined("left", left, right, keys), one)) == {"left": {"a"}, "right": {"c"}}
    assert names(filtered(joined("right", left, right, keys), one)) == {"left": set(), "right": set()}


def test_zeros_are_equal_and_two() -> None:
    trees = Trees()
    left, right = (trees.scan(name, (name,), types=[DOUBLE]) for name in ("a", "b"))
    keys = is_equal(left.fields[0], right.fields[0])
    one = is_equal(left.fields[0], literal(0.0, DOUBLE))
    assert names(filtered(joined("inner", left, right, keys), one)) == {"a": {"a"}, "b": set()}


def with_cte(trees: Trees, *, uses: int, recursive: bool = False) -> Relation:
    scan = trees.scan("t", ("a", "b"))
    cte = Cte(1, "c", scan, recursive)
    refs = [CteRef((trees.field("x"), trees.field("y")), 1, scan.fields) for _ in range(uses)]
    sides = [filtered(ref, is_equal(ref.fields[0], literal(number))) for number, ref in enumerate(refs)]
    query = sides[0] if uses == 1 else joined("cross", sides[0], sides[1])
    return With(query.fields, (cte,), query)


def test_a_cte_is_filtered_by_its_only_use() -> None:
    assert names(with_cte(Trees(), uses=1)) == {"t": {"a"}}
    assert names(with_cte(Trees(), uses=2)) == {"t": set()}
    assert names(with_cte(Trees(), uses=1, recursive=True)) == {"t": set()}


def test_a_table_that_stands_twice_is_read_for_both() -> None:
    scan = Trees().scan("t", ("a", "b"))
    sides = [filtered(scan, is_equal(scan.fields[0], literal(number))) for number in (1, 2)]
    both = SetOperation(scan.fields, "union", False, sides[0], sides[1])
    assert chosen(both) == {"t": 0}
