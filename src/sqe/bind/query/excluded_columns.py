"""exclude_columns: a table without some of its columns."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import name_of
from sqe.bind.query.scope import Scope, Visible
from sqe.errors import UserError
from sqe.tree.expressions import Ref
from sqe.tree.relations import Project, Relation


def without_columns(b: Binder, node: exp.Anonymous) -> Relation:
    """TABLE(exclude_columns(TABLE(t), DESCRIPTOR(a, b))): the table without these columns."""
    check_arguments(node, {"this", "expressions"}, b.text)
    given: dict[str, exp.Expr] = {}
    for name, argument in zip(("input", "columns"), node.expressions, strict=False):
        named = isinstance(argument, exp.Kwarg)
        given[argument.name.lower() if named else name] = argument.expression if named else argument
    table, columns = given.get("input"), given.get("columns")
    written = [
        isinstance(argument, exp.Anonymous) and argument.name.lower() == word
        for argument, word in ((table, "table"), (columns, "descriptor"))
    ]
    if len(node.expressions) != 2 or not all(written) or table is None or columns is None:
        raise UserError(
            "exclude_columns takes a table and its columns",
            code="MISSING_ARGUMENT" if len(node.expressions) < 2 else "INVALID_FUNCTION_ARGUMENT",
            position=b.position(node),
            hint="exclude_columns(input => TABLE(t), columns => DESCRIPTOR(a, b))",
        )
    relation, visible_columns = _argument(b, table)
    shown = [v for v in visible_columns if v.bare and not v.hidden]
    left_out = [name_of(c.this if isinstance(c, exp.Column) else c).text.lower() for c in columns.expressions]
    missing = [name for name in left_out if all(v.name.lower() != name for v in shown)]
    kept = tuple(v.field for v in shown if v.name.lower() not in left_out)
    if missing or not kept or not left_out:
        raise UserError(
            f"the table has no column {', '.join(missing)}" if missing else "some columns must be left",
            code="INVALID_FUNCTION_ARGUMENT",
            position=b.position(columns),
        )
    return Project(kept, relation, tuple(Ref(f.type, f) for f in kept))


def _argument(b: Binder, node: exp.Expr) -> tuple[Relation, list[Visible]]:
    """TABLE(t) or TABLE(SELECT ...), as the argument of a table function."""
    from sqe.bind.query.from_clause import bind_from

    check_arguments(node, {"this", "expressions"}, b.text)
    inner = node.expressions[0] if len(node.expressions) == 1 else None
    if isinstance(inner, exp.Column):
        check_arguments(inner, {"this", "table", "db", "catalog"}, b.text)
        names = [part.copy() for part in reversed(inner.parts)]
        if len(names) <= 3:
            table = exp.Table(**dict(zip(("this", "db", "catalog"), names, strict=False)))
            return bind_from(b, table, Scope())
    if isinstance(inner, exp.Query):
        return bind_from(b, exp.Subquery(this=inner.copy()), Scope())
    raise UserError(
        "the argument is TABLE(name) or TABLE(SELECT ...)",
        code="INVALID_FUNCTION_ARGUMENT",
        position=b.position(node),
    )
