"""Bytes as text and as numbers."""

from __future__ import annotations

from sqe.functions.function import scalar

_BODY = "sqe_encodings_"
_TEXT_OR_BYTES = ("(varchar(x)) -> varbinary", "(varbinary) -> varbinary")


FUNCTIONS = (
    scalar(
        "to_utf8", "(varchar(x)) -> varbinary", "(char(x)) -> varbinary", help="The bytes of a text in UTF-8"
    ),
    scalar(
        "from_utf8",
        "(varbinary) -> varchar",
        "(varbinary, bigint) -> varchar",
        "(varbinary, varchar(x)) -> varchar",
        help="The text of bytes in UTF-8; what is invalid becomes U+FFFD",
    ),
    scalar("to_hex", "(varbinary) -> varchar", help="Two hexadecimal digits a byte"),
    scalar(
        "from_hex",
        *_TEXT_OR_BYTES,
        help="The bytes of hexadecimal digits",
        raises="a text that is not hexadecimal",
    ),
    scalar("to_base64", "(varbinary) -> varchar", help="The bytes in base 64"),
    scalar(
        "from_base64",
        *_TEXT_OR_BYTES,
        help="The bytes of a text in base 64",
        raises="a text that is not base 64",
    ),
    scalar(
        "to_base64url",
        "(varbinary) -> varchar",
        help="The bytes in base 64, with the digits that a URL may hold",
    ),
    scalar(
        "from_base64url",
        *_TEXT_OR_BYTES,
        help="The bytes of a text in base 64, with the digits that a URL may hold",
        raises="a text that is not base 64",
    ),
    scalar("to_base32", "(varbinary) -> varchar", body=f"{_BODY}to_base32", help="The bytes in base 32"),
    scalar(
        "from_base32",
        *_TEXT_OR_BYTES,
        body=f"{_BODY}from_base32",
        help="The bytes of a text in base 32",
        raises="a text that is not base 32",
    ),
    scalar(
        "to_big_endian_64", "(bigint) -> varbinary", help="The eight bytes of a bigint, the highest first"
    ),
    scalar(
        "from_big_endian_64",
        "(varbinary) -> bigint",
        help="The bigint of eight bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_big_endian_32", "(integer) -> varbinary", help="The four bytes of an integer, the highest first"
    ),
    scalar(
        "from_big_endian_32",
        "(varbinary) -> integer",
        help="The integer of four bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_ieee754_64",
        "(double) -> varbinary",
        body=f"{_BODY}to_ieee754_64",
        help="The eight bytes of a double, the highest first",
    ),
    scalar(
        "from_ieee754_64",
        "(varbinary) -> double",
        body=f"{_BODY}from_ieee754_64",
        help="The double of eight bytes, the highest first",
        raises="binary of another length",
    ),
    scalar(
        "to_ieee754_32",
        "(real) -> varbinary",
        body=f"{_BODY}to_ieee754_32",
        help="The four bytes of a real, the highest first",
    ),
    scalar(
        "from_ieee754_32",
        "(varbinary) -> real",
        body=f"{_BODY}from_ieee754_32",
        help="The real of four bytes, the highest first",
        raises="binary of another length",
    ),
)
