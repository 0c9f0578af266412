"""Parts of a URL, and percent-encoding."""

from __future__ import annotations

from sqe.functions.function import Function, scalar
from sqe.types.sql_types import VARCHAR, Type, Varchar


def _encoded(parameters: tuple[Type, ...]) -> Type:
    t = parameters[0]
    assert isinstance(t, Varchar)
    return VARCHAR if t.length is None else Varchar(min(2147483647, t.length * 12))


def _part(name: str, help: str, *, decoded: bool = False) -> Function:
    return scalar(
        name,
        "(varchar(x)) -> varchar(x)",
        help=help,
        raises="a URL whose escapes are broken" if decoded else "",
    )


FUNCTIONS = (
    _part("url_extract_protocol", "The protocol of a URL"),
    _part("url_extract_host", "The host of a URL"),
    _part("url_extract_path", "The path of a URL", decoded=True),
    _part("url_extract_query", "The query of a URL", decoded=True),
    _part("url_extract_fragment", "The fragment of a URL", decoded=True),
    scalar("url_extract_port", "(varchar(x)) -> bigint", help="The port of a URL"),
    scalar(
        "url_extract_parameter",
        "(varchar(x), varchar(y)) -> varchar(x)",
        help="The first parameter of that name in the query of a URL",
        raises="a URL whose escapes are broken",
    ),
    scalar(
        "url_encode", ("(varchar(x)) -> ?", _encoded), help="With everything that a URL may not hold encoded"
    ),
    scalar(
        "url_decode",
        "(varchar(x)) -> varchar(x)",
        help="With what was encoded for a URL decoded",
        raises="a text whose escapes are broken",
    ),
)
