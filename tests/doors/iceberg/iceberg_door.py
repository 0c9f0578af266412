"""A server's Iceberg REST door on a port of its own, without an engine behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from sqe.config.config import load
from sqe.config.spark import SparkSettings
from sqe.doors.iceberg.server import IcebergDoor
from sqe.doors.open import OpenServer
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark
from sqe.policy.decision import Policy

KEYS = {user: f"sqe_{user}_0123456789abcdef0123456789abcdef" for user in ("ann", "joe")}
_KEY = '[[auth.providers.keys]]\nuser = "{user}"\nhash = "sha256:{hash}"\n'


@contextmanager
def opened_door(
    home: Path, more: str = "", *, policy: Policy | None = None, anybody: bool = False
) -> Iterator[tuple[OpenServer, str]]:
    """The server and the door's address. Its catalogs are `lake`, in SQLite, and `plain`, of directories.
    Those of KEYS may come in, or `anybody`."""
    keys = [_KEY.format(user=user, hash=sha256(key.encode()).hexdigest()) for user, key in KEYS.items()]
    providers = '[[auth.providers]]\ntype = "api_key"\n' + "".join(keys)
    if anybody:
        providers = '[[auth.providers]]\ntype = "anonymous"\n'
    (home / "plain").mkdir()
    config = home / "sqe.toml"
    config.write_text(
        "[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n"
        "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
        + providers
        + f'[catalogs.lake.backend]\ntype = "sqlite"\nwarehouse = "{home / "lake"}"\n'
        + f'[catalogs.plain.backend]\ntype = "hadoop"\nwarehouse = "{home / "plain"}"\n'
        + more
    )
    server = OpenServer(load(config, {}), spark=Spark(SparkSettings(), default_cache()))
    if policy is not None:
        server.coordinator.policy = policy
    door = IcebergDoor(server.clients, 0)
    try:
        server.clients.start()
        door.start()
        yield server, f"http://127.0.0.1:{door.port}"
    finally:
        door.close()
        server.close()
