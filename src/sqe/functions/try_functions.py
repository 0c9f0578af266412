"""What TRY makes of functions that may fail: the same, with NULL in place of the error.

Each is a row of its own, `$try:` and the name of the function, so that no rendering changes outside TRY.
What is not here cannot be guarded, and TRY refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported
from sqe.functions import binary, datetime, json, math, operators, regular_expressions, strings, urls, zones
from sqe.functions.bodies import TRIED
from sqe.functions.function import Function, Renderer
from sqe.functions.spark_text import share
from sqe.types.sql_types import APPROXIMATE, MAX_PRECISION, Array, Decimal, Time, Type, is_integer

PREFIX = "$try:"

_FAMILIES = (operators, math, strings, binary, regular_expressions, urls, datetime, zones, json)
_ROWS = {row.name: row for family in _FAMILIES for row in family.FUNCTIONS}

# Strings are passed over, so that nothing inside one is taken for SQL.
_TOKEN = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.)*')|(?P<failure>raise_error\('(?:[^'\\]|\\.)*'\))|(?P<name>\b[A-Za-z_0-9]+)(?=\()",
    re.DOTALL,
)
_GUARDED_NAMES = {
    "CAST": "try_cast",
    "url_decode": "try_url_decode",
    "to_timestamp": "try_to_timestamp",
    "element_at": "try_element_at",
}


def _guarded(text: str) -> str:
    def change(found: re.Match[str]) -> str:
        if found["failure"]:
            return "NULL"
        name: str | None = found["name"]
        if name is not None and name.startswith("sqe_"):
            return name if name.endswith(TRIED) else name + TRIED
        return _GUARDED_NAMES.get(name, name) if name else found[0]

    return _TOKEN.sub(change, text)


# Those whose errors are all of our own raising, or of casts.
_NAMES = """
    lpad rpad split split_part strpos chr codepoint hamming_distance levenshtein_distance luhn_check
    split_to_map split_to_multimap from_hex from_base64 from_base64url from_big_endian_64
    from_big_endian_32 from_base to_base width_bucket wilson_interval_lower wilson_interval_upper
    url_decode url_extract_path url_extract_query url_extract_fragment url_extract_parameter
    parse_datetime from_iso8601_date date parse_duration human_readable_seconds round $like_escape
