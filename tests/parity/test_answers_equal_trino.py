"""What a real Trino answered, we answer: value, NULL and type, or the name of the error.

What we refuse or do not have is listed with its reason in differences.toml; nothing else may differ. And the
type announced before a statement runs is the type that the engine delivers.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from tests.parity.answers import Deliveries, Outcome, known_differences, table
from tests.parity.delivered import is_delivered

from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

pytestmark = pytest.mark.spark


def test_nothing_is_wrong(outcomes: list[Outcome], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print("\n" + table(outcomes))
    wrong = [f"{o.case.sql}\n    {o.detail}" for o in outcomes if o.word == "wrong"]
    assert not wrong, f"{len(wrong)} answers are wrong:\n" + "\n".join(wrong)


def test_what_is_not_answered_is_listed(outcomes: list[Outcome]) -> None:
    known = known_differences()
    unanswered = {o.case.sql: o for o in outcomes if o.word in ("refused", "missing")}
    new = [
        "\n".join(["[[case]]", *(f"{key} = {json.dumps(text)}" for key, text in _entry(o).items())])
        for sql, o in unanswered.items()
        if known.get(sql, ("", ""))[0] != o.word
    ]
    assert not new, "not in differences.toml:\n" + "\n\n".join(new)
    old = sorted(known.keys() - unanswered.keys())
    assert not old, f"answered meanwhile, remove from differences.toml: {old}"
    assert all(reason for _, reason in known.values())


def _entry(o: Outcome) -> dict[str, str]:
    return {"sql": o.case.sql, "outcome": o.word, "reason": o.detail}


def test_the_engine_delivers_what_was_announced(outcomes: list[Outcome], deliveries: Deliveries) -> None:
    assert len(deliveries) > len(outcomes) / 2
    different = [
        f"{sql}: {announced} announced, {delivered} delivered"
        for sql, columns in deliveries.items()
        for announced, delivered, _ in columns
        if not is_delivered(delivered, arrow_type(announced))
    ]
    assert not different, "\n".join(different)


def test_every_value_fits_its_type(outcomes: list[Outcome], deliveries: Deliveries) -> None:
    misfits = [
        f"{sql}: {value!r} is no {announced}"
        for sql, columns in deliveries.items()
        for announced, _, values in columns
        for value in _plain(values, announced)
        if not _fits(value, announced)
    ]
    assert not misfits, "\n".join(misfits)


def _plain(values: pa.ChunkedArray, type_: t.Type) -> list[Any]:
    if isinstance(type_, (t.Timestamp, t.TimestampTz)):
        values = values.cast(pa.int64())
    return values.to_pylist() if type_ != t.DATE else []


def _fits(value: Any, type_: t.Type) -> bool:
    """What Arrow does not check: the length of a text, the digits of a second."""
    match type_:
        case t.Varchar(length) | t.Char(length):
            return value is None or length is None or len(value) <= length
        case t.Timestamp(precision) | t.TimestampTz(precision):
            return value is None or value % 10 ** (6 - min(precision, 6)) == 0
        case t.Array(t.Varchar() as element):
            return value is None or all(_fits(item, element) for item in value)
    return True
