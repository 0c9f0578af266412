"""Parts of a URL and percent-encoding, in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.text import shared

# mailto:a@b has a protocol and no path, a relative one a path and no protocol.
_IS_URL = "coalesce(try_parse_url({0}, 'PATH'), try_parse_url({0}, 'PROTOCOL')) IS NOT NULL"
# What follows the first parameter of that name; nothing where it has no value.
_NAMED = (
    "filter(transform(split(try_parse_url({0}, 'QUERY'), '&', -1), q_ -> split(q_, '=', 2)),"
    " q_ -> q_[0] = {1})"
)
_PARAMETER = (
    f"(CASE WHEN {{1}} IS NOT NULL AND size({_NAMED}) > 0"
    f" THEN url_decode(coalesce(get(get({_NAMED}, 0), 1), '')) END)"
)


def _extracted(part: str, *, decoded: bool = False) -> Renderer:
    """An absent part is an empty text, no part of a bad URL is NULL."""
    text = f"coalesce(try_parse_url({{0}}, '{part}'), '')"
    if decoded:
        text = f"url_decode(replace({text}, '+', '%2B'))"
    return shared(f"(CASE WHEN {_IS_URL} THEN {text} END)")


RENDERINGS: dict[str, Rendering] = {
    # Without a host the authority is only a name, whatever follows a colon in it.
    "url_extract_port": shared(
        "(CASE WHEN try_parse_url({0}, 'HOST') IS NOT NULL THEN"
        " CAST(nullif(regexp_extract(try_parse_url({0}, 'AUTHORITY'), ':([0-9]+)$', 1), '') AS BIGINT)"
        " END)"
    ),
    "url_extract_parameter": shared(_PARAMETER),
    "url_encode": "url_encode({0})",
    "url_decode": "url_decode({0})",
    "url_extract_protocol": _extracted("PROTOCOL"),
    "url_extract_host": _extracted("HOST"),
    "url_extract_path": _extracted("PATH", decoded=True),
    "url_extract_query": _extracted("QUERY", decoded=True),
    "url_extract_fragment": _extracted("REF", decoded=True),
}
