"""A table of awkward values of every type, and calls of functions over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqe.functions import registry
from sqe.functions.signatures import (
    ArrayOf,
    Exactly,
    FunctionOf,
    MapOf,
    Pattern,
    RowOf,
    Signature,
    Sized,
    Variable,
    parse,
)

LONG = "rpad('', 5000, 'x')"
# The columns of the table, each with its values; rows are filled up with NULL.
VALUES: dict[str, tuple[str, list[str]]] = {
    "b": ("boolean", ["true", "false"]),
    "i": ("integer", ["0", "1", "-1", "7", "2147483647", "-2147483648"]),
    "l": ("bigint", ["0", "1", "-1", "9223372036854775807", "-9223372036854775807 - 1", "4294967296", "65"]),
    "f": (
        "real",
        [
            "REAL '0'",
            "REAL '-0.0'",
            "nan()",
            "infinity()",
            "-infinity()",
            "REAL '3.4028235e38'",
            "REAL '1.4e-45'",
        ],
    ),
    "d": (
        "double",
        [
            "0e0",
            "-0e0",
            "nan()",
            "infinity()",
            "-infinity()",
            "1.7976931348623157e308",
            "4.9e-324",
            "-1.5e0",
            "1e19",
            "-1e19",
        ],
    ),
    "n": ("decimal(5,2)", ["DECIMAL '0'", "DECIMAL '999.99'", "DECIMAL '-999.99'", "DECIMAL '0.01'"]),
    "big": (
        "decimal(38,10)",
        [
            "DECIMAL '0'",
            "DECIMAL '9999999999999999999999999999.9999999999'",
            "DECIMAL '-9999999999999999999999999999.9999999999'",
        ],
    ),
    "s": (
        "varchar",
        [
            "''",
            "' '",
            "'a'",
            "'Abc def'",
            "'1'",
            "'-1.5e400'",
            "'NaN'",
            "'2024-02-30'",
            "'2024-02-29 23:59:60'",
            "'\\'",
            "'['",
            "'(a'",
            "'a{2,1}'",
            "'%'",
            "'_%\\'",
            "'*'",
            "'é' || chr(769)",
            "chr(128512) || 'x'",
            "chr(0) || chr(10) || chr(27)",
            "chr(8238)",
            "'http://[::1'",
            "'{\"a\":'",
            "'$.a'",
            "'%zz'",
            "'ß'",
            LONG,
        ],
    ),
    "dt": (
        "date",
        [
            "DATE '1970-01-01'",
            "DATE '0001-01-01'",
            "DATE '9999-12-31'",
            "DATE '2024-02-29'",
            "DATE '1582-10-10'",
        ],
    ),
    "ts": (
        "timestamp(6)",
        [
            "TIMESTAMP '1970-01-01 00:00:00'",
            "TIMESTAMP '0001-01-01 00:00:00'",
            "TIMESTAMP '9999-12-31 23:59:59.999999'",
            "TIMESTAMP '1969-12-31 23:59:59.999999'",
            "TIMESTAMP '2024-02-29 12:00:00.000001'",
        ],
    ),
    "tz": (
        "timestamp(6) with time zone",
        [
            "TIMESTAMP '1970-01-01 00:00:00 UTC'",
            "TIMESTAMP '0001-01-01 00:00:00 UTC'",
            "TIMESTAMP '9999-12-31 23:59:59.999999 UTC'",
            "TIMESTAMP '2024-03-31 01:59:59.999999 UTC'",
        ],
    ),
    "bin": (
        "varbinary",
        ["X''", "X'00'", "X'ff'", "X'c3'", "X'f09f9880'", "X'0000000000000001'", "X'00000001'"],
    ),
    "ai": (
        "array(bigint)",
        ["ARRAY[]", "ARRAY[NULL]", "ARRAY[1, NULL, 1]", "ARRAY[9223372036854775807, -1]"],
    ),
    "ad": (
        "array(double)",
        ["ARRAY[]", "ARRAY[NULL]", "ARRAY[nan(), infinity(), -0e0]", "ARRAY[1e308, 1e308]"],
    ),
    "as_": (
        "array(varchar)",
        ["ARRAY[]", "ARRAY[NULL]", "ARRAY['', 'a', NULL, chr(128512)]", f"ARRAY[{LONG}]"],
    ),
    "ab": ("array(boolean)", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[true, false]"]),
    "aa": ("array(array(bigint))", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[ARRAY[], ARRAY[NULL], ARRAY[1]]"]),
    "ms": (
        "map(varchar, bigint)",
        ["MAP()", "MAP(ARRAY[''], ARRAY[NULL])", "MAP(ARRAY['a', 'b'], ARRAY[1, -1])"],
    ),
    "md": (
        "map(varchar, double)",
        ["MAP()", "MAP(ARRAY['a'], ARRAY[nan()])", "MAP(ARRAY['a', 'b'], ARRAY[NULL, infinity()])"],
    ),
    "mi": (
        "map(bigint, varchar)",
        ["MAP()", "MAP(ARRAY[0], ARRAY[NULL])", "MAP(ARRAY[1, 2], ARRAY['', 'x'])"],
    ),
    "ar": (
        "array(row(x varchar, y bigint))",
        ["ARRAY[]", "ARRAY[ROW('a', NULL)]", "ARRAY[ROW('a', 1), ROW('b', 2)]"],
    ),
    "r": ("row(x varchar, y bigint)", ["ROW('', 0)", "ROW(NULL, NULL)"]),
}
ROWS = max(len(values) for _, values in VALUES.values())
_TEXTS = (
    "POINT (1 2)",
    "POINT EMPTY",
    "LINESTRING (0 0, 0 0)",
    "LINESTRING (0 0, 2 2, 0 2, 2 0)",
    "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))",
    "POLYGON ((0 0, 1 1, 0 1, 1 0, 0 0))",
    "MULTIPOINT ((1 2), (1 2))",
    "MULTIPOLYGON EMPTY",
    "GEOMETRYCOLLECTION (POINT EMPTY, LINESTRING (0 0, 1 1))",
)
_GEOMETRIES = f"element_at(ARRAY[{', '.join(repr(text) for text in _TEXTS)}], CAST(k AS integer) + 1)"
# What no table stores is made of what it does.
DERIVED = {
    "t8": "CAST(i % 128 AS tinyint)",
    "t16": "CAST(i % 32768 AS smallint)",
    "c": "CAST(substr(s, 1, 20) AS char(20))",
    "v": "CAST(s AS varchar(5))",
    "ts3": "CAST(ts AS timestamp(3))",
    "ym": "CAST(i % 1000000 AS integer) * INTERVAL '1' MONTH",
    "ds": "CAST(i % 100000000 AS integer) * INTERVAL '1' SECOND",
    "j": """CASE WHEN s IN ('', '1') THEN JSON '[1, null, {"a": 1e400}]' WHEN k % 3 = 0 THEN CAST(s AS json)
        WHEN k % 3 = 1 THEN JSON 'null' ELSE JSON '{"a": [true]}' END""",
    "geo": f"st_geometryfromtext({_GEOMETRIES})",
    "geog": f"to_spherical_geography(st_geometryfromtext({_GEOMETRIES}))",
    "tile": "bing_tile(CAST(k AS integer), 31, 5)",
    "hll": "CASE k % 3 WHEN 0 THEN empty_approx_set() ELSE CAST(X'020C010080034400' AS HyperLogLog) END",
    "sets": "CAST(X'0108000000020b01008063df280020000001000000cbc357ccb763df280100' AS SetDigest)",
}
FEW = 8


def create(table: str) -> str:
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, (kind, _) in VALUES.items())
    rows = []
    for k in range(ROWS + 1):
        cells = [
            f"CAST({values[k] if k < len(values) else 'NULL'} AS {kind})" for kind, values in VALUES.values()
        ]
        rows.append(
            f"SELECT {k} AS k, " + ", ".join(f"{c} AS {n}" for c, n in zip(cells, VALUES, strict=True))
        )
    return f"CREATE TABLE {table} AS SELECT k, {columns} FROM ({' UNION ALL '.join(rows)}) AS t"


def source(table: str, alias: str, *, few: bool) -> str:
    derived = ", ".join(f"{text} AS {name}" for name, text in DERIVED.items())
    # Awkward values first, NULL always: the last row has nothing else.
    some = f" WHERE k % {ROWS // FEW} = 0 OR k = {ROWS}" if few else ""
    return f"(SELECT *, {derived} FROM {table}{some}) AS {alias}"


@dataclass(frozen=True, slots=True)
class Probe:
    """A call over columns of the tables `a`, `b`, `c`, of which it reads the first `width`."""

    function: str
    text: str
    width: int
    kind: str


_EXACT = {
    "boolean": "b", "tinyint": "t8", "smallint": "t16", "integer": "i", "bigint": "l", "real": "f",
    "double": "d", "varchar": "s", "varbinary": "bin", "date": "dt", "json": "j",
    "interval year to month": "ym", "interval day to second": "ds", "Geometry": "geo",
    "SphericalGeography": "geog", "BingTile": "tile", "HyperLogLog": "hll",
    "SetDigest": "sets",
}  # fmt: skip
_SIZED = {
    "varchar": ("s", "v"),
    "char": ("c",),
    "decimal": ("n", "big"),
    "timestamp": ("ts", "ts3"),
    "timestamp with time zone": ("tz",),
}
# Types to stand for a T; what fits none of them is left to the table of constants below.
_ANY = ("l", "s", "d", "dt")
_ARRAYS = {"l": "ai", "s": "as_", "d": "ad", "b": "ab"}


def probes() -> Iterator[Probe]:
    """Calls of every leakproof function, by every signature and by several types of each."""
    for name in [*registry.names(), *OPERATORS]:
        function = registry.lookup(name)
        assert function is not None
        if not function.leakproof or name in SESSION or function.kind == "table":
            continue
        if name in BY_HAND:
            for text in BY_HAND[name]:
                yield Probe(name, text, _width(text), function.kind)
            continue
        for spec in function.signatures:
            if isinstance(spec, (str, tuple)):
                signature = parse(spec if isinstance(spec, str) else spec[0])
                if function.nested_leak and isinstance(signature.result, ArrayOf):
                    continue
                yield from _of_signature(name, function.kind, signature)


def _width(text: str) -> int:
    return 3 if "c." in text else 2 if "b." in text else 1


def _of_signature(name: str, kind: str, signature: Signature) -> Iterator[Probe]:
    parameters = list(signature.parameters)
    if signature.repeats:
        parameters.append(parameters[-1])
    seen = set()
    for choice in _ANY:
        for sized in range(2):
            arguments = [_argument(p, "abc"[min(i, 2)], choice, sized) for i, p in enumerate(parameters)]
            if any(a is None for a in arguments):
                continue
            text = f"{name}({', '.join(a for a in arguments if a is not None)})"
            if text not in seen:
                seen.add(text)
                yield Probe(name, text, max(1, min(3, len(parameters))), kind)


def _argument(pattern: Pattern, table: str, choice: str, sized: int) -> str | None:
    match pattern:
        case Exactly(type=type_):
            column = _EXACT.get(str(type_))
        case Variable():
            column = choice
        case Sized(base=base):
            members = _SIZED.get(base, ())
            column = members[min(sized, len(members) - 1)] if members else None
        case ArrayOf(element=Exactly(type=type_)):
            column = _ARRAYS.get(_EXACT.get(str(type_), ""))
        case ArrayOf(element=Variable()):
            column = _ARRAYS.get(choice)
        case ArrayOf(element=Sized(base="varchar")):
            column = "as_"
        case ArrayOf(element=ArrayOf()):
            column = "aa"
        case ArrayOf(element=RowOf()):
            column = "ar"
        case MapOf(key=Variable(), value=Variable()):
            column = {"l": "ms", "s": "ms", "d": "md"}.get(choice)
        case MapOf():
            column = "md"
        case FunctionOf(arguments=arguments, result=result):
            return _lambda(arguments, result)
        case _:
            column = None
    return None if column is None else f"{table}.{column}"


def _lambda(arguments: tuple[Pattern, ...], result: Pattern) -> str:
    names = ["x", "y", "z"][: len(arguments)]
    head = names[0] if len(names) == 1 else f"({', '.join(names)})"
    if isinstance(result, Exactly):
        body = {"boolean": f"{names[-1]} IS NULL", "bigint": "0", "integer": "0"}.get(
            str(result.type), "NULL"
        )
    else:
        # The argument of the result's own type, else the last: U may be anything.
        same = [n for n, a in zip(names, arguments, strict=True) if a == result]
        body = (same or names[-1:])[0]
    return f"{head} -> {body}"


# How operators are written, with the arguments in BY_HAND.
_COMPARISONS = {
    "$eq": "=", "$ne": "<>", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=",
    "$is_distinct": "IS DISTINCT FROM",
}  # fmt: skip
OPERATORS = {**_COMPARISONS, "$and": "AND", "$or": "OR", "$not": "NOT", "$concat": "||", "$like": "LIKE",
             "$is_null": "IS NULL", "$row": "ROW"}  # fmt: skip
_EQUALITY = ("=", "<>", "IS DISTINCT FROM")
_NESTED = ("ai", "ad", "as_", "r")
_ORDERED = (
    "b", "i", "l", "f", "d", "n", "big", "s", "dt", "ts", "tz", "bin", "ai", "ad", "as_", "r",
    "t8", "t16", "c", "v", "ts3", "ym", "ds",
)  # fmt: skip
# Constants of the statement, no functions of a row.
SESSION = frozenset(
    {
        "now", "current_timezone", "current_user", "current_catalog", "current_schema", "pi", "e", "nan",
        "infinity", "random", "rand", "uuid", "version", "current_groups", "grouping",
    }
)  # fmt: skip
_UNITS = ("millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")
_DAYS = _UNITS[4:]
# The first three may match nothing, which not every function takes.
_PATTERNS = ("", ".*", "^$", "a(b)?", "(\\w)(\\W*)", "(?i)é|\\p{L}+", "[^a]|x{2,3}")
_MYSQL = "%Y-%m-%d %H:%i:%s.%f %a %b %c %e %j %k %l %M %p %r %T %v %W %y %%"
_JODA = "yyyy-MM-dd HH:mm:ss.SSS EEE MMM a hh"
# What takes constants, and operators.
BY_HAND: dict[str, tuple[str, ...]] = {
    "render": ("render(a.s, rgb(1, 2, 3))", "render(a.l, color('red'))", "render(a.b)"),
    "make_set_digest": tuple(f"make_set_digest(a.{c})" for c in ("l", "t8", "s", "v", "bin", "dt")),
    **{
        # Values with a NULL inside cannot be ordered: the registry says so of arrays and rows.
        name: tuple(f"a.{c} {word} b.{c}" for c in _ORDERED if word in _EQUALITY or c not in _NESTED)
        + tuple(
            f"a.{x} {word} b.{y}" for x, y in (("l", "d"), ("n", "d"), ("i", "big"), ("dt", "ts"), ("v", "s"))
        )
        for name, word in _COMPARISONS.items()
    },
    "$and": ("a.b AND b.b",),
    "$or": ("a.b OR b.b",),
    "$concat": tuple(f"a.{c} || b.{c}" for c in ("s", "v", "bin", "ai", "as_")),
    "$row": ("ROW(a.l, a.s, a.d)",),
    "nullif": tuple(f"nullif(a.{c}, b.{c})" for c in _ORDERED),
    "concat": ("concat(a.s, b.s)", "concat(a.ai, b.ai)", "concat(a.bin, b.bin)"),
    "at_timezone": ("at_timezone(a.tz, 'Europe/Amsterdam')", "at_timezone(a.tz, '-11:30')"),
    "with_timezone": ("with_timezone(a.ts, 'Europe/Amsterdam')", "with_timezone(a.ts3, '-11:30')"),
    "date_format": tuple(f"date_format(a.{c}, '{_MYSQL}')" for c in ("ts", "ts3", "tz")),
    "format_datetime": tuple(f"format_datetime(a.{c}, '{_JODA}')" for c in ("ts", "ts3", "tz")),
    "from_utf8": ("from_utf8(a.bin)",),
    "normalize": tuple(f"normalize(a.s, {form})" for form in ("NFC", "NFD", "NFKC", "NFKD")),
    "truncate": ("truncate(a.d)", "truncate(a.f)", "truncate(a.n, 1)", "truncate(a.big, -3)"),
    **{
        name: tuple(f"{name}(a.{column}, '{pattern}')" for column in "sv" for pattern in patterns)
        for name, patterns in (
            ("regexp_like", _PATTERNS),
            ("regexp_count", _PATTERNS),
            ("regexp_extract", _PATTERNS),
            ("regexp_extract_all", _PATTERNS),
            ("regexp_position", _PATTERNS[3:]),
            ("regexp_split", _PATTERNS[3:]),
        )
    },
    "approx_distinct": (*(f"approx_distinct(a.{c})" for c in _ANY), "approx_distinct(a.l, 0.1e0)"),
    "approx_percentile": (
        *(f"approx_percentile(a.{c}, 0.5e0)" for c in "lfd"),
        *(f"approx_percentile(a.{c}, ARRAY[0e0, 1e0])" for c in "lfd"),
    ),
    "numeric_histogram": (
        "numeric_histogram(3, a.d)",
        "numeric_histogram(3, a.f)",
        "numeric_histogram(3, a.l)",
    ),
    "approx_most_frequent": ("approx_most_frequent(3, a.l, 10)", "approx_most_frequent(3, a.s, 10)"),
    "listagg": ("listagg(a.s, ',') WITHIN GROUP (ORDER BY a.s)",),
    "ntile": ("ntile(3)",),
    "lag": tuple(f"lag(a.{c}, 2, a.{c})" for c in _ANY),
    "lead": tuple(f"lead(a.{c}, 2, a.{c})" for c in _ANY),
    "nth_value": tuple(f"nth_value(a.{c}, 2)" for c in _ANY),
    "$not": ("NOT a.b",),
    "$is_null": tuple(f"a.{c} IS NULL" for c in VALUES),
    "$like": tuple(f"a.s LIKE {p}" for p in ("'%'", "'a_%'", "'\\%'", "''")),
    "date_trunc": (
        *(f"date_trunc('{unit}', a.{c})" for unit in _UNITS for c in ("ts", "tz")),
        *(f"date_trunc('{unit}', a.dt)" for unit in _DAYS),
    ),
    "date_diff": (
        *(f"date_diff('{unit}', a.{c}, b.{c})" for unit in _UNITS for c in ("ts", "tz")),
        *(f"date_diff('{unit}', a.dt, b.dt)" for unit in _DAYS),
    ),
}
