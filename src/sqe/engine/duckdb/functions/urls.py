"""Parts of a URL and percent-encoding, in DuckDB's SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Rendering

_BODY = "sqe_urls_"


RENDERINGS: dict[str, Rendering] = {
    "url_extract_port": f"{_BODY}port({{0}})",
    "url_extract_parameter": f"{_BODY}parameter({{0}}, {{1}})",
    # DuckDB leaves other signs as they are, and has an escape for a blank.
    "url_encode": "replace(replace(replace(url_encode({0}), '%20', '+'), '%2A', '*'), '~', '%7E')",
    "url_decode": f"{_BODY}decode({{0}})",
    **{
        f"url_extract_{part}": f"{_BODY}{part}({{0}})"
        for part in ("protocol", "host", "path", "query", "fragment")
    },
}
