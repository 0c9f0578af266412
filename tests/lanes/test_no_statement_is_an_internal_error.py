"""Random statements over the whole grammar: none ends in an internal error, and both lanes give one answer.

The default run is always the same; SQE_LANES_EXAMPLES=2000 makes that many queries and a hundred times as
many expressions, new ones each time. It tells what it did: pytest -s shows the figures.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from tests.lanes.both import open_lanes
from tests.lanes.fuzzing import Fuzz
from tests.lanes.random_statements import COLUMNS, ROWS, TABLE, Maker, Sight, table

from sqe.api.connection import Connection
from sqe.types import sql_types as t

EXAMPLES = int(os.environ.get("SQE_LANES_EXAMPLES", "0"))
QUERIES = EXAMPLES or 40
EXPRESSIONS = 100 * EXAMPLES or 600
SEED = 13 if not EXAMPLES else int.from_bytes(os.urandom(3), "big")


@pytest.mark.spark
@pytest.mark.lanes
def test_random_statements(
    connect: Callable[..., Connection], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lanes = open_lanes(connect, tmp_path_factory.mktemp("fuzz"))
    lanes.spark_connection.execute(table(random.Random(SEED)))
    maker, fuzz = Maker(SEED), Fuzz(lanes)
    sight: Sight = [("k", t.INTEGER), *COLUMNS.items()]
    fuzz.expressions((maker.top(sight) for _ in range(EXPRESSIONS)), TABLE, ROWS)
    fuzz.queries(maker.query() for _ in range(QUERIES))
    figures = fuzz.figures
    print(f"\nseed {SEED}: {figures}")
    assert not figures.internal, f"{figures}\n" + "\n".join(figures.internal[:20])
    assert not figures.different, f"{figures}\n" + "\n".join(figures.different[:20])
    assert figures.counts["answered alike"] > EXPRESSIONS // 20, str(figures)
