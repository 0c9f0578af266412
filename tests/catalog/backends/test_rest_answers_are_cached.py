"""What a REST catalog has answered is not asked again for a configured time, by identity and token; what we
change ourselves is seen at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.catalog.backends.local_places import ANYWHERE
from tests.catalog.backends.people import ALICE, BOB, Tokens

from sqe.catalog.backends import rest_answers
from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.backends.rest_answers import Answer, Answers, Changes
from sqe.errors import NotFound, SessionExpired
from sqe.session import Identity
from sqe.tree import changes as c
from sqe.tree.relations import TableName

TTL = 30


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path) as server:
        yield server


@pytest.fixture
def catalog(server: FakeRestServer) -> Iterator[RestCatalog]:
    catalog = RestCatalog("lake", server.url, warehouse="lake", allowed=ANYWHERE, cache_seconds=TTL)
    catalog.create_namespace(DEFAULT)
    catalog.create_table(definition(catalog, "t"))
    server.requests.clear()
    yield catalog
    catalog.close()


def loads(server: FakeRestServer) -> int:
    return len([request for request in server.requests if request.endswith("/tables/t")])


def test_an_answer_holds_for_its_time(catalog: RestCatalog, server: FakeRestServer) -> None:
    now = [1000.0]
    alice = catalog.acting_for(ALICE, Tokens("a"))
    kept = alice._client._answers
    assert kept is not None
    kept._clock = lambda: now[0]
    for _ in range(5):
        assert alice.find_table(DEFAULT, "t").name.name == "t"
    assert loads(server) == 1
    now[0] += TTL - 1
    alice.find_table(DEFAULT, "t")
    assert loads(server) == 1
    now[0] += 1
    alice.find_table(DEFAULT, "t")
    assert loads(server) == 2


def test_a_right_that_was_taken_away_is_gone_after_that_time(
    catalog: RestCatalog, server: FakeRestServer
) -> None:
    now = [1000.0]
    alice = catalog.acting_for(ALICE, Tokens("a"))
    assert alice._client._answers is not None
    alice._client._answers._clock = lambda: now[0]
    assert alice.find_table(DEFAULT, "t")
    server.hidden["a"] = {DEFAULT}
    assert alice.find_table(DEFAULT, "t"), "known for a while"
    now[0] += TTL
    with pytest.raises(NotFound):
        alice.find_table(DEFAULT, "t")
    server.hidden.clear()
    assert alice.find_table(DEFAULT, "t"), "a refusal is not cached: what was given is there at once"


def test_nobody_is_answered_with_what_another_was(catalog: RestCatalog, server: FakeRestServer) -> None:
    catalog.acting_for(BOB, Tokens("b")).find_table(DEFAULT, "t")
    server.hidden["a"] = {DEFAULT}
    others = [
        catalog.acting_for(ALICE, Tokens("a")),
        catalog.acting_for(Identity("bob", issuer="https://elsewhere"), Tokens("a")),
        catalog.acting_for(Identity("bob", roles=frozenset({"fewer"})), Tokens("a")),
        # The same person with another token: they may have been given it for less.
        catalog.acting_for(BOB, Tokens("a")),
    ]
    for other in others:
        with pytest.raises(NotFound):
            other.find_table(DEFAULT, "t")


def test_whose_session_has_ended_hears_nothing_from_the_cache(
    catalog: RestCatalog, server: FakeRestServer
) -> None:
    class Ended:
        def current(self) -> str:
            raise SessionExpired("the session has ended")

        def renewed_after(self, refused: str) -> None:
            return None

    catalog.acting_for(ALICE, Tokens("a")).find_table(DEFAULT, "t")
    with pytest.raises(SessionExpired):
        catalog.acting_for(ALICE, Ended()).find_table(DEFAULT, "t")


def test_our_own_changes_are_seen_at_once_by_everybody(catalog: RestCatalog, server: FakeRestServer) -> None:
    alice, bob = catalog.acting_for(ALICE, Tokens("a")), catalog.acting_for(BOB, Tokens("b"))
    table = alice.find_table(DEFAULT, "t").name
    assert alice.tables(DEFAULT) == ["t"] and alice.namespaces() == [DEFAULT]
    bob.alter_table(table, c.SetComment("x"))
    assert alice.find_table(DEFAULT, "t").comment == "x"
    bob.create_namespace(("other",))
    assert ("other",) in alice.namespaces()
    bob.create_table(definition(bob, "u"))
    assert alice.tables(DEFAULT) == ["t", "u"]
    bob.rename_table(table, TableName("lake", ("other",), "t"))
    with pytest.raises(NotFound):
        alice.find_table(DEFAULT, "t")
    assert alice.tables(("other",)) == ["t"]
    bob.drop_table(DEFAULT, "u")
    assert alice.tables(DEFAULT) == []


def test_a_change_of_one_schema_leaves_the_answers_about_others(
    catalog: RestCatalog, server: FakeRestServer
) -> None:
    alice, bob = catalog.acting_for(ALICE, Tokens("a")), catalog.acting_for(BOB, Tokens("b"))
    bob.create_namespace(("other",))
    alice.find_table(DEFAULT, "t")
    server.requests.clear()
    bob.create_table(definition(bob, "u", namespace=("other",)))
    alice.find_table(DEFAULT, "t")
    assert loads(server) == 0


def test_a_change_begins_with_what_is_there_now(catalog: RestCatalog, tmp_path: Path) -> None:
    """What another has made meanwhile is neither undone nor a conflict."""
    bob = catalog.acting_for(BOB, Tokens("b"))
    table = bob.find_table(DEFAULT, "t").name
    another = RestCatalog("lake", catalog.url, warehouse="lake", allowed=ANYWHERE)
    another.alter_table(table, c.SetComment("theirs"))
    assert bob.find_table(DEFAULT, "t").comment is None, "known for a while"
    bob.alter_table(table, c.SetProperties((("colour", "blue"),)))
    changed = bob.find_table(DEFAULT, "t")
    assert (changed.comment, changed.properties["colour"]) == ("theirs", "blue")
    another.close()


def test_an_answer_that_was_under_way_during_a_change_is_not_kept() -> None:
    changes = Changes()
    answers = Answers(changes, TTL)
    asked_after = changes.last
    changes.add("s")
    answers.keep("a", "/s/t", Answer({}, 0.0, 1), schema="s", change=asked_after)
    assert answers.find("a", "/s/t") is None
    answers.keep("a", "/s/t", Answer({}, 0.0, 1), schema="s", change=changes.last)
    assert answers.find("a", "/s/t") is not None
    changes.add("other")
    assert answers.find("a", "/s/t") is not None
    changes.add(None)
    assert answers.find("a", "/s/t") is None


def test_many_schemas_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_answers, "_MOST_SCHEMAS", 3)
    changes = Changes()
    for n in range(10):
        changes.add(f"s{n}")
    assert len(changes._in_schema) <= 3
    assert [changes.last_in(f"s{n}") >= n + 1 for n in range(10)] == [True] * 10


def test_no_token_is_in_what_is_kept(catalog: RestCatalog) -> None:
    alice = catalog.acting_for(ALICE, Tokens("token-of-alice"))
    alice.find_table(DEFAULT, "t")
    answers = alice._client._answers
    assert answers is not None and catalog.kept_bytes > 0
    assert "token-of-alice" not in repr(vars(answers._kept))
