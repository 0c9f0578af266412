"""What TRY makes of functions that may fail, in Spark SQL: mostly the text of the function itself, with what
raises an error in it replaced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqe.engine.render.failures import silenced
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import require_numbers
from sqe.engine.spark.functions.math import magnitude
from sqe.engine.spark.functions.operators import negate
from sqe.engine.spark.functions.rendering import render as render_function
from sqe.engine.spark.functions.text import share
from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.decimals import decimals_of
from sqe.functions.index import FAMILIES, TRY_PREFIX
from sqe.functions.registry import lookup
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, MAX_PRECISION, Array, Decimal, Time, is_integer

# Strings are passed over, so that nothing inside one is taken for SQL.
_TOKEN = re.compile(r"(?P<text>'(?:[^'\\]|\\.)*')|(?P<name>\b[A-Za-z_0-9]+)(?=\()", re.DOTALL)
_TRY_NAMES = {
    "CAST": "try_cast",
    "url_decode": "try_url_decode",
    "to_timestamp": "try_to_timestamp",
    "element_at": "try_element_at",
}


def _without_errors(text: str) -> str:
    def replacement(token: re.Match[str]) -> str:
        name: str | None = token["name"]
        if name is not None and name.startswith("sqe_"):
            return name if name.endswith(TRIED) else name + TRIED
        return _TRY_NAMES.get(name, name) if name else token[0]

    return _TOKEN.sub(replacement, silenced(text))


def _plain(name: str, call: Call, texts: Sequence[str]) -> str:
    """The text of the function itself."""
    function = lookup(name)
    assert function is not None
    return render_function(function, replace(call, function=name), texts)


def _by_text(name: str) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        return _without_errors(_plain(name, call, texts))

    return render


def _arithmetic(name: str, spark: str) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        if any(isinstance(argument.type, Time) for argument in call.arguments):
            # It begins anew after midnight, and fails for nothing.
            return _plain(name, call, texts)
        require_numbers(call)
        if call.type in APPROXIMATE:
            return _by_text(name)(call, texts)
        number = f"{spark}({texts[0]}, {texts[1]})"
        return f"try_cast({number} AS {spark_type(call.type)})" if isinstance(call.type, Decimal) else number

    return render


def _divide(call: Call, texts: Sequence[str]) -> str:
    require_numbers(call)
    if call.type in APPROXIMATE:
        return _by_text("$div")(call, texts)
    kind = spark_type(call.type)
    if is_integer(call.type):
        lowest = -(1 << {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}[kind])
        # The one quotient that has no place among the numbers.
        return share(
            f"(CASE WHEN {{1}} <> 0 AND NOT ({{0}} = {_integer(lowest)} AND {{1}} = -1)"
            f" THEN CAST(({{0}} div {{1}}) AS {kind}) END)",
            texts,
        )
    left, right = decimals_of([argument.type for argument in call.arguments])
    if left.precision + right.scale + right.precision + 1 > MAX_PRECISION:
        raise NotSupported(f"TRY of {left} / {right}", position=call.position)
    return share(f"(CASE WHEN {{1}} <> 0 THEN try_cast({{0}} / {{1}} AS {kind}) END)", texts)


def _integer(value: int) -> str:
    return f"({value + 1}L - 1)" if value == -(1 << 63) else str(value)


def _modulus(call: Call, texts: Sequence[str]) -> str:
    require_numbers(call)
    if call.type in APPROXIMATE:
        return _by_text("$mod")(call, texts)
    rest = "{0} % {1}" if is_integer(call.type) else f"try_cast({{0}} % {{1}} AS {spark_type(call.type)})"
    return share(f"(CASE WHEN {{1}} <> 0 THEN {rest} END)", texts)


def _negate(call: Call, texts: Sequence[str]) -> str:
    require_numbers(call)
    if not is_integer(call.type):
        return negate(call, texts)
    return f"try_subtract(CAST(0 AS {spark_type(call.type)}), {texts[0]})"


def _absolute(call: Call, texts: Sequence[str]) -> str:
    if not is_integer(call.type):
        return magnitude(call, texts)
    return share(f"if({{0}} < 0, try_subtract(CAST(0 AS {spark_type(call.type)}), {{0}}), {{0}})", texts)


def _subscript(call: Call, texts: Sequence[str]) -> str:
    if isinstance(call.arguments[0].type, Array):
        return f"get({texts[0]}, try_subtract(try_cast({texts[1]} AS INT), 1))"
    return f"try_element_at({texts[0]}, {texts[1]})"


def _date_parse(call: Call, texts: Sequence[str]) -> str:
    text = _without_errors(_plain("date_parse", call, texts))
    # There is no try_to_timestamp_ntz.
    opening = "to_timestamp_ntz("
    start = text.find(opening)
    depth, end = 0, start + len(opening)
    if start < 0:
        return text
    in_string = False
    while end < len(text):
        character = text[end]
        if in_string:
            if character == "\\":
                end += 1
            elif character == "'":
                in_string = False
        elif character == "'":
            in_string = True
        elif character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                break
            depth -= 1
        end += 1
    inner = text[start + len(opening) : end]
    timestamp = f"CAST(try_to_timestamp({inner}) AS TIMESTAMP_NTZ)"
    return text[:start] + timestamp + text[end + 1 :]


_RENDERED: dict[str, Renderer] = {
    "$add": _arithmetic("$add", "try_add"),
    "$sub": _arithmetic("$sub", "try_subtract"),
    "$mul": _arithmetic("$mul", "try_multiply"),
    "$div": _divide,
    "$mod": _modulus,
    "mod": _modulus,
    "$neg": _negate,
    "abs": _absolute,
    "$subscript": _subscript,
    "date_parse": _date_parse,
}
# The errors of the others are all of our own raising, or of casts; and a body gives NULL itself.
RENDERINGS: dict[str, Rendering] = {
    tried: _RENDERED.get(name := tried.removeprefix(TRY_PREFIX)) or _by_text(name)
    for tried in FAMILIES["try_functions"]
}
