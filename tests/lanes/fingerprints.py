"""What both engines are sent for each row of the proof, as a number that changes when that does.

A row of the proof is a function with the types of its arguments, or a cast from one type to another. What is
sent for it is the SQL of both lanes for each of its probes, the Python functions which that SQL calls, and
the values that it is computed over.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.metadata
import inspect
import itertools
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.lanes import casts
from tests.lanes.columns import STORED, stored_names
from tests.lanes.outcome import SECTIONS, Key, as_lines, keys_in
from tests.lanes.probes import Probe, probes
from tests.lanes.proving import statements
from tests.lanes.unread_tables import narrow

from sqe.api.connection import Connection
from sqe.engine.duckdb.render import FastRendered
from sqe.engine.render.lexing import DUCK, SPARK
from sqe.engine.spark.render import render, strip_positions
from sqe.engine.spark.session_conf import SESSION_CONF
from sqe.errors import SqeError
from sqe.functions import bodies
from sqe.statement import Statement, plan
from sqe.tree.statements import Query

FILE = Path(__file__).with_name("fingerprints.json")
# More than 64 bits would only make the file longer.
_DIGITS = 16
_REFUSED = "not for the fast lane"
# How a table is read is no matter of the row's: its files, and the ids of its fields.
_READ = re.compile(
    r"read_parquet\(\['[^']*'\], explicit_cardinality = \d+, schema = MAP \{.*?\}\}"
    r"(?:, can_have_nan = true)?\)"
)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """`engines` is what all rows depend on: versions and settings."""

    engines: Mapping[str, str]
    rows: Mapping[Key, str]

    def changed(self, before: Fingerprints) -> set[Key]:
        """The rows that are sent something else than before."""
        if self.engines != before.engines:
            return set(self.rows)
        return {key for key, number in self.rows.items() if before.rows.get(key) != number}

    def of(self, keys: Collection[Key]) -> Fingerprints:
        return Fingerprints(self.engines, {key: self.rows[key] for key in keys if key in self.rows})

    def as_text(self) -> str:
        sections: dict[str, dict[str, dict[str, str]]] = {section: {} for section in SECTIONS}
        for section, name, key in sorted(self.rows):
            sections[section].setdefault(name, {})[key] = self.rows[section, name, key]
        return as_lines({"engines": self.engines, **sections})


def recorded(text: str) -> Fingerprints:
    stored = json.loads(text)
    return Fingerprints(
        stored["engines"],
        {
            (section, name, key): number
            for section in SECTIONS
            for name, numbers in stored[section].items()
            for key, number in numbers.items()
        },
    )


@dataclass(frozen=True, slots=True)
class Rendered:
    """What is sent now: the fingerprints, and the probes of each row."""

    fingerprints: Fingerprints
    probes: Mapping[Key, tuple[Probe, ...]]


def rendered(connection: Connection) -> Rendered:
    """`connection` has the tables of the probes, and admits everything to the fast lane."""
    texts: dict[Key, dict[Probe, str]] = {}
    for probe in itertools.chain(probes(), casts.probes()):
        keys, text = sent(connection, probe)
        for key in keys:
            texts.setdefault(key, {})[probe] = text
    rows = {key: _number(*sorted(each.values())) for key, each in texts.items()}
    return Rendered(Fingerprints(engines(), rows), {key: tuple(each) for key, each in texts.items()})


def engines() -> dict[str, str]:
    versions = {name: importlib.metadata.version(name) for name in ("duckdb", "pyspark")}
    return {**versions, "spark settings": _number(repr(sorted(SESSION_CONF.items())))}


def sent(connection: Connection, probe: Probe, *, sql: str | None = None) -> tuple[list[Key], str]:
    """The rows that a probe belongs to, and what is sent for it; or for another statement instead."""
    keys: list[Key] = []
    parts = [probe.text, *(repr(STORED[name]) for name in stored_names(probe.text))]
    asked = [narrow(each, probe.text) for each in statements(probe)] if sql is None else [sql]
    for each in asked:
        try:
            planned = plan(Statement(each, connection.session), connection.coordinator)
        except SqeError:
            # Nobody is sent anything.
            continue
        assert isinstance(planned.tree, Query)
        keys = keys or keys_in(planned.tree, probe)
        parts += [_on_duckdb(planned.rendered), _on_spark(planned.tree)]
    return keys, "\0".join(parts)


def _on_duckdb(made: object) -> str:
    """Of what the lane made that was chosen; Spark's where this one refused."""
    if not isinstance(made, FastRendered):
        return _REFUSED
    return "\0".join([_renumbered(_READ.sub("table", made.sql), _DUCK_NAMES), *map(source, made.bodies)])


def _on_spark(tree: Query) -> str:
    try:
        made = render(tree, session_zone="UTC")
    except SqeError as error:
        return error.code
    return "\0".join([_renumbered(strip_positions(made.sql), _SPARK_NAMES), *map(source, made.bodies)])


# A name of the renderer's ends in a number that is unique in its statement. A function's name does not count.
_DUCK_NAMES, _SPARK_NAMES = (
    re.compile(rf"{tokens.pattern}|\b([A-Za-z]\w*?)_(\d+)\b(?!\()", re.DOTALL) for tokens in (DUCK, SPARK)
)


def _renumbered(sql: str, names: re.Pattern[str]) -> str:
    """With the numbers of names in the order in which they appear."""
    numbers: dict[str, int] = {}

    def renumbered(token: re.Match[str]) -> str:
        return token[0] if token[2] is None else f"{token[1]}_{numbers.setdefault(token[2], len(numbers))}"

    return names.sub(renumbered, sql)


@cache
def source(body: str) -> str:
    """The code of a Python function and of all that travels with it, whatever its comments say."""
    module = bodies.bodies()[body].function.__module__
    names = [f"{module}.{bodies.bodies()[body].name.split('.')[0]}", f"{module}.arrow"]
    for name in names:
        names += [other for other in _imported(name, module) if other not in names]
    return "\0".join(_code(name) for name in sorted(names))


def _imported(name: str, room: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(inspect.getsource(importlib.import_module(name)))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module is not None
            and node.module.startswith(f"{room}.")
        ):
            yield node.module


@cache
def _code(module: str) -> str:
    return _number(ast.unparse(ast.parse(inspect.getsource(importlib.import_module(module)))))


def _number(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
