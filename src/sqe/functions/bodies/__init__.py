"""Functions that no engine has: one body in Python for both lanes, over Arrow arrays.

An engine's worker runs them without the rest of SQE: a module here imports the standard library and
pyarrow alone. A body gets one value a parameter and never NULL; it returns a value, or None for NULL, or
raises `BodyError` with the name of Trino's error, and never with a value of the row in its text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from sqe.foundation.record import record
from sqe.types.sql_types import BIGINT, BOOLEAN, DOUBLE, VARBINARY, VARCHAR, Array, Type

TRIED = "_try"


@record
class Body:
    """`name` is module.function in this room. `safe` is the one that TRY calls: NULL for an error."""

    name: str
    parameters: tuple[Type, ...]
    result: Type
    safe: bool = False

    @property
    def engine_name(self) -> str:
        """What it is called in an engine's SQL."""
        return "sqe_" + self.name.replace(".", "_") + (TRIED if self.safe else "")

    def function(self) -> Callable[..., Any]:
        """Of Arrow arrays to an Arrow array."""
        from importlib import import_module

        from sqe.functions.bodies.arrow import over_arrays

        module, name = self.name.split(".")
        scalar = getattr(import_module(f"{__name__}.{module}"), name)
        return over_arrays(scalar, _ARROW[self.result], safe=self.safe)


_TEXTS = Array(VARCHAR)
_ARROW: dict[Type, str] = {
    VARCHAR: "string",
    BIGINT: "int64",
    BOOLEAN: "bool",
    DOUBLE: "double",
    VARBINARY: "binary",
    _TEXTS: "list<string>",
}


@cache
def bodies() -> dict[str, Body]:
    """All of them, by their names in an engine."""
    both = (*_BODIES, *(replace(body, safe=True) for body in _BODIES))
    return {body.engine_name: body for body in both}


def called(sql: str) -> tuple[str, ...]:
    """Those that a text calls. One more that only a constant names does no harm."""
    if "sqe_" not in sql:
        return ()
    return tuple(name for name in bodies() if f"{name}(" in sql)


def _text(name: str, *parameters: Type, result: Type = VARCHAR) -> Body:
    return Body(name, parameters, result)


_BODIES = (
    _text("json_text.parse", VARCHAR),
    _text("json_text.extract", VARCHAR, VARCHAR),
    _text("json_text.extract_scalar", VARCHAR, VARCHAR),
    _text("json_text.size", VARCHAR, VARCHAR, result=BIGINT),
    _text("json_text.array_length", VARCHAR, result=BIGINT),
    _text("json_text.array_get", VARCHAR, BIGINT),
    _text("json_text.array_contains_text", VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_text.array_contains_number", VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_text.is_scalar", VARCHAR, result=BOOLEAN),
    _text("json_casts.cast", VARCHAR, VARCHAR),
    _text("json_path.exists", VARCHAR, VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_path.value", VARCHAR, VARCHAR, VARCHAR),
    _text("json_path.query", VARCHAR, VARCHAR, VARCHAR),
    _text("json_path.table", VARCHAR, VARCHAR, VARCHAR, result=_TEXTS),
    *(
        _text(f"hashes.hmac_{digest}", VARBINARY, VARBINARY, result=VARBINARY)
        for digest in ("md5", "sha1", "sha256", "sha512")
    ),
    _text("hashes.sha512", VARBINARY, result=VARBINARY),
    _text("hashes.crc32", VARBINARY, result=BIGINT),
    _text("hashes.xxhash64", VARBINARY, result=VARBINARY),
    _text("hashes.murmur3", VARBINARY, result=VARBINARY),
    _text("spooky_hash.spooky_hash_v2_32", VARBINARY, result=VARBINARY),
    _text("spooky_hash.spooky_hash_v2_64", VARBINARY, result=VARBINARY),
    _text("checksums.part", VARCHAR, VARCHAR, result=BIGINT),
    _text("checksums.total", VARCHAR, result=VARBINARY),
    _text("encodings.to_base32", VARBINARY),
    _text("encodings.from_base32", VARCHAR, result=VARBINARY),
    _text("encodings.to_ieee754_32", DOUBLE, result=VARBINARY),
    _text("encodings.to_ieee754_64", DOUBLE, result=VARBINARY),
    _text("encodings.from_ieee754_32", VARBINARY, result=DOUBLE),
    _text("encodings.from_ieee754_64", VARBINARY, result=DOUBLE),
    _text("encodings.from_utf8", VARBINARY),
    *(_text(f"urls.{part}", VARCHAR) for part in ("protocol", "host", "path", "query", "fragment", "decode")),
    _text("urls.port", VARCHAR, result=BIGINT),
    _text("urls.parameter", VARCHAR, VARCHAR),
    _text("texts.normalize", VARCHAR, VARCHAR),
    _text("texts.soundex", VARCHAR),
    _text("texts.levenshtein_distance", VARCHAR, VARCHAR, result=BIGINT),
    _text("colors.rgb", BIGINT, BIGINT, BIGINT, result=BIGINT),
    _text("colors.named", VARCHAR, result=BIGINT),
    _text("colors.between", DOUBLE, BIGINT, BIGINT, result=BIGINT),
    _text("colors.render", VARCHAR, BIGINT),
    _text("colors.bar", DOUBLE, BIGINT, BIGINT, BIGINT),
    _text("stems.word_stem", VARCHAR, VARCHAR),
    _text("texts.format_number", BIGINT),
    _text("texts.format_fixed", DOUBLE, BIGINT),
    _text("distributions.normal_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.inverse_normal_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.beta_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.t_pdf", DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.t_cdf", DOUBLE, DOUBLE, result=DOUBLE),
)
