"""Two users in turns, and two people of one name: neither the keys nor the answers of one are used for the
other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import adbc_driver_manager
import grpc
import pytest
from tests.auth.fake_idp import FakeIdp
from tests.doors.flight.plain_calls import Plain
from tests.stack.between import Between, ShortKeys, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, rows, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
TABLES = {"alice": "sales.turns", "bob": "hr.turns"}
FILES = 'SELECT count(*) FROM lake.{}."{}$files"'


@dataclass
class Watched:
    """An SQE between proxies that see each request to the catalog and to the store."""

    sqe: Serving
    catalog: Between
    store: Between
    keys: ShortKeys
    elsewhere: FakeIdp


@pytest.fixture(scope="module")
def watched(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    lake.need_servers()
    idp = FakeIdp()
    another = (
        f'[[auth.providers]]\ntype = "bearer_token"\naudience = "catalog"\nissuer = "{idp.issuer}"\n'
        "allow_insecure_jwks = true\n"
    )
    home = tmp_path_factory.mktemp("sqe")
    with between(lake.url) as catalog, between(lake.servers["s3"].facts["url"]) as store:
        keys = ShortKeys(catalog, store, 900.0)
        with serving(lake, home, spark_on_s3, catalog_url=catalog.url, providers=another) as sqe:
            for schema in ("sales", "hr"):
                sqe.ask("bob", f"CREATE SCHEMA IF NOT EXISTS lake.{schema}")
            for table in TABLES.values():
                sqe.ask("bob", f"CREATE OR REPLACE TABLE lake.{table} AS SELECT 1 AS id, 'x' AS name")
            yield Watched(sqe, catalog, store, keys, idp)
    idp.close()


def owners_since(watched: Watched, start: int) -> list[str | None]:
    """Whose keys each request to the store was signed with."""
    asked = watched.store.asked[start:]
    unsigned = [(each.method, each.path) for each in asked if each.access_key is None]
    assert not unsigned
    return [watched.keys.owners[each.access_key or ""] for each in asked]


def question(user: str, n: int) -> str:
    """Of metadata, or of data on Spark; never twice the same, so that no plan is used again."""
    schema, name = TABLES[user].split(".")
    if n % 50 == 0:
        return f"SELECT count(*) + {n} FROM lake.{schema}.{name}"
    return f"{FILES.format(schema, name)} WHERE record_count < {1000 + n}"


@pytest.mark.long
def test_a_thousand_statements_in_turns(watched: Watched, lake: Lake) -> None:
    sqe, store = watched.sqe, watched.store
    first, asked = len(lake.object_log()), 0
    for n in range(1, 401):
        user = ("alice", "bob")[n % 2]
        if n % 40 == 0:
            # New manifests and data, that no cache has.
            sqe.ask("bob", f"INSERT INTO lake.{TABLES[user]} VALUES ({n}, 'y')")
        start = len(store.asked)
        sqe.ask(user, question(user, n))
        owners = owners_since(watched, start)
        assert set(owners) <= {user}, f"statement {n} of {user}"
        asked += len(owners)
    assert asked > 40
    # At the same time: each has a table that the other does not ask for.
    start = len(store.asked)
    failures: list[BaseException] = []

    def ask(user: str) -> None:
        try:
            with sqe.connect(user) as connection:
                for n in range(1, 301):
                    rows(connection, question(user, n))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask, args=(user,)) for user in TABLES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    for request in store.asked[start:]:
        user = "alice" if "/sales/" in request.path else "bob"
        assert watched.keys.owners[request.access_key or ""] == user, request.path
    log = lake.object_log()[first:]
    root = lake.servers["s3"].facts["access_key"]
    data = [line for line in log if str(line["object"]).endswith((".parquet", ".avro"))]
    assert data and root not in {line["access_key"] for line in data}
    assert {line["access_key"] for line in data} <= set(watched.keys.owners)
    assert {line["status"] for line in data} <= {200, 204, 206}


def test_two_people_called_alice(watched: Watched, lake: Lake) -> None:
    """Nessie knows the one of Keycloak. The other is asked about with her own token, and refused."""
    sqe, idp = watched.sqe, watched.elsewhere
    ours, theirs = lake.token("alice"), idp.token("alice")
    question = "SELECT count(*) FROM lake.sales.turns"
    with sqe.connect_with(ours) as known, sqe.connect_with(theirs) as stranger:
        for connection in (known, stranger):
            assert rows(connection, "SELECT current_user") == [("alice",)]
        for _ in range(2):
            rows(known, question)
            start = len(watched.catalog.asked)
            with pytest.raises(adbc_driver_manager.Error, match="does not accept the token"):
                rows(stranger, question)
            assert {asked.token for asked in watched.catalog.asked[start:]} == {theirs}
        rows(known, "PREPARE mine FROM SELECT 7")
        with pytest.raises(adbc_driver_manager.Error):
            rows(stranger, "EXECUTE mine")
        mine = {text for (text,) in rows(known, "SELECT query FROM system.runtime.queries")}
        others = {text for (text,) in rows(stranger, "SELECT query FROM system.runtime.queries")}
        assert "PREPARE mine FROM SELECT 7" in mine and "PREPARE mine FROM SELECT 7" not in others
        people = {session.session.identity.who for session in sqe.server.clients.sessions.all()}
        assert len([who for who in people if who.endswith("\0alice")]) == 2


def test_a_ticket_of_one_alice_is_nothing_to_the_other(watched: Watched, lake: Lake) -> None:
    port = watched.sqe.server.flight.port
    with (
        Plain(port, ("authorization", f"Bearer {lake.token('alice')}")) as known,
        Plain(port, ("authorization", f"Bearer {watched.elsewhere.token('alice')}")) as stranger,
    ):
        info = known.query("SELECT 1")
        with pytest.raises(grpc.RpcError) as refused:
            stranger.get(info)
        assert refused.value.code() is grpc.StatusCode.NOT_FOUND
        assert known.get(info)
