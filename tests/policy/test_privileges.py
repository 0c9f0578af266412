"""Each kind of statement needs privileges of its own, and is denied without one of them, at each door."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.doors.iceberg.conftest import Rest
from tests.doors.iceberg.iceberg_door import opened_door

from sqe.api.connection import Connection, connect
from sqe.errors import AccessDenied, NotFound
from sqe.policy.decision import Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL, Privilege
from sqe.tree.relations import TableName

P = Privilege


class Allows:
    """The same privileges on everything."""

    def __init__(self) -> None:
        self.privileges = ALL

    def table(self, identity: Identity, table: TableName) -> Decision:
        return Decision(self.privileges)

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return True


@pytest.fixture(scope="module")
def module_home() -> Iterator[tuple[Connection, Allows]]:
    policy = Allows()
    with connect(memory=True, policy=policy) as connection:
        for sql in ("CREATE TABLE t (a bigint)", "CREATE VIEW v AS SELECT a FROM t", "CREATE SCHEMA s"):
            connection.execute(sql)
        yield connection, policy


@pytest.fixture
def home(module_home: tuple[Connection, Allows]) -> Iterator[tuple[Connection, Allows]]:
    yield module_home
    module_home[1].privileges = ALL


NEEDS = [
    ("SELECT * FROM t", {P.SELECT}),
    ("SELECT 1 WHERE EXISTS (SELECT 1 FROM v)", {P.SELECT}),
    ("EXPLAIN SELECT * FROM t", {P.SELECT}),
    ('SELECT * FROM "t$files"', {P.SELECT}),
    ("SHOW STATS FOR t", {P.SELECT}),
    ("INSERT INTO t VALUES 1", {P.INSERT}),
    ("INSERT INTO t SELECT a FROM t", {P.INSERT, P.SELECT}),
    ("EXPLAIN INSERT INTO t VALUES 1", {P.INSERT}),
    ("UPDATE t SET a = 1", {P.UPDATE}),
    ("UPDATE t SET a = a + 1", {P.UPDATE, P.SELECT}),
    ("UPDATE t SET a = 1 WHERE a = 2", {P.UPDATE, P.SELECT}),
    ("DELETE FROM t", {P.DELETE}),
    ("DELETE FROM t WHERE a = 1", {P.DELETE, P.SELECT}),
    ("TRUNCATE TABLE t", {P.TRUNCATE}),
    (
        "MERGE INTO t USING (VALUES 1) AS n (b) ON a = b WHEN MATCHED THEN UPDATE SET a = 2"
        " WHEN NOT MATCHED THEN INSERT (a) VALUES (b)",
        {P.UPDATE, P.INSERT, P.SELECT},
    ),
    ("MERGE INTO t USING (VALUES 1) AS n (b) ON a = b WHEN MATCHED THEN DELETE", {P.DELETE, P.SELECT}),
    ("CREATE TABLE x (a bigint)", {P.CREATE}),
    ("CREATE TABLE x AS SELECT a FROM t", {P.CREATE, P.SELECT}),
    ("CREATE OR REPLACE TABLE t (a bigint)", {P.CREATE, P.DROP}),
    ("CREATE TABLE x (LIKE t)", {P.CREATE}),
    ("CREATE VIEW x AS SELECT 1 AS a", {P.CREATE}),
    ("CREATE OR REPLACE VIEW v AS SELECT 1 AS a", {P.CREATE, P.DROP}),
    ("CREATE SCHEMA x", {P.CREATE}),
    ("DROP TABLE t", {P.DROP}),
    ("DROP VIEW v", {P.DROP}),
    ("DROP SCHEMA s", {P.DROP}),
    ("ALTER TABLE t ADD COLUMN b bigint", {P.ALTER}),
    ("ALTER TABLE t RENAME TO x", {P.ALTER, P.CREATE}),
    ("ALTER SCHEMA s RENAME TO x", {P.ALTER, P.CREATE}),
    ("ALTER TABLE t SET PROPERTIES format_version = 2", {P.ALTER}),
    ("COMMENT ON TABLE t IS 'x'", {P.ALTER}),
]


@pytest.mark.parametrize(
    ("sql", "missing"), [(sql, one) for sql, needs in NEEDS for one in sorted(needs)], ids=str
)
def test_a_statement_without_one_of_its_privileges_is_denied(
    home: tuple[Connection, Allows], sql: str, missing: Privilege
) -> None:
    connection, policy = home
    policy.privileges = ALL - {missing}
    # Which of a view's tables cannot be read is not said.
    with pytest.raises(NotFound if "v)" in sql else AccessDenied, match="cannot"):
        connection.execute(sql)


@pytest.mark.parametrize(("sql", "needs"), NEEDS, ids=[sql for sql, _ in NEEDS])
def test_it_needs_no_other(home: tuple[Connection, Allows], sql: str, needs: set[Privilege]) -> None:
    """As far as it is planned: what it changes is needed by the others."""
    connection, policy = home
    policy.privileges = frozenset(needs) | {P.SELECT}
    connection.execute(sql if sql.startswith(("EXPLAIN", "SHOW")) else f"EXPLAIN {sql}")


def test_without_any_it_does_not_exist(home: tuple[Connection, Allows]) -> None:
    connection, policy = home
    policy.privileges = frozenset()
    for sql in ("SELECT * FROM t", "INSERT INTO t VALUES 1", "DROP TABLE t", "DESCRIBE t"):
        with pytest.raises(NotFound):
            connection.execute(sql)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rest, Allows]]:
    policy = Allows()
    with opened_door(tmp_path_factory.mktemp("privileges"), policy=policy) as (_, url):
        rest = Rest(url)
        rest.create("s", "t")
        yield rest, policy


REQUESTS: list[tuple[str, str, dict[str, Any] | None, Privilege]] = [
    ("GET", "namespaces/s/tables/t", None, P.SELECT),
    ("DELETE", "namespaces/s/tables/t", None, P.DROP),
    ("DELETE", "namespaces/s", None, P.DROP),
    ("POST", "namespaces/s/properties", {"updates": {"a": "b"}, "removals": []}, P.ALTER),
    ("POST", "namespaces", {"namespace": ["x"], "properties": {}}, P.CREATE),
    *(
        ("POST", "namespaces/s/tables/t", {"requirements": [], "updates": []}, privilege)
        for privilege in (P.INSERT, P.UPDATE, P.DELETE, P.TRUNCATE, P.ALTER)
    ),
    *(
        (
            "POST",
            "tables/rename",
            {
                "source": {"namespace": ["s"], "name": "t"},
                "destination": {"namespace": ["s"], "name": "x"},
            },
            privilege,
        )
        for privilege in (P.ALTER, P.CREATE)
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "missing"), REQUESTS, ids=str)
def test_a_request_without_its_privilege_is_denied(
    door: tuple[Rest, Allows], method: str, path: str, body: dict[str, Any] | None, missing: Privilege
) -> None:
    rest, policy = door
    policy.privileges = ALL - {missing}
    try:
        status, answer = rest.send(method, f"/{path}", body)
        assert status == 403, answer
    finally:
        policy.privileges = ALL
