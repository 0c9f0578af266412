"""Relations as DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqe.engine.duckdb.expressions import FastExpressions
from sqe.engine.duckdb.sources import Source
from sqe.engine.duckdb.types import duck_type, quote_name
from sqe.engine.render.block import Block, Column
from sqe.engine.render.layout import Lines, line
from sqe.engine.render.lexing import DUCK, is_cast
from sqe.engine.render.names import column_name
from sqe.engine.render.relations import Needed, RelationWriter
from sqe.errors import InternalError, NotSupported
from sqe.tree.expressions import Expression, Field
from sqe.tree.relations import Cte, FileScan, Sample, Scan, Unnest, Values
from sqe.tree.relations import Sequence as NumberSequence
from sqe.types.sql_types import APPROXIMATE, Array, Map, Row, Type, row_field_names


class FastRelations(RelationWriter):
    """`sources` says how each scan's table is read."""

    def __init__(self, sources: Mapping[Scan | FileScan, Source], *, statement_id: str) -> None:
        super().__init__(statement_id=statement_id)
        self.expressions = FastExpressions(self._subquery)
        self._sources = sources

    def quote(self, name: str) -> str:
        return quote_name(name)

    def type_name(self, t: Type) -> str:
        return duck_type(t)

    def delivered(self, t: Type) -> Type:
        return t

    def grouped(self, text: str, t: Type) -> str:
        """0.0 for both zeros, as on Spark; DuckDB keeps the one that it met first."""
        if t in APPROXIMATE:
            return f"({text} + 0)"
        if _has_doubles(t):
            raise NotSupported(f"the fast lane does not group by {t}")
        return text

    def scan(self, relation: Scan, needed: Needed) -> Block:
        source = self._sources[relation].text(relation, needed)
        return self.raw(relation.fields, relation.columns, needed, source, exact=True)

    def files(self, relation: FileScan, needed: Needed) -> Block:
        source = self._sources[relation].text(relation, needed)
        return self.raw(relation.fields, relation.columns, needed, source, exact=True)

    def numbers(self, relation: NumberSequence) -> Block:
        (field,) = relation.fields
        end = relation.stop + (1 if relation.step > 0 else -1)
        source = f"range({relation.start}, {end}, {relation.step})"
        return self.raw((field,), ("range",), frozenset({field.id}), source, exact=True)

    def inline(self, relation: Values, rows: Sequence[str]) -> str:
        return "VALUES " + ", ".join(f"({row})" for row in rows)

    def barrier(self, block: Block) -> Block:
        raise InternalError("tables with a row filter are not for the fast lane")

    def sample(self, relation: Sample, block: Block) -> Block:
        raise InternalError("samples are not for the fast lane")

    def unnest(self, relation: Unnest, block: Block, texts: Sequence[str]) -> Block:
        """A lateral SELECT: several unnest() in it are zipped, and the shorter filled up with NULL."""
        fields = iter(relation.fields[len(relation.input.fields) :])
        items: list[str] = []
        columns: list[Column] = []
        pairs = list(zip(relation.expressions, texts, strict=True))
        for expression, text in pairs:
            item, new_columns = _unnested(expression, text, fields)
            items.append(item)
            columns += new_columns
        if relation.ordinality:
            field = next(fields)
            lengths = ", ".join(f"coalesce(len({_list(e, text)}), 0)" for e, text in pairs)
            items.append(f"unnest(range(1, greatest({lengths}) + 1)) AS {column_name(field)}")
            columns.append(Column(field, column_name(field), True, True))
        view = f"LATERAL (SELECT {', '.join(items)}) AS {self._view_name()}"
        join = f"LEFT JOIN {view} ON true" if relation.outer else f"CROSS JOIN {view}"
        return replace(
            block,
            source=(*block.source, *line(join)),
            columns={**block.columns, **{c.field.id: c for c in columns}},
            joined=True,
        )

    def recursive(self, cte: Cte, names: Sequence[str], anchor: Lines, step: Lines) -> Lines:
        raise InternalError("recursion is not for the fast lane")

    def is_cast(self, text: str, type_name: str) -> bool:
        return is_cast(text, type_name, DUCK)


def _has_doubles(t: Type) -> bool:
    match t:
        case Array(element=element):
            return element in APPROXIMATE or _has_doubles(element)
        case Map(key=key, value=value):
            return any(part in APPROXIMATE or _has_doubles(part) for part in (key, value))
        case Row(fields=fields):
            return any(f.type in APPROXIMATE or _has_doubles(f.type) for f in fields)
    return False


def _list(expression: Expression, text: str) -> str:
    return f"map_entries({text})" if isinstance(expression.type, Map) else text


def _unnested(expression: Expression, text: str, fields: Iterator[Field]) -> tuple[str, list[Column]]:
    """unnest(...) AS name, and the columns over that name."""
    t = expression.type
    first = next(fields)
    name = column_name(first)
    if isinstance(t, Array) and not isinstance(t.element, Row):
        return f"unnest({text}) AS {name}", [Column(first, name, True)]
    if isinstance(t, Map):
        members = ["key", "value"]
    else:
        assert isinstance(t, Array) and isinstance(t.element, Row)
        members = row_field_names(t.element)
    own = [first, *(next(fields) for _ in members[1:])]
    columns = [Column(f, f"({name}_).{quote_name(m)}", True) for f, m in zip(own, members, strict=True)]
    return f"unnest({_list(expression, text)}) AS {name}_", columns
