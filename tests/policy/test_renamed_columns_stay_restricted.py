"""A column is restricted and masked by its id: its name in an old snapshot does not uncover it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest

from sqe.bind.binder import Binder
from sqe.bind.query.tables import make_scan
from sqe.catalog.catalogs import Catalogs
from sqe.catalog.iceberg.table import Column, Snapshot, Table
from sqe.errors import AccessDenied
from sqe.policy.decision import Decision
from sqe.policy.secure import Guard, secure
from sqe.session import Identity, Session
from sqe.tree.expressions import Call, Expression, Field, Literal
from sqe.tree.relations import AsOf, Project, Scan, TableName
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
    query = secure(Query(scan), guard, {NAME: TABLE}, lambda n, k: Field(next(numbers), n, k))
    assert isinstance(query.relation, Project)
    return query.relation


def test_a_restricted_column_is_hidden_under_its_old_name_and_so_is_one_that_is_gone() -> None:
    relation = seen(Decision(visible=True, restricted=frozenset({"ssn"})))
    assert [f.name for f in relation.fields] == ["name", "area"]
    assert isinstance(relation.input, Scan) and relation.input.columns == ("name", "area")


def test_a_mask_follows_its_column() -> None:
    stars = Literal(t.VARCHAR, "***")
    relation = seen(Decision(visible=True, masks={"ssn": lambda columns: stars}))
    assert relation.expressions[[f.name for f in relation.fields].index("social")] == stars


def test_a_filter_finds_its_column_or_denies() -> None:
    def european(columns: Mapping[str, Expression]) -> Expression:
        return Call(t.BOOLEAN, "$eq", (columns["region"], Literal(t.VARCHAR, "EU")))

    assert "area" in seen(Decision(visible=True, row_filters=(european,))).input.input.columns  # type: ignore[attr-defined]
    with pytest.raises(AccessDenied):
        seen(Decision(visible=True, row_filters=(lambda columns: columns["added_later"],)))
