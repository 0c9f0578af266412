"""GetTables and its kind, GetSchema and CreatePreparedStatement are statements to the server: they wait for
their turn, have a time limit, are in their user's history, and are counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest
from tests.doors.flight.plain_calls import ENDLESS, Plain, described, failure, sent
from tests.flight_server import KEYS, Serve

from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack
from sqe.doors.flight.metadata import COMMANDS
from sqe.doors.open import OpenServer
from sqe.observe.statement_record import Record

WAIT = 60


@pytest.fixture(scope="module")
def server(serve: Serve) -> Iterator[OpenServer]:
    server = serve("[query]\nmax_concurrent_per_user = 1\nqueue_timeout_secs = 1\n")
    with client(server) as ann:
        ann.query("CREATE TABLE t (a bigint)")
    yield server
    server.close()


def client(server: OpenServer, user: str = "ann") -> Plain:
    return Plain(server.flight.port, ("authorization", f"Bearer {KEYS[user]}"))


def get_tables(of: Plain) -> None:
    of.get(of.info(sql.CommandGetTables(catalog="lake", include_schema=True)))


def get_schema(of: Plain) -> None:
    of.ask("GetSchema", described(pack(sql.CommandStatementQuery(query="SELECT a FROM t"))))


def prepare(of: Plain) -> None:
    of.prepare("SELECT a FROM t WHERE a = ?")


CALLS = {
    get_tables: ("metadata", 'GetTables: {"catalog": "lake", "include_schema": true}'),
    get_schema: ("describe", "Describe: SELECT a FROM t"),
    prepare: ("describe", "Describe: SELECT a FROM t WHERE a = ?"),
}
calls = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)


def until(state: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not state():
        assert time.monotonic() < end
        time.sleep(0.02)


def records(server: OpenServer, call: Any, user: str = "ann") -> list[Record]:
    return [record for record in server.coordinator.history.records(user) if record.text == CALLS[call][1]]


def counted(server: OpenServer, label: str, status: str = "success") -> float:
    labels = {"statement_type": label, "status": status}
    return server.metrics.registry.get_sample_value("sqe_query_count_total", labels) or 0.0


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    _, _, trailers = failure(caught.value)
    assert "x-sqe-query-id" in trailers
    return str(trailers["x-sqe-error-name"])


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A catalog that says nothing of its tables before the event is set."""
    go_on = threading.Event()
    for name in ("tables", "find_table"):
        known = getattr(EmbeddedCatalog, name)

        def slow(*arguments: Any, known: Any = known, **options: Any) -> Any:
            go_on.wait(WAIT)
            return known(*arguments, **options)

        monkeypatch.setattr(EmbeddedCatalog, name, slow)
    yield go_on
    go_on.set()


@calls
def test_it_is_in_the_history_of_its_user_and_counted(server: OpenServer, call: Any) -> None:
    label = CALLS[call][0]
    before, events = len(records(server, call)), counted(server, label)
    with client(server) as ann, client(server, "joe") as joe:
        call(ann)
        last = records(server, call)[-1]
        assert len(records(server, call)) == before + 1
        assert (last.user, last.state) == ("ann", "finished")
        assert last.ended is not None and "queue" in last.timings
        until(lambda: counted(server, label) == events + 1)
        info = ann.query(f"SELECT query FROM system.runtime.queries WHERE query_id = '{last.id}'")
        assert len(ann.get(info)) == 2
        assert not records(server, call, "joe")
        assert len(joe.get(joe.query(f"SELECT 1 FROM system.runtime.queries WHERE query_id = '{last.id}'")))


@calls
def test_it_waits_for_its_turn(server: OpenServer, call: Any) -> None:
    with client(server) as ann, client(server, "joe") as joe:
        ticket = ann.call("PollFlightInfo", [described(pack(sql.CommandStatementQuery(query=ENDLESS)))])
        list(ticket)
        until(lambda: server.admission.running == 1)
        assert refused(lambda: call(ann)) == "QUERY_QUEUE_TIMEOUT"
        assert records(server, call)[-1].error_code == "QUERY_QUEUE_TIMEOUT"
        # Another user has turns of their own.
        if call is get_tables:
            call(joe)
        for running in server.clients.running.all():
            server.clients.running.cancel(running)
        until(lambda: server.admission.running == 0)
        call(ann)


