"""The doors that tests talk to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3
from tests.doors.iceberg.iceberg_door import KEYS, opened_door

from sqe.doors.open import OpenServer


class Rest:
    """Requests as a client of the protocol makes them, to one catalog."""

    def __init__(self, url: str, catalog: str = "lake", user: str = "ann") -> None:
        self.url = url
        self._catalog = catalog
        self._headers = {"Authorization": f"Bearer {KEYS[user]}"}
        self._pool = urllib3.PoolManager(retries=False)

    def send(
        self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status, and the body."""
        answer = self.raw(method, f"/v1/{self._catalog}{path}", body, headers=headers)
        return answer.status, json.loads(answer.data) if answer.data else None

    def raw(
        self, method: str, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> urllib3.BaseHTTPResponse:
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        return self._pool.request(
            method, self.url + path, body=content, headers={**self._headers, **(headers or {})}
        )

    def create(self, namespace: str, table: str, **more: object) -> dict[str, Any]:
        """A table of one column; the schema is made where it is not there."""
        self.send("POST", "/namespaces", {"namespace": [namespace]})
        field = {"id": 0, "name": "a", "type": "long", "required": False}
        schema = {"type": "struct", "schema-id": 0, "fields": [field]}
        body = {"name": table, "schema": schema, **more}
        status, answer = self.send("POST", f"/namespaces/{namespace}/tables", body)
        assert status == 200, answer
        return dict(answer["metadata"])


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenServer, str]]:
    with opened_door(tmp_path_factory.mktemp("door")) as opened:
        yield opened


@pytest.fixture(scope="module")
def rest(door: tuple[OpenServer, str]) -> Rest:
    return Rest(door[1])


# Switches of Iceberg's own tests for what the door does not do.
UNSUPPORTED = {"supportsNamesWithDot": "a JDBC catalog stores a namespace as one string, joined with dots"}
# Iceberg's tests name files that are not there, and put tables where they like.
_ELSEWHERE = """
[catalogs.elsewhere.backend]
type = "hadoop"
warehouse = "{temporary}"
[catalogs.nowhere.backend]
type = "hadoop"
warehouse = "/path"
"""


@pytest.fixture(scope="module")
def client_properties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What Iceberg's own clients open a catalog of the door with."""
    elsewhere = _ELSEWHERE.format(temporary=tmp_path_factory.getbasetemp())
    with opened_door(tmp_path_factory.mktemp("served"), elsewhere) as (_, url):
        yield {"uri": url, "warehouse": "lake", "token": KEYS["ann"]}
