"""A server is ready while some catalog answers, and says which do not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.flight_server import Serve, serve

from sqe.catalog import watch
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.catalogs import Catalogs
from sqe.catalog.watch import Watch
from sqe.doors.open import OpenServer

__all__ = ["serve"]


@pytest.fixture
def far(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path / "far") as server:
        yield server


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "EVERY_SECONDS", 0.05)
    monkeypatch.setattr(watch, "ANSWER_SECONDS", 0.5)


def until(state: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not state():
        assert time.monotonic() < end
        time.sleep(0.02)


def threads() -> list[str]:
    return sorted(t.name for t in threading.enumerate() if t.name.startswith("sqe-watch"))


def parts(server: OpenServer) -> dict[str, tuple[bool, str]]:
    return {name: (part.ready, part.reason) for name, part in server.readiness.parts().items()}


def test_a_server_with_a_silent_catalog_serves_the_others(
    serve: Serve, far: FakeRestServer, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    server = serve(f'[catalogs.far]\ncatalog_url = "{far.url}"\nwarehouse = "lake"\n', warehouse=lake)
    try:
        until(lambda: parts(server).get("catalog far") == (True, ""))
        until(lambda: parts(server)["catalogs"] == (True, ""))
        assert server.readiness.ready
        far.speaks.clear()
        until(lambda: parts(server)["catalog far"] == (False, "does not answer within 0.5 s"))
        assert parts(server)["catalog lake"] == (True, "")
        assert parts(server)["catalogs"] == (True, "1 of 2 answering")
        assert server.readiness.ready
        database = (lake / "sqe.db").read_bytes()
        (lake / "sqe.db").write_bytes(b"no database" * 1000)
        until(lambda: parts(server)["catalogs"] == (False, "none of 2 answering"))
        assert not server.readiness.ready
        reason = parts(server)["catalog lake"][1]
        assert reason and str(tmp_path) not in reason
        (lake / "sqe.db").write_bytes(database)
        until(lambda: parts(server)["catalogs"][0])
        far.speaks.set()
        until(lambda: parts(server)["catalogs"] == (True, ""))
    finally:
        far.speaks.set()
        server.close()


def test_a_catalog_that_is_gone_says_so_by_name_alone(serve: Serve, far: FakeRestServer) -> None:
    far.close()
    server = serve(f'[catalogs.far]\ncatalog_url = "{far.url}"\nwarehouse = "lake"\n')
    try:
        until(lambda: parts(server).get("catalog far") == (False, "catalog 'far' cannot be reached"))
        assert server.readiness.ready
        assert "127.0.0.1" not in str(server.readiness.report())
    finally:
        server.close()


def test_a_catalog_that_hangs_holds_one_thread_and_no_other_catalog(
    far: FakeRestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[dict[str, str]] = []
    near, slow = EmbeddedCatalog("near", tmp_path / "near"), RestCatalog("slow", far.url, warehouse="lake")
    asked = counted(near, monkeypatch)
    watched: Watch = Watch(Catalogs({"near": near, "slow": slow}), lambda: answers.append(watched.reasons()))
    assert watched.reasons() == dict.fromkeys(("near", "slow"), watch.NOT_YET)
    before = threads()
    far.speaks.clear()
    watched.start()
    try:
        until(lambda: watched.reasons()["slow"] == "does not answer within 0.5 s")
        so_far = len(asked)
        until(lambda: len(asked) > so_far + 3)
        assert watched.reasons()["near"] == ""
        # Ready without waiting for the other.
        assert answers[0] == {"near": "", "slow": watch.NOT_YET}
        assert len(threads()) == len(before) + 2
        assert len(far.requests) == 1
    finally:
        watched.close()
        far.speaks.set()
    until(lambda: threads() == before)


def counted(catalog: EmbeddedCatalog, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    asked: list[Any] = []
    check = catalog.check

    def count() -> None:
        asked.append(None)
        check()

    monkeypatch.setattr(catalog, "check", count)
    return asked


def test_catalogs_are_asked_little(far: FakeRestServer) -> None:
    catalog = RestCatalog("far", far.url, warehouse="lake")
    for name in ("a", "b"):
        catalog.create_namespace((name,))
    far.requests.clear()
    catalog.check()
    assert len(far.requests) == 1
    catalog.close()
