"""JSON. A value is its text in Trino's form; Python bodies read and write it, the same on each lane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions import duck_json_casts
from sqe.functions.duck_text import string
from sqe.functions.function import Renderer, Resolution, scalar
from sqe.functions.json_casts import quoted
from sqe.functions.spark_text import constant
from sqe.types.sql_types import VARCHAR, Type, is_text

Texts = Sequence[str]

_BODY = "sqe_json_text_"


def _with_path(body: str) -> Renderer:
    """A path that is a constant is checked while binding, and so raises for no row."""

    def render(call: Any, texts: Texts) -> str:
        path = constant(call.arguments[1])
        if isinstance(path, str):
            from sqe.functions.bodies.arrow import Refused
            from sqe.functions.bodies.json_text import steps
            from sqe.functions.spark_text import invalid

            try:
                steps(path)
            except Refused:
                raise invalid(call, f"Invalid JSON path: '{path}'") from None
        return f"{_BODY}{body}({texts[0]}, {texts[1]})"

    return render


def _contains(call: Any, texts: Texts) -> str:
    kind = call.arguments[1].type
    if is_text(kind):
        return f"{_BODY}array_contains_text({texts[0]}, {texts[1]})"
    return f"{_BODY}array_contains_number({texts[0]}, CAST({texts[1]} AS STRING))"


def _object(*, without_nulls: bool) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        pairs = []
        for name, value in zip(texts[::2], texts[1::2], strict=True):
            shown = value if without_nulls else f"coalesce({value}, 'null')"
            # concat is NULL where a part is, and concat_ws leaves that out.
            pairs.append(f"concat({quoted(name)}, ':', {shown})")
        return f"concat('{{', concat_ws(',', {', '.join(pairs)}), '}}')" if pairs else "'{}'"

    return render


def _fast_contains(call: Any, texts: Texts) -> str:
    kind = call.arguments[1].type
    if is_text(kind):
        return f"{_BODY}array_contains_text({texts[0]}, {texts[1]})"
    return f"{_BODY}array_contains_number({texts[0]}, CAST({texts[1]} AS VARCHAR))"


def _fast_object(*, without_nulls: bool) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        pairs = []
        for name, value in zip(texts[::2], texts[1::2], strict=True):
            shown = value if without_nulls else f"coalesce({value}, 'null')"
            # NULL where a part is, and concat_ws leaves that out.
            pairs.append(f"{duck_json_casts.quoted(name)} || ':' || {shown}")
        joined = f"concat_ws(',', {', '.join(pairs)})" if pairs else "''"
        return f"({string('{')} || {joined} || {string('}')})"

    return render


def _fast_array(call: Any, texts: Texts) -> str:
    return f"('[' || concat_ws(',', {', '.join(texts)}) || ']')" if texts else "'[]'"


def _array(call: Any, texts: Texts) -> str:
    return f"concat('[', concat_ws(',', {', '.join(texts)}), ']')" if texts else "'[]'"


def _anything(types: tuple[Type, ...]) -> Resolution:
    return Resolution(types, VARCHAR)


FUNCTIONS = (
    scalar(
        "$json_object",
        _anything,
        spark=_object(without_nulls=False),
        fast=_fast_object(without_nulls=False),
        help="An object",
    ),
    scalar(
        "$json_object_without_nulls",
        _anything,
        spark=_object(without_nulls=True),
        fast=_fast_object(without_nulls=True),
        help="An object",
    ),
    scalar("$json_array", _anything, spark=_array, fast=_fast_array, help="An array, without its NULLs"),
    scalar(
        "json_parse",
        "(varchar(x)) -> json",
        spark=None,
        body=f"{_BODY}parse",
        help="JSON from its text",
        raises="a text that is no JSON",
    ),
    scalar("json_format", "(json) -> varchar", spark="{0}", fast="{0}", help="JSON as text"),
    scalar(
        "json_extract",
        "(json, varchar) -> json",
        "(varchar(x), varchar) -> json",
        spark=_with_path("extract"),
        fast=_with_path("extract"),
        body=f"{_BODY}extract",
        help="What a path such as $.a.b[1] leads to",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_extract_scalar",
        "(json, varchar) -> varchar",
        "(varchar(x), varchar) -> varchar(x)",
        spark=_with_path("extract_scalar"),
        fast=_with_path("extract_scalar"),
        body=f"{_BODY}extract_scalar",
        help="The text, number or boolean that a path leads to, as text",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_size",
        "(json, varchar) -> bigint",
        "(varchar(x), varchar) -> bigint",
        spark=_with_path("size"),
        fast=_with_path("size"),
        body=f"{_BODY}size",
        help="How many members or elements it has",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_array_length",
        "(json) -> bigint",
        "(varchar(x)) -> bigint",
        spark=None,
        body=f"{_BODY}array_length",
        help="How many elements an array has",
    ),
    scalar(
        "json_array_get",
        "(json, bigint) -> json",
        "(varchar(x), bigint) -> json",
        spark=None,
        body=f"{_BODY}array_get",
        help="An element, from 0; from the end if negative",
    ),
    scalar(
        "json_array_contains",
        *(
            f"({kind}, {value}) -> boolean"
            for kind in ("json", "varchar(x)")
            for value in ("boolean", "bigint", "double", "varchar(y)")
        ),
        spark=_contains,
        fast=_fast_contains,
        body=f"{_BODY}array_contains_text",
        help="Whether an array has an element",
    ),
    scalar(
        "is_json_scalar",
        "(json) -> boolean",
        "(varchar(x)) -> boolean",
        spark=None,
        body=f"{_BODY}is_scalar",
        help="Whether it is a text, number, boolean or null",
        raises="a text that is no JSON",
    ),
)
