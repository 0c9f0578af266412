"""Where Nessie's answers differ from what the specification of the REST catalog lets a client expect."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from tests.stack.lake import Lake
from tests.stack.tables import DELEGATION, Stored, create_body, new_table, pyiceberg

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def nessie(lake: Lake) -> None:
    lake.need_servers()


@pytest.fixture
def orders(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "sales") as table:
        yield table


@pytest.fixture
def salaries(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "hr") as table:
        yield table


def commit(lake: Lake, user: str, table: Stored, *requirements: dict[str, str]) -> tuple[int, object]:
    updates = [{"action": "set-properties", "updates": {"owner": user}}]
    answer = lake.ask(user, "POST", table.path, {"requirements": list(requirements), "updates": updates})
    return answer.status, answer.body


def test_the_prefix_is_encoded_already(lake: Lake) -> None:
    answer = lake.ask("alice", "GET", f"/v1/config?warehouse={lake.warehouse}").body
    assert answer["defaults"]["prefix"] == "main%7Clake"
    assert answer["overrides"]["uri"] == f"{lake.url}/"
    assert "endpoints" not in answer
    unknown = lake.ask("alice", "GET", "/v1/config?warehouse=unknown")
    assert (unknown.status, unknown.error_type) == (500, "IllegalStateException")


def test_a_denial_is_an_error_of_the_server(lake: Lake, orders: Stored, salaries: Stored) -> None:
    assert lake.ask("alice", "GET", salaries.path).body == {
        "error": {
            "message": f"'READ_ENTITY_VALUE' is not allowed for role 'alice' on content 'hr.{salaries.name}'",
            "type": "AccessCheckException",
            "code": 500,
        }
    }
    status, body = commit(lake, "alice", orders)
    assert status == 500 and isinstance(body, dict)
    assert body["error"]["type"] == "AccessCheckException"
    assert body["error"]["message"] == (
        "'COMMIT_CHANGE_AGAINST_REFERENCE' is not allowed for role 'alice' on reference 'main',"
        f" 'UPDATE_ENTITY' is not allowed for role 'alice' on content 'sales.{orders.name}'"
    )
    head = lake.ask("alice", "HEAD", salaries.path)
    assert (head.status, head.body) == (500, "")


def test_a_hidden_table_and_an_absent_one_differ(lake: Lake, salaries: Stored) -> None:
    absent = lake.ask("alice", "GET", "namespaces/hr/tables/absent")
    assert (absent.status, absent.error_type) == (404, "NoSuchTableException")
    assert lake.ask("alice", "GET", salaries.path).status == 500


def test_a_namespace_that_is_absent_or_hidden_lists_as_empty(lake: Lake, salaries: Stored) -> None:
    for user, namespace in (("alice", "hr"), ("alice", "absent"), ("bob", "absent")):
        answer = lake.ask(user, "GET", f"namespaces/{namespace}/tables")
        assert (answer.status, answer.body["identifiers"]) == (200, [])


def test_somebody_unknown_gets_an_empty_body(lake: Lake) -> None:
    answer = lake.ask(None, "GET", "/v1/config?warehouse=lake")
    assert (answer.status, answer.body) == (401, "")


def test_keys_are_in_the_config_with_no_word_of_their_end(lake: Lake, orders: Stored) -> None:
    for headers in (None, DELEGATION):
        answer = lake.ask("alice", "GET", orders.path, headers=headers)
        assert "storage-credentials" not in answer.body
        assert set(answer.body["config"]) == {
            "client.region",
            "io-impl",
            "s3.access-key-id",
            "s3.endpoint",
            "s3.path-style-access",
            "s3.remote-signing-enabled",
            "s3.secret-access-key",
            "s3.session-token",
        }
        assert "ETag" not in answer.headers
    assert lake.ask("alice", "GET", f"{orders.path}/credentials").status == 404


def test_a_commit_answers_with_a_location_that_is_no_file(lake: Lake, orders: Stored) -> None:
    status, body = commit(lake, "bob", orders)
    assert status == 200 and isinstance(body, dict)
    assert body["metadata-location"].startswith("http://") and "config" not in body
    assert lake.ask("bob", "GET", orders.path).body["metadata-location"].startswith("s3://")


def test_a_conflict_has_no_type(lake: Lake, orders: Stored) -> None:
    other = {"type": "assert-table-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}
    status, body = commit(lake, "bob", orders, other)
    assert status == 409 and isinstance(body, dict)
    assert body["error"]["type"] == "" and body["error"]["message"].startswith("Requirement failed: ")


def test_a_table_has_its_last_snapshot_alone(lake: Lake, orders: Stored) -> None:
    catalog = pyiceberg(lake, "bob")
    name = (orders.namespace, orders.name)
    for n in (1, 2):
        catalog.load_table(name).append(pa.table({"id": [n], "name": ["a"]}))
    table = catalog.load_table(name)
    assert table.scan().count() == 2 and len(table.snapshots()) == 1
    current = table.current_snapshot()
    assert current is not None
    table.manage_snapshots().create_branch(current.snapshot_id, "audit").commit()
    assert set(catalog.load_table(name).metadata.refs) == {"main"}


def test_a_new_table_must_say_that_it_is_not_staged(lake: Lake, orders: Stored) -> None:
    body = {key: value for key, value in create_body("t").items() if key != "stage-create"}
    answer = lake.ask("bob", "POST", f"namespaces/{orders.namespace}/tables", body)
    assert (answer.status, answer.error_type) == (500, "WebApplicationException")


def test_location_and_version_of_a_new_table_are_chosen_by_the_server(lake: Lake, orders: Stored) -> None:
    wishes = {"location": "s3://lake/warehouse/mine", "properties": {"format-version": "1"}}
    body = {**create_body(f"{orders.name}_2"), **wishes}
    answer = lake.ask("bob", "POST", f"namespaces/{orders.namespace}/tables", body)
    metadata = answer.body["metadata"]
    lake.ask("bob", "DELETE", f"{orders.path}_2")
    assert metadata["location"].startswith(f"s3://lake/warehouse/sales/{orders.name}_2_")
    assert metadata["format-version"] == 2


def test_every_load_makes_new_keys(lake: Lake, orders: Stored) -> None:
    first, second = (lake.ask("alice", "GET", orders.path).body["config"] for _ in range(2))
    assert first["s3.access-key-id"] != second["s3.access-key-id"]
