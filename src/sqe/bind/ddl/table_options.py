"""The options of a table: WITH (...), PARTITIONED BY, COMMENT, LOCATION, TBLPROPERTIES."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import name_of
from sqe.catalog.iceberg.definition import RESERVED
from sqe.catalog.names import nearest
from sqe.errors import InvalidArgument, NotSupported, Position
from sqe.tree.definitions import PartitionField, SortField

if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import Table


class TableOptions:
    """What WITH (...), PARTITIONED BY, COMMENT, LOCATION and TBLPROPERTIES say."""

    def __init__(self) -> None:
        self.partitioning: list[PartitionField] = []
        self.sort_order: list[SortField] = []
        self.properties: dict[str, str] = {}
        self.comment: str | None = None
        self.location: str | None = None
        self.with_no_data = False
        self.with_data: exp.Expr | None = None


def properties_of(node: exp.Create) -> list[exp.Expr]:
    properties = node.args.get("properties")
    return list(properties.expressions) if properties is not None else []


def read_option(b: Binder, node: exp.Expr, options: TableOptions) -> None:
    position = b.position(node)
    if isinstance(node, exp.SchemaCommentProperty):
        options.comment = node.this.name
    elif isinstance(node, exp.LocationProperty):
        options.location = node.this.name
    elif isinstance(node, exp.PartitionedByProperty):
        fields = node.this.expressions if isinstance(node.this, (exp.Schema, exp.Tuple)) else [node.this]
        options.partitioning += [_partition_syntax(b, f) for f in fields]
    elif isinstance(node, exp.WithDataProperty):
        check_arguments(node, {"no"}, b.text)
        options.with_data = node
        options.with_no_data = bool(node.args.get("no"))
    elif isinstance(node, exp.FileFormatProperty):
        if isinstance(node.this, exp.Literal):
            _set_format(options, node.this.name, position)
        elif node.this is None:
            raise InvalidArgument("format takes a value", position=position, hint="format = 'PARQUET'")
        elif node.this.name.lower() != "iceberg":
            raise NotSupported(
                "every table is USING iceberg", position=position, hint="WITH (format = '...')"
            )
    elif type(node) is exp.Property:  # the others are subclasses of it
        _read_property(b, node, options, position)
    else:
        raise NotSupported(
            f"the table option {type(node).__name__.removesuffix('Property')} is not supported",
            position=position,
        )


def copy_options(table: Table, options: TableOptions) -> None:
    """The partitioning, sort order and properties of another table, as far as the statement sets none."""
    if not options.partitioning:
        for p in table.partitioning:
            word, _, number = p.transform.rstrip("]").partition("[")
            if p.column is not None:
                options.partitioning.append(PartitionField(word, p.column, int(number) if number else None))
    if not options.sort_order:
        options.sort_order += [
            SortField(f.column, f.descending, f.nulls_first)
            for f in table.sort_order
            if f.column is not None and f.transform == "identity"
        ]
    copied = {k: v for k, v in table.properties.items() if k not in RESERVED and k != "comment"}
    copied["format-version"] = str(table.format_version)
    options.properties = copied | options.properties


def _read_property(b: Binder, node: exp.Property, options: TableOptions, position: Position | None) -> None:
    key, value = node.this, node.args.get("value")
    name = key.name
    quoted = isinstance(key, exp.Literal)
    if isinstance(key, exp.Literal) and not key.is_string:
        raise InvalidArgument("a property has a name", code="INVALID_TABLE_PROPERTY", position=position)
    if not quoted and name.lower() == "partitioning":
        if not isinstance(value, exp.Array):
            raise InvalidArgument("partitioning is ARRAY['day(ts)', ...]", position=position)
        options.partitioning += [_partition_text(e.name, b.position(e)) for e in value.expressions]
        return
    if not quoted and name.lower() == "sorted_by":
        if not isinstance(value, exp.Array):
            raise InvalidArgument("sorted_by is ARRAY['column DESC', ...]", position=position)
        options.sort_order += [_sort_text(e.name, b.position(e)) for e in value.expressions]
        return
    if not isinstance(value, (exp.Literal, exp.Boolean)):
        raise InvalidArgument(f"the property {name} takes a constant", position=position)
    text = value.name if isinstance(value, exp.Literal) else str(bool(value.this)).lower()
    if quoted or "." in name or "-" in name:
        options.properties[name] = text
    elif name.lower() == "format":
        _set_format(options, text, position)
    elif name.lower() == "format_version":
        if text not in ("1", "2", "3"):
            raise InvalidArgument("format_version is 1, 2 or 3", position=position)
        options.properties["format-version"] = text
    elif name.lower() == "location":
        options.location = text
    else:
        names = ["partitioning", "sorted_by", "format", "format_version", "location"]
        raise InvalidArgument(
            f"the table property '{name}' does not exist",
            code="INVALID_TABLE_PROPERTY",
            position=position,
            hint=nearest(name, names) or "Iceberg's own properties are written in quotes, in TBLPROPERTIES",
        )


def _set_format(options: TableOptions, text: str, position: Position | None) -> None:
    if text.upper() not in ("PARQUET", "ORC", "AVRO"):
        raise InvalidArgument("format is PARQUET, ORC or AVRO", position=position)
    options.properties["write.format.default"] = text.lower()


_NAME = r'(?:[^",()]+|"(?:[^"]|"")+")'
_TRANSFORM = re.compile(rf"\s*(?:(\w+)\s*\(\s*({_NAME})\s*(?:,\s*(\d+)\s*)?\)|({_NAME}))\s*$")
_TRANSFORMS = {
    "year": "year", "years": "year", "month": "month", "months": "month", "day": "day", "days": "day",
    "date": "day", "hour": "hour", "hours": "hour", "bucket": "bucket", "truncate": "truncate",
    "identity": "identity",
}  # fmt: skip


def _partition_text(text: str, position: Position | None) -> PartitionField:
    """Trino's spelling: 'day(ts)', 'bucket(id, 4)', 'region'."""
    match = _TRANSFORM.match(text)
    if not match:
        raise InvalidArgument(f"'{text}' is not a partitioning", position=position)
    if match[4]:
        return PartitionField("identity", _fold(match[4].strip()))
    number = int(match[3]) if match[3] else None
    return _partition(match[1], _fold(match[2].strip()), number, position)