@calls
def test_it_takes_a_turn(server: OpenServer, call: Any, held: threading.Event) -> None:
    with client(server) as ann:
        asking = threading.Thread(target=call, args=(ann,))
        asking.start()
        until(lambda: server.admission.running == 1)
        assert records(server, call)[-1].state != "finished"
        with client(server) as again:
            assert refused(lambda: again.query("SELECT 1")) == "QUERY_QUEUE_TIMEOUT"
        held.set()
        asking.join(WAIT)
        until(lambda: server.admission.running == 0)


@calls
def test_it_has_a_time_limit(server: OpenServer, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tables", "find_table"):
        known = getattr(EmbeddedCatalog, name)

        def slow(*arguments: Any, known: Any = known, **options: Any) -> Any:
            time.sleep(0.4)
            return known(*arguments, **options)

        monkeypatch.setattr(EmbeddedCatalog, name, slow)
    with client(server) as ann:
        ann.query("SET SESSION query_max_run_time = '200ms'")
        assert refused(lambda: call(ann)) == "EXCEEDED_TIME_LIMIT"
        assert records(server, call)[-1].error_code == "EXCEEDED_TIME_LIMIT"
        until(lambda: server.admission.running == 0)


def test_a_limit_that_is_too_small_can_be_described_away(server: OpenServer) -> None:
    """Drivers describe each statement before they run it."""
    with client(server) as ann:
        ann.query("SET SESSION query_max_run_time = '1ms'")
        ann.prepare("SET SESSION query_max_run_time = '1h'")
        command = pack(sql.CommandStatementUpdate(query="RESET SESSION query_max_run_time"))
        first = flight.FlightData(
            flight_descriptor=flight.FlightDescriptor(type=flight.FlightDescriptor.CMD, cmd=command)
        )
        ann.ask("DoPut", first.SerializeToString())
        get_tables(ann)


def test_a_listing_ends_with_its_call(server: OpenServer, held: threading.Event) -> None:
    with client(server) as ann:
        info = ann.info(sql.CommandGetTables(catalog="lake", include_schema=True))
        call = ann.call("DoGet", [info.endpoint[0].ticket.SerializeToString()])
        until(lambda: server.admission.running == 1)
        call.cancel()
        until(lambda: records(server, get_tables)[-1].state != "finished")
        time.sleep(0.3)
        held.set()
        until(lambda: server.admission.running == 0)
        assert records(server, get_tables)[-1].error_code == "USER_CANCELED"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_each_command_is_one(server: OpenServer, command: Any) -> None:
    name = command.__name__.removeprefix("Command")
    with client(server) as ann:
        ann.get(ann.info(command()))
    last = server.coordinator.history.records("ann")[-1]
    assert (last.text, last.state) == (f"{name}: {{}}", "finished")


def test_options_and_the_look_at_a_table_of_an_ingest_are_too(server: OpenServer) -> None:
    options = flight.SetSessionOptionsRequest()
    options.session_options["schema"].string_value = "default"
    kinds = sql.CommandStatementIngest.TableDefinitionOptions
    definition = kinds(
        if_not_exist=kinds.TABLE_NOT_EXIST_OPTION_FAIL, if_exists=kinds.TABLE_EXISTS_OPTION_APPEND
    )
    ingest = sql.CommandStatementIngest(table="missing", table_definition_options=definition)
    with client(server) as ann:
        ann.act("SetSessionOptions", options.SerializeToString())
        with pytest.raises(grpc.RpcError) as caught:
            ann.ask("DoPut", *sent(pack(ingest), pa.table({"a": [1]})))
        assert failure(caught.value)[2]["x-sqe-error-code"] == "TABLE_NOT_FOUND"
    texts = [record.text for record in server.coordinator.history.records("ann")]
    assert any(text.startswith("SetSessionOptionsRequest: ") for text in texts)
    assert "Ingest: lake.default.missing" in texts
