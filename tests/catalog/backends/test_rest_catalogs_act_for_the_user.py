"""A REST catalog is asked with the token of whoever asks us, on every call, and keeps nothing for others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.auth.fake_idp import FakeIdp
from tests.catalog.backends.conformance import DEFAULT, definition, name, view_definition
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.catalog.backends.people import ALICE, BOB, Tokens

from sqe.api.connection import Connection
from sqe.catalog.backends.rest import RestCatalog, mount
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import CatalogSettings, load
from sqe.coordinator import Coordinator
from sqe.errors import AccessDenied, NotFound, Unavailable
from sqe.policy.decision import AllowAll
from sqe.tree import changes as c

Mount = Callable[..., RestCatalog]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path) as server:
        yield server


@pytest.fixture
def mounted(server: FakeRestServer) -> Iterator[Mount]:
    made: list[RestCatalog] = []

    def mounted(**auth: object) -> RestCatalog:
        settings = CatalogSettings(
            "lake",
            "rest",
            "lake",
            server.url,
            auth=auth,
            allowed_locations=("/",),
            metadata_cache_ttl_secs=0,
        )
        made.append(mount(settings))
        return made[-1]

    yield mounted
    for catalog in made:
        catalog.close()


def test_every_call_has_the_token_of_its_user(server: FakeRestServer, mounted: Mount) -> None:
    catalog = mounted()
    alice, bob = catalog.acting_for(ALICE, Tokens("a")), catalog.acting_for(BOB, Tokens("b"))
    bob.create_namespace(DEFAULT)
    table = bob.create_table(definition(bob, "t")).name
    bob.alter_table(table, c.SetComment("x"))
    assert set(server.tokens) == {"b"}
    server.tokens.clear()
    assert alice.find_table(DEFAULT, "t").comment == "x"
    assert alice.namespaces() == [DEFAULT] and alice.tables(DEFAULT) == ["t"]
    alice.rename_table(table, name(alice, "u"))
    alice.drop_table(DEFAULT, "u")
    assert set(server.tokens) == {"a"}


def test_views_are_made_changed_and_dropped_as_their_user(server: FakeRestServer, mounted: Mount) -> None:
    catalog = mounted()
    bob = catalog.acting_for(BOB, Tokens("b"))
    bob.create_namespace(DEFAULT)
    view = bob.create_view(view_definition(bob, "v")).name
    bob.create_view(view_definition(bob, "v", "SELECT 2 AS a"), replace=True)
    bob.alter_view(view, c.SetComment("x"))
    assert bob.find_view(DEFAULT, "v") is not None
    bob.rename_view(view, name(bob, "w"))
    bob.drop_view(DEFAULT, "w")
    assert set(server.tokens) == {"b"}


def test_nothing_is_kept_for_another(server: FakeRestServer, mounted: Mount) -> None:
    catalog = mounted()
    bob = catalog.acting_for(BOB, Tokens("b"))
    bob.create_namespace(DEFAULT)
    bob.create_table(definition(bob, "t"))
    assert bob.find_table(DEFAULT, "t")
    server.denied["a"] = (403, "ForbiddenException")
    alice = catalog.acting_for(ALICE, Tokens("a"))
    for use in (alice.namespaces, lambda: alice.tables(DEFAULT)):
        with pytest.raises(AccessDenied, match="catalog 'lake' does not allow this"):
            use()
    with pytest.raises(NotFound, match=r"schema 'lake\.default' does not exist"):
        alice.find_table(DEFAULT, "t")
    assert bob.find_table(DEFAULT, "t") and catalog.kept_bytes > 0


def test_a_token_that_is_refused_is_renewed_once(server: FakeRestServer, mounted: Mount) -> None:
    server.accepted = {"a2"}
    alice = mounted().acting_for(ALICE, Tokens("a1", "a2"))
    alice.create_namespace(DEFAULT)
    assert server.tokens[:2] == ["a1", "a2"] and set(server.tokens[2:]) == {"a2"}
    server.accepted, server.tokens = {"a3"}, []
    with pytest.raises(AccessDenied, match="does not accept the token") as refused:
        alice.namespaces()
    assert refused.value.hint == "log in again" and server.tokens == ["a2"]


def test_a_change_is_made_once_though_its_token_was_refused(server: FakeRestServer, mounted: Mount) -> None:
    tokens = Tokens("a1", "a2")
    alice = mounted().acting_for(ALICE, tokens)
    alice.create_namespace(DEFAULT)
    server.accepted, server.tokens = {"a2"}, []
    alice.create_namespace(("other",))
    assert server.tokens == ["a1", "a2"]
    assert ("other",) in alice.namespaces()


def test_whoever_has_no_token_hears_that(server: FakeRestServer, mounted: Mount) -> None:
    server.accepted = {"a"}
    catalog = mounted()
    with pytest.raises(AccessDenied, match="asks for a token, and there is none"):
        catalog.acting_for(ALICE, None).namespaces()
    catalog.check()
    server.close()
    with pytest.raises(Unavailable):
        mounted().check()


def test_a_denial_that_looks_like_a_failure_is_one(server: FakeRestServer, mounted: Mount) -> None:
    """Nessie says 500 to those who may not. It is asked once."""
    server.denied["a"] = (500, "AccessCheckException")
    alice = mounted().acting_for(ALICE, Tokens("a"))
    for use in (alice.namespaces, lambda: alice.create_namespace(DEFAULT)):
        server.requests.clear()
        with pytest.raises(AccessDenied, match="does not allow this"):
            use()
        assert len([request for request in server.requests if "config" not in request]) == 1


def test_without_identity(server: FakeRestServer, mounted: Mount) -> None:
    assert mounted(type="anonymous").acting_for(ALICE, Tokens("a")).namespaces() == []
    assert set(server.tokens) == {None}


def test_a_token_of_the_catalog(server: FakeRestServer, mounted: Mount) -> None:
    server.accepted = {"fixed"}
    catalog = mounted(type="static", token="fixed")
    assert catalog.acting_for(ALICE, Tokens("a")).namespaces() == []
    assert catalog.acting_for(BOB, None).namespaces() == []
    assert set(server.tokens) == {"fixed"} and "fixed" not in repr(catalog._choose_tokens(None))


def test_a_client_of_the_catalog(server: FakeRestServer, mounted: Mount) -> None:
    idp = FakeIdp()
    try:
        where = {"token_endpoint": f"{idp.issuer}/token", "client_id": "etl", "allow_http": True}
        catalog = mounted(type="client_credentials", client_secret="etl-secret", **where)
        for user in (ALICE, BOB):
            assert catalog.acting_for(user, Tokens("own")).namespaces() == []
        assert len(set(server.tokens)) == 1 and "own" not in server.tokens
        (first,) = set(server.tokens)
        assert first is not None
        # It has run out before its time: the next one is had with the secret.
        server.accepted = set()
        with pytest.raises(AccessDenied, match="does not accept"):
            catalog.acting_for(ALICE, None).namespaces()
        assert len(set(server.tokens)) == 2
        wrong = mounted(type="client_credentials", client_secret="wrong", **where)
        with pytest.raises(AccessDenied, match="its token endpoint refuses the client: invalid_client"):
            wrong.acting_for(ALICE, None).namespaces()
    finally:
        idp.close()


def test_statements_of_two_users(
    server: FakeRestServer, mounted: Mount, caplog: pytest.LogCaptureFixture
) -> None:
    """Also what a plan or a cache has kept of one is not the other's, and no token is told."""
    caplog.set_level(logging.DEBUG)
    coordinator = Coordinator(load(None, {}), Catalogs({"lake": mounted()}), policy=AllowAll())
    try:
        bob, alice = Connection(coordinator, BOB), Connection(coordinator, ALICE)
        bob.session.tokens, alice.session.tokens = Tokens("token-of-bob"), Tokens("token-of-alice")
        bob.execute("CREATE SCHEMA lake.s")
        bob.execute("CREATE TABLE lake.s.t (a integer)")
        for _ in range(3):
            assert bob.execute("SELECT * FROM lake.s.t").fetchall() == []
        server.denied["token-of-alice"] = (403, "ForbiddenException")
        server.tokens.clear()
        for sql in ("SELECT * FROM lake.s.t", "SELECT * FROM lake.s.guessed", "DROP TABLE lake.s.t"):
            with pytest.raises(NotFound, match=r"schema 'lake\.s' does not exist") as refused:
                alice.execute(sql)
            assert "token" not in str(refused.value)
        assert set(server.tokens) == {"token-of-alice"}
        assert bob.execute("SELECT * FROM lake.s.t").fetchall() == []
    finally:
        coordinator.close()
    assert "token-of" not in caplog.text
