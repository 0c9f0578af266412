"""What a kind of node or statement is stands on its class, and whoever leaves it out is noticed."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields

import pytest

from sqe.commands.command import COMMANDS, command_for
from sqe.errors import InternalError
from sqe.foundation.record import record
from sqe.policy.decision import AllowAll
from sqe.policy.secure import Guard, secure
from sqe.session import Identity
from sqe.tree import changes, expressions, grants, relations, statements
from sqe.tree.expressions import Literal, Node, walk
from sqe.tree.statements import Control, Definition, RowChange, Statement
from sqe.types.sql_types import BIGINT

_ABSTRACT = (Statement, Control, Definition, RowChange, expressions.Expression, expressions.Relation)


def concrete(above: type[Node] = Node) -> Iterator[type[Node]]:
    for kind in above.__subclasses__():
        if kind not in _ABSTRACT and kind.__module__.startswith("sqe."):
            yield kind
        yield from concrete(kind)


NODES = sorted(set(concrete()), key=lambda kind: kind.__qualname__)
KINDS = [kind for kind in NODES if issubclass(kind, Statement)]
NAMES = {**vars(changes), **vars(grants), **vars(expressions), **vars(relations), **vars(statements)}


def holds_nodes(annotation: object) -> bool:
    if isinstance(annotation, type):
        return issubclass(annotation, Node)
    return any(map(holds_nodes, typing.get_args(annotation)))


@pytest.mark.parametrize("kind", NODES, ids=lambda kind: kind.__name__)
def test_its_children_are_the_fields_that_hold_nodes(kind: type[Node]) -> None:
    hints = typing.get_type_hints(kind, NAMES)
    assert "children" in vars(kind), "every class declares its own"
    holding = [f.name for f in fields(kind) if holds_nodes(hints[f.name])]  # type: ignore[arg-type]
    assert sorted(kind.children) == sorted(holding)


def test_there_are_as_many_as_the_tree_has() -> None:
    assert len(NODES) > 60 and len(KINDS) > 25


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_statement_says_what_it_is(kind: type[Statement]) -> None:
    for fact in ("kind", "label", "writes", "changes", "needs", "places", "lanes"):
        home = next(above for above in kind.__mro__ if fact in vars(above))
        assert home is not Statement, f"{kind.__name__} does not say its {fact}"
    assert kind in COMMANDS


@record
class Vanish(Statement):
    """A kind that nobody has told the house about."""

    children = ()


def test_a_kind_that_is_unknown_passes_no_gate() -> None:
    guard = Guard(AllowAll(), Identity("joe"))
    with pytest.raises(InternalError, match="Vanish does not say its"):
        secure(Vanish(), guard, {}, lambda *_: pytest.fail("numbered"), lambda *_: pytest.fail("bound"))
    with pytest.raises(InternalError, match="no command runs a Vanish"):
        command_for(Vanish())


def test_a_node_without_children_is_not_walked() -> None:
    @record
    class Undeclared(expressions.Expression):
        operand: expressions.Expression

    with pytest.raises(AttributeError):
        list(walk(Undeclared(BIGINT, Literal(BIGINT, 1))))


def test_a_tree_is_never_changed() -> None:
    literal = Literal(BIGINT, 1)
    with pytest.raises(FrozenInstanceError):
        literal.value = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del literal.value
    assert literal.value == 1
