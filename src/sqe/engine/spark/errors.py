"""What Spark and Iceberg report, in our own vocabulary and at our own positions.

Nothing of a Java stack, a file path, a token or rendered SQL gets through: an error that is not
known by name becomes one short line.
"""

from __future__ import annotations

import re

from sqe.engine.render.positions import position_of
from sqe.errors import (
    AccessDenied,
    Cancelled,
    CommitConflict,
    InternalError,
    LimitExceeded,
    NotFound,
    NotSupported,
    Position,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.foundation.record import record


class SessionGone(Unavailable):
    """The server does not know the session any more; nothing of the statement was run."""


@record
class Failure:
    """An error as the server sent it. `causes` are (Java class, message), the outermost first."""

    condition: str | None
    parameters: dict[str, str]
    causes: tuple[tuple[str, str], ...]
    start: int | None = None
    stop: int | None = None
    state: str = ""

    def raised(self, *classes: str) -> str | None:
        """The message of the first cause that is of one of these Java classes (simple names)."""
        for name, message in self.causes:
            if name.rsplit(".", 1)[-1].rsplit("$", 1)[-1] in classes:
                return message
        return None

    def says(self, pattern: str) -> re.Match[str] | None:
        for _, message in self.causes:
            match = re.search(pattern, message, re.IGNORECASE)
            if match:
                return match
        return None


def translate(failure: Failure, sql: str | None = None) -> SqeError:
    """The error that a user sees. `sql` is what was sent, whose comments hold our positions."""
    error = _recognized(failure) or _unrecognized(failure)
    if error.position is None and sql is not None and failure.start is not None:
        error.position = position_of(sql, failure.start, failure.stop)
    return error


def _recognized(failure: Failure) -> SqeError | None:
    return (
        _raised_by_us(failure)
        or _ended_early(failure)
        or _by_condition(failure)
        or _of_iceberg(failure)
        or _out_of_room(failure)
        or _bad_data(failure)
        or _overflow(failure)
        or _bad_pattern(failure)
    )


def _raised_by_us(failure: Failure) -> SqeError | None:
    """Renderings raise Trino's errors by themselves: raise_error('SQE:CODE:message')."""
    for _, message in failure.causes:
        # A body in Python: what Spark says of it has the row's values in it, and is not for anybody.
        ours = re.search(r"SQE:([A-Z_]+):(.*?):SQE", message, re.DOTALL)
        if ours:
            return UserError(ours.group(2), code=ours.group(1))
        if "PythonException" in message or "pyspark.errors.exceptions.base" in message:
            return InternalError("a function in Python failed")
    if failure.condition != "USER_RAISED_EXCEPTION":
        return None
    text = failure.parameters.get("errorMessage", "")
    ours = re.match(r"SQE(?:@(\d+):(\d+))?:([A-Z_]+):(.*)", text, re.DOTALL)
    if ours is None:
        return UserError(text)
    place = Position(int(ours.group(1)), int(ours.group(2))) if ours.group(1) else None
    return UserError(ours.group(4), code=ours.group(3), position=place)


def _ended_early(failure: Failure) -> SqeError | None:
    condition = failure.condition or ""
    interrupted = condition in ("OPERATION_CANCELED", "EXECUTION_INTERRUPTED") or failure.says(
        r"OPERATION_CANCELED|was cancelled by|cancelled part of cancelled job"
    )
    if interrupted:
        return Cancelled("the statement was cancelled")
    if condition.startswith("INVALID_HANDLE.SESSION"):
        return SessionGone("the Spark session is gone", hint="run the statement again")
    if condition.startswith("INVALID_HANDLE."):
        return Unavailable("the Spark server has lost the statement", hint="run the statement again")
    return None


# Conditions of Spark -> (code of Trino, message). A message may name the condition's parameters.
BY_CONDITION: dict[str, tuple[str, str]] = {
    "DIVIDE_BY_ZERO": ("DIVISION_BY_ZERO", "Division by zero"),
    "REMAINDER_BY_ZERO": ("DIVISION_BY_ZERO", "Division by zero"),
    "INTERVAL_DIVIDED_BY_ZERO": ("DIVISION_BY_ZERO", "Division by zero"),
    "ARITHMETIC_OVERFLOW": ("NUMERIC_VALUE_OUT_OF_RANGE", "Numeric overflow"),
    "BINARY_ARITHMETIC_OVERFLOW": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "Numeric overflow: {value1} {symbol} {value2}",
    ),
    "INTERVAL_ARITHMETIC_OVERFLOW": ("NUMERIC_VALUE_OUT_OF_RANGE", "Interval overflow"),
    "DATETIME_OVERFLOW": ("NUMERIC_VALUE_OUT_OF_RANGE", "Date or time overflow"),
    "SUM_OF_LIMIT_AND_OFFSET_EXCEEDS_MAX_INT": ("NOT_SUPPORTED", "OFFSET plus LIMIT is too large"),
    "NUMERIC_VALUE_OUT_OF_RANGE": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "Value {value} does not fit into decimal({precision},{scale})",
    ),
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "Value {value} has more than 38 digits",
    ),
    "CAST_OVERFLOW": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "Value {value} is out of range for the type it is cast to",
    ),
    "CAST_OVERFLOW_IN_TABLE_INSERT": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        "A value is out of range for column {columnName}",
    ),
    "CAST_INVALID_INPUT": ("INVALID_CAST_ARGUMENT", "Cannot cast {expression} to {targetType}"),
    "CAST_DATETIME": ("INVALID_CAST_ARGUMENT", "Cannot cast {value}"),
    "CANNOT_PARSE_TIMESTAMP": ("INVALID_FUNCTION_ARGUMENT", "Cannot parse the timestamp"),
    "DATETIME_FIELD_OUT_OF_BOUNDS": ("INVALID_FUNCTION_ARGUMENT", "A field of a date is out of bounds"),
    "CONVERSION_INVALID_INPUT": ("INVALID_FUNCTION_ARGUMENT", "Cannot convert {str}"),
    "INVALID_ARRAY_INDEX": (
        "INVALID_FUNCTION_ARGUMENT",
        "Array subscript {indexValue} is out of bounds for {arraySize} elements",
    ),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": (
        "INVALID_FUNCTION_ARGUMENT",
        "Array subscript {indexValue} is out of bounds for {arraySize} elements",
    ),
    "INVALID_INDEX_OF_ZERO": ("INVALID_FUNCTION_ARGUMENT", "SQL array indices start at 1"),
    "DUPLICATED_MAP_KEY": ("INVALID_FUNCTION_ARGUMENT", "Duplicate map keys ({key}) are not allowed"),
    "NULL_MAP_KEY": ("INVALID_FUNCTION_ARGUMENT", "Map key cannot be null"),
    "INVALID_REGEXP_REPLACE": ("INVALID_FUNCTION_ARGUMENT", "The regular expression cannot be used"),
    "INVALID_PARAMETER_VALUE": (
        "INVALID_FUNCTION_ARGUMENT",
        "Invalid value of parameter {parameter} of {functionName}",
    ),
    "INVALID_FORMAT": ("INVALID_FUNCTION_ARGUMENT", "Invalid format {format}"),
    "MALFORMED_RECORD_IN_PARSING": ("INVALID_FUNCTION_ARGUMENT", "A record cannot be parsed"),
    "COLLECTION_SIZE_LIMIT_EXCEEDED": ("EXCEEDED_FUNCTION_MEMORY_LIMIT", "An array would be too large"),
    "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_REFERENCE_DATA_TYPE": (
        "NOT_SUPPORTED",
        "a subquery refers to a map of the query around it where Spark cannot",
    ),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": (
        "SUBQUERY_MULTIPLE_ROWS",
        "Scalar sub-query has returned multiple rows",
    ),
    "MERGE_CARDINALITY_VIOLATION": (
        "MERGE_TARGET_ROW_MULTIPLE_MATCHES",
        "One MERGE target table row matched more than one source row",
    ),
    "NOT_NULL_ASSERT_VIOLATION": (
        "CONSTRAINT_VIOLATION",
        "NULL value not allowed for NOT NULL column: {walkedTypePath}",
    ),
    "NOT_NULL_CONSTRAINT_VIOLATION": (
        "CONSTRAINT_VIOLATION",
        "NULL value not allowed for NOT NULL column: {columnName}",
    ),
    "CHECK_CONSTRAINT_VIOLATION": ("CONSTRAINT_VIOLATION", "A row violates {constraintName}"),
    "RECURSION_LEVEL_LIMIT_EXCEEDED": (
        "EXCEEDED_RECURSION_DEPTH_LIMIT",
        "Recursion depth limit exceeded ({levelLimit})",
    ),
    "RECURSION_ROW_LIMIT_EXCEEDED": (
        "EXCEEDED_RECURSION_DEPTH_LIMIT",
        "A recursive query produced more than {rowLimit} rows",
    ),
}

