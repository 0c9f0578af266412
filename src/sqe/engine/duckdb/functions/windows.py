"""Functions of a window in DuckDB's SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering
from sqe.engine.render.shared_renderings import framed, nth_value, ntile, shifted

_NULLS = "{nulls}"


RENDERINGS: dict[str, Rendering] = {
    "ntile": ntile,
    "nth_value": nth_value(_NULLS),
    **{
        name: f"{name}(){{over}}"
        for name in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")
    },
    **{name: shifted(name, _NULLS) for name in ("lag", "lead")},
    **{name: framed(name, _NULLS) for name in ("first_value", "last_value")},
}
