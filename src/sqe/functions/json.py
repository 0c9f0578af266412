"""JSON. A value is its text in Trino's form; Python bodies read and write it."""

from __future__ import annotations

from sqe.functions.function import Resolution, scalar
from sqe.types.sql_types import VARCHAR, Type

_BODY = "sqe_json_text_"


def _anything(types: tuple[Type, ...]) -> Resolution:
    return Resolution(types, VARCHAR)


FUNCTIONS = (
    scalar("$json_object", _anything, help="An object"),
    scalar("$json_object_without_nulls", _anything, help="An object"),
    scalar(
        "$json_name",
        "(varchar) -> varchar",
        help="The name of an object's member",
        raises="NULL",
    ),
    scalar("$json_array", _anything, help="An array, without its NULLs"),
    *(
        scalar(
            f"$path_{name}",
            f"(varchar, varchar, varchar) -> {result}",
            body=f"sqe_json_path_{name}",
            help=f"json_{name}: of an input, the form of the call, and what is passed",
            raises="what ERROR ON ERROR or ERROR ON EMPTY is for",
        )
        for name, result in (
            ("exists", "boolean"),
            ("value", "varchar"),
            ("query", "varchar"),
            ("table", "array(varchar)"),
        )
    ),
    scalar(
        "json_parse",
        "(varchar(x)) -> json",
        body=f"{_BODY}parse",
        help="JSON from its text",
        raises="a text that is no JSON",
    ),
    scalar("json_format", "(json) -> varchar", help="JSON as text"),
    scalar(
        "json_extract",
        "(json, varchar) -> json",
        "(varchar(x), varchar) -> json",
        body=f"{_BODY}extract",
        help="What a path such as $.a.b[1] leads to",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_extract_scalar",
        "(json, varchar) -> varchar",
        "(varchar(x), varchar) -> varchar(x)",
        body=f"{_BODY}extract_scalar",
        help="The text, number or boolean that a path leads to, as text",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_size",
        "(json, varchar) -> bigint",
        "(varchar(x), varchar) -> bigint",
        body=f"{_BODY}size",
        help="How many members or elements it has",
        raises="a path of a row that is none",
    ),
    scalar(
        "json_array_length",
        "(json) -> bigint",
        "(varchar(x)) -> bigint",
        body=f"{_BODY}array_length",
        help="How many elements an array has",
    ),
    scalar(
        "json_array_get",
        "(json, bigint) -> json",
        "(varchar(x), bigint) -> json",
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
        body=f"{_BODY}array_contains_text",
        help="Whether an array has an element",
    ),
    scalar(
        "is_json_scalar",
        "(json) -> boolean",
        "(varchar(x)) -> boolean",
        body=f"{_BODY}is_scalar",
        help="Whether it is a text, number, boolean or null",
        raises="a text that is no JSON",
    ),
)
