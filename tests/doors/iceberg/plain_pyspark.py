"""PySpark as anybody starts it, with Iceberg's own catalogs and nothing of ours."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession
from tests.plain_spark import class_path

from sqe.engine.spark.jars import default_cache, ensure_jars

Catalogs = Mapping[str, Mapping[str, str]]


@contextlib.contextmanager
def plain_pyspark(catalogs: Catalogs) -> Iterator[SparkSession]:
    """A session with these catalogs, each by the properties that Iceberg takes."""
    jars = [*map(str, ensure_jars(default_cache())), class_path()]
    conf = {
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraClassPath": ":".join(jars),
        "spark.ui.enabled": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        # One file for each write, so that two runs write the same ones.
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
    }
    for name, properties in catalogs.items():
        conf[f"spark.sql.catalog.{name}"] = "org.apache.iceberg.spark.SparkCatalog"
        conf |= {f"spark.sql.catalog.{name}.{key}": value for key, value in properties.items()}
        # What others commit is seen at once.
        conf[f"spark.sql.catalog.{name}.cache-enabled"] = "false"
    builder = SparkSession.builder.master("local[1]")
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        _end_java()


def run(session: SparkSession, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(sql).collect()]


def _end_java() -> None:
    """A stopped session leaves its Java running."""
    gateway: Any = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(60)
