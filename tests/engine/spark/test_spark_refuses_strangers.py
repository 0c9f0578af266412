"""Other users of the machine reach the ports of the Spark that we start; every port turns them away."""

from __future__ import annotations

import contextlib
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import grpc
import pyspark.sql.connect.proto as proto
import pytest
from tests.engine.spark.spark_strangers import frames, listening_ports, send
from tests.one_spark import SharedServer

from sqe.config.config import load
from sqe.config.spark import SparkSettings, authentication
from sqe.engine.spark.spark import Spark
from sqe.errors import ConfigError

HEARD_SECONDS = 3.0
ANSWER_SECONDS = 10.0
# Of Spark's own ports, and of Connect.
REFUSALS = (b"Expected SaslMessage", b"HTTP/2")


@pytest.fixture(scope="module")
def server(spark_lane: Spark, spark_server: SharedServer) -> SharedServer:
    """With a Python worker, which is the last that could open a port."""
    session = spark_lane.session("strangers", {})
    sql = "SELECT sqe_json_text_parse(concat('[', id, ']')) FROM range(2)"
    list(session.run(sql, statement_id="strangers", user="x", bodies=["sqe_json_text_parse"]))
    return spark_server


def test_no_port_deserializes_what_a_stranger_sends(server: SharedServer) -> None:
    attempts = {}
    with contextlib.ExitStack() as opened:
        for port in listening_ports(server.jvm):
            for kind in frames(0):
                listener = opened.enter_context(_listener())
                attempts[listener] = (port, kind)
                answers = kind in ("request", "block")
                message = frames(listener.getsockname()[1])[kind]
                answer = send(port, message, ANSWER_SECONDS if answers else 0.2, until=REFUSALS)
                if answers:
                    assert any(refusal in answer for refusal in REFUSALS)
        assert len(attempts) == 12
        called, _, _ = select.select(list(attempts), [], [], HEARD_SECONDS)
    assert [attempts[listener] for listener in called] == []


def test_connect_refuses_whoever_has_no_token(server: SharedServer) -> None:
    refusals = []
    for metadata in ([], [("authorization", "Bearer wrong")]):
        for port in listening_ports(server.jvm):
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                stub = proto.SparkConnectServiceStub(channel)  # type: ignore[no-untyped-call]
                with pytest.raises(grpc.RpcError) as refused:
                    stub.Config(proto.ConfigRequest(session_id="x"), metadata=metadata, timeout=5)
                refusals.append(refused.value.code())
    assert refusals.count(grpc.StatusCode.UNAUTHENTICATED) == 2
    assert set(refusals) <= {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNAVAILABLE}


def test_there_is_no_port_beyond_connect_rpc_and_blocks(server: SharedServer) -> None:
    assert len(listening_ports(server.jvm)) == 3
    workers = list(_descendants(server.jvm))
    assert workers
    assert [listening_ports(worker) for worker in workers] == [set()] * len(workers)


@pytest.mark.parametrize("value", ["false", "False", " false", "no", ""])
def test_authentication_cannot_be_switched_off(value: str, tmp_path: Path) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text(f'[spark]\n"spark.authenticate" = "{value}"\n')
    with pytest.raises(ConfigError, match="can run code"):
        load(path, {})


@pytest.mark.parametrize("master", ["spark://127.0.0.1:7077", "local-cluster[1,1,512]", "localhost"])
def test_a_master_that_makes_no_secret_needs_one(master: str) -> None:
    with pytest.raises(ConfigError, match="needs a secret"):
        authentication(SparkSettings(master=master))
    with pytest.raises(ConfigError, match="needs a secret"):
        authentication(SparkSettings(conf={"spark.master": master}))
    conf = authentication(SparkSettings(master=master, conf={"spark.authenticate.secret": "hush"}))
    assert conf["spark.authenticate"] == "true"


@pytest.mark.parametrize(
    "master", ["local", "local[*]", "local[2,3]", "yarn", "k8s://https://127.0.0.1:6443"]
)
def test_a_master_that_makes_its_secret_needs_none(master: str) -> None:
    assert authentication(SparkSettings(master=master))["spark.authenticate"] == "true"


@contextlib.contextmanager
def _listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from _descendants(int(child))
