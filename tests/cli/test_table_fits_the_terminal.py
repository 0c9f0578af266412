"""Tables on a terminal: its width, the types, and what gives way where there is no room."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pyarrow as pa
import pytest

from sqe.cli.output import width_of
from sqe.cli.table import write_table
from sqe.cli.terminal import Terminal
from sqe.types import sql_types as t


def drawn(
    columns: Sequence[tuple[str, t.Type]], values: list[list[object]], width: int, **can: bool
) -> list[str]:
    terminal = Terminal(width, 24, **{"escapes": True, "colour": False, "unicode": True, **can})
    out = io.StringIO()
    batch = pa.record_batch(
        [pa.array(column) for column in values], names=[str(i) for i in range(len(values))]
    )
    write_table(columns, [batch], out.write, terminal)
    return out.getvalue().splitlines()


TWO = [("n", t.BIGINT), ("s", t.VARCHAR)]


def test_types_stand_below_the_names_and_numbers_to_the_right() -> None:
    assert drawn(TWO, [[1, None], ["x", "long text"]], 80) == [
        "┌────────┬───────────┐",
        "│      n │ s         │",
        "│ bigint │ varchar   │",
        "├────────┼───────────┤",
        "│      1 │ x         │",
        "│   NULL │ long text │",
        "└────────┴───────────┘",
        "(2 rows)",
    ]


def test_a_terminal_without_these_characters_gets_others() -> None:
    assert drawn(TWO, [[1], ["a text that is too long"]], 24, unicode=False)[:5] == [
        "+--------+-------------+",
        "|      n | s           |",
        "| bigint | varchar     |",
        "+--------+-------------+",
        "|      1 | a text t... |",
    ]


def test_null_is_dim_where_there_are_colours() -> None:
    lines = drawn(TWO, [[None], ["NULL"]], 80, colour=True)
    assert "│   \x1b[2mNULL\x1b[0m │ NULL" in lines[4]


def test_long_types_give_way_before_values() -> None:
    lines = drawn([("at", t.TimestampTz(6)), ("s", t.VARCHAR)], [["noon"], ["x" * 20]], 36)
    assert lines[4] == f"│ noon UTC  │ {'x' * 20} │"
    assert lines[2] == f"│ timestam… │ varchar{' ' * 13} │"


@pytest.mark.parametrize("width", [30, 40, 79, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    columns = [("id", t.BIGINT), *((f"column_{i}", t.VARCHAR) for i in range(3)), ("d", t.Decimal(38, 2))]
    values: list[list[object]] = [[123456], ["word " * 9], ["漢字" * 20], ["e\u0301" * 50], [12345678901234]]
    lines = drawn(columns, values, width)
    assert {width_of(line) for line in lines[:-1]} == {min(width, width_of(lines[0]))}
    assert width_of(lines[0]) <= width


def test_long_values_are_shortened_and_numbers_are_not() -> None:
    lines = drawn(TWO, [[12345678901234], ["a" * 500]], 40)
    assert lines[4] == f"│ 12345678901234 │ {'a' * 18}… │"
    assert lines[-1] == "(1 row)"


def test_columns_in_the_middle_are_left_out_when_there_are_too_many() -> None:
    columns = [(f"c{i}", t.BIGINT) for i in range(20)]
    lines = drawn(columns, [[10**12 + i] for i in range(20)], 60)
    assert lines[1] == "│            c0 │            c1 │ … │           c19 │"
    assert lines[-1] == "(1 row, 3 of 20 columns shown)"


def test_one_column_is_shown_in_the_narrowest_terminal() -> None:
    lines = drawn([("text", t.VARCHAR), ("n", t.BIGINT)], [["a" * 50], [1]], 8)
    assert lines[-1] == "(1 row, 1 of 2 columns shown)"


def test_a_wide_character_is_not_cut_in_half() -> None:
    lines = drawn([("s", t.VARCHAR)], [["漢字" * 10]], 12)
    assert lines[4] == "│ 漢字漢…  │"


def test_statements_that_are_shown_keep_their_lines() -> None:
    assert drawn([("Create Table", t.VARCHAR)], [["CREATE TABLE t (\n  a bigint\n)"]], 20) == [
        "CREATE TABLE t (",
        "  a bigint",
        ")",
    ]


def test_data_cannot_move_the_cursor() -> None:
    assert "\x1b" not in "".join(drawn([("\x1b[2J", t.VARCHAR)], [["\x1b[31m"]], 80))
