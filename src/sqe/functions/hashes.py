"""Digests with a key, and hashes of bytes."""

from __future__ import annotations

from typing import Any

from sqe.functions.function import scalar

_BODY = "sqe_hashes_"


def _digest(name: str, spark: str, fast: str) -> Any:
    return scalar(
        name, "(varbinary) -> varbinary", spark=f"unhex({spark})", fast=fast, help=f"The {name} digest"
    )


def _keyed(digest: str) -> Any:
    return scalar(
        f"hmac_{digest}",
        "(varbinary, varbinary) -> varbinary",
        spark=None,
        body=f"{_BODY}hmac_{digest}",
        help=f"The {digest} digest of the first, with the second for its key",
    )


def _hash(name: str, help: str) -> Any:
    return scalar(name, "(varbinary) -> varbinary", spark=None, body=_BODY + name, help=help)


FUNCTIONS = (
    _digest("md5", "md5({0})", "unhex(md5({0}))"),
    _digest("sha1", "sha1({0})", "unhex(sha1({0}))"),
    _digest("sha256", "sha2({0}, 256)", "unhex(sha256({0}))"),
    _digest("sha512", "sha2({0}, 512)", f"{_BODY}sha512({{0}})"),
    _keyed("md5"),
    _keyed("sha1"),
    _keyed("sha256"),
    _keyed("sha512"),
    scalar(
        "crc32",
        "(varbinary) -> bigint",
        spark="crc32({0})",
        fast=f"{_BODY}crc32({{0}})",
        help="The CRC-32 checksum",
    ),
    _hash("xxhash64", "The xxHash of 64 bits"),
    _hash("murmur3", "The MurmurHash3 of 128 bits"),
)
