"""How long a statement may run: the error says which limit that was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from tests.doors.flight.plain_calls import ENDLESS, Plain, failure
from tests.flight_server import KEYS, Serve

from sqe.auth.passwords import hash_password
from sqe.config.config import load
from sqe.config.session_properties import TimeLimit, time_limit
from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.open import OpenServer
from sqe.session import Identity, Session

TEXTS = {
    "fast": ENDLESS,
    # Spark ends it within moments: others share its cores.
    "spark": "SELECT count(*) FROM TABLE(sequence(1, 1000000000000)) AS a (x) WHERE x % 7 = 3",
}


@pytest.fixture
def limited(serve: Serve, tmp_path: Path) -> Iterator[OpenServer]:
    """Joe has a role with a limit of its own, and Ann has none."""
    users = tmp_path / "users.toml"
    users.touch(0o600)
    users.write_text(f'[users.joe]\npassword = "{hash_password("secret")}"\nroles = ["hurried"]\n')
    server = serve(
        "[query]\ntimeout_secs = 2\n[query.role_overrides]\nhurried = 1\n"
        f'[[auth.providers]]\ntype = "users_file"\nusers_file = "{users}"\n'
    )
    yield server
    server.close()


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    status, text, trailers = failure(caught.value)
    assert status is grpc.StatusCode.DEADLINE_EXCEEDED
    assert trailers["x-sqe-error-code"] == "QUERY_TIMEOUT"
    assert "x-sqe-error-position" not in trailers
    return text


@pytest.mark.parametrize("lane", TEXTS)
def test_the_error_names_its_limit(limited: OpenServer, lane: str) -> None:
    text = TEXTS[lane]
    with Plain(limited.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        ann.query(f"SET SESSION lane = '{lane}'")
        run = "the statement ran longer than"
        assert refused(lambda: ann.get(ann.query(text))) == f"{run} 2 s (query.timeout_secs)"
        ann.query("SET SESSION query_max_run_time = '500ms'")
        by_session = f"{run} 0.5 s (session property query_max_run_time)"
        assert refused(lambda: ann.get(ann.query(text))) == by_session


def test_a_limit_that_is_too_small_can_be_taken_back(limited: OpenServer) -> None:
    with Plain(limited.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        ann.query("SET SESSION query_max_run_time = '0.001ms'")
        limit = "1e-06 s (session property query_max_run_time)"
        assert refused(lambda: ann.query("SHOW CATALOGS")) == f"the statement ran longer than {limit}"
        ann.query("RESET SESSION query_max_run_time")
        assert len(ann.get(ann.query("SHOW CATALOGS"))) == 2


def test_the_limit_of_a_role_cannot_be_lifted(limited: OpenServer) -> None:
    with Plain(limited.flight.port) as nobody:
        payload = flight.BasicAuth(username="joe", password="secret").SerializeToString()
        [answer] = nobody.ask("Handshake", flight.HandshakeRequest(payload=payload).SerializeToString())
    bearer = flight.HandshakeResponse.FromString(answer).payload.decode()
    with Plain(limited.flight.port, ("authorization", f"Bearer {bearer}")) as joe:
        for wanted in ("1h", "0s"):
            joe.query(f"SET SESSION query_max_run_time = '{wanted}'")
            text = refused(lambda: joe.get(joe.query(ENDLESS)))
            assert text == "the statement ran longer than 1 s (query.role_overrides)"


@pytest.mark.parametrize(
    ("roles", "asked", "limit"),
    [
        ((), None, TimeLimit(60, "query.timeout_secs")),
        ((), "2m", TimeLimit(60, "query.timeout_secs")),
        ((), "5s", TimeLimit(5, "session property query_max_run_time")),
        (("short",), None, TimeLimit(10, "query.role_overrides")),
        (("short", "long"), "2m", TimeLimit(90, "query.role_overrides")),
        (("short",), "0s", TimeLimit(10, "query.role_overrides")),
        (("short", "free"), None, None),
        (("free",), "3h", TimeLimit(10800, "session property query_max_run_time")),
    ],
)
def test_the_smaller_one_counts(
    tmp_path: Path, roles: tuple[str, ...], asked: str | None, limit: TimeLimit | None
) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text("[query]\ntimeout_secs = 60\n[query.role_overrides]\nshort = 10\nlong = 90\nfree = 0\n")
    session = Session(Identity("joe", roles=frozenset(roles)), catalog="iceberg")
    if asked is not None:
        session.properties["query_max_run_time"] = asked
    assert time_limit(session, load(file, {})) == limit


def test_a_server_has_a_time_limit_unless_it_is_told_otherwise(serve: Serve) -> None:
    config = serve().coordinator.config
    limit = time_limit(Session(Identity("joe"), catalog="iceberg"), config)
    assert limit == TimeLimit(1800, "query.server_timeout_secs")
    assert serve("[query]\ntimeout_secs = 5\n").coordinator.config.query.timeout_secs == 5
    assert serve("[query]\nserver_timeout_secs = 0\n").coordinator.config.query.timeout_secs == 0
