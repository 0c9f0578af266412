from __future__ import annotations

from sqe.cli.complain import describe
from sqe.errors import NotFound, Position, SyntaxFault
from sqe.sql.split import StatementText


def test_code_position_hint_and_caret() -> None:
    error = NotFound(
        "column 'b' does not exist", code="COLUMN_NOT_FOUND", position=Position(1, 8), hint="did you mean a?"
    )
    assert describe(error, StatementText("SELECT b FROM t", 1, 1)).splitlines() == [
        "error: [COLUMN_NOT_FOUND] line 1:8: column 'b' does not exist",
        "hint: did you mean a?",
        "  SELECT b FROM t",
        "         ^",
    ]


def test_positions_count_from_the_beginning_of_the_script() -> None:
    statement = StatementText("SELECT 1,\n\tb", 3, 12)
    first = describe(SyntaxFault("x", position=Position(1, 8)), statement)
    assert first.startswith("error: [SYNTAX_ERROR] line 3:19: x")
    second = describe(SyntaxFault("x", position=Position(2, 2)), statement).splitlines()
    assert second[0] == "error: [SYNTAX_ERROR] line 4:2: x"
    assert second[1:] == ["   b", "   ^"]


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "x" * 100_000 + "HERE" + "y" * 100_000
    _, line, caret = describe(
        SyntaxFault("m", position=Position(1, 100_001)), StatementText(text, 1, 1)
    ).splitlines()
    assert len(line) < 100
    assert line[caret.index("^") :].startswith("HERE")


def test_the_caret_stands_below_its_character_on_a_screen() -> None:
    text = "SELECT '漢字e\u0301', b"
    lines = describe(
        SyntaxFault("m", position=Position(1, text.index("b") + 1)), StatementText(text, 1, 1)
    ).splitlines()
    assert lines[1:] == [f"  {text}", "  " + " " * len("SELECT 'wwwwe', ") + "^"]


def test_a_place_past_the_end() -> None:
    lines = describe(SyntaxFault("m", position=Position(1, 99)), StatementText("SELECT", 1, 1)).splitlines()
    assert lines[1:] == ["  SELECT", "        ^"]
    assert describe(SyntaxFault("m", position=Position(9, 1)), StatementText("x", 1, 1)).count("\n") == 0


def test_a_message_is_one_line_without_control_characters() -> None:
    text = describe(SyntaxFault("first\nsecond \x1b[2J"))
    assert text == "error: [SYNTAX_ERROR] first second \\u001b[2J"


def test_a_fault_of_ours_says_so() -> None:
    first, hint = describe(KeyError("k")).splitlines()
    assert first == "error: [GENERIC_INTERNAL_ERROR] KeyError: 'k'"
    assert "fault of SQE" in hint
