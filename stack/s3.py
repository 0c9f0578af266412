"""The S3 server with STS, which is MinIO unless SQE_STACK_S3 says moto."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqe.errors import InvalidArgument
from stack import minio, moto_s3
from stack.component import NOTHING, Component

NAME = "s3"
PORT = 9000
SERVERS = {"minio": minio.start, "moto": moto_s3.start}


def start(home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None) -> Component:
    """Its facts are the keys of its root, a bucket, a role to assume, and a log of requests with keys."""
    server = os.environ.get("SQE_STACK_S3", "minio")
    if server not in SERVERS:
        raise InvalidArgument(f"SQE_STACK_S3 is '{server}', and has to be one of {', '.join(SERVERS)}")
    return SERVERS[server](home, beside, port=port)
