"""JSON_TABLE: an UNNEST of rows that a Python function finds, each a JSON array of texts."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import Name, name_of
from sqe.bind.query.expressions import call, refuse_calls
from sqe.bind.query.json_path_forms import TABLE, body_call, clauses, defaults, invocation, read_path, typed
from sqe.bind.query.scope import Scope, Visible
from sqe.bind.types import bind_type
from sqe.errors import UserError
from sqe.sql.json_calls import JsonColumn, JsonTable
from sqe.tree.expressions import Expression, Literal, Ref
from sqe.tree.relations import Extend, Relation, Unnest
from sqe.types import sql_types as t

_ROW = t.Array(t.VARCHAR)


def json_table(
    b: Binder, source: Relation, node: JsonTable, scope: Scope, *, outer: bool
) -> tuple[Relation, list[Visible]]:
    """Joined to each row of the source."""
    position = b.position(node)
    document, form, values = invocation(b, node, scope)
    refuse_calls(b, document, node, "JSON_TABLE")
    columns = _Columns(b, "ERROR" if node.args.get("error") == "ERROR" else "NULL", scope)
    form |= {"error": columns.on_error, "columns": columns.forms(node.expressions)}
    rows = body_call(TABLE, _ROW, document, form, values | columns.values, position)
    row = b.fresh("row", t.VARCHAR)
    unnested = Unnest((*source.fields, row), source, (rows,), False, outer)
    cells: list[Expression] = []
    for place, (_, target) in enumerate(columns.named):
        path = Literal(t.VARCHAR, f"$[{place}]")
        cells.append(typed(call("json_extract_scalar", (Ref(t.VARCHAR, row), path)), target, position))
    qualifier, names = _alias(b, node, [name for name, _ in columns.named])
    fields = tuple(b.fresh(name, kind) for name, (_, kind) in zip(names, columns.named, strict=True))
    relation = Extend((*unnested.fields, *fields), unnested, tuple(cells))
    return relation, [Visible(qualifier, field) for field in fields]


class _Columns:
    """Their forms for the body, their names and types, and the values of their defaults."""

    def __init__(self, b: Binder, on_error: str, scope: Scope) -> None:
        self._b, self._scope = b, scope
        self.on_error = on_error
        self.named: list[tuple[str, t.Type]] = []
        self.values: dict[str, Expression] = {}

    def forms(self, nodes: Sequence[exp.Expr]) -> list[dict[str, object]]:
        return [self._form(node) for node in nodes]

    def _form(self, node: exp.Expr) -> dict[str, object]:
        assert isinstance(node, JsonColumn)
        kind = node.args["kind"]
        if kind == "NESTED":
            path = read_path(self._b, node.args["path"])
            self._refuse_variables(node, path.variables)
            form = {"kind": kind, "path": node.args["path"].name, "error": self.on_error}
            return form | {"columns": self.forms(node.expressions)}
        name, position = name_of(node.this), self._b.position(node.this)
        if any(name.folded == known for known, _ in self.named):
            raise UserError(
                "All column names of JSON_TABLE must be different",
                code="DUPLICATE_COLUMN_OR_PATH_NAME",
                position=position,
            )
        if kind == "ORDINALITY":
            self.named.append((name.folded, t.BIGINT))
            return {"kind": kind}
        target = bind_type(node.args["returning"], self._b.text)
        place = len(self.named)
        self.named.append((name.folded, target))
        for clause, value in defaults(self._b, node, target, self._scope).items():
            self.values[f"{place}.{clause}"] = value
        form = {"kind": kind, "place": place, "path": self._path(node, name)}
        return form | clauses(node, target, self.on_error, position)

    def _path(self, node: exp.Expr, name: Name) -> str:
        written = node.args.get("path")
        if written is None:
            # The standard folds to upper case, and paths tell one case from the other.
            member = name.text if name.quoted else name.text.upper()
            return 'lax $."' + member.replace('"', '""') + '"'
        self._refuse_variables(node, read_path(self._b, written).variables)
        return str(written.name)

    def _refuse_variables(self, node: exp.Expr, names: Sequence[str]) -> None:
        if names:
            raise UserError(
                f"no value is passed for ${names[0]}",
                code="INVALID_PATH",
                position=self._b.position(node.args["path"]),
                hint="variables are for the first path of JSON_TABLE",
            )


def _alias(b: Binder, node: JsonTable, names: list[str]) -> tuple[tuple[str, ...], list[str]]:
    alias = node.args.get("alias")
    if alias is None:
        return (), names
    check_arguments(alias, {"this", "columns"}, b.text)
    given = [name_of(column).folded for column in alias.args.get("columns") or ()]
    if given and len(given) != len(names):
        raise UserError(
            f"the column list has {len(given)} names for {len(names)} columns",
            code="MISMATCHED_COLUMN_ALIASES",
            position=b.position(node),
        )
    return (name_of(alias.this).folded,) if alias.this is not None else (), given or names
