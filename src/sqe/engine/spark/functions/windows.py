"""Functions of a window in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering
from sqe.engine.render.shared_renderings import framed, nth_value, ntile, shifted

RENDERINGS: dict[str, Rendering] = {
    "ntile": ntile,
    "nth_value": nth_value(),
    # An INT to Spark.
    **{name: f"CAST({name}(){{over}} AS BIGINT)" for name in ("row_number", "rank", "dense_rank")},
    **{name: f"{name}(){{over}}" for name in ("percent_rank", "cume_dist")},
    **{name: shifted(name) for name in ("lag", "lead")},
    **{name: framed(name) for name in ("first_value", "last_value")},
}
