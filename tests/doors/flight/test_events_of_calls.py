"""What comes in through the door is heard by observers: log-ins, and the ids of requests."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest
from tests.doors.flight.plain_calls import Plain, described, sent
from tests.flight_server import KEYS, Serve

from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack
from sqe.doors.open import OpenServer

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
IDS = {"request_id": "r-42", "traceparent": TRACE}
_Options = sql.CommandStatementIngest.TableDefinitionOptions


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("events") / "events.jsonl"


@pytest.fixture(scope="module")
def server(serve: Serve, log: Path) -> Iterator[OpenServer]:
    server = serve(f'[events]\nlog_path = "{log}"\n')
    yield server
    server.close()


@pytest.fixture
def ann(server: OpenServer) -> Iterator[Plain]:
    ids = ("x-request-id", "r-42"), ("traceparent", TRACE)
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}"), *ids) as client:
        yield client


def heard(log: Path, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Waits until there are some."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        events = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        if found := [event for event in events if wanted(event)]:
            return found
        time.sleep(0.02)
    raise AssertionError("nothing was heard")


def ingest(of: Plain) -> None:
    options = _Options(
        if_not_exist=_Options.TABLE_NOT_EXIST_OPTION_CREATE, if_exists=_Options.TABLE_EXISTS_OPTION_REPLACE
    )
    command = sql.CommandStatementIngest(table_definition_options=options, table="sent", catalog="lake")
    # Spark may be starting.
    list(of.call("DoPut", sent(pack(command), pa.table({"a": [1]})), timeout=300))


CALLS: dict[str, Callable[[Plain], object]] = {
    "SELECT 1": lambda of: of.get(of.query("SELECT 1")),
    "SELECT 2": lambda of: of.ask(
        "PollFlightInfo", described(pack(sql.CommandStatementQuery(query="SELECT 2")))
    ),
    "GetCatalogs: {}": lambda of: of.get(of.info(sql.CommandGetCatalogs())),
    "Describe: SELECT 3": lambda of: of.prepare("SELECT 3"),
}


@pytest.mark.parametrize("text", CALLS)
def test_ids_of_requests_are_in_every_event_and_in_the_log(
    ann: Plain, log: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "sqe.access")
    CALLS[text](ann)
    [received] = heard(log, lambda event: event.get("text") == text)
    id = received["statement_id"]
    heard(log, lambda event: event["event"] == "finished" and event["statement_id"] == id)
    events = heard(log, lambda event: event.get("statement_id") == id)
    assert [event["event"] for event in events] == ["received", "started", "finished"]
    assert all(event.items() >= IDS.items() and event["user"] == "ann" for event in events)
    [line] = [vars(record) for record in caplog.records if vars(record).get("statement_id") == id]
    assert line.items() >= IDS.items()


@pytest.mark.spark
def test_an_ingest_has_them_too(ann: Plain, log: Path) -> None:
    ingest(ann)
    [event] = heard(log, lambda event: "$stream" in event.get("text", ""))
    assert event.items() >= IDS.items()


def test_what_is_no_id_is_left_out(server: OpenServer, log: Path) -> None:
    ids = ("x-request-id", "two words"), ("traceparent", "00-nonsense")
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['joe']}"), *ids) as joe:
        joe.get(joe.query("SELECT 'no ids'"))
    [event] = heard(log, lambda event: event.get("text") == "SELECT 'no ids'")
    assert not IDS.keys() & event.keys()


def test_log_ins_are_heard(server: OpenServer, log: Path) -> None:
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['joe']}")) as joe:
        joe.log_in()
    last = heard(log, lambda event: event["event"] == "log_in" and event["user"] == "joe")[-1]
    assert (last["provider"], last["result"], last["peer"]) == ("api_key", "accepted", "127.0.0.1")
    with (
        Plain(server.flight.port, ("authorization", "Basic bWF4OmhpZGRlbg==")) as max_,
        pytest.raises(grpc.RpcError),
    ):
        max_.query("SELECT 1")
    [refused] = heard(log, lambda event: event["event"] == "log_in" and event["result"] != "accepted")
    assert refused["user"] == "max" and "hidden" not in json.dumps(refused)
