"""Which statements hold a secret, and so must not be written down. It is better to forget one too many."""

from __future__ import annotations

import re

_STATEMENT = re.compile(
    r"\bCREATE\b[^;']*\bSECRET\b|\bATTACH\b.*\bSECRET\b|\bIDENTIFIED\b[^;]*\bBY\b", re.IGNORECASE | re.DOTALL
)
# A name that speaks of a secret, then a literal, with no more between the two than how it is assigned. In a
# statement that is itself a literal, quotes are doubled.
_ASSIGNED = re.compile(
    r"""
    (?:password | passwd | passphrase | \bpwd\b | secret | token | credential | private [_.-]? key
      | access [_.-]? key | api [_.-]? key | account [_.-]? key | \bsas\b)
    [\w.-]* ["']* \s*
    (?: (?: = | => | : | , | \bis\b | \blike\b | \bby\b | \bto\b | <> | != | \( )? \s*
        (?: '[^'] | ''+ [^'\s,;)] | \$\w*\$ )
      | : \s* " )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# With a user's password, or signed.
_URL = re.compile(
    r"""
    :// [^/\s'@:]+ : [^/\s'@]+ @
      | [?&'] (?: key
        | [\w.-]* (?: sig | signature | token | credential | secret | password | api [_-]? key) ) =
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEARER = re.compile(r"\b(?:bearer|basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)
_RULES = (_STATEMENT, _ASSIGNED, _URL, _BEARER)


def holds_secret(text: str) -> bool:
    return any(rule.search(text) for rule in _RULES)
