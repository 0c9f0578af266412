"""A REST catalog with the users alice and bob, and tables on an object store: the run's own, or one that the
environment names (SQE_TEST_REST_URL, SQE_TEST_REST_WAREHOUSE, SQE_TEST_TOKEN_ALICE, SQE_TEST_TOKEN_BOB)."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import urllib3
from stack.component import NOTHING, Component
from stack.servers import shared_servers
from tests.auth.people_of_idps import KeycloakPeople

from sqe.errors import Unavailable

LOG_SECONDS = 20.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def error_type(self) -> str | None:
        return self.body["error"]["type"] if isinstance(self.body, dict) and "error" in self.body else None

    @property
    def is_denied(self) -> bool:
        """As catalogs say it: Nessie with a 500."""
        return self.status == 403 or (self.status == 500 and self.error_type == "AccessCheckException")


class Lake:
    """alice may read `sales`, and nothing of `hr`; bob may do everything. Without `servers` others run it."""

    def __init__(self, url: str, warehouse: str, *, servers: Mapping[str, Component] = NOTHING) -> None:
        self.url = url
        self.warehouse = warehouse
        self.servers = servers

    @cached_property
    def people(self) -> KeycloakPeople:
        """The users at the run's own identity provider."""
        return KeycloakPeople(self.servers["keycloak"])

    def token(self, user: str) -> str:
        return self.people.token(user) if self.servers else os.environ[f"SQE_TEST_TOKEN_{user.upper()}"]

    @cached_property
    def prefix(self) -> str:
        """As the catalog says it, which is ready for an address."""
        config = self.ask("bob", "GET", f"/v1/config?warehouse={quote(self.warehouse)}").body
        return str({**config["defaults"], **config["overrides"]}["prefix"])

    def ask(
        self,
        user: str | None,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """`path` begins with /v1/, or with the name of a resource below the prefix."""
        place = path if path.startswith("/v1/") else f"/v1/{self.prefix}/{path}"
        sent = {"Content-Type": "application/json", **(headers or {})}
        if user is not None:
            sent["Authorization"] = f"Bearer {self.token(user)}"
        answer = urllib3.request(
            method,
            f"{self.url.rstrip('/')}{place}",
            body=None if body is None else json.dumps(body),
            headers=sent,
            retries=False,
            timeout=60.0,
        )
        kind = answer.headers.get("Content-Type", "")
        content = json.loads(answer.data) if answer.data and "json" in kind else answer.data.decode()
        return Answer(answer.status, dict(answer.headers), content)

    def catalog_log(self) -> list[dict[str, str]]:
        """All requests until now: user, method, path and status."""
        nessie = self._facts("nessie")
        return _log_until(nessie["access_log"], f"{nessie['rest_url']}/v1/config?warehouse=")

    def object_log(self) -> list[dict[str, Any]]:
        """All requests until now: access_key, operation, method, object and status."""
        store = self._facts("s3")
        return _log_until(store["access_log"], f"{store['url']}/{store['bucket']}/")

    def need_servers(self) -> None:
        """Skips what looks at the servers themselves: their logs, their people, a fault."""
        if not self.servers:
            pytest.skip("the servers of this lake are somebody else's")

    def _facts(self, name: str) -> Mapping[str, str]:
        self.need_servers()
        return self.servers[name].facts


def _log_until(log: str, address: str) -> list[dict[str, Any]]:
    """Logs are written a little later: a last request, without a user, marks the end."""
    mark = uuid.uuid4().hex
    urllib3.request("GET", address + mark, retries=False)
    deadline = time.monotonic() + LOG_SECONDS
    while mark not in (text := Path(log).read_text()):
        assert time.monotonic() < deadline, f"{log} does not show a request"
        time.sleep(0.02)
    return [json.loads(line) for line in text.splitlines() if mark not in line]


@pytest.fixture(scope="session")
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    url = os.environ.get("SQE_TEST_REST_URL")
    if url is not None:
        yield Lake(url, os.environ["SQE_TEST_REST_WAREHOUSE"])
        return
    home = tmp_path_factory.getbasetemp()
    # The workers of one run share a directory above their own.
    home = home.parent if hasattr(request.config, "workerinput") else home
    try:
        with shared_servers(home / "stack") as servers:
            nessie = servers["nessie"].facts
            yield Lake(nessie["rest_url"], nessie["warehouse"], servers=servers)
    except Unavailable as error:
        pytest.skip(str(error))
