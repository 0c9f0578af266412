"""The gateway answers for statements that run, and for nobody and nothing else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import trustme
import urllib3
from tests.catalog.backends.conformance import DEFAULT, definition

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.gateway import app
from sqe.catalog.gateway.bindings import Access, Binding, Namespace, aliases
from sqe.catalog.gateway.gateway import SECRET_HEADER, Gateway
from sqe.catalog.iceberg.table import Table
from sqe.catalog.protocol import Catalog
from sqe.catalog.selectors import is_selector
from sqe.foundation.http_server import Tls
from sqe.foundation.scanned import Scanned
from sqe.tree.changes import SetProperties
from sqe.tree.relations import TableName

Raw = dict[str, Any]


class Client:
    """Speaks as Spark does, to a gateway that has a namespace for one statement."""

    def __init__(self, gateway: Gateway, catalog: Catalog) -> None:
        conf = gateway.spark_conf()
        prefix = "spark.sql.catalog.sqe."
        self.url = conf[prefix + "uri"]
        self.secret = {SECRET_HEADER: conf[f"{prefix}header.{SECRET_HEADER}"]}
        self.http = urllib3.PoolManager(retries=False)
        self.catalog = catalog
        self.gateway = gateway
        self.read = catalog.create_table(definition(catalog, "r"))
        self.written = catalog.create_table(definition(catalog, "w"))
        self.namespace = self.begin()

    def begin(self) -> Namespace:
        made = TableName(self.catalog.name, DEFAULT, "made")
        return self.gateway.bindings.begin(
            {
                "r": Binding(self.read.name, Access.READ, self.catalog, self.read),
                "w": Binding(self.written.name, Access.WRITE, self.catalog, self.written),
                "d": Binding(made, Access.DEFINE, self.catalog),
            }
        )

    def ask(
        self, method: str, path: str, body: object = None, *, secret: bool = True, **headers: str
    ) -> tuple[int, Raw]:
        head = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.http.request(
            method,
            self.url + path,
            body=body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode(),
            headers={**head, **(self.secret if secret else {})},
        )
        return answer.status, json.loads(answer.data) if answer.data else {}

    def path(self, alias: str, namespace: str | None = None) -> str:
        return f"/v1/namespaces/{namespace or self.namespace.name}/tables/{alias}"

    def commit(self, alias: str = "w", **more: Any) -> Raw:
        table = self.written if alias == "w" else self.read
        return {
            "requirements": [{"type": "assert-table-uuid", "uuid": table.uuid}],
            "updates": [{"action": "set-properties", "updates": {"colour": "blue"}}],
            **more,
        }

    def now(self, table: Table) -> Table:
        return self.catalog.find_table(table.name.namespace, table.name.name)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    gateway = Gateway()
    yield Client(gateway, EmbeddedCatalog("lake", tmp_path))
    gateway.close()


def test_a_table_that_is_read_is_as_it_was_bound(client: Client) -> None:
    client.catalog.alter_table(client.read.name, SetProperties((("colour", "red"),)))
    status, answer = client.ask("GET", client.path("r") + "?snapshots=all")
    assert (status, answer["metadata-location"]) == (200, client.read.metadata_location)
    assert "colour" not in answer["metadata"]["properties"]
    moved = TableName("lake", DEFAULT, "moved")
    client.catalog.rename_table(client.read.name, moved)
    assert client.ask("GET", client.path("r"))[0] == 200


def test_the_target_of_a_write_is_planned_as_bound_and_refreshed_as_it_is(client: Client) -> None:
    client.catalog.alter_table(client.written.name, SetProperties((("colour", "red"),)))
    planned = client.ask("GET", client.path("w") + "?snapshots=all")[1]
    refreshed = client.ask("GET", client.path("w"))[1]
    assert "colour" not in planned["metadata"]["properties"]
    assert refreshed["metadata"]["properties"]["colour"] == "red"


def test_what_was_loaded_is_not_sent_again(client: Client) -> None:
    answer = client.http.request("GET", client.url + client.path("r"), headers=client.secret)
    tag = answer.headers["ETag"]
    again = client.http.request(
        "GET", client.url + client.path("r"), headers={**client.secret, "If-None-Match": tag}
    )
    assert (again.status, again.data) == (304, b"")


def test_a_commit_is_made_and_remembered(client: Client) -> None:
    status, answer = client.ask("POST", client.path("w"), client.commit())
    assert (status, answer["metadata"]["properties"]["colour"]) == (200, "blue")
    assert client.now(client.written).metadata_location == answer["metadata-location"]
    assert [commit.table for commit in client.namespace.commits] == [client.written.name]


def test_a_commit_that_arrives_twice_is_made_once(client: Client) -> None:
    first = client.ask("POST", client.path("w"), client.commit(), idempotency_key="k")
    client.catalog.alter_table(client.written.name, SetProperties((("colour", "red"),)))
    assert client.ask("POST", client.path("w"), client.commit(), idempotency_key="k") == first
    assert client.now(client.written).properties["colour"] == "red"
    assert len(client.namespace.commits) == 1
    other = client.commit(updates=[{"action": "set-properties", "updates": {"a": "b"}}])
    assert client.ask("POST", client.path("w"), other, idempotency_key="k")[0] == 422


def test_commits_that_arrive_at_once_are_made_once(client: Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(
                lambda _: client.ask("POST", client.path("w"), client.commit(), idempotency_key="k"), range(8)
            )
        )
    assert len({json.dumps(answer) for answer in answers}) == 1
    assert len(client.namespace.commits) == 1


def test_a_requirement_that_fails_is_a_conflict(client: Client) -> None:
    of_another = client.commit(requirements=[{"type": "assert-table-uuid", "uuid": client.read.uuid}])
    status, answer = client.ask("POST", client.path("w"), of_another)
    assert (status, answer["error"]["type"]) == (409, "CommitFailedException")
    assert client.now(client.written) == client.written
    assert client.namespace.commits == []


@pytest.mark.parametrize(
    ("method", "alias", "status"),
    [("POST", "r", 403), ("POST", "x", 404), ("GET", "x", 404), ("DELETE", "w", 404), ("GET", "d", 404)],
)
def test_what_a_statement_may_not_do(client: Client, method: str, alias: str, status: int) -> None:
    body = client.commit("r") if method == "POST" else None
    assert client.ask(method, client.path(alias), body)[0] == status
    assert client.now(client.read) == client.read


def test_nothing_is_committed_after_the_statement(client: Client) -> None:
    client.gateway.bindings.end(client.namespace)
    assert client.ask("POST", client.path("w"), client.commit())[0] == 404
    assert client.ask("GET", client.path("r"))[0] == 404
    assert client.ask("POST", client.path("r") + "/metrics", {"report-type": "scan-report"})[0] == 204
    assert client.now(client.written) == client.written


def test_a_name_is_nothing_without_its_namespace(client: Client) -> None:
    other = client.begin()
    client.gateway.bindings.end(other)
    for namespace in ("default", "lake", "0" * 32, other.name, f"{client.namespace.name}%1Fr"):
        assert client.ask("GET", client.path("r", namespace))[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/v1/oauth/tokens",
        "/v1/namespaces",
        "/v1/tables/rename",
        "/v1/aws/s3/sign",
        "/",
        "/v1/transactions/commit",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "DELETE"])
def test_everything_else_is_refused(client: Client, method: str, path: str) -> None:
    assert client.ask(method, path, {} if method == "POST" else None)[0] in (404, 405)


def test_strangers_are_refused(client: Client) -> None:
    for path in ("/v1/config", client.path("r"), "/"):
        assert client.ask("GET", path, secret=False)[0] == 401
    wrong = client.ask("GET", "/v1/config", secret=False, X_SQE_Gateway="0" * 64)
    assert wrong[0] == 401


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"requirements": 1, "updates": []}']
)
def test_bodies_that_are_no_commit(client: Client, body: bytes) -> None:
    assert client.ask("POST", client.path("w"), body)[0] == 400
    assert client.now(client.written) == client.written


def test_a_body_that_is_too_large(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BODY", 1000)
    body = client.commit(updates=[{"action": "set-properties", "updates": {"a": "x" * 2000}}])
    assert client.ask("POST", client.path("w"), body)[0] == 413
    assert client.now(client.written) == client.written


def test_a_commit_that_is_cut_off(client: Client) -> None:
    body = json.dumps(client.commit()).encode()
    host, port = client.url.removeprefix("http://").split(":")
    head = (
        f"POST {client.path('w')} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        f"{SECRET_HEADER}: {client.secret[SECRET_HEADER]}\r\n\r\n"
    ).encode()
    with socket.create_connection((host, int(port))) as peer:
        peer.sendall(head + body[:-10])
    assert client.ask("GET", "/v1/config")[0] == 200
    assert client.now(client.written) == client.written
    assert client.namespace.commits == []


def test_a_table_is_staged_by_the_statement_that_makes_it(client: Client) -> None:
    column = {"id": 0, "name": "a", "required": False, "type": "long"}
    request = {"name": "d", "schema": {"type": "struct", "fields": [column]}, "stage-create": True}
    path = f"/v1/namespaces/{client.namespace.name}/tables"
    status, answer = client.ask("POST", path, request)
    assert status == 200 and "metadata-location" not in answer
    assert answer["metadata"]["schemas"][0]["fields"][0]["id"] == 1
    assert "made" not in client.catalog.tables(DEFAULT)
    assert client.ask("POST", path, {**request, "stage-create": False})[0] == 403
    for name in ("w", "x", None):
        assert client.ask("POST", path, {**request, "name": name})[0] == 403


def test_a_full_disk_changes_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sqe.catalog.iceberg.metadata.write", fail)
    status, answer = client.ask("POST", client.path("w"), client.commit())
    assert status == 400 and "no space left" in answer["error"]["message"]
    assert client.now(client.written) == client.written


def test_aliases_mean_nothing_to_iceberg() -> None:
    names = ["files", "branch_main", "tag_x", "snapshots", "a b`c", "x" * 300, "at_timestamp_1", ""]
    tables = [TableName("c", ("n",), name) for name in names]
    given = aliases(tables)
    assert len(set(given.values())) == len(names)
    assert not any(is_selector(alias) for alias in given.values())
    assert all(alias.replace("_", "").isalnum() and len(alias) < 60 for alias in given.values())


def test_what_spark_tells_of_its_scans_is_added_up(client: Client) -> None:
    def metric(value: object) -> dict[str, object]:
        return {"unit": "count", "value": value}

    counts = {"result-data-files": 3, "skipped-data-files": 2, "scanned-data-manifests": 1}
    metrics = {key: metric(value) for key, value in counts.items()}
    metrics["total-file-size-in-bytes"] = metric(100)
    for report in (
        {"report-type": "scan-report", "metrics": metrics},
        {"report-type": "scan-report", "metrics": metrics},
        {"report-type": "commit-report", "metrics": metrics},
        {"report-type": "scan-report", "metrics": {"result-data-files": metric("x"), "other": 1}},
        {"report-type": "scan-report", "metrics": 7},
    ):
        assert client.ask("POST", client.path("r") + "/metrics", report)[0] == 204
    assert client.namespace.scanned == Scanned(files=6, skipped_files=4, manifests=2, bytes=200)


def test_a_spark_on_another_machine_comes_by_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    shown = authority.issue_cert("127.0.0.1")
    shown.private_key_pem.write_to_path(tmp_path / "key.pem")
    shown.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    gateway = Gateway(tls=Tls(tmp_path / "cert.pem", tmp_path / "key.pem"))
    conf = gateway.spark_conf()
    try:
        address = conf["spark.sql.catalog.sqe.uri"] + "/v1/config"
        assert address.startswith("https://127.0.0.1:")
        secret = {SECRET_HEADER: conf[f"spark.sql.catalog.sqe.header.{SECRET_HEADER}"]}
        trusting = urllib3.PoolManager(retries=False, ca_certs=str(tmp_path / "ca.pem"))
        assert trusting.request("GET", address, headers=secret).status == 200
        with pytest.raises(urllib3.exceptions.SSLError):
            urllib3.PoolManager(retries=False).request("GET", address)
    finally:
        gateway.close()
