"""Sketches in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.opaque_renderings import sketches
from sqe.engine.render.renderings import Rendering

RENDERINGS: dict[str, Rendering] = {
    **sketches(
        collected="collect_list({distinct}{0}){over}",
        collected_set="collect_set({0}){over}",
        pair="array({0}, {1})",
        day_number="unix_date({0})",
    ),
    "empty_approx_set": "X'020C0000'",
    "hash_counts": (
        "map_from_arrays(sqe_set_digests_hashes({0}), CAST(sqe_set_digests_counts({0}) AS ARRAY<SMALLINT>))"
    ),
}
