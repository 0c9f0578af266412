"""A server's Trino door on a port of its own. Nothing starts a Spark until a statement needs one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import urllib3

from sqe.config.config import load
from sqe.config.spark import SparkSettings
from sqe.doors.open import OpenServer
from sqe.doors.trino.server import TrinoDoor
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark

KEYS = {user: f"sqe_{user}_0123456789abcdef0123456789abcdef" for user in ("ann", "joe")}
_KEY = '[[auth.providers.keys]]\nuser = "{user}"\nhash = "sha256:{hash}"\n'
WITH_KEYS = '[[auth.providers]]\ntype = "api_key"\n' + "".join(
    _KEY.format(user=user, hash=sha256(key.encode()).hexdigest()) for user, key in KEYS.items()
)
ANYBODY = '[[auth.providers]]\ntype = "anonymous"\nuser = "guest"\n'
PORTS = "flight_sql_port = 0\ntrino_http_port = 0\n{coordinator}\n"
NO_METRICS = "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"


class Opened:
    """A door that is open, and the server behind it."""

    def __init__(self, server: OpenServer, door: TrinoDoor) -> None:
        self.server, self.door = server, door
        assert door.port is not None
        self.port = door.port
        self.url = f"http://127.0.0.1:{door.port}"


@contextmanager
def opened_door(
    home: Path,
    more: str = "",
    *,
    providers: str = ANYBODY,
    coordinator: str = "",
    spark: Spark | None = None,
) -> Iterator[Opened]:
    """Its catalogs are `lake`, in SQLite, and what `more` says."""
    config = home / "sqe.toml"
    config.write_text(
        "[coordinator]\n"
        + PORTS.format(coordinator=coordinator)
        + NO_METRICS
        + providers
        + f'[catalogs.lake.backend]\ntype = "sqlite"\nwarehouse = "{home / "lake"}"\n'
        + more
    )
    server = OpenServer(load(config, {}), spark=spark or Spark(SparkSettings(), default_cache()))
    door = TrinoDoor(server.clients, 0)
    try:
        server.clients.start()
        door.start()
        yield Opened(server, door)
    finally:
        door.close()
        server.close()


class Wire:
    """Requests as a client of the protocol makes them."""

    def __init__(self, url: str, **headers: str) -> None:
        self.url = url
        self.headers = {
            "X-Trino-User": "ann",
            "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
            **headers,
        }
        self._pool = urllib3.PoolManager(retries=False, maxsize=4)

    def close(self) -> None:
        """Its connections."""
        self._pool.clear()

    def send(
        self, method: str, url: str, body: bytes | str | None = None, headers: dict[str, str] | None = None
    ) -> urllib3.BaseHTTPResponse:
        url = url if url.startswith("http") else self.url + url
        content = body.encode() if isinstance(body, str) else body
        return self._pool.request(method, url, body=content, headers={**self.headers, **(headers or {})})

    def post(self, sql: str, **headers: str) -> dict[str, Any]:
        answer = self.send("POST", "/v1/statement", sql, headers=headers)
        assert answer.status == 200, answer.data
        return dict(json.loads(answer.data))

    def get(self, url: str) -> dict[str, Any]:
        answer = self.send("GET", url)
        assert answer.status == 200, (answer.status, answer.data)
        return dict(json.loads(answer.data))

    def run(self, sql: str, **headers: str) -> Outcome:
        """To the end."""
        outcome = Outcome()
        outcome.take(self.send("POST", "/v1/statement", sql, headers=headers))
        while "nextUri" in outcome.pages[-1]:
            outcome.take(self.send("GET", outcome.pages[-1]["nextUri"]))
        return outcome


class Outcome:
    """The pages of a statement, what they say together, and the headers of the last one."""

    def __init__(self) -> None:
        self.pages: list[dict[str, Any]] = []
        self.headers: dict[str, str] = {}

    def take(self, answer: urllib3.BaseHTTPResponse) -> None:
        assert answer.status == 200, (answer.status, answer.data)
        self.pages.append(json.loads(answer.data))
        self.headers = {name.lower(): value for name, value in answer.headers.items()}

    @property
    def rows(self) -> list[list[Any]]:
        return [row for page in self.pages for row in page.get("data", [])]

    @property
    def columns(self) -> list[dict[str, Any]]:
        return next((list(page["columns"]) for page in reversed(self.pages) if "columns" in page), [])

    @property
    def error(self) -> dict[str, Any]:
        return dict(self.pages[-1]["error"])
