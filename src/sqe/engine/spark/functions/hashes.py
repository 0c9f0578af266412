"""Digests and hashes in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering

RENDERINGS: dict[str, Rendering] = {
    "crc32": "crc32({0})",
    "md5": "unhex(md5({0}))",
    "sha1": "unhex(sha1({0}))",
    "sha256": "unhex(sha2({0}, 256))",
    "sha512": "unhex(sha2({0}, 512))",
}
