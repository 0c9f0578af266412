"""Tables and queries by chance: a small grammar of our SQL over tables of chance, with awkward values.

Nothing in it raises, but for sums: lanes may compute parts of a statement for more or fewer rows. Rows come
in any order unless all columns are sorted by.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

# Kinds of columns: their types, and values with extremes among ordinary ones.
POOLS: dict[str, tuple[str, Sequence[str]]] = {
    "integer": ("integer", ("0", "1", "2", "3", "-1", "7", "100", "2147483647", "-2147483648")),
    "bigint": ("bigint", ("0", "1", "-5", "42", "1000000", "9223372036854775807", "-9223372036854775807")),
    "count": ("bigint", ("0", "1", "2", "3", "17", "-4")),
    "decimal": ("decimal(12,2)", ("0", "0.01", "-0.01", "1.50", "99.99", "-1234567890.12", "9999999999.99")),
    "long": ("decimal(38,6)", ("0", "0.000001", "-12345678901234567890.123456", "2.5", "77")),
    "double": ("double", ("nan()", "infinity()", "-infinity()", "0e0", "-0e0", "1.5e0", "1e300", "-1e-300")),
    "mild": ("double", ("0e0", "1.5e0", "-2.25e0", "0.1e0", "1e10", "-1e-5", "3e0", "nan()")),
    "real": ("real", ("REAL '0'", "REAL '1.5'", "REAL '-0.1'", "CAST(nan() AS real)", "REAL '16777216'")),
    "varchar": ("varchar", ("''", "' '", "'a'", "'A'", "'ab'", "'b '", "'é'", "chr(128512)", "'a%'", "'Zoë'",
        "'10'")),
    "boolean": ("boolean", ("true", "false")),
    "date": ("date", ("DATE '2024-02-29'", "DATE '2024-03-01'", "DATE '1969-12-31'", "DATE '0001-01-01'",
                      "DATE '9999-12-31'", "DATE '2023-12-31'")),
    "timestamp": ("timestamp(6)", ("TIMESTAMP '2024-02-29 12:34:56.789012'",
        "TIMESTAMP '1969-12-31 23:59:59.999999'",
                                   "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '2024-03-01 00:00:00'")),
    "zoned": ("timestamp(6) with time zone", ("TIMESTAMP '2024-02-29 12:34:56.789012 UTC'",
                                              "TIMESTAMP '2024-03-31 01:30:00 UTC'")),
    "binary": ("varbinary", ("X''", "X'00'", "X'ff'", "X'c3a9'")),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name; `id` is unique, and every name is the table's own."""

    name: str
    columns: dict[str, str]
    statements: tuple[str, ...]


def make_table(number: int, rows: int = 40) -> Table:
    chance = random.Random(number)
    kinds = [*chance.sample(list(POOLS), 8), "integer", "varchar", "decimal", "mild"]
    columns = {f"t{number}_{kind}{place}": kind for place, kind in enumerate(kinds)}
    name = f"table_{number}"
    described = ", ".join(f"{column} {POOLS[kind][0]}" for column, kind in columns.items())
    values = []
    for row in range(rows):
        cells = [_cell(chance, kind) for kind in columns.values()]
        values.append(f"({row}, {', '.join(cells)})")
    return Table(
        name,
        {f"t{number}_id": "id", **columns},
        (
            f"CREATE TABLE {name} (t{number}_id integer, {described})",
            f"INSERT INTO {name} VALUES {', '.join(values)}",
        ),
    )


def _cell(chance: random.Random, kind: str) -> str:
    type_, pool = POOLS[kind]
    return f"CAST({'NULL' if chance.random() < 0.2 else chance.choice(pool)} AS {type_})"


# Columns that are in sight, with their kinds.
Sight = dict[str, str]
_COMPARED = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM")
_SUMMED = ("count", "decimal", "long", "mild", "id")


def _of_kind(sight: Sight, kind: str) -> list[str]:
    return [name for name, has in sight.items() if has == kind]


def _constant(kind: str) -> st.SearchStrategy[str]:
    type_, pool = POOLS["integer" if kind == "id" else kind]
    return st.sampled_from(pool).map(lambda value: f"CAST({value} AS {type_})")


