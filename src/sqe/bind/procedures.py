"""CALL: the procedures that there are, and their arguments by name or by position."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS
from sqe.bind.query.tables import plain_table_parts
from sqe.errors import InvalidArgument, NotFound, SqeError
from sqe.sql.statements import CallProcedure
from sqe.tree import statements as s
from sqe.tree.expressions import Literal

converts = STATEMENTS.of

# The names of the arguments of each, and how many of them must be there.
PROCEDURES: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {
    ("system", "runtime", "kill_query"): (("query_id", "message"), 1),
}


@converts(CallProcedure, reads="this expressions names")
def _call(b: Binder, node: CallProcedure) -> s.Statement:
    name = tuple(part.folded for part in plain_table_parts(b, node.this))
    known = PROCEDURES.get(name)
    if known is None:
        raise NotFound(
            f"Procedure not registered: {'.'.join(name)}",
            code="PROCEDURE_NOT_FOUND",
            position=b.position(node.this),
            hint=f"there is {', '.join('.'.join(each) for each in PROCEDURES)}",
        )
    values = _arguments(b, node, *known)
    query_id = values["query_id"]
    if query_id is None:
        raise _invalid("query_id must not be NULL", b, node)
    return s.KillQuery(query_id, values.get("message"))


def _arguments(b: Binder, node: CallProcedure, names: Sequence[str], needed: int) -> dict[str, str | None]:
    from sqe.bind.query.expressions import bind_expression
    from sqe.bind.query.scope import Scope

    given: Sequence[str | None] = node.args.get("names") or []
    if any(given) and not all(given):
        raise _invalid("Named and positional arguments cannot be mixed", b, node)
    if len(given) > len(names):
        raise _invalid("Too many arguments for procedure", b, node)
    values: dict[str, str | None] = {}
    for position, (name, item) in enumerate(zip(given, node.expressions, strict=True)):
        name = names[position] if name is None else name
        if name not in names:
            raise _invalid(f"Unknown argument name: {name}", b, node)
        if name in values:
            raise _invalid(f"Duplicate procedure argument: {name}", b, node)
        value = bind_expression(b, item, Scope())
        if not isinstance(value, Literal) or not (value.value is None or isinstance(value.value, str)):
            raise _invalid(f"{name} takes a text", b, node)
        values[name] = value.value
    for name in names[:needed]:
        if name not in values:
            raise _invalid(f"Required procedure argument '{name}' is missing", b, node)
    return values


def _invalid(message: str, b: Binder, node: CallProcedure) -> SqeError:
    return InvalidArgument(message, code="INVALID_PROCEDURE_ARGUMENT", position=b.position(node.this))
