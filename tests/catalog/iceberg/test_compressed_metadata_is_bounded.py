"""A small compressed metadata file does not become a large one in memory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sqe.catalog.iceberg import metadata
from sqe.errors import SqeError
from sqe.tree.relations import TableName

NAME = TableName("lake", ("s",), "t")


def test_it_is_read_up_to_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "LARGEST_METADATA", 1 << 20)
    path = tmp_path / "v1.gz.metadata.json"
    path.write_bytes(gzip.compress(json.dumps({"x": "y" * 1000}).encode()))
    assert metadata.read(str(path), NAME) == {"x": "y" * 1000}
    for content in (
        gzip.compress(bytes(50 << 20)),
        gzip.compress(b"{}")[:-9],
        gzip.compress(b"{}") + b"more",
    ):
        path.write_bytes(content)
        with pytest.raises(SqeError, match="not JSON"):
            metadata.read(str(path), NAME)