# Spark's parts of a condition say which of several reasons it was; our text is the same for all.
PARAMETER = re.compile(r"\{(\w+)\}")


def _by_condition(failure: Failure) -> SqeError | None:
    condition = failure.condition or ""
    if condition == "TABLE_OR_VIEW_NOT_FOUND":
        return NotFound("a table of the statement no longer exists")
    if condition.startswith("UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF"):
        return NotSupported("a function in Python cannot be called for the parts of an array or a map")
    if condition == "PATH_NOT_FOUND":
        return NotFound("a file of the statement does not exist", code="FILE_NOT_FOUND")
    entry = BY_CONDITION.get(condition) or BY_CONDITION.get(condition.split(".", 1)[0])
    if entry is None:
        return None
    code, text = entry
    message = PARAMETER.sub(lambda m: _clean(failure.parameters.get(m.group(1), "")), text).strip()
    if code == "NOT_SUPPORTED":
        return NotSupported(message)
    if code.startswith("EXCEEDED"):
        return LimitExceeded(message, code=code)
    return UserError(message, code=code)


def _of_iceberg(failure: Failure) -> SqeError | None:
    hint = "run the statement again"
    if failure.raised("CommitStateUnknownException") is not None:
        return CommitConflict(
            "it is not known whether the change was committed",
            code="TRANSACTION_STATE_UNKNOWN",
            hint="look at the table before you run the statement again",
        )
    if failure.raised("CommitFailedException") is not None:
        return CommitConflict("the table was changed by someone else at the same time", hint=hint)
    invalid = failure.raised("ValidationException")
    if invalid is not None and re.search(r"conflict|missing|new .*files|deleted", invalid, re.IGNORECASE):
        return CommitConflict("the rows were changed by someone else at the same time", hint=hint)
    if failure.says(r"Cannot find snapshot with ID|Cannot do time.?travel|time travel in branch"):
        # The table was there, with that snapshot, when the statement was bound.
        return CommitConflict("a table of the statement was changed by someone else", hint=hint)
    if failure.raised("NoSuchTableException") is not None:
        return NotFound("a table of the statement no longer exists")
    null = failure.says(r"Null value appeared in non-nullable field")
    if null is not None:
        return UserError("NULL value not allowed for a NOT NULL column", code="CONSTRAINT_VIOLATION")
    if failure.says(r"SQLITE_BUSY|database is locked"):
        return Unavailable("the catalog is locked by another process", hint=hint)
    if failure.raised("NotFoundException", "FileNotFoundException", "NoSuchFileException") is not None:
        return Unavailable(
            "a data file of the table is missing",
            code="ICEBERG_MISSING_FILE",
            hint="its snapshot may have expired; run the statement again",
        )
    refused = failure.raised("S3Exception")
    if refused is not None and "403" in refused:
        return AccessDenied(
            "the object store does not allow this", hint="the catalog hands out the keys for what you may do"
        )
    if refused is not None or failure.raised("SdkClientException") is not None:
        return Unavailable("the object store cannot be used", code="ICEBERG_FILESYSTEM_ERROR", hint=hint)
    if failure.raised("AccessControlException", "AccessDeniedException") is not None:
        return Unavailable("storage may not be read or written", code="ICEBERG_FILESYSTEM_ERROR")
    return None


