"""Type syntax to our types."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind.conversion import check_arguments
from sqe.bind.names import name_of
from sqe.errors import NotSupported, TypeMismatch, UserError
from sqe.sql.parse import position_of
from sqe.types import sql_types as t

D = exp.DType

_SIMPLE: dict[D, t.Type] = {
    D.BOOLEAN: t.BOOLEAN,
    D.TINYINT: t.TINYINT,
    D.SMALLINT: t.SMALLINT,
    D.INT: t.INTEGER,
    D.BIGINT: t.BIGINT,
    D.FLOAT: t.REAL,
    D.DOUBLE: t.DOUBLE,
    D.VARBINARY: t.VARBINARY,
    D.BINARY: t.VARBINARY,
    D.DATE: t.DATE,
    D.UUID: t.UUID,
    D.JSON: t.JSON,
    D.TEXT: t.VARCHAR,
    D.GEOMETRY: t.GEOMETRY,
    D.HLLSKETCH: t.HYPER_LOG_LOG,
    D.TDIGEST: t.T_DIGEST,
}


def bind_type(node: exp.Expr, text: str) -> t.Type:
    """The type that a DataType node spells, as Trino reads it."""
    if not isinstance(node, exp.DataType):
        raise NotSupported(f"unknown type {node.sql()}", position=position_of(node, text))
    kind = node.this
    if kind is D.USERDEFINED and (named := t.OPAQUE_TYPES.get(str(node.args.get("kind")))) is not None:
        check_arguments(node, {"this", "kind"}, text)
        return named
    check_arguments(node, {"this", "expressions", "nested"}, text)
    arguments = node.expressions
    if kind in _SIMPLE and not arguments:
        return _SIMPLE[kind]
    if kind is D.DECIMAL:
        numbers = _numbers(node, text, most=2)
        precision = numbers[0] if numbers else 38
        scale = numbers[1] if len(numbers) > 1 else 0
        if not (1 <= precision <= t.MAX_PRECISION and 0 <= scale <= precision):
            raise UserError(
                f"decimal({precision},{scale}) is not a type: precision is 1 to 38, scale 0 to precision",
                code="INVALID_FUNCTION_ARGUMENT",
                position=position_of(node, text),
            )
        return t.Decimal(precision, scale)
    if kind is D.VARCHAR:
        numbers = _numbers(node, text, most=1)
        return t.Varchar(numbers[0] if numbers else None)
    if kind is D.CHAR:
        numbers = _numbers(node, text, most=1)
        return t.Char(numbers[0] if numbers else 1)
    if kind in (D.TIMESTAMP, D.TIMESTAMPTZ, D.TIME, D.TIMETZ):
        numbers = _numbers(node, text, most=1)
        precision = numbers[0] if numbers else 3
        if precision > 12:
            raise TypeMismatch(
                f"unknown type {node.sql('trino').lower()}: there are at most 12 digits of a second",
                position=position_of(node, text),
            )
        if kind is D.TIMETZ:
            return t.constant_time("time", precision, zoned=True)
        classes: dict[D, type[t.Timestamp] | type[t.TimestampTz] | type[t.Time]] = {
            D.TIMESTAMP: t.Timestamp,
            D.TIMESTAMPTZ: t.TimestampTz,
            D.TIME: t.Time,
        }
        return classes[kind](precision)
    if kind is D.ARRAY and len(arguments) == 1:
        return t.Array(bind_type(arguments[0], text))
    if kind is D.MAP and len(arguments) == 2:
        return t.Map(bind_type(arguments[0], text), bind_type(arguments[1], text))
    if kind is D.STRUCT and arguments:
        return t.Row(tuple(_row_field(a, text) for a in arguments))
    if kind is D.INTERVAL:
        raise NotSupported("a column cannot have an interval type", position=position_of(node, text))
    raise NotSupported(f"unknown type {node.sql('trino').lower()}", position=position_of(node, text))


def _row_field(node: exp.Expr, text: str) -> t.RowField:
    if isinstance(node, exp.ColumnDef):
        check_arguments(node, {"this", "kind"}, text)
        return t.RowField(name_of(node.this).folded, bind_type(node.args["kind"], text))
    return t.RowField(None, bind_type(node, text))


def _numbers(node: exp.DataType, text: str, *, most: int) -> list[int]:
    numbers = []
    for parameter in node.expressions:
        value = parameter.this if isinstance(parameter, exp.DataTypeParam) else parameter
        if not (isinstance(value, exp.Literal) and not value.is_string and value.this.isdigit()):
            raise UserError("a type's parameter is a number", position=position_of(node, text))
        numbers.append(int(value.this))
    if len(numbers) > most:
        raise UserError("too many parameters for this type", position=position_of(node, text))
    return numbers


def stored_type(type_: t.Type) -> t.Type:
    """The type of the column that stores values of a type, as Trino's Iceberg connector chooses it."""
    match type_:
        case t.Varchar() | t.Char() | t.JSON:
            return t.VARCHAR
        case t.TINYINT | t.SMALLINT:
            return t.INTEGER
        case t.Timestamp():
            return t.Timestamp(6)
        case t.TimestampTz():
            return t.TimestampTz(6)
        case t.Array(element):
            return t.Array(stored_type(element))
        case t.Map(key, value):
            return t.Map(stored_type(key), stored_type(value))
        case t.Row(fields):
            return t.Row(
                tuple(t.RowField(f.name or f"field{i}", stored_type(f.type)) for i, f in enumerate(fields))
            )
    return type_
