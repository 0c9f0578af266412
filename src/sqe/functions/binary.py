"""Bytes as text and as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.errors import NotSupported
from sqe.functions import duck_text
from sqe.functions.function import Renderer, scalar
from sqe.functions.spark_text import refuse, share, shared, string
from sqe.types.sql_types import VARBINARY

_BODY = "sqe_encodings_"
_TEXT_OR_BYTES = ("(varchar(x)) -> varbinary", "(varbinary) -> varbinary")

_FROM_HEX = (
    "(CASE WHEN {0} RLIKE '^([0-9A-Fa-f][0-9A-Fa-f])*\\\\z' THEN unhex({0}) WHEN {0} IS NOT NULL"
    " THEN " + refuse("Not a valid text of hexadecimal digits") + " END)"
)


def _from_text(template: str) -> Renderer:
    """Bytes are taken for the text that they are in UTF-8."""

    def render(call: Any, texts: Sequence[str]) -> str:
        is_bytes = call.arguments[0].type == VARBINARY
        return share(template, (f"make_valid_utf8(CAST({texts[0]} AS STRING))" if is_bytes else texts[0],))

    return render


def _from_base64(alphabet: str, plain: str) -> str:
    """What Java's decoder takes: padding may be left out, and nothing else may be there."""
    digit = f"[A-Za-z0-9{alphabet}]"
    pattern = string(f"^({digit}{{4}})*({digit}{{2}}(==)?|{digit}{{3}}=?)?\\z")
    return (
        f"(CASE WHEN {{0}} RLIKE {pattern} THEN unbase64({plain}) WHEN {{0}} IS NOT NULL THEN "
        + refuse("Not a valid text in base 64")
        + " END)"
    )


# Bytes with the top bit set are negative numbers.
_FROM_BIG_ENDIAN_64 = (
    "(CASE WHEN length({0}) <> 8 THEN " + refuse("expected 8-byte input") + " ELSE"
    " CAST(CAST(conv(hex({0}), 16, 10) AS DECIMAL(20,0))"
    " - if(substr(hex({0}), 1, 1) >= '8', 18446744073709551616, 0) AS BIGINT) END)"
)
_FROM_BIG_ENDIAN_32 = (
    "(CASE WHEN length({0}) <> 4 THEN " + refuse("expected 4-byte input") + " ELSE"
    " CAST(CAST(conv(hex({0}), 16, 10) AS BIGINT)"
    " - if(substr(hex({0}), 1, 1) >= '8', 4294967296, 0) AS INT) END)"
)


