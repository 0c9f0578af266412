"""The tables that probes read: every type with awkward values, one by one, in pairs and in threes."""

from __future__ import annotations

import re

from tests.awkward import VALUES

# More than the leakproof test needs: text that means something to one function or another, ordinary
# numbers, counts that do not fill the memory, arrays and maps of more types.
_TEXTS = [
    "''", "'0'", "'-1'", "' 42 '", "'127'", "'128'", "'2147483648'", "'9223372036854775808'", "'1.5'",
    "'-0.005'", "'1e3'", "'1e400'", "'infinity'", "'NaN'", "'+7'", "'0x1f'", "'12abc'", "'true'", "'F'",
    "'yes'",
    "'2024-02-29'", "' 2024-02-29 '", "'2024-2-9'", "'2024-02-30'", "'2024-02-29 12:34:56.789'",
    "'2024-02-29T12:34:56.1234567Z'", "'2024-02-29 23:59:60'", "'1969-12-31 23:59:59.9999999'",
    "'10000-01-01'", "'-0001-05-06'", "'2024-02-29 12:00:00 +05:30'", "'2024-02-29 12:00:00 Europe/Paris'",
    "'48656c6c6f'", "'SGVsbG8='", "'a=1,b=2'", "'http://u@h.example:8080/p/a%20th?q=1&r=%C3%A9#f'",
    "'3.5d'", "'10MB'", "'[1, {\"a\": \"é\"}, null]'", "'é' || chr(769) || chr(128512)",
]  # fmt: skip
_MORE: dict[str, tuple[str, list[str]]] = {
    "g": ("integer", []),
    "i8": ("integer", ["0", "1", "-1", "127", "-128", "3"]),
    "i16": ("integer", ["0", "1", "-1", "32767", "-32768", "300"]),
    "p": ("bigint", ["0", "1", "2", "3", "-1", "-2", "10", "64"]),
    "pi": ("integer", ["0", "1", "2", "5", "-1", "-3", "40"]),
    "dn": ("double", ["0e0", "1e0", "-2.5e0", "0.1e0", "3.5e0", "100.125e0", "-1e-3", "2e0", "1.5e9"]),
    "fn": ("real", ["REAL '0'", "REAL '1'", "REAL '-2.5'", "REAL '0.1'", "REAL '16777217'"]),
    "ln": ("bigint", ["0", "1", "2", "-3", "10", "12345", "-987654321", "2"]),
    "n18": ("decimal(18,4)", ["DECIMAL '0'", "DECIMAL '99999999999999.9999'", "DECIMAL '-0.0001'",
                              "DECIMAL '2.5'", "DECIMAL '-2.5'"]),
    "n0": ("decimal(9,0)", ["DECIMAL '0'", "DECIMAL '999999999'", "DECIMAL '-7'", "DECIMAL '2'"]),
    "n38": ("decimal(38,0)", ["DECIMAL '0'", f"DECIMAL '{'9' * 38}'", f"DECIMAL '-{'9' * 38}'",
        "DECIMAL '3'"]),
    "n20": ("decimal(20,5)", ["DECIMAL '0'", "DECIMAL '123456789012345.67891'", "DECIMAL '-0.00001'",
                              "DECIMAL '1.5'"]),
    "w": ("varchar", _TEXTS),
    "c20": ("varchar", ["''", "'a'", "'a '", "' a'", "'1.5'", "'2024-02-29'", "'Abc def'", "'ß'",
                        "chr(128512)", "'abcdefghijklmnopqrst'"]),
    "v5": ("varchar", ["''", "'a'", "'ab'", "' b '", "'12345'", "'1.5'", "'éé'", "chr(128512)", "'A%_'",
        "'true'"]),
    "js": ("varchar", ["'null'", "'true'", "'1'", "'-0.5'", "'1e400'", "'\"a\\u00e9\"'", "'[]'", "'{}'",
                       "'[1, null, \"x\", [2]]'", "'{\"b\": 1, \"a\": {\"c\": [true, 1.50]}}'", "'\"12\"'"]),
    "ut": ("varchar", ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
                       "'12151fd2-7586-11e9-8f9e-2a86e4085a59'", "'80000000-0000-0000-0000-000000000000'"]),
    "dn2": ("date", ["DATE '2024-01-31'", "DATE '2023-12-31'", "DATE '1969-12-31'", "DATE '2000-02-29'",
                     "DATE '2024-12-30'"]),
    "tn": ("timestamp(6)", ["TIMESTAMP '2024-01-31 10:11:12.345678'",
        "TIMESTAMP '2023-12-31 23:59:59.999999'",
                            "TIMESTAMP '1969-12-31 00:00:00'", "TIMESTAMP '2000-02-29 12:00:00.5'"]),
    "aint": ("array(integer)", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[1, NULL, 1]", "ARRAY[2147483647, -5, 0]"]),
    "af": ("array(real)", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[nan(), REAL '1.5']",
        "ARRAY[REAL '-0.0', REAL '0']"]),
    "an": ("array(decimal(5,2))", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[DECIMAL '1.50', NULL, DECIMAL '-2']"]),
    "abig": ("array(decimal(38,10))", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[DECIMAL '1.5', DECIMAL '1.5']"]),
    "adt": ("array(date)", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[DATE '2024-02-29', DATE '1969-12-31']"]),
    "ats": ("array(timestamp(6))", ["ARRAY[]", "ARRAY[NULL]",
        "ARRAY[TIMESTAMP '2024-02-29 01:02:03.000004', NULL]"]),
    "atz": ("array(timestamp(6) with time zone)", ["ARRAY[]", "ARRAY[NULL]",
                                                   "ARRAY[TIMESTAMP '2024-02-29 01:02:03 UTC', NULL]"]),
    "abin": ("array(varbinary)", ["ARRAY[]", "ARRAY[NULL]", "ARRAY[X'', X'ff', X'00']"]),
    "an1": ("array(double)", ["ARRAY[]", "ARRAY[1e0, 2e0, 3e0]", "ARRAY[-1.5e0, 0e0, 4e0]",
        "ARRAY[1e0, NULL]"]),
    "ap": ("array(bigint)", ["ARRAY[]", "ARRAY[3, 1, 2]", "ARRAY[1, 2, 3, 4, 5]", "ARRAY[2, 2]",
        "ARRAY[NULL, 7]"]),
    "as1": ("array(varchar)", ["ARRAY[]", "ARRAY['b', 'a', 'B', 'é']", "ARRAY['a', 'a']",
        "ARRAY['', NULL, ' ']"]),
    "mss": ("map(varchar, varchar)", ["MAP()", "MAP(ARRAY['a', 'é'], ARRAY['', NULL])"]),
    "mii": ("map(bigint, bigint)", ["MAP()", "MAP(ARRAY[0, -1], ARRAY[NULL, 1])", "MAP(ARRAY[1], ARRAY[5])"]),
    "mint": ("map(integer, double)", ["MAP()", "MAP(ARRAY[1, 2], ARRAY[nan(), -0e0])"]),
    "mdt": ("map(date, decimal(5,2))", ["MAP()", "MAP(ARRAY[DATE '2024-02-29'], ARRAY[DECIMAL '1.5'])"]),
    "msa": ("map(varchar, array(bigint))", ["MAP()", "MAP(ARRAY['a', 'b'], ARRAY[ARRAY[1, NULL], NULL])"]),
    "rd": ("row(x double, y varchar, z date)", ["ROW(nan(), 'a', DATE '2024-02-29')", "ROW(-0e0, NULL, NULL)",
                                                 "ROW(0e0, '', DATE '0001-01-01')"]),
    "gt": ("varchar", [
        "'POINT (1 2)'", "'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))'",
        "'LINESTRING (0 0, 2 2, 0 2, 2 0)'", "'POINT EMPTY'", "'MULTIPOINT ((1 2), (3 4))'",
        "'LINESTRING (0.5 0.25, 3.1 4.7, 10 2.2)'", "'POLYGON ((0 0, 3 3, 0 3, 2 0, 0 0))'",
        "'MULTILINESTRING ((0 0, 1 0), (5 5, 6 5, 6 6))'",
        "'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1))'",
        "'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))'",
        "'LINESTRING EMPTY'", "'POLYGON EMPTY'",
    ]),
    "gj": ("varchar", [
        "'{\"type\":\"Point\",\"coordinates\":[1,2]}'", "''", "'_p~iF~ps|U_ulLnnqC_mqNvxq`@'", "'xyz'",
    ]),
    "qk": ("varchar", ["'0'", "'123'", "'0123012'", "'33333333333333333333333'"]),
    "hb": ("varbinary", [
        "X'020C0000'",
        "X'020c01008063df28'",
        "X'020c0300800344008063df28802008de'",
    ]),
    "sb": ("varbinary", [
        "X'0108000000020b01008063df280020000001000000cbc357ccb763df280100'",
        "X'0110000000020b0300800344008063df28802008de0020000003000000a8c0766ca02008de4ac405fbb"
        "7034400cbc357ccb763df28010001000100'",
        "X'0110000000020b030000583d5b01d219b4802008de0020000003000000c1b66a4810d219b4a8c0766ca"
        "02008de0c8b48b239583d5b010001000100'",
    ]),
    "tb": ("varbinary", [
        "X'00000000000000000000000000000000000000000000005940000000000000f03f01000000000000000"
        "0000000000000000000f03f'",
        "X'00000000000000000000000000000008400000000000005940000000000000084003000000000000000"
        "0000000000000000000f83f0000000000000840000000000000f03f000000000000f03f000000000000f0"
        "3f'",
    ]),
    "zoom": ("integer", ["1", "5", "23", "0", "24"]),
    "q": ("double", ["0e0", "0.25e0", "1e0", "0.5e0", "1.5e0"]),
    "an2": ("array(array(varchar))", ["ARRAY[]", "ARRAY[ARRAY['a', NULL], ARRAY[], NULL]"]),
    "ari": ("array(row(k bigint, v varchar))", ["ARRAY[]", "ARRAY[ROW(1, 'a'), ROW(2, NULL)]",
        "ARRAY[NULL]"]),
}  # fmt: skip
STORED = {**VALUES, **_MORE}
ROWS = max(len(values) for _, values in STORED.values()) + 1
GROUPS = 4
# Threes have only so many values of each column, and NULL.
FEW = 7
# The last row has NULL in every column.
NOTHING = ROWS - 1
# What no table stores is made of what it does. `{0}` is the letter of the argument's place.
DERIVED = {
    "t8": "CAST({0}_i8 AS tinyint)",
    "t16": "CAST({0}_i16 AS smallint)",
    "c": "CAST({0}_c20 AS char(20))",
    "v": "CAST({0}_v5 AS varchar(5))",
    "v30": "CAST(substr({0}_w, 1, 30) AS varchar(30))",
    "ts3": "CAST({0}_ts AS timestamp(3))",
    "ts0": "CAST({0}_tn AS timestamp(0))",
    "tz3": "CAST({0}_tz AS timestamp(3) with time zone)",
    "ym": "({0}_pi * INTERVAL '1' MONTH)",
    "ds": "({0}_ln * INTERVAL '1' SECOND)",
    "nl": "CAST({0}_n18 AS decimal(38,4))",
    "nm": "CAST({0}_n AS decimal(25,2))",
    "j": "json_parse({0}_js)",
    "u": "CAST({0}_ut AS uuid)",
    "geo": "st_geometryfromtext({0}_gt)",
    "ageo": "ARRAY[st_geometryfromtext({0}_gt)]",
    "geog": "to_spherical_geography(st_geometryfromtext({0}_gt))",
    "tile": "bing_tile({0}_qk)",
    "hll": "CAST({0}_hb AS HyperLogLog)",
    "sets": "CAST({0}_sb AS SetDigest)",
    "td": "CAST({0}_tb AS tdigest)",
}
KINDS = {
    **{name: kind for name, (kind, _) in STORED.items()},
    "t8": "tinyint", "t16": "smallint", "c": "char(20)", "v": "varchar(5)", "v30": "varchar(30)",
    "ts3": "timestamp(3)", "ts0": "timestamp(0)", "tz3": "timestamp(3) with time zone",
    "ym": "interval year to month", "ds": "interval day to second", "j": "json", "u": "uuid",
    "nl": "decimal(38,4)", "nm": "decimal(25,2)", "geo": "Geometry", "ageo": "array(Geometry)",
    "geog": "SphericalGeography", "tile": "BingTile", "hll": "HyperLogLog", "sets": "SetDigest",
    "td": "tdigest",
}  # fmt: skip
LETTERS = "abc"
_PLACE = re.compile(r"\b([abc])\.(\w+)")
TABLES = ("one", "two", "three")


def inlined(text: str) -> str:
    """A probe's text with `a.x` as the tables spell it."""

    def column(found: re.Match[str]) -> str:
        derived = DERIVED.get(found[2])
        return f"{found[1]}_{found[2]}" if derived is None else derived.format(found[1])

    return _PLACE.sub(column, text)


def width(text: str) -> int:
    """How many places a probe has: which of the tables it needs."""
    return max((LETTERS.index(letter) + 1 for letter, _ in _PLACE.findall(text)), default=1)


def kinds(text: str) -> set[str]:
    """The types of the columns of a probe, without their sizes."""
    return {KINDS[name].partition("(")[0] for _, name in _PLACE.findall(text)}


def stored_names(text: str) -> list[str]:
    """The stored columns that a probe reads, whatever their places."""
    return list(dict.fromkeys(_stored(name) for _, name in _PLACE.findall(text)))


def _stored(name: str) -> str:
    """The stored column that a column is made of."""
    stored = re.search(r"\{0\}_(\w+)", DERIVED[name]) if name in DERIVED else None
    return stored[1] if stored else name


def rows_of(text: str) -> list[int]:
    """The rows in which a probe meets something new: each value of its columns, and NULL."""
    counts: dict[str, int] = {}
    for letter, name in _PLACE.findall(text):
        values = STORED[_stored(name)][1]
        counts[letter] = max(counts.get(letter, 0), len(values) or GROUPS)
    wide = width(text)
    keys = [0]
    for letter in LETTERS[:wide]:
        count = min(counts.get(letter, 0), FEW if wide == 3 else NOTHING)
        keys = [key * 100 + k for key in keys for k in (*range(count), NOTHING)]
    return keys


def create() -> list[str]:
    """Statements that make the tables; `k` tells their rows apart."""
    rows = []
    for k in range(ROWS):
        cells = [
            f"CAST({values[k] if k < len(values) else 'NULL'} AS {kind}) AS a_{name}"
            for name, (kind, values) in STORED.items()
            if name != "g"
        ]
        rows.append(f"SELECT {k} AS k, {k % GROUPS} AS a_g, {', '.join(cells)}")
    # Sorted, it is one file.
    one = f"CREATE TABLE one AS SELECT * FROM ({' UNION ALL '.join(rows)}) AS t ORDER BY k"
    names = [name for name in STORED]

    def product(letters: str, where: str) -> str:
        key = f"{letters[0]}.k"
        for letter in letters[1:]:
            key = f"({key} * 100 + {letter}.k)"
        columns = [f"{x}.a_{name} AS {x}_{name}" for x in letters for name in names]
        tables = " CROSS JOIN ".join(f"one AS {x}" for x in letters)
        return f"SELECT {key} AS k, {', '.join(columns)} FROM {tables}{where}"

    few = " WHERE " + " AND ".join(f"({x}.k < {FEW} OR {x}.k = {NOTHING})" for x in LETTERS)
    return [
        one,
        f"CREATE TABLE two AS {product('ab', '')}",
        f"CREATE TABLE three AS {product('abc', few)}",
    ]
