"""MinIO: an S3 server that enforces keys, and vends those of a role with a policy for each session."""

from __future__ import annotations

import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from pyarrow.fs import S3FileSystem

from sqe.errors import Unavailable
from stack.component import NOTHING, Component, answers, free_port, start_process
from stack.fetch import built_with_go

MODULE = "github.com/minio/minio"
VERSION = "v0.0.0-20260212201848-7aac2a2c5b7c"
BUCKET = "lake"
REGION = "us-east-1"
# MinIO takes any role: what may be done is what its root and the session's policy allow.
ROLE = "arn:aws:iam::000000000000:role/lake"
START_SECONDS = 60.0


def start(home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None) -> Component:
    """Empty, with new keys of its root each time. It needs nothing of those beside it."""
    try:
        program = built_with_go(MODULE, VERSION)
    except Unavailable as error:
        raise Unavailable(
            str(error), hint="install go, or set SQE_STACK_S3=moto (which ignores the policies of sessions)"
        ) from None
    port, log_port = port or free_port(), free_port()
    url = f"http://127.0.0.1:{port}"
    access_key, secret_key = f"root-{secrets.token_hex(6)}", secrets.token_urlsafe(24)
    data, access_log = home / "data", home / "access.log"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    access_log.write_text("")
    component = start_process(
        "s3",
        home,
        [
            *(sys.executable, "-m", "stack.access_log", str(access_log), str(log_port)),
            *(str(program), "server", "--address", f"127.0.0.1:{port}", str(data)),
        ],
        environment={
            "PYTHONPATH": str(Path(__file__).parent.parent),
            "MINIO_ROOT_USER": access_key,
            "MINIO_ROOT_PASSWORD": secret_key,
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_CONFIG_DIR": str(home / "config"),
            "MINIO_AUDIT_WEBHOOK_ENABLE_log": "on",
            "MINIO_AUDIT_WEBHOOK_ENDPOINT_log": f"http://127.0.0.1:{log_port}",
        },
        facts={
            "url": url,
            "region": REGION,
            "bucket": BUCKET,
            "role": ROLE,
            "access_key": access_key,
            "secret_key": secret_key,
            "access_log": str(access_log),
        },
        is_ready=lambda: answers(f"{url}/minio/health/ready"),
        seconds=START_SECONDS,
    )
    S3FileSystem(
        access_key=access_key,
        secret_key=secret_key,
        endpoint_override=url,
        region=REGION,
        allow_bucket_creation=True,
    ).create_dir(BUCKET)
    return component
