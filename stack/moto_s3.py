"""moto as the S3 server, for machines without go. It enforces keys, and ignores the policies of sessions: the
keys for any table open all of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from stack.component import NOTHING, Component, free_port, start_process
from stack.fetch import from_pypi
from stack.minio import BUCKET, REGION

REQUIREMENT = "moto[server]==5.2.5"
START_SECONDS = 60.0


def start(home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None) -> Component:
    """In memory, with new keys each time. It needs nothing of those beside it."""
    packages = from_pypi(REQUIREMENT, with_dependencies=True)
    port = port or free_port()
    access_log, keys = home / "access.log", home / "keys.json"
    home.mkdir(parents=True, exist_ok=True)
    access_log.write_text("")
    keys.unlink(missing_ok=True)
    facts = {
        "url": f"http://127.0.0.1:{port}",
        "region": REGION,
        "bucket": BUCKET,
        "role": "arn:aws:iam::123456789012:role/lake",
        "session_policies": "ignored",
        "access_log": str(access_log),
    }

    def is_ready() -> bool:
        """The keys are moto's own, and the last that it makes."""
        if keys.exists():
            facts.update(json.loads(keys.read_text()))
        return keys.exists()

    return start_process(
        "s3",
        home,
        [sys.executable, "-m", "stack.moto_server", str(home), str(port)],
        environment={
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent.parent), str(packages)]),
            "AWS_EC2_METADATA_DISABLED": "true",
        },
        facts=facts,
        is_ready=is_ready,
        seconds=START_SECONDS,
    )
