"""Probes on both lanes, and what was found of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.lanes.columns import TABLES, inlined, kinds, rows_of, width
from tests.lanes.comparing import Answer, Failure, Lane, Query, difference, same
from tests.lanes.probes import Probe

# Calls of a function with columns of some types that raise some code, on which Spark is asked too.
WITNESSES = 2
# Rows on which a probe that may raise is tried.
MOST_ROWS = 150
EQUAL = "equal"
REFUSED = "refused"
# The fast lane may find out by a value that it cannot go on; Spark runs the statement then.
GAVE_UP = "FAST_LANE_FAILED"


@dataclass(frozen=True, slots=True)
class Found:
    """`word` is equal, or that the fast lane refused it and why, or what differs."""

    probe: Probe
    word: str

    @property
    def differs(self) -> bool:
        return self.word != EQUAL and not self.word.startswith(REFUSED)


@dataclass(slots=True)
class _Tried:
    """A probe as one expression: where it raises on some rows, only for the others."""

    probe: Probe
    expression: str
    good: list[int]
    raising: dict[Failure, list[int]]


def prove_scalars(fast: Lane, spark: Lane, probes: Iterable[Probe]) -> list[Found]:
    found: list[Found] = []
    asked: Counter[tuple[str, ...]] = Counter()
    by_table: dict[str, list[Probe]] = {}
    for probe in probes:
        by_table.setdefault(TABLES[width(probe.text) - 1], []).append(probe)
    for table, group in by_table.items():
        query = Query(f"SELECT k, {{}} FROM {table}")
        answers = fast.answers(query, [inlined(p.text) for p in group])
        tried: list[_Tried] = []
        for probe, answer in zip(group, answers, strict=True):
            if isinstance(answer, Failure) and answer.refused:
                found.append(Found(probe, f"{REFUSED}: {answer.message}"))
            elif isinstance(answer, Failure):
                one = _guarded(fast, table, probe)
                if one.good or any(failure.code != GAVE_UP for failure in one.raising):
                    tried.append(one)
                else:
                    found.append(Found(probe, f"{REFUSED}: {answer.message}"))
            else:
                tried.append(_Tried(probe, inlined(probe.text), [], {}))
        expressions = [t.expression for t in tried]
        left, right = fast.answers(query, expressions), spark.answers(query, expressions)
        for one, x, y in zip(tried, left, right, strict=True):
            if one.good and isinstance(y, Failure):
                # Spark computes Python functions for all rows, whatever CASE says.
                few = Query(f"{query.text} WHERE k IN ({', '.join(map(str, one.good))})")
                x, y = (lane.answer(few, inlined(one.probe.text)) for lane in (fast, spark))
            word = EQUAL if same(x, y) else difference(one.probe.text, x, y)
            if word == EQUAL:
                word = _same_errors(spark, table, one, asked)
            found.append(Found(one.probe, word))
    return found


def _guarded(fast: Lane, table: str, probe: Probe) -> _Tried:
    rows = rows_of(probe.text)
    rows = rows[:: max(1, len(rows) // MOST_ROWS)]
    failed = fast.failing(f"SELECT k, {{}} FROM {table}", inlined(probe.text), rows)
    raising: dict[Failure, list[int]] = {}
    for row, failure in failed.items():
        known = next((other for other in raising if other.code == failure.code), failure)
        raising.setdefault(known, []).append(row)
    good = [row for row in rows if row not in failed]
    keys = ", ".join(map(str, good))
    guarded = f"CASE WHEN k IN ({keys}) THEN {inlined(probe.text)} END" if good else "CAST(NULL AS boolean)"
    return _Tried(probe, guarded, good, raising)


def _same_errors(spark: Lane, table: str, tried: _Tried, asked: Counter[tuple[str, ...]]) -> str:
    probe = tried.probe
    for failure, rows in tried.raising.items():
        if failure.given_up:
            continue
        if failure.code == GAVE_UP:
            continue
        case = (probe.function, failure.code, *sorted(kinds(probe.text)))
        asked[case] += 1
        if asked[case] > WITNESSES:
            continue
        row = rows[len(rows) // 2]
        answer = spark.answer(Query(f"SELECT k, {{}} FROM {table} WHERE k IN ({row})"), inlined(probe.text))
        if not same(failure, answer):
            return difference(f"{probe.text} in row {row}", failure, answer)
    return EQUAL


_GROUPED = Query("SELECT a_g, {} FROM one GROUP BY a_g")
_BY_ROW = Query("SELECT k, {} FROM one GROUP BY k")
_EMPTY = Query("SELECT 0, {} FROM one WHERE k < 0")
_ROWS = Query("SELECT k, {} FROM one")
# An aggregate that may choose any value has one to choose from in each group.
_CHOOSING = frozenset({"any_value", "arbitrary"})
_UNORDERED = frozenset({"array_agg", "multimap_agg"})
# What one row of several is chosen by is unique here; the order of equal ones is nobody's.
_NO_DISTINCT = frozenset({"approx_distinct", "max_by", "min_by", "reduce_agg", "listagg", *_CHOOSING})


def _forms(probe: Probe) -> list[tuple[Query, str, bool]]:
    """An aggregate's queries; whether the answer's elements have an order."""
    text = inlined(probe.text)
    if probe.function in _CHOOSING:
        return [(_BY_ROW, text, True), (_EMPTY, text, True)]
    ordered = probe.function not in _UNORDERED
    if " WITHIN GROUP " in text:
        return [(_GROUPED, text, True), (_EMPTY, text, True)]
    forms = [
        (_EMPTY, text, ordered),
        (_GROUPED, text, ordered),
        (_GROUPED, f"{text} FILTER (WHERE k % 3 <> 0)", ordered),
        (_ROWS, f"{text} OVER (PARTITION BY a_g ORDER BY k)", ordered),
        (_ROWS, f"{text} OVER (ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)", ordered),
    ]
    if probe.function not in _NO_DISTINCT and "()" not in text and "*" not in text and text.count(",") == 0:
        inner = text.removeprefix(f"{probe.function}(")
        forms.append((_GROUPED, f"{probe.function}(DISTINCT {inner}", ordered))
    if probe.function == "array_agg":
        inner = text.removeprefix("array_agg(").removesuffix(")")
        forms.append((_GROUPED, f"array_agg({inner} ORDER BY k DESC)", True))
    return forms


def prove_aggregates(fast: Lane, spark: Lane, probes: Iterable[Probe]) -> list[Found]:
    by_query: dict[str, list[tuple[Probe, str, bool]]] = {}
    probes = list(probes)
    for probe in probes:
        for query, text, ordered in _forms(probe):
            by_query.setdefault(query.text, []).append((probe, text, ordered))
    return _merged(probes, fast, spark, by_query)


_WINDOWS = (
    "OVER (PARTITION BY a_g ORDER BY k DESC)",
    "OVER (PARTITION BY a_g ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
    "OVER (ORDER BY a_b, k)",
)


def prove_windows(fast: Lane, spark: Lane, probes: Iterable[Probe]) -> list[Found]:
    probes = list(probes)
    by_query: dict[str, list[tuple[Probe, str, bool]]] = {}
    for probe in probes:
        for over in _WINDOWS:
            by_query.setdefault(_ROWS.text, []).append((probe, f"{inlined(probe.text)} {over}", True))
    return _merged(probes, fast, spark, by_query)


def statements(probe: Probe) -> list[str]:
    """All that is asked of a probe, each by itself."""
    match probe.kind:
        case "aggregate":
            return [query.of([text]) for query, text, _ in _forms(probe)]
        case "window":
            return [_ROWS.of([f"{inlined(probe.text)} {over}"]) for over in _WINDOWS]
    return [f"SELECT k, {inlined(probe.text)} FROM {TABLES[width(probe.text) - 1]}"]


def _is_refused(answer: Answer) -> bool:
    return isinstance(answer, Failure) and (answer.refused or answer.code == GAVE_UP)


def _merged(
    probes: Sequence[Probe], fast: Lane, spark: Lane, by_query: dict[str, list[tuple[Probe, str, bool]]]
) -> list[Found]:
    """A probe is equal where it is in all its forms that the fast lane takes."""
    words: dict[Probe, list[str]] = {}
    for text, group in by_query.items():
        query = Query(text)
        left = fast.answers(query, [expression for _, expression, _ in group])
        taken = [g for g, x in zip(group, left, strict=True) if not _is_refused(x)]
        taken_left = [x for x in left if not _is_refused(x)]
        right = spark.answers(query, [expression for _, expression, _ in taken])
        for (probe, expression, ordered), x, y in zip(taken, taken_left, right, strict=True):
            given_up = isinstance(x, Failure) and x.given_up
            equal = given_up or same(x, y, near=True, as_sets=not ordered)
            words.setdefault(probe, []).append(EQUAL if equal else difference(expression, x, y))
    found = []
    for probe in probes:
        said = words.get(probe)
        odd = [word for word in said or () if word != EQUAL]
        found.append(Found(probe, odd[0] if odd else EQUAL if said else REFUSED))
    return found


def prove(fast: Lane, spark: Lane, probes: Iterable[Probe]) -> list[Found]:
    by_kind: dict[str, list[Probe]] = {"scalar": [], "aggregate": [], "window": []}
    for probe in probes:
        by_kind[probe.kind].append(probe)
    return [
        *prove_scalars(fast, spark, by_kind["scalar"]),
        *prove_aggregates(fast, spark, by_kind["aggregate"]),
        *prove_windows(fast, spark, by_kind["window"]),
    ]
