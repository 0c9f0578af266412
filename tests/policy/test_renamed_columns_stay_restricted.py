"""A column is restricted and masked by its id: its name in an old snapshot does not uncover it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import pytest

from sqe.bind.binder import Binder
from sqe.bind.query.tables import make_scan
from sqe.bind.rules import bind_rule
from sqe.catalog.catalogs import Catalogs
from sqe.catalog.iceberg.table import Column, Snapshot, Table
from sqe.errors import AccessDenied
from sqe.policy.decision import Decision
from sqe.policy.secure import Guard, secure
from sqe.session import Identity, Session
from sqe.tree.expressions import Field, Literal
from sqe.tree.privileges import ALL
from sqe.tree.relations import AsOf, Project, Scan, TableName
from sqe.tree.rules import Rule
from sqe.tree.statements import Query
from sqe.types import sql_types as t

NAME = TableName("lake", ("default",), "people")
THEN = tuple(Column(n, t.VARCHAR, True, None, i) for i, n in enumerate(("name", "social", "area", "gone"), 1))
NOW = tuple(Column(n, t.VARCHAR, True, None, i) for i, n in enumerate(("name", "ssn", "region"), 1))
TABLE = Table(
    NAME, "", "", 2, "", NOW, (), {}, 2,
    snapshots={1: Snapshot(1, None, 0, "append", {}, 0, None), 2: Snapshot(2, 1, 1, "append", {}, 1, None)},
    refs={}, history=((0, 1), (1, 2)), schemas={0: THEN, 1: NOW},
)  # fmt: skip


class Policy:
    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def table(self, identity: Identity, table: TableName) -> Decision:
        return self._decision

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


def seen(decision: Decision) -> Project:
    """What `SELECT *` of the first snapshot is bound and secured to."""
    guard = Guard(Policy(decision), Identity("joe"))
    catalogs = Catalogs.__new__(Catalogs)  # nothing is looked up in it
    binder = Binder("", Session(Identity("joe"), "lake"), catalogs, guard)
    scan = make_scan(binder, TABLE, TABLE.columns_at(1), AsOf(1))
    numbers = itertools.count(1000)
    bind = partial(bind_rule, binder)
    query = secure(Query(scan), guard, {NAME: TABLE}, lambda n, k: Field(next(numbers), n, k), bind)
    assert isinstance(query.relation, Project)
    return query.relation


def test_a_restricted_column_is_hidden_under_its_old_name_and_so_is_one_that_is_gone() -> None:
    relation = seen(Decision(ALL, restricted=frozenset({"ssn"})))
    assert [f.name for f in relation.fields] == ["name", "area"]
    assert isinstance(relation.input, Scan) and relation.input.columns == ("name", "area")


STARS = Rule("'***'")


@pytest.mark.parametrize("key", ["ssn", 2])
def test_a_mask_follows_its_column(key: int | str) -> None:
    relation = seen(Decision(ALL, masks={key: STARS}))
    masked = relation.expressions[[f.name for f in relation.fields].index("social")]
    assert isinstance(masked, Literal) and masked.value == "***"


def test_a_restriction_by_id_follows_its_column() -> None:
    relation = seen(Decision(ALL, restricted=frozenset({2})))
    assert [f.name for f in relation.fields] == ["name", "area"]


def test_a_filter_finds_its_column_or_denies() -> None:
    european = Rule("region = 'EU'")
    assert "area" in seen(Decision(ALL, row_filters=(european,))).input.input.columns  # type: ignore[attr-defined]
    written_then = Rule("area = 'EU'", columns=(("area", 3),))
    assert "area" in seen(Decision(ALL, row_filters=(written_then,))).input.input.columns  # type: ignore[attr-defined]
    for missing in (Rule("added_later"), Rule("gone = 'x'"), Rule("area = 'EU'", columns=(("area", 99),))):
        with pytest.raises(AccessDenied, match="a rule on it cannot be applied"):
            seen(Decision(ALL, row_filters=(missing,)))


@pytest.mark.parametrize("decision", [
    Decision(ALL, masks={"unheard_of": STARS}),
    Decision(ALL, restricted=frozenset({"unheard_of"})),
])  # fmt: skip
def test_a_rule_on_a_column_that_there_is_not_denies(decision: Decision) -> None:
    with pytest.raises(AccessDenied, match="a rule on it cannot be applied"):
        seen(decision)


@pytest.mark.parametrize("sql", [
    "", "1", "name", "name = 'x', true", "true FROM people", "true AS x", "*", "people.*", "true; SELECT 1",
    "name = ?", "count(*) > 1", "true UNION SELECT true", "true) OR (true", "true -- x\nFROM people",
    "name = 'x' AND " * 600 + "true", "name = '" + "x" * 17000 + "'", "row_number() OVER () = 1",
    "EXISTS (SELECT 1 FROM TABLE(read_parquet('/etc/passwd')))", "nofunction(name)", "true LIMIT 1",
])  # fmt: skip
def test_what_is_not_one_condition_denies(sql: str) -> None:
    with pytest.raises(AccessDenied, match="a rule on it cannot be applied") as caught:
        seen(Decision(ALL, row_filters=(Rule(sql),)))
    assert "passwd" not in str(caught.value)


@pytest.mark.parametrize("sql", ["1", "true", "ARRAY['x']", "DATE '2024-01-01'"])
def test_a_mask_of_another_type_denies(sql: str) -> None:
    with pytest.raises(AccessDenied, match="a rule on it cannot be applied"):
        seen(Decision(ALL, masks={"name": Rule(sql)}))
