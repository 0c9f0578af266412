"""The one entry point of binding."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import QUERIES, STATEMENTS
from sqe.bind.query import calls, json_forms, special_forms, subqueries  # noqa: F401 (they register conversions)
from sqe.bind.query.constant_times import check_constant_times
from sqe.bind.query.queries import bind_query
from sqe.bind.query.zones import check_zones
from sqe.errors import NotSupported, UserError
from sqe.sql.parse import Syntax
from sqe.sql.statements import Prepare
from sqe.tree import statements as s
from sqe.tree.expressions import Ref
from sqe.tree.relations import Project, Relation


def bind(b: Binder, syntax: Syntax) -> s.Statement:
    """Bind a parsed statement to our tree."""
    expected = 0 if isinstance(syntax.node, Prepare) else syntax.parameters
    if expected != len(b.parameters):
        raise UserError(
            f"the statement has {_counted(expected, 'parameter')}, "
            f"and {_counted(len(b.parameters), 'value')} came with it",
            code="INVALID_PARAMETER_USAGE",
        )
    if type(syntax.node) in QUERIES.table:
        statement: s.Statement = s.Query(_as_written(b, syntax.node, bind_query(b, syntax.node)))
    else:
        from sqe.bind.ddl import schemas as statements  # noqa: F401 (a query needs none of its conversions)

        convert = STATEMENTS.find(syntax.node, b.text)
        statement = convert(b, syntax.node)
    check_zones(statement, b.session.time_zone)
    check_constant_times(statement)
    if not syntax.explain:
        return statement
    if syntax.analyze and not isinstance(statement, s.Query):
        raise NotSupported(
            "EXPLAIN ANALYZE runs the statement, and is for queries", hint="EXPLAIN shows what it would do"
        )
    return s.Explain(statement, syntax.analyze, syntax.verbose, syntax.validate)


def _as_written(b: Binder, node: exp.Expr, relation: Relation) -> Relation:
    """Name the answer's columns as the query writes them: TABLE_CAT, whatever case is stored."""
    while isinstance(node, exp.SetOperation):
        node = node.this
    items = node.expressions if isinstance(node, exp.Select) else []
    if len(items) != len(relation.fields) or any(item.is_star for item in items):
        return relation
    spellings = [item.alias_or_name if isinstance(item, (exp.Column, exp.Alias)) else "" for item in items]
    names = [
        name if name.lower() == f.name.lower() else f.name
        for name, f in zip(spellings, relation.fields, strict=True)
    ]
    if names == [f.name for f in relation.fields]:
        return relation
    fields = tuple(b.fresh(name, f.type) for name, f in zip(names, relation.fields, strict=True))
    return Project(fields, relation, tuple(Ref(f.type, f) for f in relation.fields))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
