"""A function that is called leakproof raises for no value of a row; one that is not says what for."""

from __future__ import annotations

import pytest
from tests.awkward import DERIVED, SESSION, VALUES, Probe, create, probes, source

from sqe.api.connection import Connection
from sqe.errors import SqeError
from sqe.functions import registry
from sqe.functions.casts import castable
from sqe.types.sql_types import Char, Decimal, Map, Timestamp, Type, Varchar, is_interval

BATCH = 40
# The default run tries some of a function's calls, `make test-lanes` all of them.
every = pytest.mark.parametrize(
    "step", [pytest.param(4, id="some"), pytest.param(1, id="all", marks=pytest.mark.lanes)]
)
# Leakproof functions that no call above reaches, each with why not.
UNREACHED = {"exclude_columns": "it is a table function, and computes nothing"}
NARROW = (Decimal(3, 1), Varchar(2), Char(3), Timestamp(0))


def test_what_is_not_leakproof_says_why() -> None:
    for name in registry.names():
        function = registry.lookup(name)
        assert function is not None
        assert function.leakproof != bool(function.leak), f"{name}: raises= says in words for which values"


def test_every_leakproof_function_is_tried() -> None:
    tried = {probe.function for probe in probes()} | SESSION
    leakproof = {n for n in registry.names() if (f := registry.lookup(n)) is not None and f.leakproof}
    assert leakproof - tried == UNREACHED.keys()


@every
@pytest.mark.spark
def test_no_awkward_value_makes_one_raise(schema: Connection, step: int) -> None:
    schema.execute(create("awkward"))
    failures: list[str] = []
    by_function: dict[str, list[Probe]] = {}
    for probe in probes():
        by_function.setdefault(probe.function, []).append(probe)
    groups: dict[tuple[str, int], list[Probe]] = {}
    for probe in (probe for each in by_function.values() for probe in each[::step]):
        groups.setdefault((probe.kind, probe.width), []).append(probe)
    for group in groups.values():
        for start in range(0, len(group), BATCH):
            failures += _failures(schema, group[start : start + BATCH])
    assert not failures, f"{len(failures)} raise:\n" + "\n".join(failures)


def _failures(connection: Connection, batch: list[Probe]) -> list[str]:
    """Halves until the guilty ones stand alone."""
    first = batch[0]
    calls = [p.text + (" OVER (ORDER BY a.k)" if p.kind == "window" else "") for p in batch]
    tables = [source("awkward", alias, few=first.width > 2) for alias in "abc"[: first.width]]
    try:
        cursor = connection.execute(f"SELECT {', '.join(calls)} FROM {' CROSS JOIN '.join(tables)}")
        cursor.fetch_arrow_table()
    except SqeError as error:
        if len(batch) == 1:
            return [f"{first.function}: {first.text}: {error.code}: {error.message}"]
        middle = len(batch) // 2
        return _failures(connection, batch[:middle]) + _failures(connection, batch[middle:])
    return []


@every
@pytest.mark.spark
def test_try_cast_raises_for_no_value(schema: Connection, step: int) -> None:
    schema.execute(create("awkward"))
    columns = [*VALUES, *DERIVED]
    cursor = schema.execute(f"SELECT {', '.join(columns)} FROM {source('awkward', 'a', few=True)}")
    cursor.fetch_arrow_table()
    assert cursor.columns is not None
    types = dict(cursor.columns)
    casts = [
        Probe("try_cast", f"TRY_CAST(a.{name} AS {target})", 1, "scalar")
        for name, from_ in types.items()
        for target in dict.fromkeys((*types.values(), *NARROW))
        if castable(from_, target) and not _is_refused(from_, target)
    ][::step]
    failures = [f for start in range(0, len(casts), BATCH) for f in _failures(schema, casts[start:][:BATCH])]
    assert not failures, f"{len(failures)} raise:\n" + "\n".join(failures)


def _is_refused(from_: Type, target: Type) -> bool:
    """While binding: a type that SQL cannot name, and a map whose keys might become one."""
    keys = isinstance(from_, Map) and isinstance(target, Map) and from_.key != target.key
    return is_interval(target) or keys