def _from_utf8(call: Any, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise NotSupported("from_utf8 with a replacement of your own", position=call.position)
    return f"make_valid_utf8(CAST({texts[0]} AS STRING))"


_FAST_FROM_HEX = (
    "(CASE WHEN regexp_full_match({0}, '([0-9A-Fa-f][0-9A-Fa-f])*') THEN unhex({0}) WHEN {0} IS NOT NULL"
    " THEN " + duck_text.refuse("Not a valid text of hexadecimal digits") + " END)"
)


def _fast_from_text(template: str) -> Renderer:
    def render(call: Any, texts: Sequence[str]) -> str:
        is_bytes = call.arguments[0].type == VARBINARY
        return duck_text.share(template, (_fast_from_utf8(call, texts) if is_bytes else texts[0],))

    return render


def _fast_from_base64(alphabet: str, plain: str) -> str:
    digit = f"[A-Za-z0-9{alphabet}]"
    pattern = duck_text.string(f"({digit}{{4}})*({digit}{{2}}(==)?|{digit}{{3}}=?)?")
    # DuckDB wants all of the padding.
    padded = f"rpad({plain}, CAST((length({{0}}) + 3) // 4 * 4 AS INTEGER), '=')"
    return (
        f"(CASE WHEN regexp_full_match({{0}}, {pattern}) THEN from_base64({padded})"
        " WHEN {0} IS NOT NULL THEN " + duck_text.refuse("Not a valid text in base 64") + " END)"
    )


_FAST_FROM_BIG_ENDIAN_64 = (
    "(CASE WHEN octet_length({0}) <> 8 THEN " + duck_text.refuse("expected 8-byte input") + " ELSE"
    " CAST(CAST(CAST('0x' || hex({0}) AS UBIGINT) AS HUGEINT)"
    " - (CASE WHEN hex({0}) >= '8' THEN 18446744073709551616 ELSE 0 END) AS BIGINT) END)"
)
_FAST_FROM_BIG_ENDIAN_32 = (
    "(CASE WHEN octet_length({0}) <> 4 THEN " + duck_text.refuse("expected 4-byte input") + " ELSE"
    " CAST(CAST('0x' || hex({0}) AS BIGINT)"
    " - (CASE WHEN hex({0}) >= '8' THEN 4294967296 ELSE 0 END) AS INTEGER) END)"
)


def _fast_from_utf8(call: Any, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise NotSupported("from_utf8 with a replacement of your own", position=call.position)
    # TRY would hide an error of the argument, if that stood in it.
    return f"list_transform([{texts[0]}], lambda b_: coalesce(TRY(decode(b_)), {_BODY}from_utf8(b_)))[1]"


FUNCTIONS = (
    scalar(
        "to_utf8",
        "(varchar(x)) -> varbinary",
        "(char(x)) -> varbinary",
        spark="encode({0}, 'UTF-8')",
        fast="encode({0})",
        help="The bytes of a text in UTF-8",
    ),
    scalar(
        "from_utf8",
        "(varbinary) -> varchar",
        "(varbinary, bigint) -> varchar",
        "(varbinary, varchar(x)) -> varchar",
        spark=_from_utf8,
        fast=_fast_from_utf8,
        help="The text of bytes in UTF-8; what is invalid becomes U+FFFD",
    ),
    scalar(
        "to_hex",
        "(varbinary) -> varchar",
        spark="hex({0})",
        fast="hex({0})",
        help="Two hexadecimal digits a byte",
    ),
    scalar(
        "from_hex",
        *_TEXT_OR_BYTES,
        spark=_from_text(_FROM_HEX),
        fast=_fast_from_text(_FAST_FROM_HEX),
        help="The bytes of hexadecimal digits",
        raises="a text that is not hexadecimal",
    ),
    scalar(
        "to_base64",
        "(varbinary) -> varchar",
        # Spark may break its lines at 76 characters.
        spark="replace(base64({0}), '\\r\\n', '')",
        fast="to_base64({0})",
        help="The bytes in base 64",
    ),
    scalar(
        "from_base64",
        *_TEXT_OR_BYTES,
        spark=_from_text(_from_base64("+/", "{0}")),
        fast=_fast_from_text(_fast_from_base64("+/", "{0}")),
        help="The bytes of a text in base 64",
        raises="a text that is not base 64",
    ),
    scalar(
        "to_base64url",
        "(varbinary) -> varchar",
        spark="translate(replace(base64({0}), '\\r\\n', ''), '+/', '-_')",
        fast="translate(to_base64({0}), '+/', '-_')",
        help="The bytes in base 64, with the digits that a URL may hold",
    ),
    scalar(
        "from_base64url",
        *_TEXT_OR_BYTES,
        spark=_from_text(_from_base64("_-", "translate({0}, '-_', '+/')")),
        fast=_fast_from_text(_fast_from_base64("_-", "translate({0}, '-_', '+/')")),
        help="The bytes of a text in base 64, with the digits that a URL may hold",
        raises="a text that is not base 64",
    ),
    scalar(
        "to_base32",
        "(varbinary) -> varchar",
        spark=None,
        body=f"{_BODY}to_base32",
        help="The bytes in base 32",
    ),
    scalar(
        "from_base32",
        *_TEXT_OR_BYTES,
        spark=_from_text(f"{_BODY}from_base32({{0}})"),
        fast=_fast_from_text(f"{_BODY}from_base32({{0}})"),
        body=f"{_BODY}from_base32",
        help="The bytes of a text in base 32",
        raises="a text that is not base 32",
    ),
    scalar(
        "to_big_endian_64",
        "(bigint) -> varbinary",
        spark="unhex(lpad(hex({0}), 16, '0'))",
        fast="unhex(lpad(hex({0}), 16, '0'))",
        help="The eight bytes of a bigint, the highest first",
    ),
    scalar(
        "from_big_endian_64",
        "(varbinary) -> bigint",
        spark=shared(_FROM_BIG_ENDIAN_64),
        fast=duck_text.shared(_FAST_FROM_BIG_ENDIAN_64),
        help="The bigint of eight bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_big_endian_32",
        "(integer) -> varbinary",
        spark="unhex(right(lpad(hex({0}), 16, '0'), 8))",
        fast="unhex(right(lpad(hex({0}), 16, '0'), 8))",
        help="The four bytes of an integer, the highest first",
    ),
    scalar(
        "from_big_endian_32",
        "(varbinary) -> integer",
        spark=shared(_FROM_BIG_ENDIAN_32),
        fast=duck_text.shared(_FAST_FROM_BIG_ENDIAN_32),
        help="The integer of four bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_ieee754_64",
        "(double) -> varbinary",
        spark=None,
        body=f"{_BODY}to_ieee754_64",
        help="The eight bytes of a double, the highest first",
    ),
    scalar(
        "from_ieee754_64",
        "(varbinary) -> double",
        spark=None,
        body=f"{_BODY}from_ieee754_64",
        help="The double of eight bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_ieee754_32",
        "(real) -> varbinary",
        spark=f"{_BODY}to_ieee754_32(CAST({{0}} AS DOUBLE))",
        fast=f"{_BODY}to_ieee754_32(CAST({{0}} AS DOUBLE))",
        body=f"{_BODY}to_ieee754_32",
        help="The four bytes of a real, the highest first",
    ),
    scalar(
        "from_ieee754_32",
        "(varbinary) -> real",
        spark=f"CAST({_BODY}from_ieee754_32({{0}}) AS FLOAT)",
        fast=f"CAST({_BODY}from_ieee754_32({{0}}) AS FLOAT)",
        body=f"{_BODY}from_ieee754_32",
        help="The real of four bytes, the highest first",
        raises="binary of another length",
    ),
)
