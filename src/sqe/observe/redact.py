"""Takes secrets, and where need be places, out of text that goes to a log or to strangers.

It is better to hide one word too many: an "unexpected token: x" loses its x.
"""

from __future__ import annotations

import re

HIDDEN = "***"
# Repetitions have bounds where one start could read what another has read: hostile text must stay cheap.
# Closing quotes may be missing, as text is cut.
_SCHEME = re.compile(r"\b(bearer|basic|negotiate|digest)(\s{1,8})[\w.~+/=-]{4,}", re.IGNORECASE)
_NAMED = re.compile(
    r"""
    ( (?: password | passwd | passphrase | \bpwd\b | secret | token | credential | authorization | \bcookie\b
        | (?: api | access | private | account ) [_.-]? key | \bsas\b | \bsig\b | signature )
      [\w.-]{0,40} \\{0,3} ["']? (?: \s{0,8} (?: => | = | : | \( ) \s{0,8} | \s{1,8} (?= ') ) )
    (?: "(?:[^"\\]|\\.)*"? | '(?:[^']|'')*'? | \\{1,3}" [^"]* "? | [^\s,;&'"(){}\[\]]+ )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IN_URL = re.compile(r"(://[^/\s:@'\"]{0,200}:)[^/\s@'\"]{1,500}@")
_JWT = re.compile(r"\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?")
_API_KEY = re.compile(r"\bsqe_[A-Za-z0-9-]{16,}")

# What each of the patterns above needs, twice: most text has none of it, and a line of the log has a dozen
# texts. Names, numbers and ids are known to be harmless by the first alone.
_ONE_OF = re.compile(r"[\s=:(]|eyJ|sqe_")
_SUSPECT = (
    *("bearer", "basic", "negotiate", "digest"),
    *("pass", "pwd", "secret", "token", "credential", "authorization", "cookie", "key", "sas", "sig"),
    *("://", "eyj", "sqe_"),
)

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{0,20}:/{1,3}[^\s'\"<>]+", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/])(?:~|[A-Za-z]:)?[/\\][^\s'\"<>:,;)]+")


def without_secrets(text: str) -> str:
    """The text with `***` in place of tokens, passwords and the like."""
    if _ONE_OF.search(text) is None:
        return text
    folded = text.casefold()
    if not any(part in folded for part in _SUSPECT):
        return text
    text = _SCHEME.sub(rf"\1\2{HIDDEN}", text)
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    text = _IN_URL.sub(rf"\1{HIDDEN}@", text)
    return _API_KEY.sub(HIDDEN, _JWT.sub(HIDDEN, text))


def for_strangers(text: str, *, most: int = 300) -> str:
    """One line for whoever may ask without an identity: without secrets, addresses and paths."""
    line = " ".join(without_secrets(text[:4096]).split())
    line = _PATH.sub("<path>", _ADDRESS.sub("<address>", line))
    return line if len(line) <= most else line[: most - 1] + "…"
