"""Sketches in DuckDB's SQL."""

from __future__ import annotations

from sqe.engine.render.opaque_renderings import sketches
from sqe.engine.render.renderings import Rendering

RENDERINGS: dict[str, Rendering] = {
    **sketches(
        collected="list({distinct}{0}){over}",
        collected_set="list(DISTINCT {0}){over}",
        pair="[{0}, {1}]",
        day_number="CAST(datediff('day', DATE '1970-01-01', {0}) AS BIGINT)",
    ),
    "empty_approx_set": r"'\x02\x0C\x00\x00'::BLOB",
    "hash_counts": "map(sqe_set_digests_hashes({0}), CAST(sqe_set_digests_counts({0}) AS SMALLINT[]))",
}
