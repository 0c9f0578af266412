"""What a user hears of DuckDB's errors: Trino's names, our words, no files. The rest Spark judges."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.errors import FastLaneFailed, translate
from sqe.engine.duckdb.processes import Processes
from sqe.errors import LimitExceeded, Position, SqeError, UserError

_ids = itertools.count(1)
GIVEN = pa.table({"t": ["1", "abc"], "n": [9223372036854775807, 1], "z": [0, 1]})


@pytest.fixture(scope="module")
def lane() -> Iterator[Processes]:
    lane = Processes(FastSettings(processes=1))
    yield lane
    lane.close()


def failure(lane: Processes, sql: str, **more: Any) -> SqeError:
    answer = lane.run(sql, statement_id=f"s{next(_ids)}", identity_key="joe", tables={"given": GIVEN}, **more)
    with pytest.raises(SqeError) as caught:
        list(answer)
    return caught.value


@pytest.mark.parametrize(
    ("sql", "code", "text"),
    [
        ("SELECT error('SQE:DIVISION_BY_ZERO:Division by zero')", "DIVISION_BY_ZERO", "Division by zero"),
        ("SELECT error('SQE:INVALID_FUNCTION_ARGUMENT:a: b\nc')", "INVALID_FUNCTION_ARGUMENT", "a: b\nc"),
        ("SELECT t::INTEGER FROM given", "INVALID_CAST_ARGUMENT", "Cannot cast 'abc' to integer"),
        ("SELECT t::DATE FROM given", "INVALID_CAST_ARGUMENT", None),
        ("SELECT t::DECIMAL(5,2) FROM given", "INVALID_CAST_ARGUMENT", None),
        ("SELECT '2024-13-01'::DATE", "INVALID_CAST_ARGUMENT", None),
        (
            "SELECT n::TINYINT FROM given",
            "NUMERIC_VALUE_OUT_OF_RANGE",
            "Value 9223372036854775807 is out of range for tinyint",
        ),
        (
            "SELECT n + 1 FROM given",
            "NUMERIC_VALUE_OUT_OF_RANGE",
            "Numeric overflow: 9223372036854775807 + 1",
        ),
        ("SELECT (n::DECIMAL(38,0) * n) * n FROM given", "NUMERIC_VALUE_OUT_OF_RANGE", None),
        ("SELECT sum(n::HUGEINT * n)::BIGINT FROM given", "NUMERIC_VALUE_OUT_OF_RANGE", None),
        (
            "SELECT (SELECT n FROM given)",
            "SUBQUERY_MULTIPLE_ROWS",
            "Scalar sub-query has returned multiple rows",
        ),
        ("SELECT sqrt(-z) FROM given", "INVALID_FUNCTION_ARGUMENT", None),
        ("SELECT MAP {t: 1, t: 2} FROM given", "INVALID_FUNCTION_ARGUMENT", None),
    ],
)
def test_errors_of_the_statement(lane: Processes, sql: str, code: str, text: str | None) -> None:
    error = failure(lane, sql)
    assert isinstance(error, UserError)
    assert error.code == code
    if text is not None:
        assert error.message == text


def test_errors_of_ours_have_positions(lane: Processes) -> None:
    for sql in (
        "SELECT error('SQE@3:5:DIVISION_BY_ZERO:Division by zero')",
        # When the first rows are on their way.
        "SELECT CASE WHEN range = 900000 THEN error('SQE@3:5:DIVISION_BY_ZERO:Division by zero') ELSE 1 END"
        " FROM range(1000000)",
    ):
        error = failure(lane, sql)
        assert (error.code, error.message) == ("DIVISION_BY_ZERO", "Division by zero")
        assert error.position == Position(3, 5)


def test_an_error_is_not_hidden_by_its_own_interrupt() -> None:
    """The thread that fails interrupts the others; once in ten times DuckDB reports that."""
    sql = (
        "SELECT CASE WHEN range = 900000 THEN error('SQE:DIVISION_BY_ZERO:Division by zero') ELSE 1 END"
        " FROM range(1000000)"
    )
    lane = Processes(FastSettings(processes=1, threads=4))
    try:
        assert {failure(lane, sql).code for _ in range(100)} == {"DIVISION_BY_ZERO"}
    finally:
        lane.close()


def test_errors_of_bodies_are_those_that_they_raised(lane: Processes) -> None:
    error = failure(lane, "SELECT sqe_json_text_parse(t) FROM given", bodies=["sqe_json_text_parse"])
    assert isinstance(error, UserError)
    assert error.code == "INVALID_FUNCTION_ARGUMENT"
    assert "SQE" not in str(error)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT no_such_function(1)",
        "SELECT * FROM no_such_table",
        "SELECT no_such_column FROM given",
        "SELECT FROM WHERE",
        "SELECT chr(-1)",
        "SELECT error('anything')",
    ],
)
def test_the_rest_is_not_the_users_fault(lane: Processes, sql: str) -> None:
    error = failure(lane, sql)
    assert isinstance(error, FastLaneFailed)
    assert error.engine_text
    assert error.engine_text not in str(error)
    assert error.reason in str(error)


def test_a_file_that_vanished(lane: Processes, tmp_path: Path) -> None:
    sql = f"SELECT * FROM read_parquet('{tmp_path}/gone.parquet')"
    error = failure(lane, sql, locations=[str(tmp_path)])
    assert isinstance(error, FastLaneFailed)
    assert error.as_user_error().code == "ICEBERG_MISSING_FILE"
    assert str(tmp_path) not in f"{error} {error.as_user_error()}"


def test_a_metadata_file_that_vanished(lane: Processes, tmp_path: Path) -> None:
    sql = f"SELECT * FROM iceberg_scan('{tmp_path}/metadata/00001-gone.metadata.json')"
    error = failure(lane, sql, locations=[str(tmp_path)], extensions=("avro", "iceberg"))
    assert isinstance(error, FastLaneFailed)
    assert error.as_user_error().code == "ICEBERG_MISSING_FILE"
    assert str(tmp_path) not in f"{error} {error.as_user_error()}"


@pytest.mark.parametrize("damage", ["cut", "footer", "pages", "text", "empty"])
def test_a_corrupt_file(lane: Processes, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT range AS n, md5(range::VARCHAR) AS t FROM range(100000)) TO '{file}'")
    data = bytearray(file.read_bytes())
    match damage:
        case "cut":
            data = data[: len(data) // 2]
        case "footer":
            data[-200:-8] = b"\xff" * 192
        case "pages":
            data[1000:200000] = b"\xa5" * 199000
        case "text":
            data = bytearray(b"this is no Parquet file, and never was")
        case "empty":
            data = bytearray()
    file.write_bytes(data)
    error = failure(lane, f"SELECT max(t), max(n) FROM read_parquet('{file}')", locations=[str(tmp_path)])
    assert isinstance(error, FastLaneFailed), error
    assert error.as_user_error().code == "ICEBERG_BAD_DATA", error.engine_text
    assert str(tmp_path) not in f"{error} {error.as_user_error()}"
    # The child goes on.
    assert list(lane.run("SELECT 1", statement_id=f"s{next(_ids)}", identity_key="joe"))


def test_a_file_that_may_not_be_read(lane: Processes, tmp_path: Path) -> None:
    error = translate(f'IO Error: Cannot open file "{tmp_path}/a": Permission denied')
    assert isinstance(error, FastLaneFailed)
    assert error.as_user_error().code == "ICEBERG_FILESYSTEM_ERROR"


def test_a_bug_of_duckdb_is_no_users_error() -> None:
    for text in ("INTERNAL Error: Attempted to dereference", "FATAL Error: database has been invalidated"):
        error = translate(text)
        assert isinstance(error, FastLaneFailed)
        assert error.reason == "DuckDB failed"


def test_limits_of_renderings_are_limits() -> None:
    error = translate("Invalid Input Error: SQE:EXCEEDED_FUNCTION_MEMORY_LIMIT:too large")
    assert isinstance(error, LimitExceeded)
    assert error.code == "EXCEEDED_FUNCTION_MEMORY_LIMIT"
