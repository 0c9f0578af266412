"""What DuckDB reports, in our own vocabulary and at our own positions.

Only what is certainly the statement's own fault becomes a user's error. Anything else is the lane's failure:
Spark can run the statement instead, and its verdict counts. No path, value of a file or piece of rendered SQL
gets into a text.
"""

from __future__ import annotations

import re

from sqe.engine.lane import LaneFailed
from sqe.errors import (
    AccessDenied,
    Cancelled,
    ErrorKind,
    InternalError,
    LimitExceeded,
    Position,
    SqeError,
    Unavailable,
    UserError,
)


class FastLaneFailed(LaneFailed):
    """`engine_text` is what DuckDB said; it may name files, and is for tests and bug reports alone."""

    code = "FAST_LANE_FAILED"

    def __init__(self, reason: str, *, user_error: SqeError | None = None, engine_text: str = "") -> None:
        super().__init__(reason, hint="SET SESSION lane = 'auto' lets Spark answer instead")
        self.engine_text = engine_text
        self._user_error = user_error

    def as_user_error(self) -> SqeError:
        return self._user_error or self


def ended() -> FastLaneFailed:
    return FastLaneFailed("the fast lane's process ended")


def cancelled() -> SqeError:
    return Cancelled("the statement was cancelled")


def too_late() -> SqeError:
    return LimitExceeded("the statement ran longer than its time limit", code="EXCEEDED_TIME_LIMIT")


def translate(text: str) -> SqeError:
    """`text` begins with what DuckDB calls the kind of error: 'Conversion Error: …'."""
    ours = re.search(_OF_A_BODY, text) or re.match(_RAISED, text)
    if ours is not None:
        place = Position(int(ours["line"]), int(ours["column"])) if ours["line"] else None
        return _named(ours["code"], ours["message"], place)
    kind, _, rest = text.partition(" Error: ")
    message = rest.split("\n", 1)[0].strip()
    user_error = _user_errors(kind, message)
    if user_error is not None:
        return user_error
    return _failure(kind, message, text)


# A body in Python: what DuckDB says of it goes on with where it was raised.
_OURS = r"(?s:SQE(?:@(?P<line>\d+):(?P<column>\d+))?:(?P<code>[A-Z][A-Z_0-9]*):(?P<message>%s))"
_OF_A_BODY = _OURS % r".*?" + r":SQE\b"
_RAISED = "Invalid Input Error: " + _OURS % r".*"


def _named(code: str, message: str, place: Position | None = None) -> SqeError:
    if code == FastLaneFailed.code:  # a value that only Spark can compute with
        return FastLaneFailed(message)
    if code.startswith(("EXCEEDED", "CLUSTER_OUT_OF")):
        return LimitExceeded(message, code=code, position=place)
    return UserError(message, code=code, position=place)


TYPES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "integer",
    "INT64": "bigint",
    "FLOAT": "real",
    "BLOB": "varbinary",
    "BOOL": "boolean",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
}
_VALUE_AND_TYPE = r"Could not convert string ['\"](?P<value>.*)['\"] to (?P<type>[A-Z0-9(), ]+)"
_CAST_OVERFLOW = (
    r"Type \S+ with value (?P<value>\S+) can't be cast because the value is out of range for the destination"
    r" type (?P<type>[A-Z0-9(),]+)"
)
_OVERFLOW = r"Overflow in (?P<what>\w+) of [A-Z0-9(),]+ \((?P<terms>[^()]*)\)"
# To DuckDB it is an error that a deviation is not finite; to Trino and Spark a value.
_NOT_FINITE = r"(STDDEV|VAR)[A-Z_]*( for [XY])? is out of range"
# (kind, pattern, code of Trino, our text). The first that fits.
_PATTERNS: tuple[tuple[str, str, str, str], ...] = (
    (
        "Invalid Input",
        r"More than one row returned by a subquery",
        "SUBQUERY_MULTIPLE_ROWS",
        "Scalar sub-query has returned multiple rows",
    ),
    ("Invalid Input|Out of Range", r"(?i)division by zero", "DIVISION_BY_ZERO", "Division by zero"),
    (
        "Invalid Input|Out of Range",
        r"Map keys must be unique|Map key .*unique",
        "INVALID_FUNCTION_ARGUMENT",
        "Duplicate map keys are not allowed",
    ),
    (
        "Invalid Input",
        r"Map keys (can|may)\s?not be NULL",
        "INVALID_FUNCTION_ARGUMENT",
        "Map key cannot be null",
    ),
    ("Conversion", r"^Casting value .* to type DECIMAL", "INVALID_CAST_ARGUMENT", "A value cannot be cast"),
    ("Conversion", r"out of range", "NUMERIC_VALUE_OUT_OF_RANGE", "A value is out of range"),
    ("Conversion", r"", "INVALID_CAST_ARGUMENT", "A value cannot be cast"),
    (
        "Out of Range",
        r"(?i)square root|logarithm|cannot take|domain",
        "INVALID_FUNCTION_ARGUMENT",
        "An argument is out of range",
    ),
    ("Out of Range", r"", "NUMERIC_VALUE_OUT_OF_RANGE", "A value is out of range"),
)