@st.composite
def values(draw: st.DrawFn, sight: Sight, depth: int = 2) -> tuple[str, str]:
    """An expression that never raises, and its kind."""
    name = draw(st.sampled_from(sorted(sight)))
    kind = sight[name]
    form = draw(st.integers(0, 5 if depth else 0))
    if form == 1:
        return f"coalesce({name}, {draw(_constant(kind))})", kind
    if form == 2:
        other = draw(st.sampled_from(_of_kind(sight, kind)))
        return f"CASE WHEN {draw(conditions(sight, depth - 1))} THEN {name} ELSE {other} END", kind
    if form == 3:
        return f"nullif({name}, {draw(_constant(kind))})", kind
    if form >= 4:
        return _changed(draw, name, kind)
    return name, kind


def _changed(draw: st.DrawFn, name: str, kind: str) -> tuple[str, str]:
    match kind:
        case "varchar":
            return draw(
                st.sampled_from(
                    (
                        (f"lower({name})", kind),
                        (f"upper({name})", kind),
                        (f"trim({name})", kind),
                        (f"({name} || 'x')", kind),
                        (f"substr({name}, 1, 1)", kind),
                        (f"length({name})", "count"),
                        (f"replace({name}, 'a', 'bb')", kind),
                    )
                )
            )
        case "date" | "timestamp" | "zoned":
            unit = draw(st.sampled_from(("day", "month", "year")))
            return draw(
                st.sampled_from(((f"date_trunc('{unit}', {name})", kind), (f"{unit}({name})", "count")))
            )
        case "integer" | "id":
            return draw(
                st.sampled_from(((f"(CAST({name} AS bigint) + 3)", "bigint"), (f"({name} % 7)", kind),
                                 (f"CAST({name} AS varchar)", "varchar")))
            )  # fmt: skip
        case "count":
            return draw(st.sampled_from(((f"({name} * 3 - 1)", kind), (f"({name} / 2)", kind))))
        case "decimal":
            return draw(
                st.sampled_from(((f"round({name})", "long"), (f"CAST({name} AS decimal(38,6))", "long")))
            )
        case "double" | "mild":
            return f"({name} * 2)", "double"
    return name, kind


@st.composite
def conditions(draw: st.DrawFn, sight: Sight, depth: int = 2) -> str:
    form = draw(st.integers(0, 6 if depth else 4))
    if form == 5:
        word = draw(st.sampled_from(("AND", "OR")))
        return f"({draw(conditions(sight, depth - 1))} {word} {draw(conditions(sight, depth - 1))})"
    if form == 6:
        return f"(NOT {draw(conditions(sight, depth - 1))})"
    text, kind = draw(values(sight, depth=0))
    if form == 0:
        return f"({text} IS {draw(st.sampled_from(('', 'NOT ')))}NULL)"
    if form == 1:
        return f"({text} {draw(st.sampled_from(_COMPARED))} {draw(_constant(kind))})"
    if form == 2:
        items = ", ".join(draw(st.lists(_constant(kind), min_size=1, max_size=4)))
        return f"({text} {draw(st.sampled_from(('', 'NOT ')))}IN ({items}))"
    if form == 3 and kind == "varchar":
        return f"({text} LIKE {draw(st.sampled_from(('$a%$', '$%b%$', '$_$', '$%$'))).replace('$', chr(39))})"
    other = draw(st.sampled_from(_of_kind(sight, sight[text]) if text in sight else [text]))
    return f"({text} {draw(st.sampled_from(_COMPARED))} {other})"


