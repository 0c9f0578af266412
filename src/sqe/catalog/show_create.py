"""The statement that would make a table, view or schema again, as SHOW CREATE gives it."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.catalog.iceberg.definition import DEFAULT_CODEC, RESERVED
from sqe.catalog.iceberg.table import Column, SortField, Table
from sqe.catalog.iceberg.view import View
from sqe.foundation.identifiers import quoted_if_needed
from sqe.types import sql_types as t

# Properties that have a place of their own in the statement.
_SHOWN_ELSEWHERE = {"comment", "format-version", "write.format.default"}


def create_table_text(table: Table) -> str:
    """`table` may be given with only those of its columns that its reader may know."""
    lines = [f"CREATE TABLE {_name((table.name.catalog, *table.name.namespace, table.name.name))} ("]
    lines.append(",\n".join(f"   {_column(c)}" for c in table.columns))
    lines.append(")")
    if table.comment is not None:
        lines.append(f"COMMENT {_text(table.comment)}")
    names = {c.name for c in table.columns}
    options = {
        "format": _text(table.properties.get("write.format.default", "parquet").upper()),
        "format_version": str(table.format_version),
        "location": _text(table.location),
    }
    partitioning = [
        _transform(p.transform, p.column)
        for p in table.partitioning
        if p.column is not None and _is_visible(p.column, names)
    ]
    if partitioning:
        options["partitioning"] = _array(partitioning)
    order = [
        _sort_key(f)
        for f in table.sort_order
        if f.column is not None and _is_visible(f.column, names) and f.transform == "identity"
    ]
    if order:
        options["sorted_by"] = _array(order)
    lines.append("WITH (")
    lines.append(",\n".join(f"   {key} = {value}" for key, value in options.items()))
    lines.append(")")
    others = {
        k: v
        for k, v in table.properties.items()
        if k not in _SHOWN_ELSEWHERE and k not in RESERVED and (k, v) != DEFAULT_CODEC
    }
    if others:
        lines.append("TBLPROPERTIES (")
        lines.append(",\n".join(f"   {_text(k)} = {_text(v)}" for k, v in sorted(others.items())))
        lines.append(")")
    return "\n".join(lines)


def create_view_text(view: View) -> str:
    line = f"CREATE VIEW {_name((view.name.catalog, *view.name.namespace, view.name.name))}"
    if any(c.comment is not None for c in view.columns):
        # The text has the names; a list is there for what else is said of the columns.
        line += (
            " (\n" + ",\n".join(f"   {quoted_if_needed(c.name)}{_comment(c)}" for c in view.columns) + "\n)"
        )
    if view.comment is not None:
        line += f" COMMENT {_text(view.comment)}"
    return f"{line} SECURITY {view.security or 'INVOKER'} AS\n{view.sql}"


def create_schema_text(catalog: str, namespace: Sequence[str], location: str | None) -> str:
    line = f"CREATE SCHEMA {_name((catalog, *namespace))}"
    return line if location is None else f"{line}\nWITH (\n   location = {_text(location)}\n)"


def _column(column: Column) -> str:
    required = "" if column.nullable else " NOT NULL"
    return f"{quoted_if_needed(column.name)} {_type(column.type)}{required}{_comment(column)}"


def _comment(column: Column) -> str:
    return "" if column.comment is None else f" COMMENT {_text(column.comment)}"


def _type(type_: t.Type) -> str:
    match type_:
        case t.Array(element):
            return f"array({_type(element)})"
        case t.Map(key, value):
            return f"map({_type(key)}, {_type(value)})"
        case t.Row(fields):
            return (
                "row(" + ", ".join(f"{quoted_if_needed(f.name or '')} {_type(f.type)}" for f in fields) + ")"
            )
    return str(type_)


def _transform(transform: str, column: str) -> str:
    word, _, number = transform.rstrip("]").partition("[")
    if word == "identity":
        return quoted_if_needed(column)
    return (
        f"{word}({quoted_if_needed(column)}, {number})" if number else f"{word}({quoted_if_needed(column)})"
    )


def _sort_key(key: SortField) -> str:
    direction = "DESC" if key.descending else "ASC"
    return f"{quoted_if_needed(key.column or '')} {direction} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def _is_visible(column: str, names: set[str]) -> bool:
    """Whether the column, or the row that it is a field of, is among the names."""
    return any(column == name or column.startswith(name + ".") for name in names)


def _array(items: Sequence[str]) -> str:
    return f"ARRAY[{', '.join(_text(item) for item in items)}]"


def _name(parts: Sequence[str]) -> str:
    return ".".join(quoted_if_needed(part) for part in parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
