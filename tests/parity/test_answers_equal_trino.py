"""What a real Trino answered, we answer: value, NULL and type, or the name of the error.

What we refuse or do not have is listed with its reason in differences.toml; nothing else may differ.
"""

from __future__ import annotations

import json

import pytest
from tests.parity.answers import Outcome, known_differences, table

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
