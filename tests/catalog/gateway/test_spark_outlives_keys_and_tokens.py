"""A statement on Spark may run for longer than the keys and the token that it began with: the gateway hands
out the next keys, and commits with the token that the user has by then."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
import urllib3
from tests.auth.fake_idp import FakeIdp
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.catalog.backends.local_places import ANYWHERE
from tests.catalog.backends.people import BOB, Tokens
from tests.server.token_server import rows, token_server

from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.gateway.bindings import Access, Binding
from sqe.catalog.gateway.gateway import SECRET_HEADER, Gateway
from sqe.tree.relations import TableName

ENDPOINT = "client.refresh-credentials-endpoint"
EXPIRES = "s3.session-token-expires-at-ms"
Ask = Callable[..., tuple[int, Any]]


class Vending:
    """Keys of ever new names, which the catalog says hold for `seconds`; None where it does not say."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.made = 0

    def __call__(self, token: str | None) -> dict[str, Any]:
        self.made += 1
        keys = {
            "s3.access-key-id": f"{token}-{self.made}",
            "s3.secret-access-key": "s",
            "s3.session-token": "t",
        }
        if self.seconds is not None:
            keys[EXPIRES] = str(int((time.time() + self.seconds) * 1000))
        return {"config": keys}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path) as server:
        yield server


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    gateway = Gateway()
    yield gateway
    gateway.close()


@pytest.fixture
def bob(server: FakeRestServer) -> Iterator[RestCatalog]:
    catalog = RestCatalog("lake", server.url, warehouse="lake", allowed=ANYWHERE, cache_seconds=30)
    bob = catalog.acting_for(BOB, Tokens("b"))
    bob.create_namespace(DEFAULT)
    bob.create_table(definition(bob, "t"))
    say_that_it_is_in_s3(server)
    yield bob
    catalog.close()


def say_that_it_is_in_s3(server: FakeRestServer) -> None:
    """The fake keeps files on this disk."""
    raw, _ = server.entries["tables"][DEFAULT, "t"]
    server.entries["tables"][DEFAULT, "t"] = {**raw, "location": "s3://lake/t"}, "s3://lake/t/1.metadata.json"


def asking(gateway: Gateway) -> Ask:
    conf = gateway.spark_conf()
    prefix = "spark.sql.catalog.sqe."
    secret = {SECRET_HEADER: conf[f"{prefix}header.{SECRET_HEADER}"]}

    def ask(method: str, path: str, body: object = None) -> tuple[int, Any]:
        content = None if body is None else json.dumps(body).encode()
        url = f"{conf[f'{prefix}uri']}/{path}"
        answer = urllib3.request(method, url, body=content, headers=secret, retries=False)
        return answer.status, json.loads(answer.data)

    return ask


def test_the_next_keys_are_handed_out(server: FakeRestServer, gateway: Gateway, bob: RestCatalog) -> None:
    server.vend = vending = Vending(1.0)
    table = bob.find_table(DEFAULT, "t")
    namespace = gateway.bindings.begin({"r": Binding(table.name, Access.READ, bob, table)})
    ask = asking(gateway)
    config = ask("GET", f"v1/namespaces/{namespace.name}/tables/r")[1]["config"]
    assert config["s3.access-key-id"] == "b-1"
    status, answer = ask("GET", config[ENDPOINT])
    (credential,) = answer["storage-credentials"]
    assert (status, credential["prefix"]) == (200, "s3://lake")
    assert credential["config"]["s3.access-key-id"] == "b-1", "they still hold"
    time.sleep(0.8)
    (credential,) = ask("GET", config[ENDPOINT])[1]["storage-credentials"]
    assert credential["config"]["s3.access-key-id"] == "b-2" and vending.made == 2
    server.hidden["b"] = {DEFAULT}
    time.sleep(0.8)
    assert ask("GET", config[ENDPOINT])[0] == 404, "what was taken away is not renewed"
    gateway.bindings.end(namespace)
    assert ask("GET", config[ENDPOINT])[0] == 404, "nor is anything after the statement"


def test_an_end_that_is_not_told_is_the_least_that_there_is(
    server: FakeRestServer, gateway: Gateway, bob: RestCatalog
) -> None:
    server.vend = Vending(None)
    table = bob.find_table(DEFAULT, "t")
    namespace = gateway.bindings.begin({"r": Binding(table.name, Access.READ, bob, table)})
    config = asking(gateway)("GET", f"v1/namespaces/{namespace.name}/tables/r")[1]["config"]
    assert 880 < int(config[EXPIRES]) / 1000 - time.time() <= 900


