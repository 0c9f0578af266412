"""`python -m stack.moto_server HOME PORT`: moto with a bucket, a role and keys, and a log of its requests.

It runs with moto's own packages, and without those of this project."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BUCKET, ROLE, REGION = "lake", "lake", "us-east-1"
# How many requests `_set_up` makes.
ACTIONS = 6
_CREDENTIAL = re.compile(r"Credential=([^/,]+)")


def main() -> None:
    home, port = Path(sys.argv[1]), int(sys.argv[2])
    # From then on keys are asked for; moto reads it when it is imported.
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(ACTIONS)
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", port, _logged(application, home / "access.log"), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    keys = _set_up(f"http://127.0.0.1:{port}")
    scratch = home / "keys.new"
    with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(keys, file)
    scratch.rename(home / "keys.json")
    threading.Event().wait()


def _set_up(url: str) -> dict[str, str]:
    import boto3
    from botocore.config import Config

    def client(service: str) -> Any:
        keys = {"aws_access_key_id": "nobody", "aws_secret_access_key": "nobody"}
        path = Config(s3={"addressing_style": "path"})
        return boto3.client(service, endpoint_url=url, region_name=REGION, config=path, **keys)

    def policy(**more: Any) -> str:
        return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **more}]})

    client("s3").create_bucket(Bucket=BUCKET)
    iam = client("iam")
    whoever = policy(Principal={"AWS": "*"}, Action="sts:AssumeRole")
    objects = policy(Action="s3:*", Resource="*")
    everything = policy(Action="*", Resource="*")
    iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=whoever)
    iam.put_role_policy(RoleName=ROLE, PolicyName="objects", PolicyDocument=objects)
    iam.create_user(UserName="root")
    iam.put_user_policy(UserName="root", PolicyName="everything", PolicyDocument=everything)
    key = iam.create_access_key(UserName="root")["AccessKey"]
    return {"access_key": key["AccessKeyId"], "secret_key": key["SecretAccessKey"]}


def _logged(application: Any, log: Path) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """A line as `stack/access_log.py` writes it."""
    writing = threading.Lock()

    def write(environ: dict[str, Any], status: int) -> None:
        key = _CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
        line = {
            "time": datetime.now(UTC).isoformat(),
            "access_key": key[1] if key else "",
            "operation": "",
            "method": environ["REQUEST_METHOD"],
            "object": environ["PATH_INFO"].lstrip("/"),
            "status": status,
        }
        with writing, open(log, "a") as file:
            file.write(json.dumps(line) + "\n")

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        def start(status: str, *rest: Any) -> Any:
            write(environ, int(status.split()[0]))
            return start_response(status, *rest)

        try:
            body: Iterable[bytes] = application(environ, start)
        except Exception:
            # So it is with requests that nobody has signed.
            write(environ, 500)
            raise
        return body

    return answer


if __name__ == "__main__":
    main()