def _user_errors(kind: str, message: str) -> SqeError | None:
    if kind == "Conversion":
        bad = re.match(_VALUE_AND_TYPE, message)
        if bad is not None:
            shown = f"Cannot cast '{_short(bad['value'])}' to {_type(bad['type'])}"
            return UserError(shown, code="INVALID_CAST_ARGUMENT")
        large = re.match(_CAST_OVERFLOW, message)
        if large is not None:
            shown = f"Value {_short(large['value'])} is out of range for {_type(large['type'])}"
            return UserError(shown, code="NUMERIC_VALUE_OUT_OF_RANGE")
        if re.match(r"(date|time|timestamp) field value out of range", message):
            return UserError("A field of a date or time is out of range", code="INVALID_CAST_ARGUMENT")
    if kind == "Out of Range":
        if re.match(_NOT_FINITE, message):
            return None
        terms = re.match(_OVERFLOW, message)
        if terms is not None:
            return UserError(f"Numeric overflow: {_short(terms['terms'])}", code="NUMERIC_VALUE_OUT_OF_RANGE")
    for kinds, pattern, code, text in _PATTERNS:
        if kind in kinds.split("|") and re.search(pattern, message):
            return UserError(text, code=code)
    return None


# How the text of functions/text.py's `give_up` begins: a value that only Spark can compute with.
_GIVEN_UP = "the fast lane has no "


def _failure(kind: str, message: str, text: str) -> SqeError:
    if kind == "INTERRUPT":
        # Who cancels a statement says so before anybody asks what DuckDB said.
        return FastLaneFailed("the statement was interrupted", engine_text=text)
    if message.startswith(_GIVEN_UP):
        return FastLaneFailed(message, engine_text=text)
    if kind == "Out of Memory" and "max_temp_directory_size" in text:
        return _short_of(
            text,
            "the statement needs more room to spill than engine.fast.max_spill allows",
            "EXCEEDED_SPILL_LIMIT",
            "raise engine.fast.max_spill, or let Spark answer",
        )
    if kind in ("Out of Memory", "") and ("emory" in kind or "MemoryError" in text or "bad_alloc" in text):
        return _short_of(
            text,
            "the statement needs more memory than engine.fast.memory_limit allows",
            "EXCEEDED_LOCAL_MEMORY_LIMIT",
            "raise engine.fast.memory_limit, or let Spark answer",
        )
    if re.search(r"No space left on device|Disk quota exceeded|File too large", message):
        return _short_of(
            text,
            "the disk that statements spill to is full (engine.fast.spill_dir)",
            "EXCEEDED_SPILL_LIMIT",
            "free some space, or set engine.fast.spill_dir to another disk",
        )
    if kind == "IO" and re.search(r"No such file|No files found|does not exist|not found", message):
        return FastLaneFailed(
            "a data file is missing",
            user_error=Unavailable(
                "a data file of the table is missing",
                code="ICEBERG_MISSING_FILE",
                hint="its snapshot may have expired; run the statement again",
            ),
            engine_text=text,
        )
    if kind == "IO" and "ermission denied" in message:
        return FastLaneFailed(
            "a data file may not be read",
            user_error=Unavailable("storage may not be read or written", code="ICEBERG_FILESYSTEM_ERROR"),
            engine_text=text,
        )
    if re.search(_CORRUPT, message):
        return FastLaneFailed(
            "a data file cannot be read",
            user_error=Unavailable("a data file of the table cannot be read", code="ICEBERG_BAD_DATA"),
            engine_text=text,
        )
    if kind == "HTTP" or (kind == "IO" and _HTTP.search(message)):
        return _of_a_store(message, text)
    if kind == "Permission":
        return FastLaneFailed("the statement reads a place that it was not admitted to", engine_text=text)
    if kind in ("INTERNAL", "FATAL"):
        return FastLaneFailed("DuckDB failed", engine_text=text)
    named = kind.lower() if re.fullmatch(r"[A-Za-z ]{1,24}", kind) else "unknown"
    return FastLaneFailed(
        f"DuckDB could not run the statement ({named} error)",
        user_error=InternalError(f"DuckDB could not run the statement ({named} error)"),
        engine_text=text,
    )


_HTTP = re.compile(r"\bHTTP\b|https?://")
_STATUS = re.compile(r"\bHTTP (?P<status>\d{3})\b|\((?P<status_2>\d{3})\b")


def _of_a_store(message: str, text: str) -> FastLaneFailed:
    """What an object store answers, or that it does not."""
    found = _STATUS.search(message)
    status = "" if found is None else found["status"] or found["status_2"]
    if status in ("400", "401", "403"):
        # Keys that have ended are a 400 to some, a 403 to others.
        refused = AccessDenied(
            "the object store does not allow this", hint="the catalog hands out the keys for what you may do"
        )
        return FastLaneFailed("the object store refuses the keys", user_error=refused, engine_text=text)
    if status == "404":
        missing = Unavailable(
            "a data file of the table is missing",
            code="ICEBERG_MISSING_FILE",
            hint="its snapshot may have expired; run the statement again",
        )
        return FastLaneFailed("a data file is missing", user_error=missing, engine_text=text)
    away = Unavailable("the object store cannot be used", code="ICEBERG_FILESYSTEM_ERROR", hint="try again")
    return FastLaneFailed("the object store cannot be used", user_error=away, engine_text=text)


_CORRUPT = (
    r"(?i)magic bytes|TProtocolException|don't know what type|Invalid TType|footer|corrupt"
    r"|too small to be a Parquet|decompress|snappy|zstd|thrift|out of buffer|page (header|size)"
    r"|read out of|could not read|truncat|not enough"
)


def _short_of(text: str, what: str, code: str, hint: str) -> FastLaneFailed:
    failure = FastLaneFailed(what, user_error=LimitExceeded(what, code=code, hint=hint), engine_text=text)
    failure.kind = ErrorKind.INSUFFICIENT_RESOURCES
    return failure


def _type(name: str) -> str:
    return TYPES.get(name.strip(), name.strip().lower())


def _short(value: str) -> str:
    return value if len(value) <= 120 else value[:117] + "..."
