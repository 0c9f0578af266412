"""No expression of a user may fail because of a row that is hidden from that user.

Engines move conditions: on Spark a condition of the query runs below a row filter that holds a subquery or a
Python body, and its error then tells of the rows that the filter would have taken away. Nothing in the
rendered SQL keeps the two apart, so that a query of such a table may only say what cannot fail.
"""

from __future__ import annotations

from typing import Any

from sqe.errors import NotSupported
from sqe.functions.registry import can_fail
from sqe.tree import statements as s
from sqe.tree.expressions import Call, InList, InSubquery, Quantified, ScalarSubquery, walk
from sqe.tree.relations import Aggregate, Extend, Project, Relation, TableName
from sqe.types.sql_types import Array, Map, Row


def check_leakproof(statement: s.Statement, table: TableName) -> None:
    """Refuses what may fail, anywhere in a statement that reads `table`, which has a row filter or mask:
    joins carry errors from one table to another."""
    for node in walk(statement):
        if _leaks(node):
            raise NotSupported(
                f"'{table}' has a row filter or mask: what may fail for some rows is not supported over it",
                position=getattr(node, "position", None),
                hint="TRY(…) and TRY_CAST give NULL instead of failing",
            )


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
