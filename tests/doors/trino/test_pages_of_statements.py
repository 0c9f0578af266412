"""A statement is a row of pages: the same token gives the same page, and each is for its owner alone."""

from __future__ import annotations

import json
import re
import time
from ipaddress import ip_network
from pathlib import Path

import pytest
from starlette.requests import Request
from tests.doors.trino.trino_door import ANYBODY, KEYS, Opened, Wire, opened_door

from sqe.doors.trino.http_client import TrinoClient

ENDLESS = (
    "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a, TABLE(sequence(1, 3000000)) AS b"
    " WHERE a.sequential_number * b.sequential_number % 7 = 3"
)
MANY = "SELECT sequential_number AS n, 'some text to fill a page' AS s FROM TABLE(sequence(1, 100000))"
SLUG = re.compile(r"/y[0-9a-f]{40}/")


def test_a_query_goes_through_its_phases(wire: Wire) -> None:
    pages = wire.run("SELECT 1 AS a").pages
    first, queued, *_, last = pages
    assert "/v1/statement/queued/" in first["nextUri"] and first["nextUri"].endswith("/1")
    assert "/v1/statement/executing/" in queued["nextUri"] and queued["nextUri"].endswith("/0")
    assert all(SLUG.search(page["nextUri"]) for page in pages[:-1])
    assert first["stats"]["state"] == "QUEUED" and last["stats"]["state"] == "FINISHED"
    assert last["data"] == [[1]] and last["columns"][0]["name"] == "a" and "nextUri" not in last
    assert {page["id"] for page in pages} == {first["id"]}


def test_nothing_runs_before_it_is_asked_for(door: Opened, wire: Wire) -> None:
    """Else a client that sends a write again, since it has lost the answer, would write twice."""
    wire.post("CREATE SCHEMA never")
    time.sleep(0.2)
    assert ["never"] not in wire.run("SHOW SCHEMAS").rows


def test_a_large_result_is_cut_into_pages(wire: Wire) -> None:
    outcome = wire.run(MANY)
    assert [row[0] for row in outcome.rows] == list(range(1, 100001))
    sizes = [len(json.dumps(page["data"])) for page in outcome.pages if "data" in page]
    assert len(sizes) > 3 and max(sizes) < 3 << 20


def test_the_same_token_gives_the_same_page_and_older_ones_are_gone(wire: Wire) -> None:
    pages = [wire.post(MANY)]
    places = []
    while "nextUri" in pages[-1]:
        places.append(pages[-1]["nextUri"])
        once = wire.send("GET", places[-1])
        assert wire.send("GET", places[-1]).data == once.data
        pages.append(json.loads(once.data))
        if len(places) > 1:
            assert wire.send("GET", places[-2]).status == 410
    rows = [row for page in pages for row in page.get("data", [])]
    assert len(rows) == 100000
    # The last one too, for a client that has not heard it.
    assert json.loads(wire.send("GET", places[-1]).data) == pages[-1]


def test_what_was_not_told_is_not_there(wire: Wire) -> None:
    page = wire.post("SELECT 1")
    place = page["nextUri"]
    assert wire.send("GET", SLUG.sub("/y" + "0" * 40 + "/", place)).status == 404
    assert wire.send("GET", place.replace(page["id"], "20200101_000000_00000_aaaaa")).status == 404
    assert wire.send("GET", place[:-1] + "2").status == 404
    assert wire.send("GET", place.replace("queued", "executing")).status == 404
    assert wire.get(place)["id"] == page["id"]


def test_a_query_is_its_owner_s(door: Opened, ann: Wire) -> None:
    page = ann.post("SELECT 1")
    others = Wire(door.url, Authorization=f"Bearer {KEYS['joe']}", **{"X-Trino-User": "joe"})
    for method in ("GET", "DELETE", "HEAD"):
        assert others.send(method, page["nextUri"]).status == 404
        assert Wire(door.url).send(method, page["nextUri"]).status == 404
    assert others.send("GET", f"/v1/query/{page['id']}").status == 404
    assert others.send("GET", f"/ui/query.html?{page['id']}").status == 404
    assert ann.get(f"/v1/query/{page['id']}")["query"] == "SELECT 1"
    assert ann.send("HEAD", page["nextUri"]).status == 200


def test_of_unproven_clients_each_name_has_its_own(door: Opened) -> None:
    page = Wire(door.url, **{"X-Trino-User": "max"}).post("SELECT 1")
    assert Wire(door.url, **{"X-Trino-User": "eve"}).send("GET", page["nextUri"]).status == 404
    assert Wire(door.url, **{"X-Trino-User": "max"}).send("GET", page["nextUri"]).status == 200


def test_cancel(door: Opened, wire: Wire) -> None:
    page = wire.post(ENDLESS)
    page = wire.get(page["nextUri"])
    assert wire.send("DELETE", page["nextUri"]).status == 204
    ended = wire.get(page["nextUri"])
    assert ended["error"]["errorName"] == "USER_CANCELED" and "nextUri" not in ended
    assert wire.send("DELETE", page["nextUri"]).status == 204
    deadline = time.monotonic() + 30
    while door.server.coordinator.history.running:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_cancel_before_it_runs(wire: Wire) -> None:
    page = wire.post("CREATE SCHEMA unwanted")
    assert wire.send("DELETE", page["nextUri"]).status == 204
    assert wire.get(page["nextUri"])["error"]["errorName"] == "USER_CANCELED"
    assert ["unwanted"] not in wire.run("SHOW SCHEMAS").rows


