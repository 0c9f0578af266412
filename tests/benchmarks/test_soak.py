from __future__ import annotations

import pytest
from benchmarks.commits import measure
from benchmarks.soak import Soak, soak

from sqe.bench.plot import lines


@pytest.mark.long
def test_a_server_does_not_grow_with_commits() -> None:
    found = soak(90)
    assert found.errors == ()
    assert found.stored == found.acknowledged > 1
    # Wide: what grows with commits grew threefold in minutes.
    assert found.growth < 1.7


def test_growth_compares_the_end_with_what_has_warmed_up() -> None:
    samples = [10, *[100] * 9, *[300] * 10]
    found = Soak(0, 0, 0, (), tuple((float(at), taken) for at, taken in enumerate(samples)))
    assert found.growth == 3.0


def test_a_commit_of_a_longer_history_is_measured() -> None:
    first, later = measure(1, runs=1), measure(50, runs=1)
    assert first.keys() == later.keys() == {"alter_ms", "load_ms", "metadata_kb"}
    assert later["metadata_kb"] > first["metadata_kb"]


def test_lines_are_drawn_from_left_to_right() -> None:
    drawn = lines("<memory>", "MB", "s", {"server": [(0.0, 0.0), (10.0, 5.0)]})
    assert "&lt;memory&gt;" in drawn and drawn.count("<polyline") == 1
    assert 'points="48.0,214.0 628.0,34.0"' in drawn
