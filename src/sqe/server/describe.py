"""What a statement returns and takes, without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.bind.prepared import parameter_types
from sqe.bind.statement import bind
from sqe.errors import InvalidStatement, NotSupported, SyntaxFault, TypeMismatch
from sqe.foundation.record import record
from sqe.policy.secure import Fresh, Guard
from sqe.session import Session
from sqe.sql.parse import parse
from sqe.sql.rows import is_query, takes_rows
from sqe.statement import Statement, plan
from sqe.tree import statements as s
from sqe.tree.expressions import Field, Parameter
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.coordinator import Coordinator


@record
class Description:
    """`fields` is None where no rows are returned, and empty where values of parameters decide what is.
    `parameters` has a type for each `?`, unknown where anything would do. `takes_rows` if many rows of values
    are one statement."""

    fields: tuple[Field, ...] | None
    parameters: tuple[t.Type, ...]
    takes_rows: bool

    @property
    def returns_rows(self) -> bool:
        return self.fields is not None


def describe(
    text: str, session: Session, coordinator: Coordinator, *, check: Callable[[], None]
) -> Description:
    """`check` raises if that took too long."""
    try:
        tree, description = _describe(text, session, coordinator)
    except RecursionError:
        raise SyntaxFault("the statement is nested too deeply", code="QUERY_NESTED_TOO_DEEPLY") from None
    # Else a limit that is too small for any statement could not be taken back.
    if not isinstance(tree, s.SetSession):
        check()
    return description


def _describe(
    text: str, session: Session, coordinator: Coordinator
) -> tuple[s.Statement | None, Description]:
    syntax = parse(text, max_bytes=coordinator.config.query.max_sql_bytes) if "?" in text else None
    if syntax is None or not syntax.parameters:
        # The plan is kept, and is the one that runs.
        planned = plan(Statement(text, session), coordinator)
        return planned.tree, Description(_fields(planned.tree, planned.fresh), (), False)
    guard = Guard(coordinator.policy, session.identity)
    binder = Binder(
        text,
        session,
        coordinator.catalogs_of(session),
        guard,
        parameters=tuple(Parameter(t.UNKNOWN, i) for i in range(syntax.parameters)),
        warnings=[],
    )
    many = takes_rows(syntax)
    try:
        tree = bind(binder, syntax)
    except (TypeMismatch, NotSupported, InvalidStatement) as error:
        if isinstance(error, InvalidStatement) and error.code != "NOT_SUPPORTED":
            raise
        # Where a `?` could be several things the values decide; and what is wrong whatever they are is an
        # error when it runs.
        fields = () if is_query(syntax) else None
        return None, Description(fields, (t.UNKNOWN,) * syntax.parameters, many)
    types = tuple(
        binder.cast_parameters.get(number, kind) if kind == t.UNKNOWN else kind
        for number, kind in enumerate(parameter_types(binder, tree, syntax.parameters))
    )
    return tree, Description(_fields(tree, binder.fresh), types, many)


def _fields(tree: s.Statement, fresh: Fresh) -> tuple[Field, ...] | None:
    if isinstance(tree, s.Query):
        return tree.relation.fields
    if isinstance(tree, s.Explain):
        from sqe.commands import analyze, explain

        columns = analyze.COLUMNS if tree.analyze else explain.columns(tree)
        return tuple(fresh(name, kind) for name, kind in columns)
    if tree.kind:
        return None
    return tuple(fresh(name, kind) for name, kind in _shown(tree))


def _shown(tree: s.Statement) -> list[tuple[str, t.Type]]:
    """The columns of SHOW and DESCRIBE."""
    if isinstance(tree, s.ShowStats):
        from sqe.commands import stats

        return stats.COLUMNS
    from sqe.commands import show

    return show.columns_of(tree)
