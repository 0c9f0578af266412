"""The recorded answers of a Trino 476 server, and how one of ours is judged against them."""

from __future__ import annotations

import collections
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.parity.wire import column, type_name

from sqe.errors import SqeError
from sqe.types import sql_types as t

HERE = Path(__file__).parent
TOLERANCE = 0.05
# What differs in the last bits where sums are taken in another order.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Case:
    category: str
    sql: str
    columns: tuple[tuple[str, str], ...] = ()
    data: tuple[Any, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """`equal`, `error equal`, `refused` (with a reason), `missing` (no such function), `wrong`."""

    case: Case
    word: str
    detail: str = ""


WORDS = ("equal", "error equal", "refused", "missing", "wrong")
Execute = Callable[[str], tuple[list[t.Type], pa.Table]]
"""Runs a statement on some lane: the announced types, and the rows."""
Deliveries = dict[str, list[tuple[t.Type, pa.DataType, pa.ChunkedArray]]]
"""sql -> for each column what was announced, what the engine delivered, and the values."""


def recorded() -> tuple[list[str], list[Case]]:
    """The statements that make the table, and the cases."""
    stored = json.loads((HERE / "answers.json").read_text())
    cases = [
        Case(
            c["category"],
            c["sql"],
            tuple((name, kind) for name, kind in c.get("columns", ())),
            tuple(c.get("data", ())),
            c.get("error"),
        )
        for c in stored["cases"]
    ]
    return stored["setup"], cases


def known_differences() -> dict[str, tuple[str, str]]:
    """sql -> (outcome, reason) of what is not answered."""
    stored = tomllib.loads((HERE / "differences.toml").read_text())
    return {entry["sql"]: (entry["outcome"], entry["reason"]) for entry in stored.get("case", ())}


def judge(case: Case, execute: Execute, schema: str) -> Outcome:
    try:
        types, rows = execute(case.sql.replace("{schema}", schema))
    except SqeError as error:
        return _judge_error(case, error)
    if case.error is not None:
        return Outcome(case, "wrong", f"Trino says {case.error}, we answer {rows.slice(0, 3).to_pydict()}")
    ours, theirs = [str(kind) for kind in types], [kind for _, kind in case.columns]
    if [*map(type_name, ours)] != [*map(type_name, theirs)]:
        return Outcome(case, "wrong", f"Trino's types are {theirs}, ours are {ours}")
    columns = [column(values, kind) for values, kind in zip(rows.columns, types, strict=True)]
    got, wanted = [list(row) for row in zip(*columns, strict=True)], list(case.data)
    if not is_ordered(case.sql):
        got, wanted = sorted(got, key=repr), sorted(wanted, key=repr)
    tolerance = TOLERANCE if "approx_" in case.sql else ROUNDING
    if same(got, wanted, tolerance=tolerance, signed_zeros=not _groups(case.sql)):
        return Outcome(case, "equal")
    return Outcome(case, "wrong", f"Trino answers {wanted}, we answer {got}")


def _judge_error(case: Case, error: SqeError) -> Outcome:
    if error.code == case.error:
        return Outcome(case, "error equal")
    if error.code == "NOT_SUPPORTED":
        word = "missing" if error.message.startswith("function '") else "refused"
        return Outcome(case, word, error.message)
    if error.code == "FUNCTION_NOT_FOUND":
        return Outcome(case, "missing", error.message)
    expected = case.error or f"{list(case.data)[:3]}"
    return Outcome(case, "wrong", f"Trino has {expected}, we say {error.code}: {error.message}")


def is_ordered(sql: str) -> bool:
    """Whether the outermost query has an ORDER BY."""
    text = re.sub(r"'[^']*'", "''", sql)
    while (outer := re.sub(r"\([^()]*\)", "", text)) != text:
        text = outer
    return re.search(r"\border\s+by\b", text, re.IGNORECASE) is not None


def _groups(sql: str) -> bool:
    """0.0 and -0.0 are one group: which of them stands for it is nobody's promise."""
    return re.search(r"\b(distinct|group\s+by|union|intersect|except)\b", sql, re.IGNORECASE) is not None


def same(got: Any, wanted: Any, *, tolerance: float = ROUNDING, signed_zeros: bool = True) -> bool:
    def inside(pairs: Iterable[tuple[Any, Any]]) -> bool:
        return all(same(g, w, tolerance=tolerance, signed_zeros=signed_zeros) for g, w in pairs)

    match got, wanted:
        case list(), list():
            return len(got) == len(wanted) and inside(zip(got, wanted, strict=True))
        case dict(), dict():
            return got.keys() == wanted.keys() and inside((got[key], wanted[key]) for key in wanted)
        case float(), float():
            if got == wanted == 0 and signed_zeros:
                return math.copysign(1, got) == math.copysign(1, wanted)
            return math.isclose(got, wanted, rel_tol=tolerance)
    if type(got) is int and type(wanted) is int and tolerance == TOLERANCE:
        return math.isclose(got, wanted, rel_tol=tolerance)
    return type(got) is type(wanted) and bool(got == wanted)


def table(outcomes: Iterable[Outcome]) -> str:
    """How many of each outcome, a line a category."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        counts[outcome.case.category][outcome.word] += 1
        counts["all"][outcome.word] += 1
    lines = [f"{'category':12}" + "".join(f"{word:>13}" for word in (*WORDS, "cases"))]
    for category, found in counts.items():
        if category != "all":
            lines.append(_line(category, found))
    total = counts["all"]
    fine = total["equal"] + total["error equal"]
    lines += [_line("all", total), f"{100 * fine / max(1, total.total()):.1f} % as Trino answers"]
    return "\n".join(lines)


def _line(name: str, found: collections.Counter[str]) -> str:
    return f"{name:12}" + "".join(f"{found[word]:>13}" for word in WORDS) + f"{found.total():>13}"