"""


def _by_text(name: str) -> Renderer:
    def render(call: Any, texts: Sequence[str]) -> str:
        return _guarded(_ROWS[name].render_spark(replace(call, function=name), texts))

    return render


def _arithmetic(name: str, spark: str) -> Renderer:
    def render(call: Any, texts: Sequence[str]) -> str:
        if any(isinstance(argument.type, Time) for argument in call.arguments):
            # It begins anew after midnight, and fails for nothing.
            row: Function = _ROWS[name]
            return row.render_spark(replace(call, function=name), texts)
        _require_numbers(call)
        if call.type in APPROXIMATE:
            return _by_text(name)(call, texts)
        made = f"{spark}({texts[0]}, {texts[1]})"
        return f"try_cast({made} AS {spark_type(call.type)})" if isinstance(call.type, Decimal) else made

    return render


def _require_numbers(call: Any) -> None:
    if any(not _is_number(argument.type) for argument in call.arguments):
        name = call.function.removeprefix(PREFIX).removeprefix("$")
        raise NotSupported(f"TRY of {name} of dates or intervals", position=call.position)


def _is_number(t: Type) -> bool:
    return is_integer(t) or isinstance(t, Decimal) or t in APPROXIMATE


def _divide(call: Any, texts: Sequence[str]) -> str:
    _require_numbers(call)
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
    left, right = (argument.type for argument in call.arguments)
    if left.precision + right.scale + right.precision + 1 > MAX_PRECISION:
        raise NotSupported(f"TRY of {left} / {right}", position=call.position)
    return share(f"(CASE WHEN {{1}} <> 0 THEN try_cast({{0}} / {{1}} AS {kind}) END)", texts)


def _integer(value: int) -> str:
    return f"({value + 1}L - 1)" if value == -(1 << 63) else str(value)


def _modulus(call: Any, texts: Sequence[str]) -> str:
    _require_numbers(call)
    if call.type in APPROXIMATE:
        return _by_text("$mod")(call, texts)
    rest = "{0} % {1}" if is_integer(call.type) else f"try_cast({{0}} % {{1}} AS {spark_type(call.type)})"
    return share(f"(CASE WHEN {{1}} <> 0 THEN {rest} END)", texts)


def _negate(call: Any, texts: Sequence[str]) -> str:
    _require_numbers(call)
    if not is_integer(call.type):
        return operators.negate(call, texts)
    return f"try_subtract(CAST(0 AS {spark_type(call.type)}), {texts[0]})"


def _absolute(call: Any, texts: Sequence[str]) -> str:
    if not is_integer(call.type):
        return math.magnitude(call, texts)
    return share(f"if({{0}} < 0, try_subtract(CAST(0 AS {spark_type(call.type)}), {{0}}), {{0}})", texts)


def _subscript(call: Any, texts: Sequence[str]) -> str:
    if isinstance(call.arguments[0].type, Array):
        return f"get({texts[0]}, try_subtract(try_cast({texts[1]} AS INT), 1))"
    return f"try_element_at({texts[0]}, {texts[1]})"


def _date_parse(call: Any, texts: Sequence[str]) -> str:
    text = _guarded(_ROWS["date_parse"].render_spark(replace(call, function="date_parse"), texts))
    # to_timestamp_ntz has no brother that does not fail.
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
    made = f"CAST(try_to_timestamp({inner}) AS TIMESTAMP_NTZ)"
    return text[:start] + made + text[end + 1 :]


# As above, of DuckDB's text: its strings double a quote.
_DUCK_TOKEN = re.compile(
    r"(?P<failure>error\('SQE:(?:[^']|'')*'\))|(?P<text>'(?:[^']|'')*')|(?P<name>\b[A-Za-z_0-9]+)(?=\()"
)


def _duck_guarded(text: str) -> str:
    def change(found: re.Match[str]) -> str:
        if found["failure"]:
            return "NULL"
        name: str | None = found["name"]
        if name is not None and name.startswith("sqe_"):
            return name if name.endswith(TRIED) else name + TRIED
        return "TRY_CAST" if name == "CAST" else found[0]

    guarded = _DUCK_TOKEN.sub(change, text)
    if re.search(r"\berror\(", guarded):
        # TRY takes nothing that may raise on its own.
        raise NotSupported("the fast lane cannot guard this with TRY")
    return f"TRY({guarded})"


def _duck_tried(name: str) -> Renderer:
    """Whatever fails is NULL: DuckDB's TRY catches its own errors, and ours are taken out."""

    def render(call: Any, texts: Sequence[str]) -> str:
        if name in _OF_NUMBERS:
            _require_numbers(call)
        return _duck_guarded(_ROWS[name].render_fast(replace(call, function=name), texts))

    return render


_OF_NUMBERS = ("$add", "$sub", "$mul", "$div", "$mod", "$neg")

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
    **{name: _by_text(name) for name in _NAMES.split()},
    # A body gives NULL itself.
    **{row.name: _by_text(row.name) for row in _ROWS.values() if row.body and not row.leakproof},
}


def _tried(name: str, render: Renderer) -> Function:
    row: Function = _ROWS[name]
    body = row.body and row.body + TRIED
    return replace(
        row,
        body=body,
        name=PREFIX + name,
        spark=render,
        fast=None if row.fast is None else _duck_tried(name),
        leakproof=True,
        leak="",
        help=f"TRY of {name}",
    )


FUNCTIONS = tuple(_tried(name, render) for name, render in _RENDERED.items())

# NULL for NULL: what failed inside makes the whole NULL. Of the other functions that is not certain.
_NOT_STRICT = ("$and", "$or", "$is_null", "$is_distinct", "$array", "$row", "$concat", "concat", "concat_ws")
STRICT = frozenset(row.name for row in _ROWS.values() if row.kind == "scalar") - frozenset(
    (*_NOT_STRICT, "format", "typeof")
)
