"""JSON in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.json_casts import quoted
from sqe.engine.duckdb.functions.text import refuse, share, string
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import with_json_path
from sqe.tree.expressions import Call
from sqe.types.sql_types import is_text

Texts = Sequence[str]
_BODY = "sqe_json_text_"
_NO_NAME = refuse("null value passed for JSON object key to JSON_OBJECT function")


def _contains(call: Call, texts: Texts) -> str:
    kind = call.arguments[1].type
    if is_text(kind):
        return f"{_BODY}array_contains_text({texts[0]}, {texts[1]})"
    return f"{_BODY}array_contains_number({texts[0]}, CAST({texts[1]} AS VARCHAR))"


def _object(*, without_nulls: bool) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        pairs = []
        for name, value in zip(texts[::2], texts[1::2], strict=True):
            shown = value if without_nulls else f"coalesce({value}, 'null')"
            # NULL where a part is, and concat_ws leaves that out.
            pairs.append(f"{quoted(name)} || ':' || {shown}")
        joined = f"concat_ws(',', {', '.join(pairs)})" if pairs else "''"
        return f"({string('{')} || {joined} || {string('}')})"

    return render


def _array(call: Call, texts: Texts) -> str:
    return f"('[' || concat_ws(',', {', '.join(texts)}) || ']')" if texts else "'[]'"


def _name(call: Call, texts: Texts) -> str:
    return share(f"CASE WHEN {{0}} IS NULL THEN {_NO_NAME} ELSE {{0}} END", texts)


RENDERINGS: dict[str, Rendering] = {
    "$json_name": _name,
    "$json_object": _object(without_nulls=False),
    "$json_object_without_nulls": _object(without_nulls=True),
    "$json_array": _array,
    "json_format": "{0}",
    "json_extract": with_json_path("extract"),
    "json_extract_scalar": with_json_path("extract_scalar"),
    "json_size": with_json_path("size"),
    "json_array_contains": _contains,
}