def test_keys_of_the_configuration_have_no_end(server: FakeRestServer, gateway: Gateway) -> None:
    catalog = RestCatalog(
        "lake", server.url, warehouse="lake", allowed=ANYWHERE, storage={"s3.access-key-id": "own"}
    )
    catalog.create_namespace(DEFAULT)
    catalog.create_table(definition(catalog, "t"))
    say_that_it_is_in_s3(server)
    table = catalog.find_table(DEFAULT, "t")
    namespace = gateway.bindings.begin({"r": Binding(table.name, Access.READ, catalog, table)})
    answer = asking(gateway)("GET", f"v1/namespaces/{namespace.name}/tables/r")[1]
    assert {each["prefix"] for each in answer["storage-credentials"]} == {"s3://lake/", "s3a://lake/"}
    for config in (answer["config"], *(each["config"] for each in answer["storage-credentials"])):
        assert ENDPOINT not in config and EXPIRES not in config
        assert config.get("s3.access-key-id") == (None if config is answer["config"] else "own")
    catalog.close()


def test_a_catalog_that_is_away_for_a_moment_ends_nothing(server: FakeRestServer, bob: RestCatalog) -> None:
    server.vend = Vending(1.0)
    storage = bob.find_table(DEFAULT, "t").storage
    assert storage is not None
    server.failures = [("GET", "/tables/t", 500)]
    time.sleep(0.7)
    assert storage.properties("s3://lake/t")["s3.access-key-id"] == "b-1"
    time.sleep(0.4)
    assert storage.properties("s3://lake/t")["s3.access-key-id"] == "b-2"


def test_a_commit_has_the_token_of_its_moment(tmp_path: Path, server: FakeRestServer) -> None:
    """Three seconds into a statement, the token that it was bound with has ended."""
    idp = FakeIdp()
    idp.lifetime = 3
    provider = (
        f'[[auth.providers]]\ntype = "oidc_password"\nclient_id = "sqe"\nissuer = "{idp.issuer}"\n'
        'allow_insecure_jwks = true\nclient_secret = "sqe-secret"\n'
    )
    rest = f'[catalogs.far]\ncatalog_url = "{server.url}"\nwarehouse = "lake"\nallowed_locations = ["/"]\n'
    with (
        token_server(tmp_path, provider, rest) as opened,
        opened.connect_by_password("bob", "bob-secret") as connection,
    ):
        rows(connection, "CREATE SCHEMA far.s")
        rows(connection, "CREATE TABLE far.s.t (a integer)")
        coordinator = opened.server.coordinator
        (session,) = opened.server.clients.sessions.all()
        catalog = coordinator.catalogs_of(session.session).get("far")
        table = catalog.find_table(("s",), "t")
        bound = {"w": Binding(table.name, Access.WRITE, catalog, table)}
        namespace = coordinator.gateway.bindings.begin(bound)
        ask, path = asking(coordinator.gateway), f"v1/namespaces/{namespace.name}/tables/w"
        assert ask("GET", path)[0] == 200
        first = server.tokens[-1]
        time.sleep(3.1)
        body = {
            "requirements": [{"type": "assert-table-uuid", "uuid": table.uuid}],
            "updates": [{"action": "set-properties", "updates": {"late": "yes"}}],
        }
        assert ask("POST", path, body)[0] == 200
        last = server.tokens[-1]
    idp.close()
    assert first is not None and last is not None and first != last
    now = time.time()
    claims = [jwt.decode(token, options={"verify_signature": False}) for token in (first, last)]
    assert {each["preferred_username"] for each in claims} == {"bob"}
    assert claims[0]["exp"] <= now < claims[1]["exp"] + 2


def test_a_table_that_is_being_made_gets_further_keys_for_its_place_alone(
    server: FakeRestServer, bob: RestCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    vending = Vending(0.6)
    answer_for = server.answer_for
    places = iter(["s3://lake/new", "s3://lake/new", "s3://lake/other"])

    def staging(token: str | None, method: str, path: list[str], *more: Any) -> Any:
        answer = answer_for(token, method, path, *more)
        if answer is not None and method == "POST" and path[-1] == "tables":
            answer["metadata"]["location"] = next(places)
            answer |= vending(token)
        return answer

    monkeypatch.setattr(server, "answer_for", staging)
    request = {"schema": {"type": "struct", "fields": []}}
    storage = bob.stage(TableName("lake", DEFAULT, "new"), request).storage
    assert storage is not None
    assert storage.properties("s3://lake/new")["s3.access-key-id"] == "b-1"
    time.sleep(0.45)
    assert storage.properties("s3://lake/new")["s3.access-key-id"] == "b-2"
    time.sleep(0.65)
    with pytest.raises(Exception, match="hands out no further keys for a table that is being made"):
        storage.properties("s3://lake/new")
