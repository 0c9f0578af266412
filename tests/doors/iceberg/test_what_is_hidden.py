"""Whoever sees part of a table gets none of its files, and what is hidden is not there."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.doors.iceberg.conftest import Rest
from tests.doors.iceberg.iceberg_door import opened_door

from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule

PARTLY = {
    "filtered": Decision(ALL, row_filters=(Rule("false"),)),
    "masked": Decision(ALL, masks={"a": Rule("0")}),
    "restricted": Decision(ALL, restricted=frozenset({"a"})),
}


class Rules:
    """Of joe's."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        if identity.user != "joe":
            return EVERYTHING
        return NOTHING if table.name == "secret" else PARTLY.get(table.name, EVERYTHING)

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return True


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rest, dict[str, Any]]]:
    """Joe's requests, and the metadata of the tables, which ann has made."""
    with opened_door(tmp_path_factory.mktemp("hidden"), policy=Rules()) as (_, url):
        ann = Rest(url)
        yield Rest(url, user="joe"), {name: ann.create("s", name) for name in (*PARTLY, "secret", "open")}


@pytest.mark.parametrize("name", PARTLY)
def test_a_table_that_is_seen_in_part_is_not_handed_out(
    tables: tuple[Rest, dict[str, Any]], name: str
) -> None:
    joe, raw = tables
    status, answer = joe.send("GET", f"/namespaces/s/tables/{name}")
    assert (status, answer["error"]["type"]) == (403, "ForbiddenException")
    assert "row filter, mask or restriction" in answer["error"]["message"]
    update = {"action": "set-properties", "updates": {"x": "1"}}
    assert_uuid = {"type": "assert-table-uuid", "uuid": raw[name]["table-uuid"]}
    body = {"requirements": [assert_uuid], "updates": [update]}
    assert joe.send("POST", f"/namespaces/s/tables/{name}", body)[0] == 403
    change = {"identifier": {"namespace": ["s"], "name": name}, **body}
    assert joe.send("POST", "/transactions/commit", {"table-changes": [change]})[0] == 403
    assert joe.send("DELETE", f"/namespaces/s/tables/{name}")[0] == 403
    identifiers = {
        key: {"namespace": ["s"], "name": n} for key, n in (("source", name), ("destination", "x"))
    }
    assert joe.send("POST", "/tables/rename", identifiers)[0] == 403


def test_a_hidden_table_is_not_there(tables: tuple[Rest, dict[str, Any]]) -> None:
    joe, raw = tables
    listed = joe.send("GET", "/namespaces/s/tables")[1]["identifiers"]
    assert {each["name"] for each in listed} == {*PARTLY, "open"}
    update = {"action": "set-properties", "updates": {"x": "1"}}
    for table_uuid in (raw["secret"]["table-uuid"], str(uuid.uuid4())):
        body = {"requirements": [{"type": "assert-table-uuid", "uuid": table_uuid}], "updates": [update]}
        for method, more in (("GET", None), ("HEAD", None), ("DELETE", None), ("POST", body)):
            secret, missing = (
                joe.send(method, f"/namespaces/s/tables/{name}", more) for name in ("secret", "missing")
            )
            assert secret[0] == missing[0] == 404
            assert str(secret[1]).replace("secret", "missing") == str(missing[1])


def test_rows_are_written_by_sql_where_rules_may_hide_tables(tables: tuple[Rest, dict[str, Any]]) -> None:
    joe, raw = tables
    path = f"{raw['secret']['location']}/metadata/snap.avro"
    snapshot = {"snapshot-id": 1, "timestamp-ms": 1, "sequence-number": 1, "manifest-list": path}
    body = {"requirements": [], "updates": [{"action": "add-snapshot", "snapshot": snapshot}]}
    assert joe.send("POST", "/namespaces/s/tables/open", body)[0] == 403
    body = {"name": "mine", "metadata-location": path}  # type: ignore[dict-item]
    assert joe.send("POST", "/namespaces/s/register", body)[0] == 403
    assert joe.send("GET", "/namespaces/s/tables/open")[0] == 200
