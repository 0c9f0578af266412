"""Nothing of sqlglot's syntax passes by being overlooked: each class and argument is converted or refused."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
from sqlglot import exp

import sqe.bind.ddl.schemas  # noqa: F401 (fills the tables)
from sqe.bind.conversion import EXPRESSIONS, QUERIES, RELATIONS, STATEMENTS, Conversions
from sqe.errors import NotSupported
from sqe.sql import alter
from sqe.sql import statements as own

PLACES = [EXPRESSIONS, RELATIONS, QUERIES, STATEMENTS]


def syntax_classes() -> list[type[exp.Expr]]:
    # Those that are Expr but not Expression are abstract: no tree holds one.
    return sorted(
        {
            c
            for module in (exp, own, alter)
            for _, c in inspect.getmembers(module, inspect.isclass)
            if issubclass(c, exp.Expression) and c is not exp.Expression
        },
        key=lambda c: c.__name__,
    )


def test_our_own_statements_are_among_them() -> None:
    classes = set(syntax_classes())
    for ours in (own.Show, own.Prepare, own.Execute, own.DescribePrepared, own.SetTimeZone, alter.Alter):
        assert ours in classes
        assert ours in STATEMENTS.table


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.place)
def test_every_class_is_converted_by_name_or_refused(place: Conversions) -> None:
    classes = syntax_classes()
    assert len(classes) > 800
    refused = 0
    for syntax in classes:
        if syntax in place.table:
            continue
        with pytest.raises(NotSupported):
            place.find(syntax(), "")
        refused += 1
    assert refused + len(place.table) >= len(classes)


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.place)
def test_every_argument_is_read_or_refused(place: Conversions) -> None:
    for syntax, argument in unread_arguments(place):
        node = syntax(**{argument: exp.Literal.string("x")})
        with pytest.raises(NotSupported, match="not supported"):
            place.find(node, "")


def unread_arguments(place: Conversions) -> Iterator[tuple[type[exp.Expr], str]]:
    for syntax, conversion in place.table.items():
        assert issubclass(syntax, exp.Expr)
        for argument in syntax.arg_types:
            if argument not in conversion.arguments:
                yield syntax, argument


def test_every_argument_a_conversion_reads_exists() -> None:
    shared = {"typed", "safe", "operation_modifiers"}
    for place in PLACES:
        for syntax, conversion in place.table.items():
            assert issubclass(syntax, exp.Expr)
            unknown = conversion.arguments - set(syntax.arg_types) - shared
            if place is EXPRESSIONS and syntax in QUERIES.table:
                continue  # one conversion for all queries that stand for a value
            assert not unknown, (syntax, unknown)
