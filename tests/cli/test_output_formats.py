"""Results as a table, CSV, TSV and JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

import pyarrow as pa
import pytest

from sqe.cli import output
from sqe.cli.output import write_result
from sqe.types import sql_types as t


def written(
    form: str,
    columns: Sequence[tuple[str, t.Type]],
    *batches: Sequence[Sequence[object]],
    to_terminal: bool = False,
) -> str:
    """The output for batches given column by column."""
    out = io.StringIO()
    made = [
        pa.record_batch([pa.array(column) for column in batch], names=[f"c{i}" for i in range(len(columns))])
        for batch in batches
    ]
    write_result(form, columns, made, out.write, to_terminal=to_terminal)
    return out.getvalue()


TWO = [("n", t.BIGINT), ("s", t.VARCHAR)]


def test_a_table_is_aligned_with_numbers_to_the_right() -> None:
    assert written("table", TWO, [[1, None], ["x", "long text"]], [[100], [None]]) == (
        "+------+-----------+\n"
        "| n    | s         |\n"
        "+------+-----------+\n"
        "|    1 | x         |\n"
        "| NULL | long text |\n"
        "|  100 | NULL      |\n"
        "+------+-----------+\n"
        "(3 rows)\n"
    )


def test_a_table_counts_one_row_and_none() -> None:
    assert written("table", TWO, [[1], ["x"]]).endswith("(1 row)\n")
    assert written("table", TWO).splitlines()[-1] == "(0 rows)"


def test_a_table_measures_wide_and_combining_characters() -> None:
    lines = written("table", [("s", t.VARCHAR)], [["漢字", "e\u0301", "abcd"]]).splitlines()
    assert lines[3:6] == ["| 漢字 |", "| e\u0301    |", "| abcd |"]


def test_data_cannot_move_the_cursor() -> None:
    text = written("table", [("\x1b[2J", t.VARCHAR)], [["a\nb\x1b[31m\x9b"]])
    assert "\x1b" not in text and "\x9b" not in text
    assert "a\\nb\\u001b[31m\\u009b" in text


def test_data_cannot_turn_the_direction_of_writing() -> None:
    for mark in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        text = written("table", [("s", t.VARCHAR)], [[f"a{mark}b"]])
        assert mark not in text and f"a\\u{ord(mark):04x}b" in text


@pytest.mark.parametrize("form", ["csv", "tsv", "json"])
def test_on_a_terminal_data_cannot_move_the_cursor_in_any_form(form: str) -> None:
    columns = [("\x1b[2J\x9b", t.VARCHAR), ("n", t.Array(t.VARCHAR))]
    batch: list[list[object]] = [["a\nb\r\x1b[31m\x7f\u202e", "\r\n"], [["\x9b"], None]]
    out = written(form, columns, batch, to_terminal=True)
    assert out.splitlines() == out.replace("\r\n", "\n").split("\n")[:-1]
    assert len(out.splitlines()) == (2 if form == "json" else 3)
    assert not any(mark in out for mark in "\x1b\x7f\x9b\u202e")
    if form == "json":
        assert json.loads(out.splitlines()[0]) == {"\x1b[2J\x9b": batch[0][0], "n": ["\x9b"]}
    # A program gets what is stored.
    exact = written(form, columns, batch)
    assert all(mark in exact for mark in "\x7f\x9b\u202e")


def test_a_long_table_keeps_only_a_sample_in_memory() -> None:
    rows = output.SAMPLE + 5
    lines = written("table", [("n", t.BIGINT)], [list(range(rows))]).splitlines()
    assert lines[-1] == f"({rows} rows)"
    assert lines[-3] == f"| {rows - 1} |"


def test_csv_is_rfc_4180() -> None:
    text = written("csv", [("a", t.VARCHAR), ('b "q"', t.VARCHAR)], [["x,y", "two\r\nlines"], ['"', " z"]])
    assert text == 'a,"b ""q"""\r\n"x,y",""""\r\n"two\r\nlines"," z"\r\n'
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["a", 'b "q"'],
        ["x,y", '"'],
        ["two\r\nlines", " z"],
    ]


def test_csv_tells_null_from_empty_text() -> None:
    assert written("csv", TWO, [[None, 1], ["", None]]) == 'n,s\r\n,""\r\n1,\r\n'


def test_csv_writes_nested_values_as_json() -> None:
    text = written("csv", [("a", t.Array(t.VARCHAR))], [[["x", None]]])
    (_, (cell,)) = csv.reader(io.StringIO(text, newline=""))
    assert json.loads(cell) == ["x", None]


def test_tsv_escapes_and_marks_null() -> None:
    assert written("tsv", TWO, [[1, None], ["a\tb\nc\\", None]]) == "n\ts\n1\ta\\tb\\nc\\\\\n\\N\t\\N\n"


def test_json_is_one_object_a_line() -> None:
    lines = written("json", TWO, [[1, 2], ["a\nb", None]]).splitlines()
    assert [json.loads(line) for line in lines] == [{"n": 1, "s": "a\nb"}, {"n": 2, "s": None}]


def test_json_names_columns_apart() -> None:
    columns = [("a", t.BIGINT), ("a", t.BIGINT), ("a_2", t.BIGINT)]
    assert json.loads(written("json", columns, [[1], [2], [3]])) == {"a": 1, "a_2": 2, "a_2_2": 3}


def test_years_that_python_has_not() -> None:
    far = pa.array([300_000_000_000_000_000], pa.timestamp("us"))
    out = io.StringIO()
    batch = pa.record_batch([far], names=["t"])
    write_result("csv", [("t", t.Timestamp(6))], [batch], out.write)
    assert "11476-" in out.getvalue()


def test_a_plan_is_shown_as_it_is_laid_out() -> None:
    assert (
        written("table", [("Query Plan", t.VARCHAR)], [["Query\n  Scan t\x1b"]]) == "Query\n  Scan t\\u001b\n"
    )
