"""PySpark's own Connect client: Spark without SQE, on a server as SQE starts them, on the same tables."""

from __future__ import annotations

from typing import Any

from sqe.api.connection import Connection, connect
from sqe.bench.engines import Answer, Place


class BareSpark:
    dialect: str | None = "spark"

    def open(self, place: Place) -> None:
        self.owner: Connection = connect(warehouse=place.warehouse)
        self.session = bare_session(self.owner, place.schema)

    def prepare(self, sql: str) -> None:
        pass

    def answer(self, sql: str) -> Answer:
        return Answer(self.session.sql(sql).toArrow())

    def close(self) -> None:
        self.session.stop()
        self.owner.close()


def bare_session(owner: Connection, schema: str) -> Any:
    """A session of a plain client on the Spark server of a connection, with views of the schema's tables."""
    from pyspark.sql import SparkSession

    server = owner.coordinator.spark.link().server
    assert server is not None
    session = SparkSession.builder.remote(
        f"sc://localhost:{server.wait()}/;token={server.token}"
    ).getOrCreate()
    catalog = owner.coordinator.catalogs.get(owner.coordinator.catalogs.default)
    for name in catalog.tables((schema,)):
        table = catalog.find_table((schema,), name)
        session.read.format("iceberg").load(table.metadata_location).createOrReplaceTempView(f"`{name}`")
    return session
