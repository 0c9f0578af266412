"""Digests with a key, and hashes of bytes."""

from __future__ import annotations

from sqe.functions.function import Function, scalar

_BODY = "sqe_hashes_"


def _digest(name: str) -> Function:
    return scalar(name, "(varbinary) -> varbinary", help=f"The {name} digest")


def _keyed(digest: str) -> Function:
    return scalar(
        f"hmac_{digest}",
        "(varbinary, varbinary) -> varbinary",
        body=f"{_BODY}hmac_{digest}",
        help=f"The {digest} digest of the first, with the second for its key",
    )


def _hash(name: str, help: str) -> Function:
    return scalar(name, "(varbinary) -> varbinary", body=_BODY + name, help=help)


FUNCTIONS = (
    _digest("md5"),
    _digest("sha1"),
    _digest("sha256"),
    _digest("sha512"),
    _keyed("md5"),
    _keyed("sha1"),
    _keyed("sha256"),
    _keyed("sha512"),
    scalar("crc32", "(varbinary) -> bigint", help="The CRC-32 checksum"),
    _hash("xxhash64", "The xxHash of 64 bits"),
    _hash("murmur3", "The MurmurHash3 of 128 bits"),
    *(
        scalar(
            f"spooky_hash_v2_{bits}",
            "(varbinary) -> varbinary",
            body=f"sqe_spooky_hash_spooky_hash_v2_{bits}",
            help=f"The SpookyHash V2 of {bits} bits",
        )
        for bits in (32, 64)
    ),
    scalar(
        "$checksum_part",
        "(varchar, varchar) -> bigint",
        body="sqe_checksums_part",
        help="What a value adds to a checksum, of its text and the kind of its type",
    ),
    scalar(
        "$checksum_total",
        "(varchar) -> varbinary",
        body="sqe_checksums_total",
        help="A checksum, of the text of its sum",
    ),
)
