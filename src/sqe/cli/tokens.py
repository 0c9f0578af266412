"""SQL text cut into words, also where it is not finished: what a shell knows of a statement being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqe.foundation.record import record

_TOKEN = re.compile(
    r"""
    (?P<string>  '(?:[^']|'')*(?P<closed>'|\Z))
  | (?P<quoted>  "(?:[^"]|"")*(?P<ended>"|\Z))
  | (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z))
  | (?P<word>    [^\W\d][\w$]*)
  | (?P<number>  \d[\w.]*)
  | (?P<mark>    \S)
    """,
    re.VERBOSE | re.DOTALL,
)


KINDS = ("string", "quoted", "comment", "word", "number", "mark")


@record
class Token:
    """kind: word, quoted (a name), string, number, mark, comment. `open`: it runs to the end of the text."""

    kind: str
    text: str
    start: int
    open: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def upper(self) -> str:
        """The keyword that it may be; nothing for names in quotes and for strings."""
        return self.text.upper() if self.kind in ("word", "mark") else ""

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")

    @property
    def name(self) -> str:
        """What it names: folded, or without its quotes."""
        if self.kind == "quoted":
            return self.text[1 : None if self.open else -1].replace('""', '"')
        return self.text.lower()


def tokens(text: str, *, comments: bool = False) -> Iterator[Token]:
    """A comment that is open at the end of the text is always one of them."""
    for match in _TOKEN.finditer(text):
        kind = next(kind for kind in KINDS if match[kind] is not None)
        unfinished = match["closed"] == "" or match["ended"] == ""
        if kind == "comment":
            closed = match[0].startswith("/*") and match[0].endswith("*/")
            unfinished = match.end() == len(text) and not closed
            if not unfinished and not comments:
                continue
        yield Token(kind, match[0], match.start(), unfinished)


def statement_around(text: str, cursor: int) -> tuple[str, int]:
    """The statement in which the cursor stands, and where the cursor is in it."""
    begin, end = 0, len(text)
    for token in tokens(text):
        if token.kind == "mark" and token.text == ";":
            if token.end <= cursor:
                begin = token.end
            else:
                end = token.start
                break
    return text[begin:end], cursor - begin
