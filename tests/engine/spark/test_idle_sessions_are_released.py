"""A Spark session that nobody uses goes, and whoever comes back does not notice."""

from __future__ import annotations

import grpc
import pytest

from sqe.engine.spark import spark as module
from sqe.engine.spark.connect import ConnectSession
from sqe.engine.spark.spark import Spark
from sqe.session import Identity

pytestmark = pytest.mark.spark


def answer(spark: Spark, key: str) -> int:
    stream = spark.session(key, {}).run("SELECT 7 AS x", statement_id=f"idle-{key}")
    return sum(batch.column(0)[0].as_py() for batch in stream if batch.num_rows)


def test_an_idle_session_is_released_and_made_again(
    spark_lane: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(spark_lane, "idle-ann") == 7
    ann = spark_lane.session("idle-ann", {})
    assert spark_lane.session("idle-ann", {}) is ann
    with monkeypatch.context() as patched:
        patched.setattr(module, "SESSION_IDLE_SECONDS", 0.0)
        spark_lane.release_idle()
    assert ann.closed
    assert answer(spark_lane, "idle-ann") == 7
    assert spark_lane.session("idle-ann", {}) is not ann


def test_one_that_runs_something_is_not_idle(spark_lane: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    joe = spark_lane.session("idle-joe", {})
    stream = joe.run("SELECT id FROM range(3)", statement_id="idle-running")
    monkeypatch.setattr(module, "SESSION_IDLE_SECONDS", 0.0)
    spark_lane.release_idle()
    assert not joe.closed
    assert sum(batch.num_rows for batch in stream) == 3
    spark_lane.release_idle()
    assert joe.closed


def test_releasing_one_of_a_server_that_is_gone_does_no_harm() -> None:
    channel = grpc.insecure_channel("127.0.0.1:1")
    session = ConnectSession(channel, "ann", lambda: False)
    session.release()
    channel.close()
    session.release()


def test_two_issuers_users_of_one_name_share_nothing(spark_lane: Spark) -> None:
    here, there = Identity("alice", issuer="https://a"), Identity("alice", issuer="https://b")
    assert here.key != there.key
    assert spark_lane.session(here.key, {}) is not spark_lane.session(there.key, {})
