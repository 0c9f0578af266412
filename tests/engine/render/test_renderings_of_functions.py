"""Each engine has a table a family of how it says functions, and what is in none is refused."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from sqe.engine.duckdb.functions import rendering as duckdb
from sqe.engine.render.renderings import NEVER_RENDERED
from sqe.engine.spark.functions import rendering as spark
from sqe.errors import InternalError, NotSupported
from sqe.functions.index import FAMILIES
from sqe.functions.registry import Function, lookup
from sqe.tree.expressions import Call, Literal
from sqe.types.sql_types import DOUBLE, VARCHAR


def row(name: str) -> Function:
    function = lookup(name)
    assert function is not None
    return function


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in NEVER_RENDERED])
def test_a_table_says_functions_of_its_own_family(engine: str, family: str) -> None:
    table = import_module(f"sqe.engine.{engine}.functions.{family}").RENDERINGS
    assert set(table) <= set(FAMILIES[family])


def test_what_duckdb_does_not_say_is_refused() -> None:
    call = Call(DOUBLE, "cbrt", (Literal(DOUBLE, None),))
    assert "cbrt" not in duckdb.names() and spark.render(row("cbrt"), call, ("x",)) == "cbrt(x)"
    with pytest.raises(NotSupported, match="the fast lane does not have cbrt"):
        duckdb.render(row("cbrt"), call, ("x",))


def test_a_python_body_is_called_where_no_table_says_otherwise() -> None:
    call = Call(VARCHAR, "soundex", (Literal(VARCHAR, None),))
    assert spark.render(row("soundex"), call, ("x",)) == "sqe_texts_soundex(x)"
    assert duckdb.render(row("soundex"), call, ("x",)) == "sqe_texts_soundex(x)"


def test_one_engine_is_rendered_without_the_other() -> None:
    for engine, other in (("spark", "duckdb"), ("duckdb", "spark")):
        code = (
            f"import sys; from importlib import import_module; from sqe.functions.index import FAMILIES;"
            f"families = [f for f in FAMILIES if f not in {NEVER_RENDERED}];"
            f"[import_module(f'sqe.engine.{engine}.functions.{{f}}') for f in families];"
            f"print([m for m in sys.modules if m.startswith('sqe.engine.{other}')])"
        )
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert shown.stdout.strip() == "[]"


def test_the_moment_of_a_statement_is_never_rendered() -> None:
    with pytest.raises(InternalError):
        spark.render(row("now"), Call(DOUBLE, "now", ()), ())


def test_a_template_takes_its_arguments_as_they_are() -> None:
    call = Call(VARCHAR, "translate", (Literal(VARCHAR, "{1}"),) * 3)
    assert spark.render(row("translate"), call, ("'{1}'", "b", "c")) == "translate('{1}', b, c)"


def test_long_arguments_are_computed_once() -> None:
    text = "(" + " + ".join(["x"] * 40) + ")"
    call = Call(DOUBLE, "$div", (Literal(DOUBLE, None), Literal(DOUBLE, None)))
    assert spark.render(row("$div"), call, (text, "y")).count(text) == 1