@st.composite
def relations(draw: st.DrawFn, tables: Sequence[Table], depth: int = 2) -> tuple[str, Sight]:
    """What stands in FROM."""
    table = draw(st.sampled_from(list(tables)))
    form = draw(st.integers(0, 3 if depth else 0))
    if form == 1:
        inner, sight = draw(relations(tables, depth - 1))
        return f"(SELECT * FROM {inner} WHERE {draw(conditions(sight))}) AS f{depth}", sight
    if form == 2:
        left, right = draw(st.permutations(list(tables)).map(lambda some: some[:2]))
        pairs = [(a, b) for a, ka in left.columns.items() for b, kb in right.columns.items() if ka == kb]
        a, b = draw(st.sampled_from(pairs))
        word = draw(st.sampled_from(("JOIN", "LEFT JOIN", "FULL JOIN")))
        kept = draw(st.sampled_from(("", f" AND {next(iter(left.columns))} < 20")))
        kept = "" if word == "FULL JOIN" else kept
        return f"{left.name} {word} {right.name} ON {a} = {b}{kept}", {**left.columns, **right.columns}
    if form == 3:
        words = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT")
        columns = draw(st.lists(st.sampled_from(sorted(table.columns)), min_size=1, max_size=3, unique=True))
        one = f"SELECT {', '.join(columns)} FROM {table.name}"
        first, second = (f"{one} WHERE {draw(conditions(table.columns))}" for _ in range(2))
        return (
            f"({first} {draw(st.sampled_from(words))} {second}) AS u{depth}",
            {column: table.columns[column] for column in columns},
        )
    return table.name, table.columns


@st.composite
def queries(draw: st.DrawFn, tables: Sequence[Table]) -> tuple[str, bool]:
    """A statement, and whether its rows are in order."""
    source, sight = draw(relations(tables))
    where = f" WHERE {draw(conditions(sight))}" if draw(st.booleans()) else ""
    form = draw(st.integers(0, 4))
    if form == 0:
        return f"SELECT {', '.join(draw(_grouped(sight)))}{' FROM ' + source}{where}{_KEYS}", False
    if form == 1:
        return f"SELECT {', '.join(_totals(draw, sight))} FROM {source}{where}", False
    if form == 2:
        return f"SELECT {', '.join(_windows(draw, sight))} FROM {source}{where}", False
    items = [text for text, _ in draw(st.lists(values(sight), min_size=1, max_size=5))]
    distinct = draw(st.sampled_from(("", "DISTINCT ")))
    text = f"SELECT {distinct}{', '.join(items)} FROM {source}{where}"
    if form == 3:
        return text, False
    keys = ", ".join(f"{n + 1}{draw(st.sampled_from(_ORDERS))}" for n in range(len(items)))
    limit = draw(st.sampled_from(("", " LIMIT 5", " OFFSET 3 LIMIT 10")))
    return f"{text} ORDER BY {keys}{limit}", True


_ORDERS = ("", " DESC", " NULLS FIRST", " DESC NULLS LAST")
_KEYS = " GROUP BY 1, 2"


@st.composite
def _grouped(draw: st.DrawFn, sight: Sight) -> list[str]:
    keys = [text for text, _ in draw(st.lists(values(sight, depth=1), min_size=2, max_size=2))]
    return [*keys, *_totals(draw, sight)]


def _totals(draw: st.DrawFn, sight: Sight) -> list[str]:
    items = []
    for name in draw(st.lists(st.sampled_from(sorted(sight)), min_size=1, max_size=4)):
        kind = sight[name]
        calls = ["count({})", "min({})", "max({})", "count(DISTINCT {})"]
        if kind in _SUMMED:
            calls += ["sum({})", "avg({})"]
        call = draw(st.sampled_from(calls)).format(name)
        filtered = draw(st.booleans()) and draw(st.booleans())
        items.append(f"{call} FILTER (WHERE {draw(conditions(sight, 0))})" if filtered else call)
    return [*items, "count(*)"]


def _windows(draw: st.DrawFn, sight: Sight) -> list[str]:
    """Over an order in which no two rows are alike, or by values of the order alone."""
    key = draw(st.sampled_from(sorted(sight)))
    group = draw(st.sampled_from(sorted(sight)))
    name = draw(st.sampled_from(sorted(sight)))
    order = draw(st.sampled_from(_ORDERS))
    over = f"OVER (PARTITION BY {group} ORDER BY {key}{order})"
    items = [f"rank() {over}", f"dense_rank() {over}", f"count({name}) {over}", f"max({name}) {over}"]
    if sight[name] in ("count", "decimal", "long"):
        items.append(f"sum({name}) {over}")
    some = draw(st.lists(st.sampled_from(items), min_size=1, max_size=3, unique=True))
    return [group, key, name, *some]
