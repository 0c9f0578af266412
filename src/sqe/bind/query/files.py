"""Files and functions in FROM: 'x.parquet', read_parquet('x.parquet'), TABLE(sequence(1, 10))."""

from __future__ import annotations

import glob
import os

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.errors import AccessDenied, InvalidArgument, NotFound, NotSupported, Position
from sqe.functions.refused import REFUSED
from sqe.tree.names import check_characters
from sqe.tree.relations import FileScan, Relation, Sequence
from sqe.types import sql_types as t


def bind_file(b: Binder, path: str, position: Position | None) -> Relation:
    """A path in quotes; its ending says what it is."""
    if not path.lower().endswith(".parquet"):
        raise NotSupported(
            f"'{path}' is not a kind of file that can be read yet", position=position, hint="only .parquet"
        )
    return _parquet(b, path, position)


def is_excluding(node: exp.Anonymous) -> bool:
    """TABLE(exclude_columns(...))"""
    inner = node.expressions[0] if len(node.expressions) == 1 else None
    excludes = isinstance(inner, exp.Anonymous) and inner.name.lower() == "exclude_columns"
    return excludes and node.name.lower() == "table"


def bind_table_function(b: Binder, node: exp.Anonymous) -> Relation:
    check_arguments(node, {"this", "expressions"}, b.text)
    name, position = node.name.lower(), b.position(node)
    if name == "read_parquet":
        if len(node.expressions) != 1 or not _is_string(node.expressions[0]):
            raise InvalidArgument("read_parquet takes one path in quotes", position=position)
        return _parquet(b, node.expressions[0].this, position)
    if name == "table" and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Anonymous):
        inner = node.expressions[0]
        if inner.name.lower() == "sequence":
            return _sequence(b, inner)
        name = inner.name.lower()
    if name in REFUSED:
        raise NotSupported(f"function '{name}' is not supported: {REFUSED[name]}", position=position)
    raise NotFound(
        f"table function '{name}' not registered",
        code="FUNCTION_NOT_FOUND",
        position=position,
        hint="there are read_parquet, TABLE(sequence(start, stop)) and TABLE(exclude_columns(...))",
    )


def _sequence(b: Binder, node: exp.Anonymous) -> Relation:
    numbers = []
    for argument in node.expressions:
        negative = isinstance(argument, exp.Neg)
        value = argument.this if negative else argument
        if not (isinstance(value, exp.Literal) and not value.is_string and value.this.isdigit()):
            raise InvalidArgument("sequence takes whole numbers", position=b.position(node))
        numbers.append(-int(value.this) if negative else int(value.this))
    if not 2 <= len(numbers) <= 3:
        raise InvalidArgument("sequence takes start, stop and step", position=b.position(node))
    start, stop, step = (*numbers, 1)[:3]
    if step == 0:
        raise InvalidArgument("the step of a sequence is not 0", position=b.position(node))
    return Sequence((b.fresh("sequential_number", t.BIGINT),), start, stop, step)


def _is_string(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _parquet(b: Binder, path: str, position: Position | None) -> Relation:
    if path in b.staged:
        return _scan(b, b.staged[path], path, position)
    if "://" in path and not path.startswith("file://"):
        raise NotSupported("only local files can be read yet", position=position)
    # Without links and `..`: what policy is asked for is what the engines open.
    local = os.path.realpath(os.path.expanduser(path.removeprefix("file://")))
    # Before an error can tell what is there.
    if not b.guard.may_read_files((local,)):
        raise AccessDenied("reading files is not allowed", position=position)
    if os.path.isdir(local):
        paths = _expanded(os.path.join(glob.escape(local), "**", "*.parquet"), below=local)
    elif os.path.exists(local):
        paths = [local]
    else:
        paths = _expanded(local, below=None)
    if not paths:
        raise NotFound(f"no file matches '{path}'", code="FILE_NOT_FOUND", position=position)
    if not b.guard.may_read_files(tuple(paths)):
        raise AccessDenied("reading files is not allowed", position=position)
    return _scan(b, tuple(paths), path, position)


def _expanded(pattern: str, below: str | None) -> list[str]:
    """The files that a pattern matches, each once and without links. As in Spark and Hive, a name that begins
    with _ or . is hidden: a file's, and those of directories `below`."""
    files = [file for file in glob.glob(pattern, recursive=True) if os.path.isfile(file)]
    names = (os.path.relpath(f, below).split(os.sep) if below else [os.path.basename(f)] for f in files)
    shown = (f for f, parts in zip(files, names, strict=True) if not any(p[0] in "_." for p in parts))
    return sorted({os.path.realpath(file) for file in shown})


def _scan(b: Binder, paths: tuple[str, ...], path: str, position: Position | None) -> Relation:
    columns = _parquet_columns(paths[0], path, position)
    fields = tuple(b.fresh(n, k) for n, k in columns)
    return FileScan(fields, "parquet", paths, tuple(n for n, _ in columns))


def _parquet_columns(file: str, path: str, position: Position | None) -> list[tuple[str, t.Type]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file)
    except (OSError, pa.ArrowException):
        raise InvalidArgument(f"'{path}' cannot be read as Parquet", position=position) from None
    columns = [(f.name, type_of(f.type, f.name, position)) for f in schema]
    for name, kind in columns:
        check_characters(name, "column", type_=kind, position=position)
    return columns


def type_of(arrow: object, name: str, position: Position | None) -> t.Type:
    import pyarrow as pa

    from sqe.types.arrow import SQL_TYPES

    simple = SQL_TYPES.get(arrow)
    if simple is not None:
        return simple
    if isinstance(arrow, (pa.Decimal128Type, pa.Decimal32Type, pa.Decimal64Type)):
        return t.Decimal(arrow.precision, arrow.scale)
    if isinstance(arrow, pa.TimestampType) and arrow.unit in ("ms", "us"):
        return t.TimestampTz(6) if arrow.tz else t.Timestamp(6)
    if isinstance(arrow, (pa.ListType, pa.LargeListType)):
        return t.Array(type_of(arrow.value_type, name, position))
    if isinstance(arrow, pa.MapType):
        return t.Map(type_of(arrow.key_type, name, position), type_of(arrow.item_type, name, position))
    if isinstance(arrow, pa.StructType):
        return t.Row(tuple(t.RowField(f.name, type_of(f.type, name, position)) for f in arrow))
    if isinstance(arrow, pa.DictionaryType):
        return type_of(arrow.value_type, name, position)
    raise NotSupported(f"column {name} of the file has the type {arrow}", position=position)
