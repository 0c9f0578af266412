"""PySpark's own Connect client: Spark without SQE, on a server as SQE starts them, on the same tables."""

from __future__ import annotations

from typing import Any

from sqe.api.connection import Connection, connect
from sqe.bench.engines import Answer, Place


class BareSpark:
    dialect: str | None = "spark"

    def open(self, place: Place) -> None:
        self.owner: Connection = connect(warehouse=place.warehouse)
        self.session = bare_session(self.owner)
        self.session.sql(f"USE iceberg.{place.schema}").collect()

    def prepare(self, sql: str) -> None:
        pass

    def answer(self, sql: str) -> Answer:
        return Answer(self.session.sql(sql).toArrow())

    def close(self) -> None:
        self.session.stop()
        self.owner.close()


def bare_session(owner: Connection) -> Any:
    """A session of a plain client on the Spark server of a connection, with the same catalogs."""
    from pyspark.sql import SparkSession

    server = owner.coordinator.spark.link().server
    assert server is not None
    session = SparkSession.builder.remote(
        f"sc://localhost:{server.wait()}/;token={server.token}"
    ).getOrCreate()
    for key, value in owner.coordinator.catalogs.spark_conf().items():
        session.conf.set(key, value)
    return session
