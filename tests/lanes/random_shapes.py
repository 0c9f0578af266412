"""What a random expression is made of: types with their constants, and every function of the registry with
types that fit its signatures."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.lanes.by_hand import INFIX

from sqe.errors import SqeError
from sqe.functions import registry
from sqe.functions.function import Function, LambdaArgument
from sqe.functions.signatures import (
    ArrayOf,
    Exactly,
    FunctionOf,
    MapOf,
    Pattern,
    RowOf,
    Sized,
    Variable,
    parse,
)
from sqe.types import sql_types as t

CONSTANTS: dict[t.Type, tuple[str, ...]] = {
    t.BOOLEAN: ("true", "false"),
    t.TINYINT: ("TINYINT '1'", "TINYINT '-128'"),
    t.SMALLINT: ("SMALLINT '2'", "SMALLINT '32767'"),
    t.INTEGER: ("0", "1", "2", "3", "-1", "7"),
    t.BIGINT: ("BIGINT '0'", "BIGINT '1'", "BIGINT '2'", "BIGINT '-5'", "4294967296"),
    t.REAL: ("REAL '0'", "REAL '1.5'", "REAL '-0.0'", "CAST(nan() AS real)"),
    t.DOUBLE: ("0e0", "1.5e0", "-2.25e0", "nan()", "infinity()", "1e300", "0.1e0"),
    t.Decimal(5, 2): ("DECIMAL '999.99'", "DECIMAL '001.50'", "DECIMAL '-00.01'"),
    t.Decimal(38, 10): ("CAST(1 AS decimal(38,10))", "CAST(-12345678901234567.25 AS decimal(38,10))"),
    t.VARCHAR: ("''", "'a'", "'Abc def'", "'12'", "'1.5'", "'2024-02-29'", "'é'", "'a,b=c'", "'$.a'", "'[1]'",
                "'day'", "'UTC'", "'%a%'", "'(a|b)'", "'http://h/p?q=1'", "'yyyy'"),
    t.Varchar(5): ("CAST('abc' AS varchar(5))", "CAST('' AS varchar(5))"),
    t.Char(3): ("CHAR 'abc'", "CAST('a' AS char(3))"),
    t.VARBINARY: ("X''", "X'00ff'", "X'61'"),
    t.DATE: ("DATE '2024-02-29'", "DATE '1969-12-31'", "DATE '0001-01-01'"),
    t.Time(3): ("TIME '12:34:56.789'", "TIME '00:00:00.000'"),
    t.Timestamp(3): ("TIMESTAMP '2024-02-29 12:34:56.789'",),
    t.Timestamp(6): ("TIMESTAMP '2024-02-29 12:34:56.789012'", "TIMESTAMP '1969-12-31 23:59:59.999999'"),
    t.TimestampTz(6): ("TIMESTAMP '2024-02-29 12:34:56.789012 UTC'",),
    t.YEAR_MONTH: ("INTERVAL '3' MONTH", "INTERVAL '-2' YEAR"),
    t.DAY_SECOND: ("INTERVAL '1' DAY", "INTERVAL '-90' MINUTE"),
    t.UUID: ("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",),
    t.JSON: ("JSON '1'", "JSON 'null'", "JSON '{\"a\":[1,null]}'", "JSON '\"x\"'"),
    t.UNKNOWN: ("NULL",),
    t.Array(t.UNKNOWN): ("ARRAY[]", "ARRAY[NULL]"),
    t.Map(t.UNKNOWN, t.UNKNOWN): ("map()",),
    t.Array(t.BOOLEAN): ("ARRAY[true, NULL]",),
    t.Array(t.INTEGER): ("ARRAY[1, 2]", "ARRAY[0, NULL]"),
    t.Array(t.BIGINT): ("ARRAY[BIGINT '1', 2, NULL]", "CAST(ARRAY[] AS array(bigint))"),
    t.Array(t.DOUBLE): ("ARRAY[1.5e0, nan(), NULL]", "ARRAY[0e0]"),
    t.Array(t.VARCHAR): ("ARRAY[CAST('a' AS varchar), NULL, '']", "ARRAY[CAST('b' AS varchar)]"),
    t.Array(t.DATE): ("ARRAY[DATE '2024-02-29']",),
    t.Array(t.JSON): ("ARRAY[JSON '1', NULL]",),
    t.Array(t.Array(t.BIGINT)): ("ARRAY[ARRAY[BIGINT '1'], NULL, ARRAY[]]",),
    t.Map(t.VARCHAR, t.BIGINT): ("map(ARRAY[CAST('a' AS varchar), 'b'], ARRAY[BIGINT '1', NULL])",),
    t.Map(t.BIGINT, t.DOUBLE): ("map(ARRAY[BIGINT '1', 2], ARRAY[1.5e0, nan()])",),
    t.Map(t.VARCHAR, t.JSON): ("map(ARRAY[CAST('a' AS varchar)], ARRAY[JSON '1'])",),
    t.Map(t.VARCHAR, t.Array(t.BIGINT)): (
        "map(ARRAY[CAST('a' AS varchar)], ARRAY[ARRAY[BIGINT '1', NULL]])",),
    t.Row((t.RowField("a", t.BIGINT), t.RowField("b", t.VARCHAR))): (
        "CAST(ROW(1, 'x') AS row(a bigint, b varchar))", "CAST(ROW(NULL, NULL) AS row(a bigint, b varchar))"),
}  # fmt: skip
POOL = tuple(CONSTANTS)
# Of chance, or of the time; `format` has its own small language, tried by hand elsewhere.
APART = frozenset(
    {
        *("random", "rand", "uuid", "shuffle", "now", "current_timestamp", "localtimestamp", "current_date"),
        *("current_time", "localtime", "current_timezone", "current_user", "current_catalog"),
        *("current_schema", "grouping", "format", "version", "try"),
    }
)
_SIZES = {
    "varchar": (t.VARCHAR, t.Varchar(5)),
    "char": (t.Char(3),),
    "decimal": (t.Decimal(5, 2), t.Decimal(38, 10)),
    "timestamp": (t.Timestamp(6), t.Timestamp(3)),
    "timestamp with time zone": (t.TimestampTz(6),),
    "time": (t.Time(3),),
}
# For each signature with types to be found out.
_ASSIGNMENTS = 12


@dataclass(frozen=True, slots=True)
class Function_:
    """A parameter that is a lambda: the types that it gets, and what it returns."""

    arguments: tuple[t.Type, ...]
    result: t.Type


@dataclass(frozen=True, slots=True)
class Shape:
    function: str
    kind: str
    parameters: tuple[t.Type | Function_, ...]
    result: t.Type


def shapes(chance: random.Random) -> list[Shape]:
    found: dict[Shape, None] = {}
    operators = (*INFIX, "$neg", "$not", "$is_null", "$subscript", "$like", "concat")
    for name in (*registry.names(), *operators):
        function = registry.lookup(name)
        assert function is not None
        if name in APART:
            continue
        for parameters in _parameters(function, chance):
            result = _result(function, parameters)
            if result is not None and not (name in INFIX and len(parameters) != 2):
                found[Shape(name, function.kind, tuple(parameters), result)] = None
    return list(found)


def _parameters(function: Function, chance: random.Random) -> Iterator[Sequence[t.Type | Function_]]:
    for spec in function.signatures:
        if not isinstance(spec, (str, tuple)):
            for count in (1, 2):
                yield from itertools.product(POOL, repeat=count)
            continue
        signature = parse(spec if isinstance(spec, str) else spec[0])
        patterns = list(signature.parameters)
        if signature.repeats:
            patterns += patterns[-1:] * chance.randint(0, 2)
        for _ in range(_ASSIGNMENTS if signature.generic else 1):
            assigned: dict[str, t.Type] = {}
            yield [_concrete(p, assigned, chance) for p in patterns]


def _concrete(pattern: Pattern, assigned: dict[str, t.Type], chance: random.Random) -> t.Type | Function_:
    def plain(inner: Pattern) -> t.Type:
        made = _concrete(inner, assigned, chance)
        assert isinstance(made, t.Type)
        return made

    match pattern:
        case Exactly(type=type_):
            return type_
        case Sized(base=base):
            return chance.choice(_SIZES[base])
        case Variable(name=name):
            return assigned.setdefault(name, chance.choice(POOL))
        case ArrayOf(element=element):
            return t.Array(plain(element))
        case MapOf(key=key, value=value):
            return t.Map(plain(key), plain(value))
        case RowOf(fields=fields):
            return t.Row(tuple(t.RowField(None, plain(f)) for f in fields))
        case FunctionOf(arguments=arguments, result=result):
            return Function_(tuple(plain(a) for a in arguments), plain(result))
    raise AssertionError(pattern)


def _always(result: t.Type) -> Callable[[tuple[t.Type, ...]], t.Type]:
    return lambda _: result


def _result(function: Function, parameters: Sequence[t.Type | Function_]) -> t.Type | None:
    given = [
        LambdaArgument(len(p.arguments), _always(p.result)) if isinstance(p, Function_) else p
        for p in parameters
    ]
    try:
        return registry.resolve(function, given).result
    except SqeError:
        return None
