"""Functions and casts answer alike on both lanes: value, type, NULL and error. Eligibility knows which."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest
from tests.lanes import casts, fingerprints
from tests.lanes.both import Lanes
from tests.lanes.outcome import keys_of, proven_keys, recorded
from tests.lanes.probes import APART, Probe, probes
from tests.lanes.proving import prove

from sqe.api.connection import Connection
from sqe.engine.duckdb import proven
from sqe.engine.duckdb.functions import rendering
from sqe.functions import internal

# What the default run tries, and how many calls of each.
CORE = (
    "$add", "$sub", "$mul", "$div", "$mod", "$neg", "$eq", "$ne", "$lt", "$le", "$gt", "$ge", "$is_null",
    "$is_distinct", "$like", "$concat", "coalesce", "nullif", "greatest", "least", "abs", "round", "ceil",
    "floor", "lower", "upper", "length", "substr", "trim", "replace", "strpos", "split_part", "concat",
    "year", "month", "day", "date_trunc", "date_diff", "date_add", "cardinality", "element_at", "contains",
    "transform", "filter", "count", "sum", "avg", "min", "max", "array_agg", "max_by", "stddev",
    "row_number", "rank", "lag", "first_value", "json_extract_scalar", "regexp_like",
)  # fmt: skip
EACH = 4


@pytest.mark.lanes
@pytest.mark.spark
def test_the_recorded_outcome_is_what_is_found(
    lanes: Lanes, unread: Connection, everything_admitted: None
) -> None:
    """`SQE_PROOF=write` records it again, with the fingerprints of what was sent."""
    asked = [p for p in itertools.chain(probes(), casts.probes()) if keys_of(lanes.spark_connection, p)]
    text = recorded(lanes.spark_connection, prove(lanes.fast, lanes.spark, asked))
    if os.environ.get("SQE_PROOF") == "write":
        proven.FILE.write_text(text, encoding="utf-8")
        rows = proven_keys(proven.read(text))
        sent = fingerprints.rendered(unread).fingerprints.of(rows)
        fingerprints.FILE.write_text(sent.as_text(), encoding="utf-8")
    # Line by line: a difference names the function.
    assert text.splitlines() == proven.FILE.read_text(encoding="utf-8").splitlines()


@pytest.mark.spark
def test_what_is_recorded_as_equal_is(lanes: Lanes, everything_admitted: None) -> None:
    asked = [p for p in _core() if _is_recorded(lanes, p)]
    assert len(asked) > 150
    different = [f.word for f in prove(lanes.fast, lanes.spark, asked) if f.differs]
    assert not different, "\n".join(different)


def _core() -> Iterator[Probe]:
    for name in CORE:
        yield from _spread(list(probes([name])))
    yield from _spread(list(casts.probes()), each=40)


def _spread(found: list[Probe], each: int = EACH) -> list[Probe]:
    return found[:: max(1, len(found) // each)][:each]


def _is_recorded(lanes: Lanes, probe: Probe) -> bool:
    outcome = proven.read(proven.FILE.read_text(encoding="utf-8"))
    keys = keys_of(lanes.spark_connection, probe)
    return bool(keys) and all(
        outcome.of_call(name, key) is None
        if section == "functions"
        else outcome.of_cast(name, key, safe=section == "try_casts") is None
        for section, name, key in keys
    )


def test_every_function_of_the_fast_lane_is_tried() -> None:
    tried = {probe.function for probe in probes()}
    no_probes = {function.name for function in internal.FUNCTIONS}
    assert set(rendering.names()) - tried - APART - no_probes == set()
