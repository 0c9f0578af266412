"""The protocol's requests, one by one: what is answered, and what is refused."""

from __future__ import annotations

import json
import urllib.parse
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.doors.iceberg.conftest import Rest
from tests.doors.iceberg.iceberg_door import KEYS

from sqe.doors.iceberg import app
from sqe.doors.open import OpenServer


def set_property(raw: dict[str, Any], key: str, value: str) -> dict[str, Any]:
    return {
        "requirements": [{"type": "assert-table-uuid", "uuid": raw["table-uuid"]}],
        "updates": [{"action": "set-properties", "updates": {key: value}}],
    }


def test_a_warehouse_is_a_catalog(rest: Rest) -> None:
    for query, prefix in (("?warehouse=lake", "lake"), ("?warehouse=plain", "plain"), ("", "lake")):
        config = json.loads(rest.raw("GET", f"/v1/config{query}").data)
        assert config["overrides"] == {"prefix": prefix}
        assert "POST /v1/{prefix}/transactions/commit" in config["endpoints"]
    answer = rest.raw("GET", "/v1/config?warehouse=none")
    assert (answer.status, json.loads(answer.data)["error"]["type"]) == (404, "NoSuchWarehouseException")


def test_nobody_comes_in_without_logging_in(rest: Rest) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}, {"Authorization": "Digest x"}):
        for method, path in (("GET", "/v1/config"), ("GET", "/v1/lake/namespaces")):
            answer = rest.raw(method, path, headers=headers)
            assert answer.status == 401
            assert "Basic" in answer.headers["WWW-Authenticate"]


def test_a_key_or_a_token_becomes_a_token(rest: Rest) -> None:
    def token(**fields: str) -> tuple[int, Any]:
        body = urllib.parse.urlencode(fields).encode()
        answer = rest.raw("POST", "/v1/oauth/tokens", body, headers={"Authorization": ""})
        return answer.status, json.loads(answer.data)

    status, first = token(grant_type="client_credentials", client_secret=KEYS["joe"])
    assert (status, first["token_type"]) == (200, "bearer")
    again = token(
        grant_type="urn:ietf:params:oauth:grant-type:token-exchange", subject_token=first["access_token"]
    )
    assert again[1]["access_token"] == first["access_token"]
    bearer = {"Authorization": f"Bearer {first['access_token']}"}
    assert rest.raw("GET", "/v1/lake/namespaces", headers=bearer).status == 200
    assert token(client_id="joe", client_secret="wrong")[0] == 401
    assert token(subject_token="wrong")[0] == 401
    assert token()[0] == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/lake/nothing", 404),
        ("PUT", "/v1/lake/namespaces", 404),
        ("GET", "/v1/none/namespaces", 404),
        ("GET", "/v2/lake/namespaces", 404),
        ("GET", "/v1/lake/namespaces/", 404),
        ("GET", "/v1/lake/namespaces/missing", 404),
        ("HEAD", "/v1/lake/namespaces/missing", 404),
        ("HEAD", "/v1/lake/namespaces/default", 204),
        ("GET", "/v1/lake/namespaces/missing/tables", 404),
        ("GET", "/v1/lake/namespaces/default/tables/DEFAULT", 404),
        ("GET", "/v1/lake/namespaces/Default/tables", 404),
        ("GET", "/v1/lake/namespaces?parent=missing", 404),
        ("GET", "/v1/lake/namespaces?pageSize=0", 400),
        ("GET", "/v1/lake/namespaces?pageSize=1&pageToken=%C3", 400),
        ("DELETE", "/v1/lake/namespaces/default/tables/missing", 404),
        ("GET", "/v1/lake/namespaces/%00/tables", 404),
        ("GET", "/v1/lake/namespaces/..%2F../tables", 404),
    ],
)
def test_what_is_not_there(rest: Rest, method: str, path: str, status: int) -> None:
    assert rest.raw(method, path).status == status


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"namespace": "x"}', b'{"namespace": []}', b"\xff",
     b'{"namespace": ["a\\u0000"]}', b'{"namespace": [""]}', b'{"namespace": ["x"], "properties": 1}'],
)  # fmt: skip
def test_a_request_that_cannot_be_read_is_refused(rest: Rest, body: bytes) -> None:
    assert rest.raw("POST", "/v1/lake/namespaces", body).status == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"requirements": [], "updates": 1},
        {"requirements": [1], "updates": []},
        {"requirements": [], "updates": [{"action": "no-such"}]},
        {"requirements": [{"type": "no-such"}], "updates": []},
        {"requirements": [], "updates": [{"action": "set-properties"}]},
        {"requirements": [], "updates": [{"action": "add-snapshot", "snapshot": {}}]},
        {"requirements": [], "updates": [{"action": "add-snapshot", "snapshot": []}]},
    ],
)
def test_a_commit_that_cannot_be_applied_changes_nothing(rest: Rest, body: object) -> None:
    name = f"t{uuid.uuid4().hex}"
    raw = rest.create("bad", name)
    assert rest.send("POST", f"/namespaces/bad/tables/{name}", body)[0] == 400
    assert rest.send("GET", f"/namespaces/bad/tables/{name}")[1]["metadata"] == raw


