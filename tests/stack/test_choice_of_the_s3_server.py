"""SQE_STACK_S3 chooses the S3 server, and a machine without go is told of the other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.errors import InvalidArgument, Unavailable
from stack import fetch, minio, s3


def test_another_name_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SQE_STACK_S3", "ceph")
    with pytest.raises(InvalidArgument, match="minio, moto"):
        s3.start(tmp_path)


def test_without_go_the_other_one_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fetch, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="go, which is not on the PATH") as raised:
        minio.start(tmp_path / "s3")
    assert "SQE_STACK_S3=moto" in str(raised.value)