def test_a_client_that_wants_no_more_rows_has_a_result(wire: Wire) -> None:
    page = wire.post(MANY)
    while "data" not in page:
        page = wire.get(page["nextUri"])
    assert wire.send("DELETE", page["partialCancelUri"]).status == 204
    ended = wire.get(page["nextUri"])
    assert ended["stats"]["state"] == "FINISHED" and "nextUri" not in ended and "error" not in ended


def test_an_abandoned_query_is_given_up(tmp_path: Path) -> None:
    with opened_door(tmp_path, "[query]\nstream_idle_timeout_secs = 1\n", providers=ANYBODY) as door:
        wire = Wire(door.url)
        unread, endless, waiting = wire.post(MANY), wire.post(ENDLESS), wire.post("SELECT 1")
        unread, endless = wire.get(unread["nextUri"]), wire.get(endless["nextUri"])
        deadline = time.monotonic() + 30
        while len(door.server.clients.running):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for page in (unread, endless, waiting):
            assert wire.get(page["nextUri"])["error"]["errorName"] == "ABANDONED_QUERY"
        assert all(session.busy == 0 for session in door.server.clients.sessions.all())


def test_statements_have_a_body(wire: Wire) -> None:
    answer = wire.send("POST", "/v1/statement", "  ")
    assert answer.status == 400 and b"empty" in answer.data
    assert wire.send("POST", "/v1/statement", "SELECT '" + "x" * (2 << 20) + "'").status == 400


def test_what_is_told_of_the_server(door: Opened, wire: Wire) -> None:
    info = wire.get("/v1/info")
    assert info["coordinator"] is True and info["nodeVersion"]["version"] and not info["starting"]
    assert json.loads(wire.send("GET", "/v1/info/state").data) == "ACTIVE"
    assert wire.get("/v1/status")["environment"] == info["environment"]
    assert json.loads(wire.send("GET", "/v1/node").data) == []
    assert wire.send("HEAD", "/v1/statement").status == 200
    assert wire.send("GET", "/v1/nothing").status == 404


def test_the_page_of_a_query_shows_text_as_text(wire: Wire) -> None:
    outcome = wire.run("SELECT '<script>alert(1)</script>' AS a")
    page = wire.send("GET", outcome.pages[0]["infoUri"])
    assert page.status == 200 and "default-src 'none'" in page.headers["content-security-policy"]
    text = page.data.decode()
    assert "<script>" not in text and "&lt;script&gt;" in text
    assert "FINISHED" in text and "fast" in text and "ms" in text


def test_a_page_that_no_number_names(wire: Wire) -> None:
    page = wire.post("SELECT 1")["nextUri"].rpartition("/")[0]
    for token in ("9" * 5000, "x", "-1", "1e3"):
        assert wire.send("GET", f"{page}/{token}").status == 404


def test_the_address_of_a_client_is_what_the_proxies_saw() -> None:
    trusted = [ip_network("10.0.0.0/8")]

    def host(peer: str, forwarded: str) -> str:
        scope = {
            "type": "http",
            "headers": [(b"host", b"sqe"), (b"x-forwarded-for", forwarded.encode())],
            "client": (peer, 1),
            "server": ("sqe", 80),
            "scheme": "http",
            "path": "/",
            "query_string": b"",
        }
        return TrinoClient(Request(scope), trusted).host

    assert host("10.0.0.1", "6.6.6.6, 1.2.3.4") == "1.2.3.4"
    assert host("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2") == "1.2.3.4"
    assert host("1.2.3.4", "6.6.6.6") == "1.2.3.4"


def test_links_start_with_the_address_that_the_client_knows(wire: Wire, tmp_path: Path) -> None:
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "sql.example.com"}
    assert wire.post("SELECT 1", **forwarded)["nextUri"].startswith(wire.url)
    assert wire.send("POST", "/v1/statement", "SELECT 1", {"Host": 'x"y'}).status == 400
    with opened_door(tmp_path, '[security]\ntrusted_proxies = ["127.0.0.0/8"]\n') as behind:
        page = Wire(behind.url).post("SELECT 1", **forwarded)
        assert page["nextUri"].startswith("https://sql.example.com/v1/statement/queued/")
        assert page["infoUri"].startswith("https://sql.example.com/ui/")


@pytest.mark.parametrize("encoding", ["json", "json+zstd", "json+lz4"])
def test_segments(wire: Wire, encoding: str) -> None:
    import base64

    import pyarrow as pa
    import zstandard

    rows: list[list[object]] = []
    for page in wire.run(MANY, **{"X-Trino-Query-Data-Encoding": f"new,{encoding},json"}).pages:
        if "data" not in page:
            continue
        assert page["data"]["encoding"] == encoding
        for segment in page["data"]["segments"]:
            content, about = base64.b64decode(segment["data"]), segment["metadata"]
            assert segment["type"] == "inline" and about["segmentSize"] == len(content)
            if encoding == "json+zstd":
                content = zstandard.decompress(content)
            elif encoding == "json+lz4":
                content = pa.Codec("lz4_raw").decompress(content, about["uncompressedSize"], asbytes=True)
            assert about["rowOffset"] == len(rows)
            rows += json.loads(content)
            assert about["rowOffset"] + about["rowsCount"] == len(rows)
    assert [row[0] for row in rows] == list(range(1, 100001))
