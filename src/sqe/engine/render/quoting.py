"""Names of users inside rendered SQL.

A name that is more than letters, digits and underscores is opaque while a statement is put together: a
token that holds no quote, brace, line break or parenthesis, so that no template and no search can take a
part of it for something else. It is spelled once, when the statement is whole.

No text of a user's can hold such a token: literals say their control characters by escapes.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_MARK = "\x1a"
_OPAQUE = re.compile(f"{_MARK}([0-9a-f]*){_MARK}")


def quoted(name: str, quote: str) -> str:
    """The name between quotes, or the token that stands for that."""
    if _PLAIN.fullmatch(name):
        return f"{quote}{name}{quote}"
    return f"{_MARK}{name.encode(errors='surrogatepass').hex()}{_MARK}"


def spelled(sql: str, quote: str) -> str:
    """The statement with all names as the engine reads them."""
    if _MARK not in sql:
        return sql

    def name(token: re.Match[str]) -> str:
        text = bytes.fromhex(token[1]).decode(errors="surrogatepass")
        return quote + text.replace(quote, quote * 2) + quote

    return _OPAQUE.sub(name, sql)
