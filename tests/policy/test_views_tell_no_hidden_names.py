"""The text of a view may name what its reader must not know: they learn that the view cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError
from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName

HIDDEN = ("secret", "salary", "in cents", "wage")


class Hiding:
    """Joe knows of no secret, and of no salaries."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        if identity.user != "joe":
            return EVERYTHING
        if "secret" in table.name:
            return NOTHING
        return (
            Decision(ALL, restricted=frozenset({"salary"})) if table.name == "people" else EVERYTHING
        )

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


VIEWS = {
    "everybody": "SELECT * FROM people",
    "paid": "SELECT id, salary AS wage FROM people",
    "of_a_hidden_table": "SELECT x FROM secret",
    "of_a_hidden_view": "SELECT x FROM secret_view",
    "of_the_past": 'SELECT summary FROM "secret$snapshots"',
    "nested": "SELECT x FROM of_a_hidden_table",
    "beside": "WITH unused AS (SELECT salary FROM people) SELECT 1 AS x",
    "of_the_absent": "SELECT a FROM dropped",
    "of_an_absent_column": "SELECT b AS x FROM shown",
}


@pytest.fixture(scope="module")
def joe() -> Iterator[Connection]:
    with connect(memory=True, policy=Hiding()) as ann:
        for sql in (
            "CREATE TABLE people (id bigint, salary bigint)",
            "CREATE TABLE secret (x bigint)",
            "CREATE TABLE shown (a bigint, b bigint)",
            "CREATE TABLE dropped (a bigint)",
            "CREATE VIEW secret_view AS SELECT 1 AS x",
            *(f"CREATE VIEW {name} AS {sql}" for name, sql in VIEWS.items()),
            "CREATE VIEW plain AS SELECT a FROM shown",
            "COMMENT ON COLUMN everybody.salary IS 'in cents'",
            "DROP TABLE dropped",
            "ALTER TABLE shown DROP COLUMN b",
        ):
            ann.execute(sql)
        yield Connection(ann.coordinator, Identity("joe"))


def failure(joe: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        joe.execute(sql)
    assert not any(word in f"{error.value} {error.value.hint}" for word in HIDDEN)
    return error.value


@pytest.mark.parametrize("view", VIEWS)
def test_how_it_is_created_is_not_shown(joe: Connection, view: str) -> None:
    error = failure(joe, f"SHOW CREATE VIEW {view}")
    assert (error.code, error.message) == (
        "PERMISSION_DENIED",
        f"cannot show how 'iceberg.default.{view}' is created",
    )


@pytest.mark.parametrize("view", [name for name in VIEWS if name != "everybody"])
@pytest.mark.parametrize("sql", ["SELECT 1 FROM {}", "DESCRIBE {}", "CREATE VIEW mine AS SELECT * FROM {}"])
def test_hidden_and_absent_look_alike(joe: Connection, view: str, sql: str) -> None:
    error = failure(joe, sql.format(view))
    assert (error.code, error.message, error.hint) == (
        "VIEW_IS_STALE",
        f"view 'iceberg.default.{view}' cannot be read",
        None,
    )
    assert error.position is not None and error.position.column == sql.index("{") + 1
    assert error.__cause__ is None


def test_what_is_seen_is_shown(joe: Connection) -> None:
    [(text,)] = joe.execute("SHOW CREATE VIEW plain").fetchall()
    assert text.endswith("SELECT a FROM shown")
    assert [row[0] for row in joe.execute("DESCRIBE everybody").fetchall()] == ["id"]


def test_a_view_of_itself_is_still_called_so(joe: Connection) -> None:
    assert failure(joe, "CREATE OR REPLACE VIEW plain AS SELECT a FROM plain").code == "VIEW_IS_RECURSIVE"


def test_who_is_under_no_policy_reads_the_reason_and_the_text() -> None:
    with connect(memory=True) as ann:
        ann.execute("CREATE TABLE t (a bigint)")
        ann.execute("CREATE VIEW v AS SELECT a FROM t")
        ann.execute("DROP TABLE t")
        with pytest.raises(SqeError) as error:
            ann.execute("DESCRIBE v")
        assert error.value.code == "TABLE_NOT_FOUND"
        assert error.value.message.startswith("in view 'iceberg.default.v': table 'iceberg.default.t'")
        [(text,)] = ann.execute("SHOW CREATE VIEW v").fetchall()
        assert text.endswith("SELECT a FROM t")
