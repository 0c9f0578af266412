from __future__ import annotations

import pytest

from sqe.cli.progress import progress_line, short_number


def test_tasks_rows_and_seconds() -> None:
    line = progress_line("running", (12, 40, 1_234_567), 3.2, 80)
    assert line == "[#######.................] 12/40 tasks, 1.2M rows, 3 s"


def test_until_there_are_tasks_it_says_what_it_waits_for() -> None:
    assert progress_line("starting Spark", None, 2, 80) == "starting Spark, 2 s"
    assert progress_line("running", (0, 0, 0), 2, 80) == "running, 2 s"


@pytest.mark.parametrize("width", [10, 20, 28, 40])
def test_the_bar_gives_way_in_a_narrow_terminal(width: int) -> None:
    line = progress_line("running", (2, 4, 0), 3, width)
    assert len(line) <= width
    assert line.startswith("[") == (width >= 28)


@pytest.mark.parametrize(
    ("number", "text"), [(9999, "9999"), (12_345, "12.3k"), (1_500_000, "1.5M"), (2 * 10**9, "2.0G")]
)
def test_large_numbers_are_short(number: int, text: str) -> None:
    assert short_number(number) == text


def test_the_fast_lane_tells_a_share() -> None:
    line = progress_line("running", (30, 100, 0), 3.2, 40, percent=True)
    assert line == "[#######.................] 30 %, 3 s"
