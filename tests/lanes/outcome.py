"""What the probes found, as the file that eligibility reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.lanes.columns import TABLES, inlined, width
from tests.lanes.probes import Probe
from tests.lanes.proving import EQUAL, Found

from sqe.api.connection import Connection
from sqe.engine.duckdb.proven import Outcome, call_keys, cast_keys
from sqe.engine.render.zones import lower_zones
from sqe.errors import SqeError
from sqe.statement import Statement, plan
from sqe.tree.expressions import AggregateCall, Call, Cast, WindowCall, walk
from sqe.tree.statements import Query

# A row of the proof: section of the file, function or source of a cast, types of the arguments or target.
Key = tuple[str, str, str]
SECTIONS = ("functions", "casts", "try_casts")
# The reason of a difference is shown to people.
_LONGEST = 100


class Everything(Outcome):
    """While the proof runs: what is to be proven may enter the fast lane."""

    def of_call(self, function: str, key: str) -> str | None:
        return None

    def of_cast(self, source: str, target: str, *, safe: bool) -> str | None:
        return None


EVERYTHING = Everything({}, {}, {}, {})


def keys_of(connection: Connection, probe: Probe) -> list[Key]:
    """What a probe is about, as the binder sees it; nothing where it is no call."""
    over = " OVER ()" if probe.kind == "window" else ""
    sql = f"SELECT {inlined(probe.text)}{over} FROM {TABLES[width(probe.text) - 1]}"
    try:
        tree = plan(Statement(sql, connection.session), connection.coordinator).tree
    except SqeError:
        return []
    assert isinstance(tree, Query)
    return keys_in(tree, probe)


def keys_in(tree: Query, probe: Probe) -> list[Key]:
    """As keys_of, of a statement that contains the probe."""
    for variant in (tree, lower_zones(tree, "UTC")):
        for node in walk(variant):
            if probe.function in ("cast", "try_cast"):
                if isinstance(node, Cast):
                    section = "try_casts" if node.safe else "casts"
                    return [(section, a, b) for a, b in cast_keys(node.operand.type, node.type)]
            elif isinstance(node, (Call, AggregateCall, WindowCall)) and node.function == probe.function:
                types = [a.type for a in node.arguments]
                return [("functions", probe.function, key) for key in call_keys(probe.function, types)]
    return []


def recorded(connection: Connection, found: Iterable[Found]) -> str:
    """Proven is what was found equal at least once, and different never."""
    equal: dict[Key, bool] = {}
    differs: dict[str, str] = {}
    for one in found:
        if one.word != EQUAL and not one.differs:
            continue
        for key in keys_of(connection, one.probe):
            equal[key] = equal.get(key, True) and one.word == EQUAL
            if one.differs:
                differs.setdefault(spoken(*key), _short(one.word))
    sections: dict[str, dict[str, list[str]]] = {section: {} for section in SECTIONS}
    for (section, name, types), is_equal in equal.items():
        if is_equal:
            sections[section].setdefault(name, []).append(types)
    return written(
        {name: {k: sorted(v) for k, v in found.items()} for name, found in sections.items()}, differs
    )


def spoken(section: str, name: str, key: str) -> str:
    if section == "functions":
        return f"{name}({key})"
    return f"{'CAST' if section == 'casts' else 'TRY_CAST'}({name} AS {key})"


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"


def written(sections: Mapping[str, Mapping[str, list[str]]], differs: Mapping[str, str]) -> str:
    return as_lines({**sections, "differs": differs})


def as_lines(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """JSON, sorted, one entry a line: a change of it is read in a review."""
    parts = []
    for name, entries in sections.items():
        lines = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(entries[key], ensure_ascii=False)}" for key in sorted(entries)
        )
        parts.append(f'"{name}": {{\n{lines}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def proven_keys(outcome: Outcome) -> set[Key]:
    """The rows of a proof."""
    sections = (outcome.functions, outcome.casts, outcome.try_casts)
    return {
        (section, name, key)
        for section, entries in zip(SECTIONS, sections, strict=True)
        for name, keys in entries.items()
        for key in keys
    }