def _out_of_room(failure: Failure) -> SqeError | None:
    if failure.says(r"bigger than spark\.driver\.maxResultSize|maxResultSize"):
        return LimitExceeded(
            "the result is larger than spark.driver.maxResultSize",
            hint="select fewer rows or columns, or raise spark.driver_memory",
        )
    if failure.says(r"No space left on device|Disk quota exceeded"):
        return LimitExceeded(
            "the disk of spark.local.dir or of the table is full",
            code="EXCEEDED_SPILL_LIMIT",
            hint="free some space, or set spark.local.dir to another disk",
        )
    memory = failure.raised("OutOfMemoryError", "SparkOutOfMemoryError")
    if memory is not None or (failure.condition or "").startswith("UNABLE_TO_ACQUIRE_MEMORY"):
        return LimitExceeded(
            "Spark ran out of memory (spark.driver_memory)", hint="raise spark.driver_memory"
        )
    if failure.raised("StackOverflowError") is not None:
        return LimitExceeded("the statement is too deeply nested for Spark", code="COMPILER_ERROR")
    return None


def _bad_data(failure: Failure) -> SqeError | None:
    """SQLSTATE class 22 is a value that no operation could take, whichever it was."""
    if not failure.state.startswith("22") or not failure.condition:
        return None
    words = re.sub(r"[._]+", " ", failure.condition).lower()
    return UserError(f"A value could not be processed: {words}", code="INVALID_FUNCTION_ARGUMENT")


def _overflow(failure: Failure) -> SqeError | None:
    """Of an interval, say, for which Spark has no condition of its own."""
    if any(name == "java.lang.ArithmeticException" for name, _ in failure.causes):
        return UserError("A value is out of range", code="NUMERIC_VALUE_OUT_OF_RANGE")
    return None


def _bad_pattern(failure: Failure) -> SqeError | None:
    """Of a constant, which Spark compiles with the code of the query and not as a value."""
    if failure.raised("PatternSyntaxException") is not None or failure.says(r"PatternSyntaxException"):
        return UserError("Invalid regular expression", code="INVALID_FUNCTION_ARGUMENT")
    return None


def _unrecognized(failure: Failure) -> SqeError:
    # The names of a cause go up to java.lang.Object.
    name = failure.causes[0][0].rsplit(".", 1)[-1] if failure.causes else "no reason given"
    reason = failure.condition or name
    return InternalError(f"Spark could not run the statement: {reason}")


TYPES = {
    "INT": "integer",
    "FLOAT": "real",
    "STRING": "varchar",
    "BINARY": "varbinary",
    "TIMESTAMP": "timestamp with time zone",
    "TIMESTAMP_NTZ": "timestamp",
}


def _clean(value: str) -> str:
    """A parameter's value as we would write it: no quotes of Spark's, no suffix of its numbers."""
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in '"`':
        text = text[1:-1]
        if text.isupper() or text.startswith("DECIMAL("):
            text = TYPES.get(text, text.lower())
    text = re.sub(r"^(-?\d+(\.\d+)?)(L|S|T|BD|D)$", r"\1", text)
    return text if len(text) <= 120 else text[:117] + "..."
