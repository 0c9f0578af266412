"""What the end of a query says of its rows: their order, and how many of them are cut off.

Read from the text, since each engine has its own; good for the suites' queries, not for all of SQL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.foundation.record import record

_TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|[A-Za-z_0-9.#$]+|\S")


@record
class Shape:
    """`whole` is the text without ORDER BY, LIMIT and OFFSET. `items` are the expressions of its SELECT."""

    whole: str
    items: tuple[str, ...]
    order: tuple[str, ...]
    is_cut: bool

    def keys(self, names: Sequence[str]) -> list[int]:
        """The columns that the rows are ordered by, up to the first key that is not among them."""
        found = []
        lower = [name.lower() for name in names]
        items = [_without_alias(item, name) for item, name in zip(self.items, lower, strict=False)]
        for key in self.order:
            place = _place(key, lower, items)
            if place is None:
                break
            found.append(place)
        return found


def shape(sql: str) -> Shape:
    words = _top_level(sql)
    texts = [text.lower() for text, _ in words]
    order = _last(texts, "order", "by")
    cut = min((i for i, t in enumerate(texts) if t in ("limit", "offset", "fetch")), default=len(texts))
    end = min(len(texts) if order is None else order, cut)
    whole = sql if end == len(texts) else sql[: words[end][1]]
    keys = () if order is None else _split(texts[order + 2 : cut])
    return Shape(whole.rstrip(), _items(texts[:end]), tuple(map(_without_direction, keys)), cut < len(texts))


def _top_level(sql: str) -> list[tuple[str, int]]:
    """Words with their places; what is in parentheses is one word, without its blanks."""
    words: list[tuple[str, int]] = []
    depth = 0
    for match in _TOKEN.finditer(sql):
        text = match[0]
        if text.startswith("--") or text == ";":
            continue
        depth -= text == ")"
        if depth > 0 or text == ")" or (text == "(" and words):
            word, place = words[-1]
            space = " " if word[-1:].isalnum() and text[0].isalnum() else ""
            # A function's arguments belong to its name.
            words[-1] = (word + space + text, place)
        else:
            words.append((text, match.start()))
        depth += text == "("
    return words


def _last(texts: Sequence[str], *wanted: str) -> int | None:
    places = [i for i in range(len(texts)) if tuple(texts[i : i + len(wanted)]) == wanted]
    return places[-1] if places else None


def _items(texts: Sequence[str]) -> tuple[str, ...]:
    start = _last(texts, "select")
    if start is None:
        return ()
    end = next((i for i in range(start, len(texts)) if texts[i] == "from"), len(texts))
    return _split(texts[start + 1 : end])


def _without_alias(item: str, name: str) -> str:
    return re.sub(rf'( as)? "?{re.escape(name)}"?$', "", item)


def _split(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for part in " ".join(texts).split(" , ")) if texts else ()


def _without_direction(key: str) -> str:
    return re.sub(r"( asc| desc)?( nulls (first|last))?$", "", key)


def _place(key: str, names: Sequence[str], items: Sequence[str]) -> int | None:
    if key.isdigit():
        return int(key) - 1
    for wanted, among in ((key, names), (key, items), (key.rpartition(".")[2], names)):
        if wanted in among:
            return among.index(wanted)
    return None
