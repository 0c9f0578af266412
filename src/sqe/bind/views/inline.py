"""Views: the text of a view takes the place of its name, so that its tables are secured as the invoker's.

The text is bound on its own: in its own catalog and schema, and without the columns and WITH queries
around the name. Errors in it are reported where the statement names the view.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.names import matches
from sqe.bind.types import stored_type
from sqe.catalog.iceberg.table import Column
from sqe.catalog.iceberg.view import View
from sqe.errors import AccessDenied, LimitExceeded, NotFound, NotSupported, Position, SqeError, UserError
from sqe.sql.parse import parse
from sqe.tree.expressions import Ref
from sqe.tree.relations import Project, Relation
from sqe.types import sql_types as t

MAX_DEPTH = 32
# Views that name views twice grow as powers of two.
MAX_INLINED = 1000
# Codes of errors whose messages name nothing but views that the user sees.
_OF_VIEWS_ALONE = ("VIEW_IS_RECURSIVE", "QUERY_NESTED_TOO_DEEPLY", "QUERY_TEXT_TOO_LARGE")


def inline(b: Binder, view: View, position: Position | None) -> Relation:
    """What a view stands for, with the columns that its metadata announces."""
    _guard(b, view, position)
    try:
        syntax = parse(view.sql)
        if syntax.explain:
            raise NotSupported("EXPLAIN is not a query")
        from sqe.bind.query.queries import bind_query

        relation = bind_query(b.within(view, position), syntax.node)
        return _as_announced(b, view, relation, by_name=has_star(syntax.node))
    except SqeError as error:
        if b.guard.may_hide and error.code not in _OF_VIEWS_ALONE:
            raise _unreadable(view, error, position) from None
        raise type(error)(
            f"in view '{view.name}': {error.message}", code=error.code, position=position, hint=error.hint
        ) from error.__cause__


def _unreadable(view: View, error: SqeError, position: Position | None) -> SqeError:
    """The names in a view's text may be hidden from who reads it: that it cannot be read is all they learn,
    and the same for what is hidden and what is absent."""
    message = f"view '{view.name}' cannot be read"
    if isinstance(error, UserError):
        return NotFound(message, code="VIEW_IS_STALE", position=position)
    return type(error)(message, code=error.code, position=position)


def shows_text(b: Binder, view: View) -> bool:
    """Whether this user may know the text of a view, and with it every name that is in it."""
    if not b.guard.may_hide:
        return True
    reader = replace(b, tables={}, inlined=Counter(), warnings=[])
    try:
        inline(reader, view, None)
    except SqeError:
        return False
    return all(b.guard.sees_all_columns_of(table) for table in reader.tables)


def _guard(b: Binder, view: View, position: Position | None) -> None:
    # One that is being made does not exist for them yet; none that is read is hidden.
    if not b.guard.may_change(view.name):
        # `secure` sees base tables alone, and what it does not see must not pass.
        raise AccessDenied(
            f"cannot read '{view.name}': a row filter, mask or restriction applies to a view",
            position=position,
        )
    if any(view.name == outer.name for outer in b.inside):
        raise UserError(f"view '{view.name}' is recursive", code="VIEW_IS_RECURSIVE", position=position)
    if len(b.inside) >= MAX_DEPTH:
        raise UserError(
            f"views are nested more than {MAX_DEPTH} deep", code="QUERY_NESTED_TOO_DEEPLY", position=position
        )
    b.inlined[view.name] += 1
    if b.inlined.total() > MAX_INLINED:
        raise LimitExceeded(
            f"the statement reads more than {MAX_INLINED} views, with those in views",
            code="QUERY_TEXT_TOO_LARGE",
            position=position,
        )


def has_star(node: exp.Expr) -> bool:
    """Whether the tables decide which columns the query has."""
    return isinstance(node, exp.Table) or bool(getattr(node, "is_star", False))


def _as_announced(b: Binder, view: View, relation: Relation, *, by_name: bool) -> Relation:
    """The relation with the view's names, and its types where that loses nothing.

    SELECT * is matched by name, since its tables may have gained columns, which the view does not show,
    or lost some, be it for this user alone.
    """
    if not by_name and len(relation.fields) != len(view.columns):
        raise _stale(f"its text has {len(relation.fields)} columns, and {len(view.columns)} are announced")
    fields, expressions = [], []
    candidates = [(f.name, f) for f in relation.fields]
    for index, column in enumerate(view.columns):
        sources = matches(column.name, candidates) if by_name else [relation.fields[index]]
        if len(sources) > 1:
            raise _stale(f"column '{column.name}' is ambiguous")
        for source in sources:
            target = _announced_type(column, source.type)
            fields.append(b.fresh(column.name, target))
            expressions.append(coerce(Ref(source.type, source), target))
    if not fields:
        raise _stale("none of its columns exists")
    return Project(tuple(fields), relation, tuple(expressions))


def _announced_type(column: Column, bound: t.Type) -> t.Type:
    """The text's own type, where the metadata differs only because it has no char, no zones, and no smaller
    integers or precisions."""
    if stored_type(bound) == stored_type(column.type):
        return bound
    # A column that was widened since is shown as it is now.
    return column.type if t.coerces(bound, column.type) else bound


def _stale(why: str) -> UserError:
    return UserError(f"the view is stale: {why}", code="VIEW_IS_STALE", hint="create it again")
