"""Every statement reaches its catalogs as the user who asks, and not otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sqe
from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.policy.decision import AllowAll
from sqe.session import Identity

ROOT = Path(sqe.__file__).parent
# They ask about the process, not for a statement.
ABOUT_THE_PROCESS = {"coordinator.py", "server/server.py", "cli/main.py"}


class Asked:
    """A catalog that remembers for whom it was asked, and with which token."""

    def __init__(self, inner: EmbeddedCatalog) -> None:
        self.inner = inner
        self.callers: list[tuple[Identity, str | None]] = []

    def acting_for(self, identity: Identity, tokens: Any) -> EmbeddedCatalog:
        self.callers.append((identity, None if tokens is None else tokens.current()))
        return self.inner

    def __getattr__(self, name: str) -> Any:
        assert name in ("name", "kept_bytes", "close"), f"{name} was asked for nobody"
        return getattr(self.inner, name)


class Renewed:
    """A token source: another token each time."""

    def __init__(self) -> None:
        self.number = 0

    def current(self) -> str:
        self.number += 1
        return f"token-{self.number}"

    def renewed_after(self, refused: str) -> str:
        return self.current()


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[tuple[Asked, Coordinator]]:
    catalog = Asked(EmbeddedCatalog("lake", tmp_path / "lake"))
    coordinator = Coordinator(load(None, {}), Catalogs({"lake": catalog}), policy=AllowAll())
    yield catalog, coordinator
    coordinator.close()


def test_each_statement_is_its_users_own(asked: tuple[Asked, Coordinator]) -> None:
    catalog, coordinator = asked
    ann, joe = Connection(coordinator, Identity("ann")), Connection(coordinator, Identity("joe"))
    ann.execute("CREATE TABLE t (a integer)")
    assert {identity.user for identity, _ in catalog.callers} == {"ann"}
    catalog.callers.clear()
    for sql in ("SELECT * FROM t", "SHOW TABLES", "SELECT * FROM information_schema.columns", "DROP TABLE t"):
        joe.execute(sql)
        assert {identity.user for identity, _ in catalog.callers} == {"joe"}, sql
        catalog.callers.clear()


def test_a_renewed_token_is_the_one_that_is_used(asked: tuple[Asked, Coordinator]) -> None:
    catalog, coordinator = asked
    connection = Connection(coordinator, Identity("ann"))
    connection.session.tokens = Renewed()
    connection.execute("SHOW TABLES").fetchall()
    connection.execute("SHOW TABLES").fetchall()
    tokens = [token for _, token in catalog.callers]
    assert len(tokens) > 1 and len(set(tokens)) == len(tokens)
    assert len({identity for identity, _ in catalog.callers}) == 1, "who somebody is does not change"
    assert "token-" not in repr(connection.session)


def test_no_code_of_a_statement_reaches_them_for_nobody() -> None:
    uses = []
    for file in ROOT.rglob("*.py"):
        name = file.relative_to(ROOT).as_posix()
        if name in ABOUT_THE_PROCESS or name.startswith("bench/"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == "catalogs":
                owner = ast.unparse(node.value)
                if owner.endswith("coordinator"):
                    uses.append(f"{name}:{node.lineno}")
    assert uses == []
