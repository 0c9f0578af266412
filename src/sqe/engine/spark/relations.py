"""Relations as Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.engine.render.block import Block, Column, Stage, sealed
from sqe.engine.render.layout import Lines, after, before, line
from sqe.engine.render.lexing import SPARK, is_cast
from sqe.engine.render.names import cte_name, file_view_name
from sqe.engine.render.positions import strip_positions
from sqe.engine.render.relations import Needed, RelationWriter, combined
from sqe.engine.spark.expressions import SparkExpressions
from sqe.engine.spark.table_names import table_name
from sqe.engine.spark.types import delivered, quote_name, spark_type
from sqe.engine.spark.unnest import generator, unnested_width
from sqe.errors import NotSupported
from sqe.tree.expressions import Field, Literal
from sqe.tree.relations import PATH, Cte, FileScan, Sample, Scan, Unnest, Values
from sqe.tree.relations import Sequence as NumberSequence
from sqe.types.sql_types import Type

_LARGEST = (1 << 63) - 1
_HIDDEN = {PATH: "_file"}


class SparkRelations(RelationWriter):
    def __init__(self, *, max_recursion_depth: int, statement_id: str) -> None:
        super().__init__(statement_id=statement_id)
        self.expressions = SparkExpressions(self._subquery)
        self.file_views: dict[str, FileScan] = {}
        self._max_recursion_depth = max_recursion_depth

    def quote(self, name: str) -> str:
        return quote_name(name)

    def type_name(self, t: Type) -> str:
        return spark_type(t)

    def delivered(self, t: Type) -> Type:
        return delivered(t)

    def scan(self, relation: Scan, needed: Needed) -> Block:
        source = table_name(relation.table)
        if relation.as_of is not None:
            source += f" VERSION AS OF {int(relation.as_of.snapshot_id)}"
        if not _HIDDEN.keys() >= set(relation.hidden):
            raise NotSupported("this hidden column is not one of Spark's")
        # Iceberg's own name of the hidden column; where a table stores one of that name, Iceberg refuses.
        columns = [_HIDDEN[name] if name in relation.hidden else name for name in relation.columns]
        return self.raw(relation.fields, columns, needed, source, exact=True)

    def files(self, relation: FileScan, needed: Needed) -> Block:
        name = file_view_name(relation)
        self.file_views[name] = relation
        return self.raw(relation.fields, relation.columns, needed, quote_name(name), exact=False)

    def numbers(self, relation: NumberSequence) -> Block:
        (field,) = relation.fields
        count = max(0, (relation.stop - relation.start) // relation.step + 1)
        end = relation.start + count * relation.step
        if abs(end) <= _LARGEST:
            return self.raw(
                (field,),
                ("id",),
                frozenset({field.id}),
                f"range({relation.start}, {end}, {relation.step})",
                exact=True,
            )
        text = f"({relation.start}L + `id` * {relation.step}L)"
        numbers = Block({field.id: Column(field, text, False, True)}, line(f"range({count})"), raw=True)
        return sealed(numbers, (field.id,))

    def inline(self, relation: Values, rows: Sequence[str]) -> str:
        if all(isinstance(e, Literal) for row in relation.rows for e in row):
            return "VALUES " + ", ".join(f"({row})" for row in rows)
        # Spark's inline tables hold only what it can fold at once.
        return " UNION ALL ".join(f"SELECT {row}" for row in rows)

    def barrier(self, block: Block) -> Block:
        # Spark moves no condition past one that is not deterministic; LIMIT ALL, OFFSET 0 and rand() >= 0 it
        # takes away.
        return replace(block, where=("monotonically_increasing_id() >= 0",), stage=Stage.WHERE)

    def sample(self, relation: Sample, block: Block) -> Block:
        percent = f"{relation.percent:.12f}".rstrip("0").rstrip(".")
        return replace(block, source=after(block.source, f" TABLESAMPLE ({percent} PERCENT)"))

    def unnest(self, relation: Unnest, block: Block, texts: Sequence[str]) -> Block:
        widths = [unnested_width(e) for e in relation.expressions]
        new = relation.fields[-(sum(widths) + relation.ordinality) :]
        elements: list[tuple[Field, ...]] = []
        start = 0
        for width in widths:
            elements.append(new[start : start + width])
            start += width
        call, columns = generator(relation, texts, elements, new[-1] if relation.ordinality else None)
        view = f"LATERAL VIEW {'OUTER ' if relation.outer else ''}{call[0]} {self._view_name()} AS {call[1]}"
        return replace(
            block,
            source=(*block.source, *line(view)),
            columns={**block.columns, **{c.field.id: c for c in columns}},
            views=True,
        )

    def recursive(self, cte: Cte, names: Sequence[str], anchor: Lines, step: Lines) -> Lines:
        # Spark counts the step that finds nothing more; Trino does not.
        level = self._max_recursion_depth + 1
        head = f"{cte_name(cte)}({', '.join(names)}) MAX RECURSION LEVEL {level} AS "
        return before(head, combined("UNION ALL", (anchor, step)))

    def is_cast(self, text: str, type_name: str) -> bool:
        return is_cast(strip_positions(text), type_name, SPARK)
