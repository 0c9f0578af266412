"""Tables of a lake, and what a catalog vends for them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyarrow.fs import S3FileSystem
from pyiceberg.catalog.rest import RestCatalog
from tests.stack.lake import Lake

DELEGATION = {"X-Iceberg-Access-Delegation": "vended-credentials"}
_SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": False},
        {"id": 2, "name": "name", "type": "string", "required": False},
    ],
}


@dataclass(frozen=True)
class Stored:
    """A table that bob has made."""

    namespace: str
    name: str
    metadata_location: str

    @property
    def path(self) -> str:
        return f"namespaces/{self.namespace}/tables/{self.name}"

    @property
    def key(self) -> str:
        """Of its metadata, with the bucket."""
        return self.metadata_location.partition("://")[2]

    @property
    def directory(self) -> str:
        return self.key.rpartition("/metadata/")[0]


def create_body(name: str) -> dict[str, Any]:
    # Nessie refuses a request without stage-create, which the specification lets a client leave out.
    return {"name": name, "schema": _SCHEMA, "stage-create": False}


@contextmanager
def new_table(lake: Lake, namespace: str) -> Iterator[Stored]:
    """By bob, and its namespace if there is none."""
    made = lake.ask("bob", "POST", "namespaces", {"namespace": [namespace], "properties": {}})
    assert made.status in (200, 409), made
    name = f"t_{uuid.uuid4().hex[:12]}"
    answer = lake.ask("bob", "POST", f"namespaces/{namespace}/tables", create_body(name))
    assert answer.status == 200, answer
    table = Stored(namespace, name, answer.body["metadata-location"])
    yield table
    lake.ask("bob", "DELETE", table.path)


def vended(lake: Lake, user: str, table: Stored) -> dict[str, str]:
    """What the catalog gives that user with the table: its config, and storage-credentials over it."""
    answer = lake.ask(user, "GET", table.path, headers=DELEGATION)
    assert answer.status == 200, answer
    credentials = answer.body.get("storage-credentials") or [{"config": {}}]
    return {**answer.body["config"], **credentials[0]["config"]}


def objects_with(keys: Mapping[str, str]) -> S3FileSystem:
    endpoint = keys.get("s3.endpoint")
    return S3FileSystem(
        access_key=keys["s3.access-key-id"],
        secret_key=keys["s3.secret-access-key"],
        session_token=keys["s3.session-token"],
        region=keys.get("client.region", "us-east-1"),
        **({} if endpoint is None else {"endpoint_override": endpoint}),
    )


def pyiceberg(lake: Lake, user: str) -> RestCatalog:
    return RestCatalog("lake", uri=lake.url, warehouse=lake.warehouse, token=lake.token(user))
