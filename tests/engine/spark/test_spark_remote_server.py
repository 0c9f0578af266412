"""`[spark] remote` uses a server that exists, and never ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.one_spark import SharedServer

from sqe.config.spark import SparkSettings
from sqe.engine.spark.connect import Endpoint, parse_remote
from sqe.engine.spark.spark import Spark
from sqe.errors import ConfigError, Unavailable


def test_statements_run_on_the_server_that_exists(
    spark_lane: Spark, spark_server: SharedServer, tmp_path: Path
) -> None:
    lane = Spark(SparkSettings(remote=spark_server.remote), tmp_path)
    session = lane.session("remote", {})
    assert [b.num_rows for b in session.run("SELECT 1", statement_id="r1", user="x")] == [1]
    lane.close()
    session = spark_lane.session("beside", {})
    assert [b.num_rows for b in session.run("SELECT 1", statement_id="r2", user="x")] == [1]


def test_a_wrong_token_is_refused(spark_server: SharedServer, tmp_path: Path) -> None:
    lane = Spark(SparkSettings(remote=f"sc://localhost:{spark_server.port}/;token=wrong"), tmp_path)
    with pytest.raises(Unavailable) as caught:
        list(lane.session("remote", {}).run("SELECT 1", statement_id="r1", user="x"))
    assert caught.value.code == "SPARK_REFUSED"
    assert "wrong" not in str(caught.value)
    lane.close()


def test_a_server_that_is_not_there_is_reported_soon(tmp_path: Path) -> None:
    lane = Spark(SparkSettings(remote="sc://localhost:1"), tmp_path)
    with pytest.raises(Unavailable, match="connection to the Spark server was lost"):
        list(lane.session("remote", {}).run("SELECT 1", statement_id="r1", user="x"))
    lane.close()


def test_a_session_that_the_server_forgot_is_made_again(spark_lane: Spark) -> None:
    session = spark_lane.session("forgotten", {})
    list(session.run("SELECT 1", statement_id="f1", user="x"))
    _, connect = session.connected()
    connect.release()
    while True:
        try:
            list(connect.run("SELECT 1", tag="probe"))
        except Unavailable:
            break
    assert [b.num_rows for b in session.run("SELECT 1", statement_id="f2", user="x")] == [1]


def test_addresses() -> None:
    assert parse_remote("sc://spark.example") == Endpoint("spark.example:15002")
    assert parse_remote("sc://h:443/;use_ssl=true;token=a%3Db") == Endpoint("h:443", "a=b", True)
    assert parse_remote("sc://localhost:1/;token=t;user_id=joe") == Endpoint("localhost:1", "t", False, "joe")
    # A token never leaves the machine in clear text.
    assert parse_remote("sc://spark.example/;token=t").tls
    assert "secret" not in repr(parse_remote("sc://h/;token=secret"))


@pytest.mark.parametrize("url", ["http://h", "sc://", "sc://h:0x", "sc://h/path", "sc://h/;what=1"])
def test_bad_addresses(url: str) -> None:
    with pytest.raises(ConfigError):
        parse_remote(url)