def test_a_request_that_is_too_large_is_refused(rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_BODY", 1000)
    body = {"namespace": ["large"], "properties": {"x": "y" * 2000}}
    assert rest.send("POST", "/namespaces", body)[0] == 413


def test_lists_come_in_pages(rest: Rest) -> None:
    for number in range(5):
        rest.create("paged", f"t{number}")
    names, token, pages = [], "", 0
    while token is not None:
        query = urllib.parse.urlencode({"pageSize": 2, "pageToken": token})
        answer = rest.send("GET", f"/namespaces/paged/tables?{query}")[1]
        names += [each["name"] for each in answer["identifiers"]]
        token, pages = answer["next-page-token"], pages + 1
    assert (names, pages) == ([f"t{n}" for n in range(5)], 3)


def test_what_a_client_knows_is_not_sent_again(rest: Rest) -> None:
    raw = rest.create("known", "t")
    path = "/v1/lake/namespaces/known/tables/t"
    tag = rest.raw("GET", path).headers["ETag"]
    assert rest.raw("GET", path, headers={"If-None-Match": tag}).status == 304
    rest.send("POST", "/namespaces/known/tables/t", set_property(raw, "x", "1"))
    assert rest.raw("GET", path, headers={"If-None-Match": tag}).status == 200


def test_a_request_that_is_sent_again_is_answered_again(rest: Rest) -> None:
    raw = rest.create("again", "t")
    key = {"Idempotency-Key": str(uuid.uuid4())}
    one, other = set_property(raw, "x", "1"), set_property(raw, "x", "2")
    path = "/namespaces/again/tables/t"
    first = rest.send("POST", path, one, headers=key)
    assert first[0] == 200
    rest.send("POST", path, other)
    assert rest.send("POST", path, one, headers=key) == first
    assert rest.send("GET", path)[1]["metadata"]["properties"]["x"] == "2"
    assert rest.send("POST", path, other, headers=key)[0] == 422
    # A key is its sender's: another's request of the same key is another request.
    joes = Rest(rest.url, user="joe").send("POST", path, one, headers=key)
    assert joes[1]["metadata-location"] != first[1]["metadata-location"]


def test_a_requirement_that_fails_is_a_conflict(rest: Rest) -> None:
    raw = rest.create("conflict", "t")
    body = set_property({"table-uuid": str(uuid.uuid4())}, "x", "1")
    status, answer = rest.send("POST", "/namespaces/conflict/tables/t", body)
    assert (status, answer["error"]["type"]) == (409, "CommitFailedException")
    assert rest.send("GET", "/namespaces/conflict/tables/t")[1]["metadata"] == raw


def test_several_tables_change_together_or_not_at_all(rest: Rest) -> None:
    tables = {name: rest.create("together", name) for name in ("a", "b")}

    def commit(**uuids: str) -> int:
        changes = [
            {
                "identifier": {"namespace": ["together"], "name": name},
                **set_property({"table-uuid": table_uuid}, "x", "1"),
            }
            for name, table_uuid in uuids.items()
        ]
        return rest.send("POST", "/transactions/commit", {"table-changes": changes})[0]

    def properties() -> list[str | None]:
        loaded = (rest.send("GET", f"/namespaces/together/tables/{name}")[1] for name in tables)
        return [answer["metadata"]["properties"].get("x") for answer in loaded]

    a, b = (tables[name]["table-uuid"] for name in ("a", "b"))
    assert commit(a=a, b=str(uuid.uuid4())) == 409
    assert commit(a=a, missing=b) == 404
    assert properties() == [None, None]
    assert commit(a=a, b=b) == 204
    assert properties() == ["1", "1"]


def test_a_catalog_of_directories_cannot_change_several_tables(rest: Rest) -> None:
    plain = Rest(rest.url, "plain")
    table_uuid = plain.create("s", "t")["table-uuid"]
    change = {
        "identifier": {"namespace": ["s"], "name": "t"},
        **set_property({"table-uuid": table_uuid}, "x", "1"),
    }
    status, answer = plain.send("POST", "/transactions/commit", {"table-changes": [change]})
    assert (status, answer["error"]["type"]) == (406, "UnsupportedOperationException")


def test_properties_of_schemas(rest: Rest) -> None:
    rest.send("POST", "/namespaces", {"namespace": ["props"], "properties": {"a": "1", "b": "2"}})
    body: dict[str, object] = {"removals": ["b", "z"], "updates": {"c": "3"}}
    answer = rest.send("POST", "/namespaces/props/properties", body)
    assert answer == (200, {"updated": ["c"], "removed": ["b"], "missing": ["z"]})
    stored = rest.send("GET", "/namespaces/props")[1]["properties"]
    assert stored.pop("location").endswith("/props")
    assert stored == {"a": "1", "c": "3"}
    both = {"removals": ["a"], "updates": {"a": "2"}}
    assert rest.send("POST", "/namespaces/props/properties", both)[0] == 422


@pytest.mark.parametrize(
    "name", ["with space", "a/b", "a%2Fb", "dot.in.it", "é😀", "a+b", "q'\"`", "branch_x"]
)
def test_names_are_only_names(rest: Rest, name: str) -> None:
    rest.create("names", name)
    quoted = urllib.parse.quote(name, safe="")
    assert rest.send("GET", f"/namespaces/names/tables/{quoted}")[0] == 200
    listed = rest.send("GET", "/namespaces/names/tables")[1]["identifiers"]
    assert {"namespace": ["names"], "name": name} in listed
    assert rest.send("DELETE", f"/namespaces/names/tables/{quoted}")[0] == 204


def test_files_of_a_table_are_where_tables_are(rest: Rest, tmp_path: Path) -> None:
    raw = rest.create("places", "t")
    body: dict[str, Any] = {"name": "u", "schema": raw["schemas"][0], "location": str(tmp_path)}
    assert rest.send("POST", "/namespaces/places/tables", body)[0] == 403
    del body["location"]
    body["properties"] = {"write.data.path": f"file://{tmp_path}"}
    assert rest.send("POST", "/namespaces/places/tables", body)[0] == 403
    path = "/namespaces/places/tables/t"
    for update in (
        {"action": "set-location", "location": str(tmp_path)},
        {"action": "set-properties", "updates": {"write.metadata.path": str(tmp_path)}},
        {"action": "set-statistics", "statistics": {"statistics-path": str(tmp_path), "snapshot-id": 1}},
        {"action": "add-snapshot", "snapshot": {"snapshot-id": 1, "manifest-list": f"{tmp_path}/x.avro"}},
    ):
        assert rest.send("POST", path, {"requirements": [], "updates": [update]})[0] == 403, update
    metadata = tmp_path / "v1.metadata.json"
    metadata.write_text(json.dumps(raw))
    body = {"name": "r", "metadata-location": str(metadata)}
    assert rest.send("POST", "/namespaces/places/register", body)[0] == 403


def test_calls_are_statements(door: tuple[OpenServer, str], rest: Rest) -> None:
    rest.send("GET", "/namespaces/default/tables")
    history = door[0].coordinator.history
    assert "Iceberg REST: GET /v1/lake/namespaces/default/tables" in [r.text for r in history.records("ann")]
