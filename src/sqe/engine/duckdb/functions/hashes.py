"""Digests and hashes in DuckDB's SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering

_BODY = "sqe_hashes_"


RENDERINGS: dict[str, Rendering] = {
    "crc32": f"{_BODY}crc32({{0}})",
    "md5": "unhex(md5({0}))",
    "sha1": "unhex(sha1({0}))",
    "sha256": "unhex(sha256({0}))",
    "sha512": f"{_BODY}sha512({{0}})",
}
