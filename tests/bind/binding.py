"""Statements bound against a catalog in memory: no engine, and nothing of what comes after binding."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.api.connection import Connection
from sqe.bind.binder import Binder
from sqe.bind.parameters import bind_values
from sqe.bind.prepared import parameter_types
from sqe.bind.statement import bind
from sqe.engine.explain import describe
from sqe.errors import SqeError
from sqe.policy.secure import Guard
from sqe.sql.parse import parse
from sqe.tree.expressions import Expression, Parameter
from sqe.tree.statements import Query, Statement
from sqe.types.sql_types import UNKNOWN


@dataclass(frozen=True, slots=True)
class Binding:
    connection: Connection

    def binder(self, sql: str, parameters: tuple[Expression, ...] = ()) -> Binder:
        coordinator, session = self.connection.coordinator, self.connection.session
        guard = Guard(coordinator.policy, session.identity, {})
        return Binder(
            sql,
            session,
            coordinator.catalogs,
            guard,
            parameters=parameters,
        )

    def tree(self, sql: str, *values: object) -> Statement:
        """`values` are Python's, for the `?` of the statement."""
        return bind(self.binder(sql, bind_values(values)), parse(sql, max_bytes=1 << 20))

    def parameter_types(self, sql: str) -> list[str]:
        """What each `?` is taken for while it has no value."""
        syntax = parse(sql, max_bytes=1 << 20)
        binder = self.binder(sql, tuple(Parameter(UNKNOWN, n) for n in range(syntax.parameters)))
        return [str(kind) for kind in parameter_types(binder, bind(binder, syntax), syntax.parameters)]

    def words(self, sql: str, *values: object) -> str:
        """The tree as EXPLAIN shows it."""
        return "\n".join(describe(self.tree(sql, *values)))

    def columns(self, sql: str, *values: object) -> str:
        """The answer's columns, as `name type, …`."""
        tree = self.tree(sql, *values)
        assert isinstance(tree, Query)
        return ", ".join(f"{field.name} {field.type}" for field in tree.relation.fields)

    def error(self, sql: str, *values: object) -> SqeError:
        try:
            tree = self.tree(sql, *values)
        except SqeError as error:
            return error
        raise AssertionError(f"{sql} is bound: {tree}")
