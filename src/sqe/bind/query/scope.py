"""What a name can mean at one place of a statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from sqe.bind.names import Name, matches
from sqe.catalog.names import nearest
from sqe.errors import NotFound, NotSupported, Position, UserError
from sqe.foundation.record import record
from sqe.tree.expressions import Call, Dereference, Expression, Field, LambdaRef, Ref, walk
from sqe.types.sql_types import Row


@record
class Visible:
    """A column that can be named. `qualifier` is its relation's alias or full name; without a qualifier only
    `bare` ones are found, which the two sides of a column merged by USING are not; * omits `hidden` ones."""

    qualifier: tuple[str, ...]
    field: Field
    bare: bool = True
    hidden: bool = False

    @property
    def name(self) -> str:
        return self.field.name


@record
class Scope:
    """The columns of a FROM clause, the lambda parameters around, and the enclosing query's scope."""

    columns: tuple[Visible, ...] = ()
    parent: Scope | None = None
    lambdas: tuple[tuple[str, LambdaRef], ...] = ()
    aliases: tuple[tuple[str, Expression], ...] = ()
    _by_name: dict[str, list[Visible]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for column in self.columns:
            self._by_name.setdefault(column.name.lower(), []).append(column)

    def inside(self, columns: Sequence[Visible]) -> Scope:
        """The scope of a subquery in this one."""
        return Scope(tuple(columns), parent=self)

    def with_lambda(self, parameters: Sequence[LambdaRef]) -> Scope:
        return replace(self, lambdas=(*((p.name, p) for p in parameters), *self.lambdas))

    def with_aliases(self, aliases: Sequence[tuple[str, Expression]]) -> Scope:
        """ORDER BY and the like see the select list's names first."""
        return replace(self, aliases=tuple(aliases))

    def resolve(self, parts: Sequence[Name], position: Position | None) -> Expression:
        """A dotted name: [[catalog.]schema.]table.]column[.row field ...]."""
        scope: Scope | None = self
        while scope is not None:
            expression = scope._resolve_here(parts, position)
            if expression is not None:
                return expression
            scope = scope.parent
        written = ".".join(str(p) for p in parts)
        names = [v.name for s in self.chain() for v in s.columns]
        raise NotFound(
            f"column '{written}' cannot be resolved",
            code="COLUMN_NOT_FOUND",
            position=position,
            hint=nearest(str(parts[-1]), names),
        )

    def _resolve_here(self, parts: Sequence[Name], position: Position | None) -> Expression | None:
        lambda_refs = [ref for name, ref in self.lambdas if name == parts[0].folded]
        if lambda_refs:
            return dereference(lambda_refs[0], parts[1:], position)
        if len(parts) == 1:
            aliases = matches(parts[0].folded, self.aliases)
            if len(set(map(id, aliases))) == 1 or (aliases and all(a == aliases[0] for a in aliases)):
                return aliases[0]
            if aliases:
                raise _ambiguous(parts, position)
        for index in range(len(parts) - 1, -1, -1):
            column = self._column(parts[:index], parts[index], position)
            if column is not None:
                return dereference(Ref(column.type, column), parts[index + 1 :], position)
        return None

    def _column(self, qualifier: Sequence[Name], name: Name, position: Position | None) -> Field | None:
        candidates = [
            (v.name, v.field)
            for v in self._by_name.get(name.folded.lower(), ())
            if (qualifies(qualifier, v.qualifier) if qualifier else v.bare)
        ]
        fields = matches(name.folded, candidates)
        if len({f.id for f in fields}) > 1:
            raise _ambiguous((*qualifier, name), position)
        return fields[0] if fields else None

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def qualifies(written: Sequence[Name], qualifier: Sequence[str]) -> bool:
    """`t`, `s.t` and `c.s.t` all name the relation c.s.t."""
    if len(written) > len(qualifier):
        return False
    tail = qualifier[len(qualifier) - len(written) :]
    return all(bool(matches(w.folded, [(q, q)])) for w, q in zip(written, tail, strict=True))


def dereference(expression: Expression, fields: Sequence[Name], position: Position | None) -> Expression:
    """Walk into row fields."""
    for name in fields:
        row = expression.type
        if not isinstance(row, Row):
            raise UserError(
                f"'{name}' is not a field: {row} is not a row type", code="TYPE_MISMATCH", position=position
            )
        indexes = matches(name.folded, [(f.name, i) for i, f in enumerate(row.fields) if f.name is not None])
        if len(indexes) != 1:
            problem = "is ambiguous in" if indexes else "is not a field of"
            raise NotFound(f"'{name}' {problem} {row}", code="COLUMN_NOT_FOUND", position=position)
        expression = Dereference(row.fields[indexes[0]].type, expression, indexes[0])
    return expression


def is_random(expression: Expression) -> bool:
    """Whether it may have another value each time it is computed."""
    return any(isinstance(node, Call) and node.function in _RANDOM for node in walk(expression))


_RANDOM = frozenset(("random", "rand", "uuid", "shuffle"))


def check_computed_once(operand: Expression, what: str, position: Position | None) -> None:
    """Refuses an operand whose value may differ each time it is compared."""
    if is_random(operand):
        raise NotSupported(
            f"random(), uuid() and shuffle() cannot be the operand of {what}",
            position=position,
            hint="compute it in a subquery, and compare its column",
        )


def row_fields(row: Expression, position: Position | None) -> list[Expression]:
    """The fields of a row, one by one."""
    if isinstance(row, Call) and row.function == "$row":
        return list(row.arguments)
    assert isinstance(row.type, Row)
    if is_random(row):
        raise NotSupported("a row of random(), uuid() or shuffle() cannot be taken apart", position=position)
    return [Dereference(f.type, row, i) for i, f in enumerate(row.type.fields)]


def _ambiguous(parts: Sequence[Name], position: Position | None) -> UserError:
    written = ".".join(str(p) for p in parts)
    return UserError(
        f"column '{written}' is ambiguous",
        code="AMBIGUOUS_NAME",
        position=position,
        hint="qualify it with the table, or quote it where two columns differ only in case",
    )
