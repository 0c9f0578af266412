"""Every row of the registry can be found, read and explained."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from sqe.functions.index import FAMILIES, family_of
from sqe.functions.registry import Function, lookup, names
from sqe.functions.signatures import parse


def row(name: str) -> Function:
    function = lookup(name)
    assert function is not None
    return function


@pytest.mark.parametrize("name", names())
def test_a_row_has_signatures_and_help(name: str) -> None:
    function = row(name)
    assert function.help and not function.hidden
    assert function.signatures
    for spec in function.signatures:
        if isinstance(spec, (str, tuple)):
            parse(spec if isinstance(spec, str) else spec[0])


def test_names_are_listed_by_kind_without_operators() -> None:
    assert "sum" in names("aggregate") and "sum" not in names("scalar")
    assert "row_number" in names("window")
    assert not [name for name in names() if name.startswith("$")]
    assert names() == sorted(names())
    assert lookup("SUM") is None and lookup("nosuch") is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_index_names_the_rows_of_each_family_in_their_order(family: str) -> None:
    rows = import_module(f"sqe.functions.{family}").FUNCTIONS
    assert tuple(function.name for function in rows) == FAMILIES[family]


def test_a_name_in_two_families_is_an_error() -> None:
    with pytest.raises(ValueError, match="upper is in strings and in urls"):
        family_of({"strings": ("lower", "upper"), "urls": ("upper",)})


def test_a_name_is_found_by_importing_its_family_alone() -> None:
    code = (
        "import sys; from sqe.functions.index import FAMILIES; from sqe.functions.registry import lookup;"
        "lookup('sum'); print([f for f in FAMILIES if f'sqe.functions.{f}' in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "['aggregates']"


def test_only_what_cannot_fail_is_leakproof() -> None:
    assert row("$eq").leakproof and row("upper").leakproof
    assert not row("$add").leakproof and not row("$div").leakproof and not row("from_hex").leakproof


def test_the_registry_needs_no_engine() -> None:
    code = (
        "import sys; from sqe.functions.registry import functions; functions();"
        "print([m for m in ('pyspark', 'sqlglot', 'pyarrow', 'sqe.engine') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
