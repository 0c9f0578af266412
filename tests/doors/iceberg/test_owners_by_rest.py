"""Tables that other engines make, rename and drop by this door have owners and grants as those of SQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.iceberg.conftest import Rest
from tests.doors.iceberg.iceberg_door import opened_door

from sqe.policy.grants import GrantPolicy
from sqe.tree.grants import Grant, Grantee, GranteeKind, Scope
from sqe.tree.privileges import ALL, Privilege
from sqe.tree.relations import TableName

_TABLE = TableName("lake", ("s",), "t")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[GrantPolicy, str]]:
    """Ann and joe may make and drop what is theirs."""
    more = f'[policy]\nengine = "grants"\nstore = "{tmp_path}/grants.db"\nadmins = ["root"]\n'
    with opened_door(tmp_path, more) as (server, url):
        policy: Any = server.coordinator.policy
        assert isinstance(policy, GrantPolicy)
        catalog = TableName("lake", (), "")
        for user in ("ann", "joe"):
            grantee = Grantee(GranteeKind.USER, user)
            policy.granted.add(Grant(Privilege.CREATE, Scope.CATALOG, catalog, grantee))
        yield policy, url


def test_who_has_dropped_a_table_does_not_own_the_next(opened: tuple[GrantPolicy, str]) -> None:
    policy, url = opened
    ann, joe = Rest(url), Rest(url, user="joe")
    ann.create("s", "t")
    assert policy.granted.owner(_TABLE) == "ann"
    assert ann.send("GET", "/namespaces/s/tables/t")[0] == 200
    assert joe.send("GET", "/namespaces/s/tables/t")[0] == 404
    assert ann.send("DELETE", "/namespaces/s/tables/t")[0] == 204
    joe.create("s", "t")
    assert policy.granted.owner(_TABLE) == "joe"
    assert ann.send("GET", "/namespaces/s/tables/t")[0] == 404


def test_grants_go_with_a_table_that_is_renamed(opened: tuple[GrantPolicy, str]) -> None:
    policy, url = opened
    ann = Rest(url)
    ann.create("s", "t")
    for privilege in ALL:
        grantee = Grantee(GranteeKind.USER, "joe")
        policy.granted.add(Grant(privilege, Scope.TABLE, _TABLE, grantee, grantor="ann"))
    names = {key: {"namespace": ["s"], "name": name} for key, name in (("source", "t"), ("destination", "u"))}
    assert ann.send("POST", "/tables/rename", names)[0] == 204
    assert policy.granted.owner(_TABLE) is None
    assert {grant.on.name for grant in policy.granted.grants() if grant.scope is Scope.TABLE} == {"u"}


def test_a_view_over_what_is_hidden_is_not_handed_out(opened: tuple[GrantPolicy, str]) -> None:
    """Its text names tables and columns; SHOW CREATE VIEW does not show it either."""
    policy, url = opened
    ann, joe = Rest(url), Rest(url, user="joe")
    ann.create("s", "t")
    field = {"id": 0, "name": "a", "type": "long", "required": False}
    text = {"type": "sql", "sql": "SELECT a FROM lake.s.t", "dialect": "trino"}
    version = {
        "version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {},
        "default-namespace": ["s"], "representations": [text],
    }  # fmt: skip
    schema = {"type": "struct", "schema-id": 0, "fields": [field]}
    body = {"name": "v", "schema": schema, "view-version": version, "properties": {}}
    status, answer = ann.send("POST", "/namespaces/s/views", body)
    assert status == 200, answer
    for name in ("v", "t"):
        grantee = Grantee(GranteeKind.USER, "joe")
        assert joe.send("GET", "/namespaces/s/views/v")[0] == (404 if name == "v" else 403)
        on = TableName("lake", ("s",), name)
        policy.granted.add(Grant(Privilege.SELECT, Scope.TABLE, on, grantee, grantor="ann"))
    assert joe.send("GET", "/namespaces/s/views/v")[0] == 200
    assert ann.send("GET", "/namespaces/s/views/v")[0] == 200
