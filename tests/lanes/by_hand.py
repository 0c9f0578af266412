"""Calls that no signature tells: operators, constants that a function asks for, special forms.

Renderings differ for constants and for columns: what people write most is here both ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ALL = (
    "b",
    "t8",
    "t16",
    "i",
    "l",
    "f",
    "d",
    "n",
    "big",
    "s",
    "v",
    "c",
    "bin",
    "dt",
    "ts",
    "tz",
    "u",
    "ym",
    "ds",
)
_USUAL = ("l", "i", "s", "d", "n", "big", "dt", "ts", "b", "f", "bin", "tz")
_NESTED = ("ai", "ad", "as_", "adt", "an", "r", "rd", "aa")
_MIXED = (("l", "d"), ("n", "d"), ("i", "big"), ("dt", "ts"), ("v", "s"), ("i", "l"), ("t8", "i"), ("f", "d"),
          ("n", "n18"), ("n", "big"), ("ts3", "ts"), ("dt", "tz"), ("v", "c"))  # fmt: skip
_CONSTANTS = {
    "b": ("true",), "t8": ("TINYINT '1'",), "t16": ("SMALLINT '300'",), "i": ("0", "7"), "l": ("1", "-1",
        "4294967296"),
    "f": ("REAL '0'", "nan()"), "d": ("0e0", "-1.5e0", "nan()", "infinity()"), "n": ("DECIMAL '0.01'", "1"),
    "big": ("DECIMAL '0'", "1"), "s": ("''", "'a'", "'é'"), "v": ("'ab'",), "c": ("'a'", "CHAR 'a '"),
        "bin": ("X'ff'", "X''"),
    "dt": ("DATE '2024-02-29'",), "ts": ("TIMESTAMP '1970-01-01 00:00:00'", "DATE '2024-02-29'"),
    "tz": ("TIMESTAMP '1970-01-01 00:00:00 UTC'", "TIMESTAMP '2024-03-31 03:59:59.999999 Europe/Paris'"),
    "ym": ("INTERVAL '2' MONTH",), "ds": ("INTERVAL '1' SECOND",),
        "u": ("UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",),
}  # fmt: skip
INFIX = {
    "$add": "+", "$sub": "-", "$mul": "*", "$div": "/", "$mod": "%", "$and": "AND", "$or": "OR",
    "$eq": "=", "$ne": "<>", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">=", "$concat": "||",
    "$is_distinct": "IS DISTINCT FROM",
}  # fmt: skip
# Functions with a syntax of their own; `{0}` is an argument.
WRITTEN = {
    "$is_null": "{0} IS NULL",
    "$not": "NOT {0}",
    "$neg": "-{0}",
    "$array": "ARRAY[{0}, {1}]",
    "$subscript": "{0}[{1}]",
    "$like": "{0} LIKE {1}",
    "$like_escape": "{0} LIKE {1} ESCAPE {2}",
}
# Spark divides decimals of many digits only where 38 hold each step of it, and fails where they do not. The
# fast lane may have an answer there, so that it is not compared.
MODERATE = {
    "$div": {"big": "nl", "n38": "nm", "n20": "nl"},
    # What cancels out of doubles, into which Spark sums, is nobody's.
    "avg": {"l": "ln"},
}
_COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge", "$is_distinct")
_EQUALITY = ("$eq", "$ne", "$is_distinct")
_UNITS = ("millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")
_DAYS = _UNITS[4:]
_PATTERNS = (
    "",
    ".*",
    "^$",
    "a(b)?",
    "(\\w)(\\W*)",
    "(?i)é|\\p{L}+",
    "[^a]|x{2,3}",
    "[a-c]+",
    "\\d+",
    "a|b",
    "^a",
    "e$",
)
_MYSQL = (
    "%Y-%m-%d %H:%i:%s.%f %a %b %c %e %j %k %l %M %p %r %T %v %W %y %%",
    "%Y-%m-%d",
    "%d/%m/%Y %H:%i",
    "%Y%m",
)
_JODA = ("yyyy-MM-dd HH:mm:ss.SSS EEE MMM a hh", "yyyy-MM-dd", "yyyy/MM/dd''T''HH")
_NUMBERS = ("t8", "t16", "i", "pi", "l", "ln", "n", "n18", "n0", "big", "n20", "f", "fn", "d", "dn")
_LIKES = (
    "''",
    "'%'",
    "'a%'",
    "'%a'",
    "'%a%'",
    "'a_%'",
    "'%b%d%'",
    "'\\%'",
    "'_'",
    "'__'",
    "'%é%'",
    "'A%'",
    "'%['",
)
_URLS = (
    "a.w", "'http://u:p@h.com:80/a b?' || a.s", "'http://h.com:80/a%20b?a=' || a.w || '&b#' || a.w",
        "'http://' || a.w || '/x?a=1+2'",
    "'https://h.com/' || a.s", "'http://a_b:1/?a&b=%C3%A9&b=2'", "'http://[::1]:8080/#'", "'mailto:' || a.w",
        "'/x' || a.s", "'http://h:'",
)  # fmt: skip
_MORE_PATTERNS = {
    "regexp_extract": (
        "regexp_extract(a.s, '(\\w)(\\W*)', 2)",
        "regexp_extract(a.w, '([^-]+)$', 1)",
        "regexp_extract(a.v, '.', 0)",
    ),
    "regexp_extract_all": (
        "regexp_extract_all(a.s, '(\\w)(\\W*)', 1)",
        "regexp_extract_all(a.w, '[0-9](.)', 1)",
    ),
    "regexp_position": (
        "regexp_position(a.s, '[a-c]', 2)",
        "regexp_position(a.w, '[0-9]+', 1, 2)",
        "regexp_position(a.v, '\\w', 2, 2)",
    ),
}
_PATHS = ("$", "$.a", "$.a.c", "$[0]", "$[3][0]", "$.a.c[1]", '$["a"]', "$.b")
_SQL_PATHS = ("lax $", "lax $.a", "strict $.a", "lax $[*]", "lax $.*.type()", "lax $..c",
    "lax $[last].size()", "lax $.a + 1", "lax $?(@ > 0)",
    'strict $?(exists(@.a) && !(@.b == "x"))')  # fmt: skip


def _arithmetic(name: str) -> Iterator[str]:
    word = INFIX[name]
    for column in _NUMBERS:
        real = "e0" if column in ("f", "fn", "d", "dn") else ""
        for number in ("1", "2", "7", "-3", "0", "100"):
            yield f"a.{column} {word} {number}{real}"
        yield f"100{real} {word} a.{column}"
    # The first of two constants may be too much for a row, or both together for none.
    for x, y in (("2147483647", "2"), ("2147483647", "(-2147483647)")):
        yield f"a.i {word} {x} {word} {y}"
    for x, y in (
        ("l", "d"),
        ("i", "l"),
        ("n", "l"),
        ("ln", "n18"),
        ("n", "dn"),
        ("i", "big"),
        ("t8", "i"),
        ("fn", "dn"),
    ):
        yield f"a.{x} {word} b.{y}"
    if name in ("$mul", "$div", "$mod", "$add", "$sub"):
        yield f"a.n {word} DECIMAL '0.07'"
        yield f"(1 - a.n) {word} (1 + b.n)"
        yield f"a.n18 {word} DECIMAL '1.5'"


def _moments(name: str) -> Iterator[str]:
    word = INFIX[name]
    for column in ("dt", "dn2", "ts", "tn", "ts3", "tz"):
        for interval in (
            "'1' DAY",
            "'-400' DAY",
            "'1' MONTH",
            "'-13' MONTH",
            "'2' YEAR",
            "'90' MINUTE",
            "'1.5' SECOND",
        ):
            if column in ("dt", "dn2") and ("MINUTE" in interval or "SECOND" in interval):
                continue
            yield f"a.{column} {word} INTERVAL {interval}"
    for column in ("dt", "dn2", "ts", "tn"):
        yield f"a.{column} {word} b.ym"
    for column in ("ts", "tn"):
        yield f"a.{column} {word} b.ds"


def _comparisons(name: str) -> Iterator[str]:
    word = INFIX[name]
    nested = (*_NESTED, "ms", "md") if name in _EQUALITY else _NESTED
    for column in (*_ALL, *nested):
        yield f"a.{column} {word} b.{column}"
    for x, y in _MIXED:
        yield f"a.{x} {word} b.{y}"
    for column, constants in _CONSTANTS.items():
        for constant in constants:
            yield f"a.{column} {word} {constant}"
    yield f"CAST(a.dt AS timestamp(6)) {word} b.ts"
    yield f"ROW(a.l, a.s) {word} ROW(b.l, b.s)"


def calls(name: str) -> Iterator[str]:
    """Of one function, beside those that its signatures tell."""
    if name.startswith("$try:"):
        yield from (f"TRY({text})" for text in _tried(name.removeprefix("$try:")))
        return
    if name in _COMPARISONS:
        yield from _comparisons(name)
    if name in ("$add", "$sub", "$mul", "$div", "$mod"):
        yield from _arithmetic(name)
    if name in ("$add", "$sub"):
        yield from _moments(name)
    yield from BY_HAND.get(name, ())


def moderate(name: str, text: str) -> str:
    for column, milder in MODERATE.get(name.removeprefix("$try:"), {}).items():
        text = re.sub(rf"\b([abc])\.{column}\b", rf"\1.{milder}", text)
    return text


def _tried(name: str) -> Iterator[str]:
    from tests.lanes.probes import probes

    for probe in probes([name]):
        yield probe.text


_ZONES = ("'Europe/Amsterdam'", "'-11:30'", "'UTC'", "'America/New_York'")
# Where the signatures would lead to calls that are refused.
ONLY = frozenset(
    {
        "at_timezone", "with_timezone", "date_format", "format_datetime", "date_parse", "parse_datetime",
        "date_trunc",
        "simplify_geometry", "line_interpolate_point", "line_interpolate_points", "st_relate",
        "bing_tiles_around",
        "date_diff", "date_add", "regexp_like", "regexp_count", "regexp_extract", "regexp_extract_all",
        "regexp_position", "regexp_split", "regexp_replace", "approx_percentile", "numeric_histogram",
        "approx_most_frequent", "approx_distinct", "listagg", "ntile", "lag", "lead", "nth_value",
        "normalize",
        "json_extract", "json_extract_scalar", "json_size", "$path_exists", "$path_value", "$path_query",
        "word_stem", "bar", "rgb",
        "$color_named", "$color_between", "$render", "$path_table", "$checksum_part",
        "$checksum_total", "format", "$like_escape", "$array", "$and", "$or",
        "any_value", "arbitrary", "reduce_agg", "$wall_clock", "$from_wall_clock", "$offset_text",
        "$trunc_in_zone",
        "grouping", "max_by", "min_by", "random", "rand", "uuid",
    }
)  # fmt: skip
# Signatures whose second argument has to be a constant.
CONSTANT_COUNT = frozenset({"min", "max"})
BY_HAND: dict[str, tuple[str, ...]] = {
    "$and": ("a.b AND b.b", "a.b AND b.b AND a.l > 0"),
    "$or": ("a.b OR b.b", "a.b OR b.b OR a.l > 0"),
    "$concat": (
        *(f"a.{c} || b.{c}" for c in ("s", "v", "c", "bin", "ai", "as_", "ad")),
        "a.s || b.v", "a.s || '-' || b.s", "'x' || a.s", "a.v || b.c", "a.ai || b.l", "b.l || a.ai",
    ),
    "concat": (
        *(f"concat(a.{c}, b.{c})" for c in ("s", "v", "c", "bin", "ai", "as_")),
        "concat(a.s, '-', b.s)", "concat(a.s, b.v)",
    ),
    "$row": ("ROW(a.l, a.s, a.d)", "ROW(a.n, a.dt, a.ts, a.bin)", "ROW(a.b, a.i, a.f, a.big, a.tz)",
        "ROW(a.ai, a.ms, a.r)",
             "ROW(a.t8, a.t16, a.c, a.v, a.u, a.j)", "ROW(a.ym, a.ds)"),
    "$array": (*(f"ARRAY[a.{c}, b.{c}]" for c in (*_ALL, *_NESTED, "j", "ms")), "ARRAY[a.l]",
        "ARRAY[a.l, NULL]", "ARRAY[a.i, b.l]"),
    "$neg": tuple(f"-a.{c}" for c in (*_NUMBERS, "n38", "ym", "ds")),
    "$not": ("NOT a.b", "NOT (a.l > 0)"),
    "$is_null": tuple(f"a.{c} IS {n}NULL" for c in (*_ALL, *_NESTED, "ms", "j") for n in ("", "NOT ")),
    "$like": (
        *(f"a.{c} LIKE {p}" for c in ("s", "v", "c", "w") for p in _LIKES), "a.s LIKE b.s",
        "a.s NOT LIKE '%a%'",
    ),
    "$like_escape": (
        *(f"a.{c} LIKE {p} ESCAPE '#'" for c in ("s", "v", "c") for p in ("'#%'", "'a#_%'", "'##%'",
        "'%#%%'")),
        "a.s LIKE b.s ESCAPE '\\'", "a.s LIKE '\\%' ESCAPE '\\'",
    ),
    "$subscript": ("a.ai[1]", "a.ap[b.p]", "a.as1[2]", "a.ms['a']", "a.mi[1]", "a.mss[b.v]", "a.aa[1]",
        "a.adt[1]",
                   "a.msa['a']", "a.ari[1]", "a.an[1]", "a.ad[1]", "a.ats[1]", "a.ab[1]", "a.abin[1]",
                   "a.af[3]",
                   "a.aint[1]", "a.abig[1]", "a.atz[1]", "a.md['a']", "a.mint[1]", "a.mii[0]",
                   "a.mdt[DATE '2024-02-29']"),
    "element_at": ("element_at(a.ap, -1)", "element_at(a.as1, 2)", "element_at(a.ms, 'a')",
        "element_at(a.mi, 1)"),
    "nullif": (*(f"nullif(a.{c}, b.{c})" for c in (*_ALL, *_NESTED, "ms")), "nullif(a.l, 0)",
        "nullif(a.s, '')",
               "nullif(a.i, b.l)", "nullif(a.d, 0e0)", "nullif(a.n, 0)"),
    "coalesce": ("coalesce(a.l, 0)", "coalesce(a.s, '')", "coalesce(a.l, b.i, 7)", "coalesce(a.n, b.big)",
                 "coalesce(NULL, a.dt)", "coalesce(a.d, 0e0)"),
    "at_timezone": tuple(f"at_timezone(a.{c}, {z})" for c in ("tz", "tz3") for z in _ZONES),
    "with_timezone": tuple(f"with_timezone(a.{c}, {z})" for c in ("ts", "ts3", "tn") for z in _ZONES),
    "$wall_clock": (*(f"CAST(at_timezone(a.tz, {z}) AS timestamp(6))" for z in _ZONES),
        "hour(at_timezone(a.tz, 'Asia/Kathmandu'))"),
    "$from_wall_clock": tuple(f"with_timezone(a.ts, {z})" for z in _ZONES),
    "$offset_text": tuple(f"CAST(at_timezone(a.tz, {z}) AS varchar)" for z in _ZONES),
    "$trunc_in_zone": tuple(f"date_trunc('{u}', at_timezone(a.tz, {z}))" for z in _ZONES for u in _UNITS),
    "date_format": tuple(f"date_format(a.{c}, '{f}')" for c in ("ts", "tn", "ts3", "tz") for f in _MYSQL),
    "format_datetime": tuple(f"format_datetime(a.{c}, '{f}')" for c in ("ts", "tn", "ts3",
        "tz") for f in _JODA),
    "date_parse": tuple(f"date_parse(a.w, '{f}')" for f in ("%Y-%m-%d", "%Y-%m-%d %H:%i:%s", "%H")),
    "parse_datetime": tuple(f"parse_datetime(a.w, '{f}')" for f in ("yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss.SSS")),
    "date_trunc": (
        *(f"date_trunc('{unit}', a.{c})" for unit in _UNITS for c in ("ts", "tn", "ts3", "tz")),
        *(f"date_trunc('{unit}', a.{c})" for unit in _DAYS for c in ("dt", "dn2")),
    ),
    "date_diff": (
        *(f"date_diff('{unit}', a.{c}, b.{c})" for unit in _UNITS for c in ("ts", "tn", "tz")),
        *(f"date_diff('{unit}', a.{c}, b.{c})" for unit in _DAYS for c in ("dt", "dn2")),
        "date_diff('day', a.dn2, DATE '2024-03-01')",
    ),
    "date_add": (
        *(f"date_add('{unit}', b.p, a.{c})" for unit in _UNITS for c in ("ts", "tn", "tz")),
        *(f"date_add('{unit}', {n}, a.{c})" for unit in _DAYS for c in ("dt", "dn2") for n in ("b.p", "3",
        "-1")),
    ),
    "from_utf8": ("from_utf8(a.bin)", "from_utf8(a.bin, '?')",
        "from_utf8(X'41eda080') || from_utf8(X'edbf41') || from_utf8(X'e0a0') || from_utf8(X'f0908dc0af')"),
    "normalize": tuple(f"normalize(a.s, {form})" for form in ("NFC", "NFD", "NFKC", "NFKD")),
    "truncate": ("truncate(a.d)", "truncate(a.f)", "truncate(a.n, 1)", "truncate(a.big, -3)",
        "truncate(a.n18, 2)"),
    "round": (*(f"round(a.{c}, {n})" for c in _NUMBERS for n in (0, 1, 2, -1)),
        *(f"round(a.{c})" for c in _NUMBERS)),
    **{
        name: (
            *(f"{name}(a.{column}, '{pattern}')" for column in "sv" for pattern in patterns),
            *_MORE_PATTERNS.get(name, ()),
        )
        for name, patterns in (
            ("regexp_like", _PATTERNS),
            ("regexp_count", _PATTERNS),
            ("regexp_extract", _PATTERNS),
            ("regexp_extract_all", _PATTERNS),
            ("regexp_position", _PATTERNS[3:]),
            ("regexp_split", _PATTERNS[3:]),
        )
    },
    "regexp_replace": (
        *(f"regexp_replace(a.s, '{pattern}')" for pattern in _PATTERNS[3:]),
        *(f"regexp_replace(a.s, '{pattern}', '{to}')" for pattern in _PATTERNS[3:] for to in ("", "-",
        "<$0>")),
        "regexp_replace(a.s, '(\\w)(\\W)', '$2$1')",
        "regexp_replace(a.s, '(\\w)(\\w*)', x -> upper(x[1]) || x[2])",
        "regexp_replace(a.s, '^\\s+|\\s+$', '')",
        "regexp_replace(a.s, 'a', '\\$\\\\')",
        "regexp_replace(a.w, '^https?://(?:www\\.)?([^/]+)/.*$', '$1')",
    ),
    "split": ("split(a.w, ',')", "split(a.s, ' ')", "split(a.w, '-', 2)", "split(a.v, b.v)"),
    "split_part": ("split_part(a.w, '-', 2)", "split_part(a.s, ' ', 1)", "split_part(a.w, ':', b.p)"),
    "strpos": ("strpos(a.s, 'b')", "strpos(a.w, '-')", "strpos(a.w, '-', 2)", "strpos(a.w, '-', -1)"),
    "substr": ("substr(a.s, 1, 2)", "substr(a.s, -2)", "substr(a.w, 3)", "substr(a.w, -3, 2)",
        "substr(a.s, 2, 0)",
               "substr(a.v, b.p, 2)", "substr(a.bin, 2)"),
    "substring": ("substring(a.w, 1, 4)", "substring(a.s FROM 2 FOR 3)", "substring(a.v, b.p)"),
    "lpad": ("lpad(a.v, 8, 'xy')", "lpad(a.s, 3, '0')", "lpad(a.c, 5, ' ')", "lpad(a.s, b.p, '-')"),
    "rpad": ("rpad(a.v, 8, 'xy')", "rpad(a.s, 3, '0')", "rpad(a.s, b.p, '-')"),
    "trim": ("trim(a.w)", "trim(BOTH 'a' FROM a.s)", "trim(LEADING ' ' FROM a.w)", "trim(a.v, 'a1')"),
    "replace": ("replace(a.s, 'a', 'bb')", "replace(a.w, '-')", "replace(a.s, '', 'x')"),
    "translate": ("translate(a.s, 'abc', 'x')", "translate(a.w, '-:', '')"),
    "concat_ws": ("concat_ws(',', a.s, b.s)", "concat_ws(a.v, b.as1)", "concat_ws('-', a.v, b.v, a.v)"),
    "codepoint": ("codepoint(CAST(substr(a.s, 1, 1) AS varchar(1)))",),
    "chr": ("chr(a.l)", "chr(a.p)", "chr(65)"),
    "approx_distinct": tuple(f"approx_distinct(a.{c})" for c in ("l", "s", "d", "dt")),
    "approx_percentile": (
        *(f"approx_percentile(a.{c}, 0.5e0)" for c in ("ln", "fn", "dn")),
        *(f"approx_percentile(a.{c}, ARRAY[0e0, 1e0])" for c in ("ln", "fn", "dn")),
    ),
    "numeric_histogram": ("numeric_histogram(3, a.dn)", "numeric_histogram(3, a.fn)"),
    "approx_most_frequent": ("approx_most_frequent(3, a.l, 10)", "approx_most_frequent(3, a.s, 10)"),
    "ntile": ("ntile(3)", "ntile(100)"),
    "lag": (*(f"lag(a.{c})" for c in (*_ALL, *_NESTED)), "lag(a.l, 2, -7)", "lag(a.s, 0)",
        "lag(a.d, 3) IGNORE NULLS"),
    "lead": (*(f"lead(a.{c})" for c in (*_ALL, *_NESTED)), "lead(a.l, 2, -7)", "lead(a.s, 0)",
        "lead(a.d, 3) IGNORE NULLS"),
    "nth_value": (*(f"nth_value(a.{c}, 2)" for c in (*_ALL, *_NESTED)), "nth_value(a.l, 3) IGNORE NULLS"),
    "first_value": ("first_value(a.l) IGNORE NULLS",),
    "last_value": ("last_value(a.l) IGNORE NULLS",),
    "json_extract": tuple(f"json_extract(a.{c}, '{p}')" for c in ("j", "js") for p in _PATHS),
    "json_extract_scalar": tuple(f"json_extract_scalar(a.{c}, '{p}')" for c in ("j", "js") for p in _PATHS),
    "json_size": tuple(f"json_size(a.{c}, '{p}')" for c in ("j", "js") for p in _PATHS),
    "word_stem": ("word_stem(a.s)", "word_stem(a.v)", "word_stem(a.w, 'en')", "word_stem(a.s, b.s)"),
    "bar": ("bar(a.d, 9)", "bar(a.dn, a.pi % 50, rgb(1, 2, 3), color('#e81'))"),
    "rgb": ("render('x', rgb(a.p % 256, b.p % 256, 7))", "render('x', rgb(a.l, 0, 0))"),
    "$color_named": ("render(a.s, color(b.s))", "render(a.s, color('blue'))"),
    "$color_between": ("render('x', color(a.d, rgb(1, 2, 3), rgb(250, 0, 9)))",),
    "$render": ("render(a.s, rgb(1, 2, 3))", "render(a.l, color('red'))", "render(a.v, color('red'))"),
    "$checksum_part": tuple(
        f"checksum(a.{c}) OVER ()"
        for c in ("b", "t8", "t16", "i", "l", "f", "d", "n", "big", "s", "v", "c", "bin", "dt", "ts", "tz",
            "u", "j")
    ),
    "$checksum_total": ("checksum(a.l) OVER ()",),
    "$path_exists": tuple(f"json_exists(a.js, '{p}')" for p in _SQL_PATHS),
    "$path_value": (
        *(f"json_value(a.js, '{p}')" for p in _SQL_PATHS),
        "json_value(a.js, 'lax $.a' RETURNING bigint DEFAULT a.l ON EMPTY DEFAULT b.l ON ERROR)",
        "json_value(a.js, 'lax $[0]' RETURNING double)", "json_value(a.js, 'strict $.a' ERROR ON ERROR)",
    ),
    "$path_table": (
        "(SELECT count(x) FROM JSON_TABLE('[1, 2]', 'lax $[*]' COLUMNS (x varchar PATH 'lax $')))",
        "(SELECT max(x) FROM JSON_TABLE('[{\"a\":[1]},3]', 'lax $[*]' COLUMNS (NESTED 'lax $.a[*]'"
        " COLUMNS (x bigint PATH 'lax $'))))",
    ),
    "$path_query": (
        *(f"json_query(a.js, '{p}' WITH WRAPPER)" for p in _SQL_PATHS),
        "json_query(a.js, 'lax $.a' OMIT QUOTES EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR)",
        "json_query(a.js, 'lax $?(@ == $V || @ starts with $W)' PASSING a.l AS v, b.s AS w)",
    ),
    "from_unixtime": ("from_unixtime(a.dn)", "from_unixtime(a.dn, 'Europe/Amsterdam')",
        "from_unixtime(a.ln)"),
    "transform": ("transform(a.ap, x -> x + 1)", "transform(a.as1, x -> upper(x))",
        "transform(a.an1, x -> x * 2)",
                  "transform(a.ai, x -> x + b.p)", "transform(a.adt, x -> x + INTERVAL '1' DAY)",
                  "transform(a.aa, x -> cardinality(x))"),
    "filter": ("filter(a.ap, x -> x > 1)", "filter(a.as1, x -> x <> 'a')", "filter(a.ad, x -> x > 0)"),
    "any_match": ("any_match(a.ap, x -> x > 4)", "any_match(a.ad, x -> x > 0)"),
    "all_match": ("all_match(a.ap, x -> x > 0)", "all_match(a.ad, x -> x > 0)"),
    "none_match": ("none_match(a.ap, x -> x > 4)",),
    "reduce": ("reduce(a.ap, CAST(0 AS bigint), (s, x) -> s + x, s -> s)",
        "reduce(a.as1, '', (s, x) -> s || x, s -> s)",
               "reduce(a.an1, 0e0, (s, x) -> s + x * x, s -> sqrt(s))"),
    "zip_with": ("zip_with(a.ap, b.ap, (x, y) -> x + y)", "zip_with(a.ap, b.as1, (x, y) -> ROW(x, y))"),
    "array_sort": ("array_sort(a.ap, (x, y) -> CASE WHEN x < y THEN 1 WHEN x > y THEN -1 ELSE 0 END)",),
    "map_filter": ("map_filter(a.ms, (k, v) -> v > 0)", "map_filter(a.mii, (k, v) -> k >= 0)"),
    "transform_values": ("transform_values(a.ms, (k, v) -> v * 2)",),
    "transform_keys": ("transform_keys(a.ms, (k, v) -> k || 'x')", "transform_keys(a.mii, (k, v) -> 1)"),
    "map_zip_with": ("map_zip_with(a.ms, b.md, (k, v, w) -> v + w)",),
    "width_bucket": ("width_bucket(a.dn, 0, 10, 5)", "width_bucket(a.dn, ARRAY[0e0, 2e0, 4e0])"),
    "format": (
        "format('%s %d', a.s, b.l)", "format('%.2f', a.dn)", "format('%,.1f|%8.3f', a.n, a.big)",
        "format('%12.2f|%-9s|', a.fn, a.v)",
        "format('%,d|%08d|%+d|% d|%x|%X|%o', a.ln, a.i, a.p, a.p, a.l, a.i, a.l)",
        "format('%b|%6b|%B', a.b, a.b, a.b)",
        *(f"format('%s', a.{c})" for c in ("n", "big", "dt", "ts", "ts3", "b", "t8", "t16", "i", "c", "fn")),
        "format('%s', a.dn)",
    ),
    **{
        f"url_extract_{part}": tuple(f"url_extract_{part}({url})" for url in _URLS)
        for part in ("protocol", "host", "port", "path", "query", "fragment")
    },
    "url_extract_parameter": tuple(
        f"url_extract_parameter({url}, '{name}')" for url in _URLS for name in ("a", "b", "")
    ),
    "$json_object": ("json_object('a' VALUE a.s, 'b' VALUE a.l, 'c' VALUE a.j FORMAT JSON)",
        "json_object(KEY coalesce(a.s, '') VALUE a.b)"),
    "$json_name": ("json_object(KEY a.s VALUE a.b)", "json_object(KEY a.v VALUE 1)"),
    "$json_object_without_nulls": ("json_object('a' VALUE a.s, 'b' VALUE a.l ABSENT ON NULL)",),
    "$json_array": ("json_array(a.s, a.l, a.b)", "json_array(a.v)"),
    "typeof": ("typeof(a.n)", "typeof(a.s)"),
    "to_base": ("to_base(a.l, 16)", "to_base(a.ln, 2)"),
    "from_base": ("from_base(a.w, 10)", "from_base(a.w, 16)"),
    "greatest": ("greatest(a.l, 5)", "greatest(a.d, b.d, 0e0)", "greatest(a.i, b.l)"),
    "least": ("least(a.l, 5)", "least(a.d, b.d, 0e0)", "least(a.i, b.l)"),
    "any_value": tuple(f"any_value(a.{c})" for c in (*_ALL, *_NESTED)),
    "arbitrary": tuple(f"arbitrary(a.{c})" for c in (*_ALL, *_NESTED)),
    # Of chance there is little to compare.
    **{
        name: (
            f"{name}() >= 0e0",
            f"{name}() < 1e0",
            *(f"{name}({c}) < 10" for c in ("TINYINT '10'", "SMALLINT '10'", "10", "BIGINT '10'")),
            f"{name}(10) >= 0",
            f"{name}(5, 10) >= 5",
            f"{name}(5, 10) < 10",
        )
        for name in ("random", "rand")
    },
    "power": ("power(a.dn, 2)", "power(a.d, 2)"),
    "pow": ("pow(a.dn, 2)", "pow(a.d, 2)"),
    "bit_count": ("bit_count(a.l, 64)", "bit_count(a.p, 8)"),
    "combinations": ("combinations(a.ap, 2)", "combinations(a.as1, 2)", "combinations(a.an1, 1)"),
    "min": ("min(a.l, 2)", "min(a.s, 3)", "min(a.d, 2)"),
    "max": ("max(a.l, 2)", "max(a.s, 3)", "max(a.d, 2)"),
    "uuid": ("length(CAST(uuid() AS varchar))",),
    "count": ("count(*)", "count(1)"),
    **{
        name: (
            # Of equal keys either may be chosen: zeros of both signs are.
            *(
                f"{name}(a.{v}, {f'nullif(a.{k}, 0)' if k in ('d', 'f') else f'a.{k}'})"
                for v in _USUAL
                for k in _USUAL
            ),
            *(f"{name}(a.{v}, a.l)" for v in _NESTED),
            "max_by(a.s, a.l, 2)".replace("max_by", name),
        )
        for name in ("max_by", "min_by")
    },
    "listagg": ("listagg(a.s, ',') WITHIN GROUP (ORDER BY a.s)",
        "listagg(a.v) WITHIN GROUP (ORDER BY a.v DESC)"),
    "reduce_agg": ("reduce_agg(a.ln, CAST(0 AS bigint), (s, x) -> s + x, (s, t) -> s + t)",),
    "sum": tuple(f"sum(a.{c})" for c in (*_NUMBERS, "n38", "ds", "ym")),
    "avg": tuple(f"avg(a.{c})" for c in (*_NUMBERS, "n38", "ds", "ym")),
    "sequence": ("sequence(1, a.p)", "sequence(a.p, b.p)", "sequence(a.p, 0, -1)",
        "sequence(a.dn2, DATE '2024-02-02')",
                 "sequence(a.p, b.p, 3)"),
    "repeat": ("repeat(a.l, 3)", "repeat(a.s, b.p)"),
    "contains": ("contains(a.ap, 1)", "contains(a.as1, 'a')"),
    "array_join": ("array_join(a.ap, ',')", "array_join(a.as1, '-', '?')", "array_join(a.ad, ',')"),
    "cardinality": ("cardinality(a.hll)", "cardinality(a.sets)"),
    "st_point": ("st_point(a.dn, b.dn)",),
    "st_geometryfromtext": ("st_geometryfromtext(a.gt)",),
    "st_linefromtext": ("st_linefromtext(a.gt)",),
    "st_polygon": ("st_polygon(a.gt)",),
    "st_geomfrombinary": ("st_geomfrombinary(st_asbinary(a.geo))",),
    "st_pointn": ("st_pointn(a.geo, a.pi)",),
    "st_geometryn": ("st_geometryn(a.geo, a.pi)",),
    "st_interiorringn": ("st_interiorringn(a.geo, 1)",),
    "st_relate": ("st_relate(a.geo, b.geo, 'T********')", "st_relate(a.geo, b.geo, 'FF*FF****')"),
    "simplify_geometry": ("simplify_geometry(a.geo, b.q)",),
    "line_interpolate_point": ("line_interpolate_point(a.geo, b.q)",),
    "line_interpolate_points": ("line_interpolate_points(a.geo, b.q)",),
    "from_geojson_geometry": ("from_geojson_geometry(a.gj)",),
    "from_encoded_polyline": ("from_encoded_polyline(a.gj)",),
    "bing_tile": ("bing_tile(a.pi, a.pi, b.zoom)", "bing_tile(a.qk)"),
    "bing_tile_at": ("bing_tile_at(a.dn, b.dn, 5)", "bing_tile_at(a.q, a.q, b.zoom)"),
    "bing_tiles_around": ("bing_tiles_around(a.q, a.q, 5)", "bing_tiles_around(a.q, a.q, 5, b.q)"),
    "make_set_digest": tuple(
        f"make_set_digest(a.{c})" for c in ("t8", "t16", "i", "l", "s", "v", "bin", "dt")
    ),
    "tdigest_agg": ("tdigest_agg(a.dn)", "tdigest_agg(a.dn, a.p)", "tdigest_agg(a.dn, 2e0)"),
    "value_at_quantile": ("value_at_quantile(a.td, b.q)",),
    "values_at_quantiles": ("values_at_quantiles(a.td, ARRAY[b.q])", "values_at_quantiles(a.td, b.an1)"),
    "map": ("map(a.ap, b.ap)", "map(a.as1, b.ap)"),
    "slice": ("slice(a.ap, 2, 2)", "slice(a.ap, -2, 1)", "slice(a.ap, b.p, 2)"),
}  # fmt: skip
