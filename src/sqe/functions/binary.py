"""Bytes: encodings and digests."""

from __future__ import annotations

from typing import Any

from sqe.functions.function import scalar
from sqe.functions.spark_text import refuse, shared

_FROM_HEX = (
    "(CASE WHEN {0} RLIKE '^([0-9A-Fa-f][0-9A-Fa-f])*$' THEN unhex({0}) WHEN {0} IS NOT NULL"
    " THEN " + refuse("Not a valid text of hexadecimal digits") + " END)"
)
# Bytes with the top bit set are negative numbers.
_FROM_BIG_ENDIAN_64 = (
    "(CASE WHEN length({0}) <> 8 THEN " + refuse("expected 8-byte input") + " ELSE"
    " CAST(CAST(conv(hex({0}), 16, 10) AS DECIMAL(20,0))"
    " - if(substr(hex({0}), 1, 1) >= '8', 18446744073709551616, 0) AS BIGINT) END)"
)


def _digest(name: str, spark: str) -> Any:
    return scalar(name, "(varbinary) -> varbinary", spark=f"unhex({spark})", help=f"The {name} digest")


FUNCTIONS = (
    scalar(
        "to_utf8",
        "(varchar(x)) -> varbinary",
        "(char(x)) -> varbinary",
        spark="encode({0}, 'UTF-8')",
        help="The bytes of a text in UTF-8",
    ),
    scalar(
        "from_utf8",
        "(varbinary) -> varchar",
        spark="make_valid_utf8(CAST({0} AS STRING))",
        help="The text of bytes in UTF-8; what is invalid becomes U+FFFD",
    ),
    scalar("to_hex", "(varbinary) -> varchar", spark="hex({0})", help="Two hexadecimal digits a byte"),
    scalar(
        "from_hex",
        "(varchar(x)) -> varbinary",
        spark=shared(_FROM_HEX),
        help="The bytes of hexadecimal digits",
        raises=True,
    ),
    _digest("md5", "md5({0})"),
    _digest("sha1", "sha1({0})"),
    _digest("sha256", "sha2({0}, 256)"),
    _digest("sha512", "sha2({0}, 512)"),
    scalar("crc32", "(varbinary) -> bigint", spark="crc32({0})", help="The CRC-32 checksum"),
    scalar(
        "to_base64",
        "(varbinary) -> varchar",
        # Spark may break its lines at 76 characters.
        spark="replace(base64({0}), '\\r\\n', '')",
        help="The bytes in base 64",
    ),
    scalar(
        "from_base64",
        "(varchar(x)) -> varbinary",
        spark="to_binary({0}, 'base64')",
        help="The bytes of a text in base 64",
        raises=True,
    ),
    scalar(
        "to_big_endian_64",
        "(bigint) -> varbinary",
        spark="unhex(lpad(hex({0}), 16, '0'))",
        help="The eight bytes of a bigint, the highest first",
    ),
    scalar(
        "from_big_endian_64",
        "(varbinary) -> bigint",
        spark=shared(_FROM_BIG_ENDIAN_64),
        help="The bigint of eight bytes, the highest first",
        raises=True,
    ),
)
