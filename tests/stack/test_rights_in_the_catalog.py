"""What alice and bob may do in the catalog, by plain requests: this is what SQE meets."""

from __future__ import annotations

import uuid

import pytest
from tests.stack.lake import Lake
from tests.stack.tables import Stored, create_body, new_table

pytestmark = pytest.mark.integration


def test_alice_loads_a_table_of_sales(lake: Lake, orders: Stored) -> None:
    answer = lake.ask("alice", "GET", orders.path)
    assert answer.status == 200
    assert answer.body["metadata-location"] == orders.metadata_location
    assert lake.ask("alice", "HEAD", orders.path).status in (200, 204)


def test_alice_does_not_load_a_table_of_hr(lake: Lake, salaries: Stored) -> None:
    assert lake.ask("alice", "GET", salaries.path).is_denied
    assert lake.ask("alice", "HEAD", salaries.path).status in (403, 500)
    assert lake.ask("bob", "GET", salaries.path).status == 200


def test_alice_lists_what_she_may_read(lake: Lake, orders: Stored, salaries: Stored) -> None:
    names = lake.ask("alice", "GET", "namespaces/sales/tables").body["identifiers"]
    assert {"namespace": ["sales"], "name": orders.name} in names
    assert ["hr"] in lake.ask("bob", "GET", "namespaces").body["namespaces"]
    hidden = lake.ask("alice", "GET", "namespaces")
    assert hidden.is_denied or ["hr"] not in hidden.body["namespaces"]
    inside = lake.ask("alice", "GET", "namespaces/hr/tables")
    assert inside.is_denied or inside.body["identifiers"] == []


def test_alice_writes_nothing(lake: Lake, orders: Stored) -> None:
    change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"owner": "alice"}}]}
    assert lake.ask("alice", "POST", orders.path, change).is_denied
    assert lake.ask("alice", "POST", "namespaces/sales/tables", create_body("hers")).is_denied
    assert lake.ask("alice", "POST", "namespaces", {"namespace": ["hers"], "properties": {}}).is_denied
    assert lake.ask("alice", "DELETE", orders.path).is_denied
    assert lake.ask("bob", "GET", orders.path).body["metadata"]["properties"].get("owner") is None


def test_bob_creates_commits_and_drops(lake: Lake) -> None:
    namespace = f"n_{uuid.uuid4().hex[:12]}"
    assert lake.ask("bob", "POST", "namespaces", {"namespace": [namespace], "properties": {}}).status == 200
    made = lake.ask("bob", "POST", f"namespaces/{namespace}/tables", create_body("t"))
    assert made.status == 200
    change = {
        "requirements": [{"type": "assert-table-uuid", "uuid": made.body["metadata"]["table-uuid"]}],
        "updates": [{"action": "set-properties", "updates": {"owner": "bob"}}],
    }
    path = f"namespaces/{namespace}/tables/t"
    committed = lake.ask("bob", "POST", path, change)
    assert committed.status == 200
    assert committed.body["metadata"]["properties"]["owner"] == "bob"
    assert committed.body["metadata-location"] != made.body["metadata-location"]
    assert lake.ask("bob", "DELETE", path).status == 204
    assert lake.ask("bob", "GET", path).status == 404
    assert lake.ask("bob", "DELETE", f"namespaces/{namespace}").status == 204


def test_nobody_is_refused(lake: Lake, orders: Stored) -> None:
    assert lake.ask(None, "GET", orders.path).status == 401
    forged = lake.ask(None, "GET", orders.path, headers={"Authorization": "Bearer e30.e30.e30"})
    assert forged.status == 401


def test_the_log_names_the_user_of_each_access(lake: Lake) -> None:
    with new_table(lake, "sales") as table:
        change = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]}
        assert lake.ask("bob", "POST", table.path, change).status == 200
        assert lake.ask("alice", "GET", table.path).status == 200
        assert lake.ask("alice", "GET", "namespaces/sales/tables").status == 200
        assert lake.ask("alice", "DELETE", table.path).is_denied
    requests = [(line["user"], line["method"], line["path"]) for line in lake.catalog_log()]
    tables = f"/iceberg/v1/{lake.prefix}/namespaces/sales/tables"
    mine = [each for each in requests if each[2].endswith(table.name)]
    assert mine == [
        ("bob", "POST", f"{tables}/{table.name}"),
        ("alice", "GET", f"{tables}/{table.name}"),
        ("alice", "DELETE", f"{tables}/{table.name}"),
        ("bob", "DELETE", f"{tables}/{table.name}"),
    ]
    assert ("bob", "POST", tables) in requests
    assert ("alice", "GET", tables) in requests
