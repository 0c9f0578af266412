"""Where texts, names and parentheses are in rendered SQL, by each engine's rules."""

from __future__ import annotations

import re

# A quote inside a text of Spark's has a backslash before it, one inside DuckDB's is doubled.
SPARK = re.compile(r"'(?:\\.|[^'\\])*'|`(?:``|[^`])*`|[()]", re.DOTALL)
DUCK = re.compile(r"'(?:''|[^'])*'|\"(?:\"\"|[^\"])*\"|[()]", re.DOTALL)
_CALL = re.compile(r"\w*\(")


def is_one_call(text: str, tokens: re.Pattern[str]) -> bool:
    """Whether the text is `(...)` or `f(...)` and nothing else."""
    if not _CALL.match(text):
        return False
    depth = 0
    for token in tokens.finditer(text):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0 and token[0] == ")":
            return token.end() == len(text)
    return False


def is_cast(text: str, type_name: str, tokens: re.Pattern[str]) -> bool:
    return text.startswith("CAST(") and text.endswith(f" AS {type_name})") and is_one_call(text, tokens)
