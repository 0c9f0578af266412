"""INSERT ... VALUES (?, ?) for many rows of values at once."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqe.sql.parse import NUMBER, Syntax

# Marks VALUES whose rows were sent one by one.
EACH = "each"


def is_query(syntax: Syntax) -> bool:
    """Whether it returns rows, and not the plan of something that does."""
    return not syntax.explain and isinstance(syntax.node, exp.Query)


def takes_rows(syntax: Syntax) -> bool:
    """Whether it inserts one row, which all of its parameters stand in."""
    row = _row(syntax)
    return row is not None and syntax.parameters == len(list(row.find_all(exp.Placeholder))) > 0


def with_rows(syntax: Syntax, rows: int) -> Syntax:
    """The statement with its row `rows` times, each with parameters of its own."""
    row = _row(syntax)
    assert row is not None and row.parent is not None
    copies = [_copy(row, number * syntax.parameters) for number in range(rows)]
    row.parent.set("expressions", copies)
    row.parent.meta[EACH] = True
    return replace(syntax, parameters=rows * syntax.parameters)


def _row(syntax: Syntax) -> exp.Expr | None:
    values = syntax.node.args.get("expression") if isinstance(syntax.node, exp.Insert) else None
    if syntax.explain or not isinstance(values, exp.Values) or len(values.expressions) != 1:
        return None
    row = values.expressions[0]
    return row if isinstance(row, exp.Tuple) else None


def _copy(row: exp.Expr, first: int) -> exp.Expr:
    copy = row.copy()
    for placeholder in copy.find_all(exp.Placeholder):
        placeholder.meta[NUMBER] += first
    return copy
