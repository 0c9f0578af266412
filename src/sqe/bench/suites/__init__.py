"""The suites' queries, one file each, in our dialect. `q28.duckdb.sql` is q28 as DuckDB spells it, where that
differs; `.spark.sql` likewise."""

from __future__ import annotations

from importlib import resources

SUITES = ("tpch", "tpcds", "ssb", "clickbench")
_OTHERS = ("duckdb", "spark")


def queries(suite: str, dialect: str | None = None) -> dict[str, str]:
    """The queries of a suite by name: q01, q02, ... `dialect` is duckdb or spark, else ours."""
    folder = resources.files(__package__) / suite
    texts = {
        f.name.removesuffix(".sql"): f.read_text(encoding="utf-8")
        for f in folder.iterdir()
        if f.name.endswith(".sql")
    }
    ours = {name: text for name, text in sorted(texts.items()) if not name.endswith(_OTHERS)}
    return {name: texts.get(f"{name}.{dialect}", text) for name, text in ours.items()}
