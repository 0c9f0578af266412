"""Rows in segments, for clients that ask for the spooled protocol: each page is one segment, inside the
answer.

A server may answer inline always. A segment elsewhere needs a store that clients reach.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence

# Less than this does not get smaller.
_LEAST = 1024
_ZSTD_LEVEL = 1


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(data)


def _lz4(data: bytes) -> bytes:
    import pyarrow as pa

    # Clients read the block format, without a frame around it.
    return bytes(pa.Codec("lz4_raw").compress(data, asbytes=True))


_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "json+zstd": _zstd,
    "json+lz4": _lz4,
    "json": lambda data: data,
}


def chosen_encoding(asked: Sequence[str]) -> str | None:
    """The first that we know; None for rows as they are."""
    return next((name for name in asked if name in _COMPRESS), None)


def segment(rows: bytes, *, encoding: str, first_row: int, count: int) -> bytes:
    """The `data` of a page. Without `uncompressedSize` a segment is not compressed, whatever its encoding."""
    metadata: dict[str, int] = {"rowOffset": first_row, "rowsCount": count}
    content = rows
    if encoding != "json" and len(rows) >= _LEAST:
        content = _COMPRESS[encoding](rows)
        metadata["uncompressedSize"] = len(rows)
    metadata["segmentSize"] = len(content)
    head = {"encoding": encoding, "segments": [{"type": "inline", "data": "", "metadata": metadata}]}
    before, _, after = json.dumps(head).encode().partition(b'"data": ""')
    return b"".join((before, b'"data": "', base64.b64encode(content), b'"', after))
