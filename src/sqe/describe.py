"""What a statement returns and takes, without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.bind.prepared import parameter_types
from sqe.bind.statement import bind
from sqe.errors import SyntaxFault, TypeMismatch
from sqe.policy.secure import Guard
from sqe.record import record
from sqe.session import Session
from sqe.sql.parse import parse
from sqe.sql.rows import changes_rows, takes_rows
from sqe.statement import Statement, plan, run
from sqe.tree import statements as s
from sqe.tree import types as t
from sqe.tree.expressions import Field, Parameter

if TYPE_CHECKING:
    from sqe.coordinator import Coordinator


@record
class Description:
    """`fields` is None where no rows are returned. `parameters` has a type for each `?`, unknown where
    anything would do. `takes_rows` if many rows of values are one statement."""

    fields: tuple[Field, ...] | None
    parameters: tuple[t.Type, ...]
    takes_rows: bool

    @property
    def returns_rows(self) -> bool:
        return self.fields is not None


def describe(text: str, session: Session, coordinator: Coordinator) -> Description:
    try:
        return _describe(text, session, coordinator)
    except RecursionError:
        raise SyntaxFault("the statement is nested too deeply", code="QUERY_NESTED_TOO_DEEPLY") from None


def _describe(text: str, session: Session, coordinator: Coordinator) -> Description:
    syntax = parse(text, max_bytes=coordinator.config.query.max_sql_bytes) if "?" in text else None
    if syntax is None or not syntax.parameters:
        # The plan is kept, and is the one that runs.
        tree, binder = plan(Statement(text, session), coordinator)
        return Description(_fields(tree, binder, text, session, coordinator), (), False)
    guard = Guard(coordinator.policy, session.identity)
    binder = Binder(
        text,
        session,
        coordinator.catalogs,
        guard.decide,
        guard.may_read_files,
        hides=guard.hides,
        parameters=tuple(Parameter(t.UNKNOWN, i) for i in range(syntax.parameters)),
        warnings=[],
    )
    many = takes_rows(syntax)
    try:
        tree = bind(binder, syntax)
    except TypeMismatch:
        if not changes_rows(syntax):
            raise
        # Some `?` was taken for what does not fit into its column; the values may.
        return Description(None, (t.UNKNOWN,) * syntax.parameters, many)
    types = tuple(
        binder.cast_parameters.get(number, kind) if kind == t.UNKNOWN else kind
        for number, kind in enumerate(parameter_types(binder, tree, syntax.parameters))
    )
    return Description(_fields(tree, binder, text, session, coordinator), types, many)


def _fields(
    tree: s.Statement, binder: Binder, text: str, session: Session, coordinator: Coordinator
) -> tuple[Field, ...] | None:
    if isinstance(tree, s.Query):
        return tree.relation.fields
    if isinstance(tree, s.Explain):
        from sqe.statements.analyze import COLUMNS

        columns = COLUMNS if tree.analyze else [("Query Plan", t.VARCHAR)]
        return tuple(binder.fresh(name, kind) for name, kind in columns)
    if s.kind(tree):
        return None
    # SHOW and DESCRIBE: listing is all they do.
    shown = Statement(text, session)
    run(shown, coordinator)
    assert shown.result is not None
    fields = shown.result.fields
    shown.result.close()
    return fields