_SORT = re.compile(
    r"""\s*("?)((?:[^"]|"")+?)\1(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*$""", re.IGNORECASE
)


def _sort_text(text: str, position: Position | None) -> SortField:
    """Trino's spelling: 'name', 'name DESC', 'name ASC NULLS LAST'."""
    match = _SORT.match(text)
    if not match or (not match[1] and re.search(r"\s", match[2])):
        raise InvalidArgument(f"'{text}' is not a column to sort by", position=position)
    descending = (match[3] or "asc").lower() == "desc"
    nulls = (match[4] or ("last" if descending else "first")).lower()
    column = match[2].replace('""', '"') if match[1] else match[2].lower()
    return SortField(column, descending, nulls == "first")


def _fold(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def _partition_syntax(b: Binder, node: exp.Expr) -> PartitionField:
    """Spark's spelling: bucket(4, id), days(ts), region."""
    position = b.position(node)
    if isinstance(node, (exp.Identifier, exp.Column)):
        return PartitionField("identity", name_of(node.this if isinstance(node, exp.Column) else node).folded)
    if isinstance(node, (exp.PartitionedByBucket, exp.PartitionByTruncate)):
        arguments = [node.this, node.expression]
        word = "bucket" if isinstance(node, exp.PartitionedByBucket) else "truncate"
    elif isinstance(node, exp.Anonymous):
        arguments, word = list(node.expressions), node.name
    else:
        raise InvalidArgument("this is not a partitioning", position=position)
    columns = [a for a in arguments if isinstance(a, (exp.Column, exp.Identifier))]
    numbers = [a for a in arguments if isinstance(a, exp.Literal) and not a.is_string and a.this.isdigit()]
    if len(columns) != 1 or len(columns) + len(numbers) != len(arguments):
        raise InvalidArgument("this is not a partitioning", position=position)
    column = name_of(columns[0].this if isinstance(columns[0], exp.Column) else columns[0]).folded
    return _partition(word, column, int(numbers[0].this) if numbers else None, position)


def _partition(word: str, column: str, number: int | None, position: Position | None) -> PartitionField:
    transform = _TRANSFORMS.get(word.lower())
    if transform is None:
        raise InvalidArgument(
            f"the partition transform '{word}' does not exist",
            position=position,
            hint=nearest(word, _TRANSFORMS),
        )
    if (transform in ("bucket", "truncate")) != (number is not None) or number == 0:
        raise InvalidArgument(
            f"{transform} is written {transform}(4, column) or '{transform}(column, 4)'"
            if transform in ("bucket", "truncate")
            else f"{transform} takes a column",
            position=position,
        )
    return PartitionField(transform, column, number)
