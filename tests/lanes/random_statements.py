"""Statements by chance over the whole grammar: any function over any type, nested, with subqueries wherever
an expression may stand. Much of it fails, as statements of people do; what must not happen is an internal
error, or two answers.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tests.lanes.by_hand import INFIX, WRITTEN
from tests.lanes.random_shapes import CONSTANTS, POOL, Function_, Shape, shapes

from sqe.functions.casts import castable
from sqe.types import sql_types as t

ROWS = 6
TABLE = "fuzz"
# What Iceberg keeps.
_UNSTORED = (t.UNKNOWN, t.YEAR_MONTH, t.DAY_SECOND, t.JSON, t.UUID)
# Some values would make these larger than any memory.
_GROWING = frozenset({"rpad", "lpad", "repeat", "sequence", "combinations", "ngrams", "power", "pow"})
_SMALL = {t.INTEGER: ("0", "1", "3", "-1"), t.BIGINT: ("BIGINT '0'", "BIGINT '2'", "BIGINT '-1'")}
_COMPARED = ("=", "<>", "<", "<=", ">", ">=")
Sight = list[tuple[str, t.Type]]


def _is_stored(type_: t.Type) -> bool:
    match type_:
        case t.Array(element):
            return _is_stored(element)
        case t.Map(key, value):
            return _is_stored(key) and _is_stored(value)
        case t.Row(fields):
            return all(_is_stored(f.type) for f in fields)
    return type_ not in _UNSTORED and not isinstance(type_, (t.Time, t.Char)) and type_ != t.Varchar(5)


COLUMNS = {f"c{i}": type_ for i, type_ in enumerate(POOL) if _is_stored(type_)}


def table(chance: random.Random) -> str:
    rows = []
    for k in range(ROWS):
        cells = []
        for name, type_ in COLUMNS.items():
            value = "NULL" if chance.random() < 0.15 else chance.choice(CONSTANTS[type_])
            cells.append(f"CAST({value} AS {type_}) AS {name}")
        rows.append(f"SELECT {k} AS k, {', '.join(cells)}")
    return f"CREATE TABLE {TABLE} AS {' UNION ALL '.join(rows)}"


@dataclass(frozen=True, slots=True)
class Made:
    """A query, its columns, and whether rows and values are the same whoever computes them."""

    text: str
    columns: Sight
    certain: bool = True


class Maker:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.shapes = [s for s in shapes(random.Random(seed)) if s.kind == "scalar"]
        everything = shapes(random.Random(seed))
        self.aggregates = [s for s in everything if s.kind == "aggregate"]
        self.windows = [s for s in everything if s.kind == "window"]
        self._producers: dict[t.Type, list[Shape]] = defaultdict(list)
        self._by_name: dict[str, list[Shape]] = defaultdict(list)
        for shape in self.shapes:
            self._producers[shape.result].append(shape)
            self._by_name[shape.function].append(shape)
        self._names = sorted(self._by_name)
        self._aliases = 0

    # Expressions ----------------------------------------------------------------------------------------

    def top(self, sight: Sight) -> str:
        """An expression of any type; each function has the same chance."""
        shape = self.chance.choice(self._by_name[self.chance.choice(self._names)])
        made = self.call(shape, sight, self.chance.choice((0, 1, 1, 2)))
        return f"TRY({made})" if self.chance.random() < 0.1 else made

    def expression(self, type_: t.Type, sight: Sight, depth: int) -> str:
        roll = self.chance.random()
        if depth <= 0 or roll < 0.3:
            return self._leaf(type_, sight)
        if roll < 0.65:
            known = self._producers.get(type_)
            return (
                self.call(self.chance.choice(known), sight, depth - 1) if known else self._leaf(type_, sight)
            )
        if roll < 0.78:
            return self._form(type_, sight, depth - 1)
        if roll < 0.88:
            sources = [other for other in POOL if other != type_ and castable(other, type_)]
            word = self.chance.choice(("CAST", "TRY_CAST"))
            source = self.chance.choice(sources) if sources else type_
            return f"{word}({self.expression(source, sight, depth - 1)} AS {type_})"
        if type_ == t.BOOLEAN:
            return self.condition(sight, depth - 1)
        return self.scalar_subquery(type_, sight, depth - 1)

    def call(self, shape: Shape, sight: Sight, depth: int) -> str:
        arguments = []
        for parameter in shape.parameters:
            if isinstance(parameter, Function_):
                arguments.append(self._lambda(parameter, sight, depth))
            elif shape.function in _GROWING and parameter in _SMALL:
                arguments.append(self.chance.choice(_SMALL[parameter]))
            else:
                arguments.append(self.expression(parameter, sight, depth))
        if shape.function in INFIX:
            return f"({arguments[0]} {INFIX[shape.function]} {arguments[1]})"
        if shape.function in WRITTEN:
            return f"({WRITTEN[shape.function].format(*arguments)})"
        return f"{shape.function}({', '.join(arguments)})"

    def _lambda(self, parameter: Function_, sight: Sight, depth: int) -> str:
        names = [f"x{self._number()}" for _ in parameter.arguments]
        inner = [*sight, *zip(names, parameter.arguments, strict=True)] * 1
        # Those in sight nearest of all are the most interesting.
        inner += list(zip(names, parameter.arguments, strict=True)) * 3
        return f"({', '.join(names)}) -> {self.expression(parameter.result, inner, min(depth, 1))}"

    def _leaf(self, type_: t.Type, sight: Sight) -> str:
        columns = [name for name, kind in sight if kind == type_]
        roll = self.chance.random()
        if columns and roll < 0.5:
            return self.chance.choice(columns)
        if roll < 0.9 and type_ in CONSTANTS:
            return self.chance.choice(CONSTANTS[type_])
        if isinstance(type_, t.Array):
            return f"ARRAY[{self._leaf(type_.element, sight)}]"
        if isinstance(type_, t.Map):
            key, value = self._leaf(type_.key, sight), self._leaf(type_.value, sight)
            return f"map(ARRAY[{key}], ARRAY[{value}])"
        if isinstance(type_, t.Row):
            return f"ROW({', '.join(self._leaf(f.type, sight) for f in type_.fields)})"
        return "NULL" if type_ == t.UNKNOWN else f"CAST(NULL AS {type_})"

    def _form(self, type_: t.Type, sight: Sight, depth: int) -> str:
        a, b = self.expression(type_, sight, depth), self.expression(type_, sight, depth)
        match self.chance.randrange(6):
            case 0:
                return f"CASE WHEN {self.condition(sight, depth)} THEN {a} ELSE {b} END"
            case 1:
                return f"if({self.condition(sight, depth)}, {a})"
            case 2:
                return f"coalesce({a}, {b})"
            case 3:
                return f"nullif({a}, {b})"
            case 4:
                return f"TRY({a})"
            case _:
                key = self.chance.choice(POOL)
                of, when = self.expression(key, sight, depth), self.expression(key, sight, depth)
                return f"CASE {of} WHEN {when} THEN {a} WHEN {self._leaf(key, sight)} THEN {b} END"

    def condition(self, sight: Sight, depth: int) -> str:
        kinds = [kind for _, kind in sight] or [t.INTEGER]
        kind = self.chance.choice(kinds) if self.chance.random() < 0.7 else self.chance.choice(POOL)
        if depth <= 0:
            return f"({self._leaf(kind, sight)} IS {self.chance.choice(('', 'NOT '))}NULL)"
        a = self.expression(kind, sight, depth - 1)
        match self.chance.randrange(11):
            case 0:
                return f"({a} IS {self.chance.choice(('', 'NOT '))}NULL)"
            case 1:
                items = ", ".join(self.expression(kind, sight, depth - 1) for _ in range(2))
                return f"({a} {self.chance.choice(('', 'NOT '))}IN ({items}))"
            case 2:
                low, high = (self.expression(kind, sight, depth - 1) for _ in range(2))
                return f"({a} BETWEEN {low} AND {high})"
            case 3:
                word = self.chance.choice(("AND", "OR"))
                return f"({self.condition(sight, depth - 1)} {word} {self.condition(sight, depth - 1)})"
            case 4:
                return f"(NOT {self.condition(sight, depth - 1)})"
            case 5:
                return f"({a} IS DISTINCT FROM {self.expression(kind, sight, depth - 1)})"
            case 6:
                return f"(EXISTS ({self._rows(kind, sight, depth - 1)}))"
            case 7:
                return f"({a} {self.chance.choice(('', 'NOT '))}IN ({self._rows(kind, sight, depth - 1)}))"
            case 8:
                word = self.chance.choice(("ALL", "ANY"))
                op = self.chance.choice(_COMPARED)
                return f"({a} {op} {word} ({self._rows(kind, sight, depth - 1)}))"
            case _:
                op = self.chance.choice(_COMPARED)
                return f"({a} {op} {self.expression(kind, sight, depth - 1)})"

    # Subqueries -----------------------------------------------------------------------------------------

    def _number(self) -> int:
        self._aliases += 1
        return self._aliases

    def _scan(self) -> tuple[str, Sight]:
        alias = f"q{self._number()}"
        sight = [(f"{alias}.{name}", type_) for name, type_ in COLUMNS.items()]
        return f"{TABLE} AS {alias}", [(f"{alias}.k", t.INTEGER), *sight]

    def scalar_subquery(self, type_: t.Type, sight: Sight, depth: int) -> str:
        source, own = self._scan()
        key = own[0][0]
        both = [*own, *sight] if self.chance.random() < 0.5 else own
        made = self.expression(type_, both, depth)
        if self.chance.random() < 0.5 and t.is_orderable(type_):
            where = f" WHERE {self.condition(both, depth - 1)}" if self.chance.random() < 0.5 else ""
            return f"(SELECT {self.chance.choice(('min', 'max'))}({made}) FROM {source}{where})"
        return f"(SELECT {made} FROM {source} WHERE {key} = {self.chance.randrange(ROWS + 1)})"

    def _rows(self, type_: t.Type, sight: Sight, depth: int) -> str:
        source, own = self._scan()
        both = [*own, *sight] if self.chance.random() < 0.6 else own
        where = f" WHERE {self.condition(both, depth)}" if self.chance.random() < 0.7 else ""
        if self.chance.random() < 0.1:
            where = " WHERE false AND " + self.condition(both, depth)
        return f"SELECT {self.expression(type_, both, depth)} FROM {source}{where}"

    # Queries --------------------------------------------------------------------------------------------

    def query(self, depth: int = 2) -> Made:
        roll = self.chance.random()
        if depth > 0 and roll < 0.15:
            return self._set_operation(depth - 1)
        if depth > 0 and roll < 0.27:
            inner = self.query(depth - 1)
            name = f"w{self._number()}"
            columns = [(f"{name}.{c}", type_) for c, type_ in inner.columns]
            outer = self._select(f"{name}", columns, depth - 1, inner.certain)
            return Made(f"WITH {name} AS ({inner.text}) {outer.text}", outer.columns, outer.certain)
        source, sight, certain = self._from(depth)
        return self._select(source, sight, depth, certain)

    def _named(self, items: Sequence[tuple[str, t.Type]]) -> tuple[str, Sight]:
        names = [(f"o{self._number()}", type_) for _, type_ in items]
        texts = [f"{text} AS {name}" for (text, _), (name, _) in zip(items, names, strict=True)]
        return ", ".join(texts), names

    def _select(self, source: str, sight: Sight, depth: int, certain: bool) -> Made:
        where = f" WHERE {self.condition(sight, 1)}" if self.chance.random() < 0.5 else ""
        roll = self.chance.random()
        if roll < 0.35:
            return self._grouped(source, where, sight, certain)
        items = []
        for _ in range(self.chance.randint(1, 3)):
            kind = self.chance.choice(POOL)
            items.append((self.expression(kind, sight, 1), kind))
        if roll < 0.5 and self.windows:
            shape = self.chance.choice(self.windows + self.aggregates)
            keys = ", ".join(name for name, _ in self.chance.sample(sight, min(2, len(sight))))
            partition = self.condition(sight, 1) if self.chance.random() < 0.4 else sight[-1][0]
            frame = self.chance.choice(("", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"))
            call = f"{self.call(shape, sight, 0)} OVER (PARTITION BY {partition} ORDER BY {keys}{frame})"
            items.append((call, shape.result))
            certain = False
        text, columns = self._named(items)
        word = "DISTINCT " if self.chance.random() < 0.15 else ""
        order = ""
        if self.chance.random() < 0.3:
            every = ", ".join(
                f"{name}{self.chance.choice((' DESC', '', ' NULLS FIRST'))}" for name, _ in columns
            )
            order = f" ORDER BY {every}"
            if self.chance.random() < 0.5:
                order += f" LIMIT {self.chance.randint(0, 4)}"
                # Zeros and the parts of maps are equal, and not the same.
                certain = certain and not any(
                    isinstance(kind, (t.Map, t.Array, t.Row)) for _, kind in columns
                )
        return Made(f"SELECT {word}{text} FROM {source}{where}{order}", columns, certain)

    def _grouped(self, source: str, where: str, sight: Sight, certain: bool) -> Made:
        keys = []
        for _ in range(self.chance.randint(0, 2)):
            if self.chance.random() < 0.6:
                keys.append(self.chance.choice(sight))
            else:
                kind = self.chance.choice(POOL)
                keys.append((self.expression(kind, sight, 1), kind))
        calls = []
        for _ in range(self.chance.randint(1, 2)):
            shape = self.chance.choice(self.aggregates)
            text = self.call(shape, sight, 1)
            certain = certain and shape.function in _CERTAIN
            if self.chance.random() < 0.2:
                text += f" FILTER (WHERE {self.condition(sight, 1)})"
            calls.append((text, shape.result))
        plain = [text for text, _ in keys]
        group = ""
        if keys:
            columns = all(text in dict(sight) for text in plain)
            word = self.chance.choice(("", "", "ROLLUP", "CUBE", "SETS")) if columns else ""
            joined = ", ".join(plain)
            group = f" GROUP BY {joined}"
            if word == "SETS":
                group = f" GROUP BY GROUPING SETS (({joined}), ({plain[0]}), ())"
            elif word:
                group = f" GROUP BY {word} ({joined})"
        having = ""
        if self.chance.random() < 0.3:
            op, limit = self.chance.choice(_COMPARED), self.scalar_subquery(t.BIGINT, [], 1)
            having = f" HAVING count(*) {op} {limit}"
        text, columns_ = self._named([*keys, *calls])
        return Made(f"SELECT {text} FROM {source}{where}{group}{having}", columns_, certain)

    def _from(self, depth: int) -> tuple[str, Sight, bool]:
        source, sight = self._item(0)
        certain = True
        for _ in range(self.chance.choice((0, 0, 1, 1, 2))):
            roll = self.chance.random()
            if roll < 0.15:
                arrays = [(n, kind) for n, kind in sight if isinstance(kind, t.Array)]
                text, kind = self.chance.choice(arrays) if arrays else ("ARRAY[1, 2]", t.Array(t.INTEGER))
                assert isinstance(kind, t.Array)
                alias = f"u{self._number()}"
                if not isinstance(kind.element, t.Row):
                    source += f" CROSS JOIN UNNEST({text}) WITH ORDINALITY AS {alias}(e, o)"
                    sight = [*sight, (f"{alias}.e", kind.element), (f"{alias}.o", t.BIGINT)]
            elif roll < 0.3 and depth > 0:
                inner, own = self._scan()
                items = [(self.expression(t.BIGINT, [*own, *sight], 1), t.BIGINT)]
                text, names = self._named(items)
                alias = f"l{self._number()}"
                where = f" WHERE {self.condition([*own, *sight], 1)}"
                source += f" CROSS JOIN LATERAL (SELECT {text} FROM {inner}{where}) AS {alias}"
                sight = [*sight, *((f"{alias}.{n}", kind) for n, kind in names)]
            else:
                item, own = self._item(depth - 1)
                kind_ = self.chance.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
                sight = [*sight, *own]
                on = self.condition(sight, 2)
                if self.chance.random() < 0.6:
                    a, b = sight[0][0], own[0][0]
                    on = f"{a} = {b} AND {on}" if dict(sight)[a] == dict(own)[b] else on
                source += f" {kind_} {item} ON {on}"
        return source, sight, certain

    def _item(self, depth: int) -> tuple[str, Sight]:
        roll = self.chance.random()
        alias = f"d{self._number()}"
        if depth > 0 and roll < 0.3:
            inner = self.query(depth - 1)
            if inner.certain:
                return f"({inner.text}) AS {alias}", [(f"{alias}.{n}", kind) for n, kind in inner.columns]
        if roll < 0.5:
            kinds = self.chance.sample(POOL, 2)
            rows = ", ".join(
                f"({', '.join(self.expression(kind, [], 1) for kind in kinds)})"
                for _ in range(self.chance.randint(1, 3))
            )
            return f"(VALUES {rows}) AS {alias}(a, b)", [(f"{alias}.a", kinds[0]), (f"{alias}.b", kinds[1])]
        return self._scan()

    def _set_operation(self, depth: int) -> Made:
        kinds = self.chance.sample(POOL, self.chance.randint(1, 2))
        arms = []
        for _ in range(2):
            source, sight, _ = self._from(0)
            items = [(self.expression(kind, sight, 1), kind) for kind in kinds]
            text, columns = self._named(items)
            arms.append((f"SELECT {text} FROM {source}", columns))
        word = self.chance.choice(
            ("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
        )
        return Made(f"({arms[0][0]}) {word} ({arms[1][0]})", arms[0][1])


# Aggregates that do not depend on the order of rows, nor choose among equal ones.
_CERTAIN = frozenset(
    {
        *("count", "count_if", "sum", "avg", "min", "max", "bool_and", "bool_or", "every"),
        *("bitwise_and_agg", "bitwise_or_agg", "bitwise_xor_agg", "stddev", "stddev_pop", "stddev_samp"),
        *("variance", "var_pop", "var_samp", "geometric_mean", "corr", "covar_pop", "covar_samp"),
        *("regr_slope", "regr_intercept", "skewness", "kurtosis", "histogram"),
    }
)
