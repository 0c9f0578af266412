"""SQE itself, embedded, on one lane or on the one that it chooses."""

from __future__ import annotations

from sqe.api.connection import Connection, connect
from sqe.bench.engines import Answer, Place


class Auto:
    dialect = None
    lane = "auto"

    def open(self, place: Place) -> None:
        self.connection: Connection = connect(warehouse=place.warehouse)
        self.connection.execute(f"USE {place.schema}")
        self.connection.execute(f"SET SESSION lane = '{self.lane}'")

    def prepare(self, sql: str) -> None:
        pass

    def answer(self, sql: str) -> Answer:
        with self.connection.execute(sql) as cursor:
            rows = cursor.fetch_arrow_table()
            assert cursor.statement is not None
            return Answer(rows, cursor.statement.lane, cursor.statement.lane_reason)

    def close(self) -> None:
        self.connection.close()


class Fast(Auto):
    lane = "fast"


class Spark(Auto):
    lane = "spark"
