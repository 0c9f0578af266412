"""What our Java is told beside the settings of Spark."""

from __future__ import annotations

import pytest

from sqe.engine.spark.server import SMALL_HEAP_MEGABYTES, collector


def test_a_small_heap_is_collected_in_pauses() -> None:
    assert collector(2048, []) == ["-XX:+UseParallelGC"]
    assert collector(SMALL_HEAP_MEGABYTES + 1, []) == []


@pytest.mark.parametrize("given", ["-XX:+UseG1GC", "-XX:+UseZGC"])
def test_the_operator_s_choice_is_the_only_one(given: str) -> None:
    assert collector(2048, ["-Dx=y", given]) == []
