"""Every row of the registry can be read, explained and rendered."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sqe.errors import InternalError
from sqe.functions.registry import Function, lookup, names
from sqe.functions.signatures import parse
from sqe.tree.expressions import Call, Literal
from sqe.types.sql_types import DOUBLE, VARCHAR


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


def test_the_moment_of_a_statement_is_never_rendered() -> None:
    with pytest.raises(InternalError):
        row("now").render_spark(Call(DOUBLE, "now", ()), ())


def test_a_template_takes_its_arguments_as_they_are() -> None:
    call = Call(VARCHAR, "translate", (Literal(VARCHAR, "{1}"),) * 3)
    assert row("translate").render_spark(call, ("'{1}'", "b", "c")) == "translate('{1}', b, c)"


def test_long_arguments_are_computed_once() -> None:
    text = "(" + " + ".join(["x"] * 40) + ")"
    call = Call(DOUBLE, "$div", (Literal(DOUBLE, None), Literal(DOUBLE, None)))
    assert row("$div").render_spark(call, (text, "y")).count(text) == 1


def test_only_what_cannot_fail_is_leakproof() -> None:
    assert row("$eq").leakproof and row("upper").leakproof
    assert not row("$add").leakproof and not row("$div").leakproof and not row("from_hex").leakproof


def test_the_registry_needs_no_engine() -> None:
    code = (
        "import sys, sqe.functions.registry;"
        "print([m for m in ('pyspark', 'sqlglot', 'pyarrow') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
