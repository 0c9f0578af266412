"""Parts of a URL, and percent-encoding."""

from __future__ import annotations

from typing import Any

from sqe.functions.function import scalar
from sqe.functions.spark_text import shared
from sqe.types.sql_types import VARCHAR, Type, Varchar


def _encoded(parameters: tuple[Type, ...]) -> Type:
    t = parameters[0]
    assert isinstance(t, Varchar)
    return VARCHAR if t.length is None else Varchar(min(2147483647, t.length * 12))


# mailto:a@b has a protocol and no path, a relative one a path and no protocol.
_IS_URL = "coalesce(try_parse_url({0}, 'PATH'), try_parse_url({0}, 'PROTOCOL')) IS NOT NULL"
# What follows the first parameter of that name; nothing where it has no value.
_NAMED = (
    "filter(transform(split(try_parse_url({0}, 'QUERY'), '&', -1), q_ -> split(q_, '=', 2)),"
    " q_ -> q_[0] = {1})"
)
_PARAMETER = (
    f"(CASE WHEN {{1}} IS NOT NULL AND size({_NAMED}) > 0"
    f" THEN url_decode(coalesce(get(get({_NAMED}, 0), 1), '')) END)"
)


_BODY = "sqe_urls_"


def _part(name: str, part: str, help: str, decoded: bool) -> Any:
    """An absent part is an empty text, no part of a bad URL is NULL."""
    text = f"coalesce(try_parse_url({{0}}, '{part}'), '')"
    if decoded:
        text = f"url_decode(replace({text}, '+', '%2B'))"
    template = f"(CASE WHEN {_IS_URL} THEN {text} END)"
    return scalar(
        name,
        "(varchar(x)) -> varchar(x)",
        spark=shared(template),
        fast=f"{_BODY}{name.removeprefix('url_extract_')}({{0}})",
        help=help,
        raises="a URL whose escapes are broken" if decoded else "",
    )


FUNCTIONS = (
    _part("url_extract_protocol", "PROTOCOL", "The protocol of a URL", False),
    _part("url_extract_host", "HOST", "The host of a URL", False),
    _part("url_extract_path", "PATH", "The path of a URL", True),
    _part("url_extract_query", "QUERY", "The query of a URL", True),
    _part("url_extract_fragment", "REF", "The fragment of a URL", True),
    scalar(
        "url_extract_port",
        "(varchar(x)) -> bigint",
        # Without a host the authority is only a name, whatever follows a colon in it.
        spark=shared(
            "(CASE WHEN try_parse_url({0}, 'HOST') IS NOT NULL THEN"
            " CAST(nullif(regexp_extract(try_parse_url({0}, 'AUTHORITY'), ':([0-9]+)$', 1), '') AS BIGINT)"
            " END)"
        ),
        fast=f"{_BODY}port({{0}})",
        help="The port of a URL",
    ),
    scalar(
        "url_extract_parameter",
        "(varchar(x), varchar(y)) -> varchar(x)",
        spark=shared(_PARAMETER),
        fast=f"{_BODY}parameter({{0}}, {{1}})",
        help="The first parameter of that name in the query of a URL",
        raises="a URL whose escapes are broken",
    ),
    scalar(
        "url_encode",
        ("(varchar(x)) -> ?", _encoded),
        spark="url_encode({0})",
        # DuckDB leaves other signs as they are, and has an escape for a blank.
        fast="replace(replace(replace(url_encode({0}), '%20', '+'), '%2A', '*'), '~', '%7E')",
        help="With everything that a URL may not hold encoded",
    ),
    scalar(
        "url_decode",
        "(varchar(x)) -> varchar(x)",
        spark="url_decode({0})",
        fast=f"{_BODY}decode({{0}})",
        help="With what was encoded for a URL decoded",
        raises="a text whose escapes are broken",
    ),
)
