"""What may fail because of a row that is hidden from the user, and so would tell of it.

Engines move conditions: on Spark a condition of the query runs below a row filter that holds a subquery or a
Python body, and its error then tells of the rows that the filter would have taken away. A barrier keeps the
two apart, and costs what the engine would have skipped; a query that says nothing that can fail needs none.
"""

from __future__ import annotations

from typing import Any

from sqe.functions.registry import can_fail
from sqe.tree import statements as s
from sqe.tree.expressions import Call, InList, InSubquery, Quantified, ScalarSubquery, walk
from sqe.tree.relations import Aggregate, Extend, Project, Relation
from sqe.types.sql_types import Array, Map, Row


def may_leak(statement: s.Statement) -> bool:
    """Whether anything may fail, anywhere in a statement: joins carry errors from one table to another."""
    return any(_leaks(node) for node in walk(statement))


def _leaks(node: Any) -> bool:
    match node:
        case ScalarSubquery():
            return not _has_one_row(node.relation)
        case InList(operand=operand) | Quantified(operand=operand):
            return _is_nested(operand.type)
        case InSubquery(operands=operands):
            return any(_is_nested(operand.type) for operand in operands)
    # Java's patterns take a process's whole stack for some texts.
    return can_fail(node) or (isinstance(node, Call) and node.function.startswith("regexp_"))


def _has_one_row(relation: Relation) -> bool:
    while isinstance(relation, (Project, Extend)):
        relation = relation.input
    return isinstance(relation, Aggregate) and not relation.keys and relation.grouping_sets is None


def _is_nested(type_: object) -> bool:
    # Comparing them fails where a part is NULL.
    return isinstance(type_, (Array, Map, Row))
