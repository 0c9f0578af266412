"""UNNEST as a LATERAL VIEW over one of Spark's generators."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.block import Column
from sqe.engine.render.names import column_name
from sqe.engine.spark.types import quote_name, spark_type
from sqe.errors import InternalError
from sqe.tree.expressions import Expression, Field
from sqe.tree.relations import Unnest
from sqe.types.sql_types import Array, Map, Row, row_field_names


def unnested_width(expression: Expression) -> int:
    t = expression.type
    if isinstance(t, Map):
        return 2
    if not isinstance(t, Array):
        raise InternalError(f"UNNEST of {t}")
    return len(t.element.fields) if isinstance(t.element, Row) else 1


def generator(
    relation: Unnest, texts: Sequence[str], elements: Sequence[tuple[Field, ...]], ordinality: Field | None
) -> tuple[tuple[str, str], list[Column]]:
    """(the call, the names of its columns), and our columns over those."""
    if len(texts) == 1:
        call, names, columns = _single(relation.expressions[0], texts[0], elements[0], ordinality)
    else:
        call, names, columns = _zipped(relation.expressions, texts, elements, ordinality)
    if ordinality is not None:
        position = _position(ordinality)
        names = [position, *names]
        columns = [*columns, Column(ordinality, f"CAST({position} + 1 AS BIGINT)", False, True)]
    return (call, ", ".join(names)), columns


def _single(
    expression: Expression, text: str, fields: tuple[Field, ...], ordinality: Field | None
) -> tuple[str, list[str], list[Column]]:
    function = "explode" if ordinality is None else "posexplode"
    t = expression.type
    if isinstance(t, Array) and isinstance(t.element, Row):
        if ordinality is None:
            function = "inline"
        else:
            element = _position(fields[0])
            return f"posexplode({text})", [element], _fields_of(element, t.element, fields)
    names = [column_name(f) for f in fields]
    columns = [Column(f, n, True) for f, n in zip(fields, names, strict=True)]
    return f"{function}({text})", names, columns


def _zipped(
    expressions: Sequence[Expression],
    texts: Sequence[str],
    elements: Sequence[tuple[Field, ...]],
    ordinality: Field | None,
) -> tuple[str, list[str], list[Column]]:
    arrays, types = [], []
    for expression, text in zip(expressions, texts, strict=True):
        t = expression.type
        if isinstance(t, Map):
            element = f"STRUCT<`key`: {spark_type(t.key)}, `value`: {spark_type(t.value)}>"
            text = f"map_entries({text})"
        else:
            assert isinstance(t, Array)
            element = spark_type(t.element)
        # A NULL array counts as an empty one; arrays_zip would give NULL for all.
        arrays.append(f"coalesce({text}, CAST(array() AS ARRAY<{element}>))")
        types.append(element)
    struct = ", ".join(f"`e{i}`: {element}" for i, element in enumerate(types))
    zipped = f"CAST(arrays_zip({', '.join(arrays)}) AS ARRAY<STRUCT<{struct}>>)"
    columns: list[Column] = []
    names: list[str] = []
    row = _position(elements[0][0])
    for i, (expression, fields) in enumerate(zip(expressions, elements, strict=True)):
        if ordinality is None:
            value = _position(fields[0])
            names.append(value)
        else:
            value = f"({row}).`e{i}`"
        t = expression.type
        if isinstance(t, Map):
            columns += [
                Column(f, f"({value}).`{n}`", True) for f, n in zip(fields, ("key", "value"), strict=True)
            ]
        elif isinstance(t, Array) and isinstance(t.element, Row):
            columns += _fields_of(value, t.element, fields)
        else:
            columns.append(Column(fields[0], value, True))
    return (
        (f"inline({zipped})", names, columns)
        if ordinality is None
        else (f"posexplode({zipped})", [row], columns)
    )


def _fields_of(value: str, row: Row, fields: Sequence[Field]) -> list[Column]:
    names = row_field_names(row)
    return [Column(f, f"({value}).{quote_name(n)}", True) for f, n in zip(fields, names, strict=True)]


def _position(field: Field) -> str:
    """A name beside a field's own; those never end in an underscore."""
    return f"{column_name(field)}_"
