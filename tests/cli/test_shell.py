"""The shell in a real terminal. What needs Spark is in test_shell_with_spark.py."""

from __future__ import annotations

from pathlib import Path

from tests.cli.terminal import ALT_ENTER, CTRL_C, ENTER, TAB, UP, Terminal


def test_a_banner_of_one_line_and_a_prompt(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        assert terminal.until_prompt().splitlines() == [
            "SQE 0.1.0, tables in memory. .help lists the commands.",
            "sqe>",
        ]
        assert terminal.leave() == 0


def test_editing_over_several_lines(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.run("CREATE SCHEMA", until="...>")
        seen = terminal.run("shop;")
        assert "sqe> CREATE SCHEMA\n...> shop;\nCREATE SCHEMA\nsqe>" in seen
        # A new line although the statement is complete, and the whole of it again from the history.
        terminal.type(f"DROP SCHEMA shop;{ALT_ENTER}CREATE SCHEMA shop;")
        assert "DROP SCHEMA\nCREATE SCHEMA\nsqe>" in terminal.run("")
        terminal.type(UP)
        terminal.wait(lambda: terminal.text.endswith("CREATE SCHEMA shop;"), "nothing is recalled")
        assert terminal.run("").count("DROP SCHEMA\nCREATE SCHEMA\nsqe>") == 2


def test_an_error_shows_its_place_also_in_a_second_statement(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.type(f"CREATE SCHEMA a;{ALT_ENTER}DESCRIBE nothing;")
        seen = terminal.run("")
        assert "error: [TABLE_NOT_FOUND] line 2:10:" in seen
        assert "  DESCRIBE nothing\n           ^" in seen


def test_completion(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.run("CREATE SCHEMA shop;")
        terminal.run("CREATE TABLE shop.orders (id BIGINT);")
        terminal.run("CREATE TABLE shop.orders_of_old (id BIGINT);")
        terminal.type(f"desc{TAB}")
        terminal.until("sqe> describe")
        terminal.type(f" sh{TAB}")
        terminal.until("describe shop")
        terminal.type(f".{TAB}")
        # What all have in common is written, and the rest is a choice.
        terminal.until("describe shop.orders\n")
        assert "orders_of_old" in terminal.text and "table" in terminal.text
        terminal.type(f"{TAB}{TAB}")
        terminal.until("describe shop.orders_of_old")
        terminal.type(ENTER)  # takes it, and does not run what lacks its semicolon
        assert "bigint" in terminal.run(";")
        # Not there before, and there at once.
        terminal.run("CREATE TABLE shop.zebras (id BIGINT);")
        terminal.type(f".d shop.z{TAB}")
        terminal.until(".d shop.zebras")


def test_an_interrupt_clears_the_line_and_the_end_of_input_leaves(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.run("CREATE SCHEMA", until="...>")
        terminal.type(CTRL_C)
        terminal.until_prompt()
        assert "Schema" in terminal.run("SHOW SCHEMAS;")
        assert terminal.leave() == 0


def test_history_across_restarts(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.run("CREATE SCHEMA", until="...>")
        terminal.run("remembered;")
        terminal.run("CREATE SECRET s (KEY 'hunter2');")
        assert terminal.leave() == 0
    history = tmp_path / ".sqe_history"
    assert "remembered" in history.read_text() and "hunter2" not in history.read_text()
    history.chmod(0o644)
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.type(UP)
        terminal.until("sqe> CREATE SCHEMA\n...> remembered;")
        assert "CREATE SCHEMA\nsqe>" in terminal.run("")
    assert history.stat().st_mode & 0o777 == 0o600


def test_tables_follow_the_size_of_the_window(tmp_path: Path) -> None:
    with Terminal(tmp_path, columns=100) as terminal:
        terminal.until_prompt()
        name = "a_schema_with_a_name_that_is_rather_long_for_a_small_window"
        terminal.run(f"CREATE SCHEMA {name};")
        assert name in terminal.run("SHOW SCHEMAS;").split("Schema")[-1]
        terminal.resize(40, 30)
        seen = terminal.run("SHOW SCHEMAS;").split("Schema")[-1]
        assert "│ a_schema_with_a_name_that_is_rather… │" in seen


def test_long_results_are_paged(tmp_path: Path) -> None:
    with Terminal(tmp_path, lines=12) as terminal:
        terminal.until_prompt()
        terminal.run("SHOW FUNCTIONS;", until="\n:")
        assert "sqe>" not in terminal.text.splitlines()[-1]
        terminal.type("q")
        terminal.until_prompt()
        # Results that fit do not begin a pager.
        assert "(2 rows)" in terminal.run("SHOW CATALOGS;")


def test_another_pager_and_none(tmp_path: Path) -> None:
    with Terminal(tmp_path, lines=12, PAGER="wc -l") as terminal:
        terminal.until_prompt()
        counted = terminal.run("SHOW FUNCTIONS;").splitlines()[-2].strip()
        assert counted.isdigit() and int(counted) > 200
    with Terminal(tmp_path, lines=12, PAGER="") as terminal:
        terminal.until_prompt()
        assert "rows)\nsqe>" in terminal.run("SHOW FUNCTIONS;")


def test_without_a_shell_results_fit_the_terminal_and_are_not_paged(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--memory", "-e", "SHOW SCHEMAS", columns=20, lines=5) as terminal:
        terminal.until("(2 rows)")
        assert "│ information_sch… │" in terminal.text
        assert terminal.process.wait(timeout=60) == 0


def test_a_dumb_terminal_gets_no_escape_codes(tmp_path: Path) -> None:
    with Terminal(tmp_path, kind="dumb") as terminal:
        terminal.until_prompt()
        terminal.run("CREATE SCHEMA", until="...>")
        terminal.run("shop;")
        assert "| shop" in terminal.run("SHOW SCHEMAS;")
        terminal.type("CREATE\n")
        terminal.until("\n...>")
        terminal.type(CTRL_C)
        terminal.until_prompt()
        assert "no command .tabels" in terminal.run(".tabels")
        assert b"\x1b" not in terminal.everything
        assert terminal.leave() == 0
    assert "+CREATE SCHEMA\n+shop;\n" in (tmp_path / ".sqe_history").read_text()


def test_no_colours_where_they_are_not_wanted(tmp_path: Path) -> None:
    with Terminal(tmp_path, NO_COLOR="1") as terminal:
        terminal.until_prompt()
        terminal.run("SHOW SCHEMAS;")
        assert b"\x1b[2m" not in terminal.everything and b"\x1b[34m" not in terminal.everything


def test_what_is_typed_is_coloured(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until_prompt()
        terminal.type("SHOW TABLES LIKE 'x' -- why")
        terminal.until("why")
        line = next(y for y in range(30) if "LIKE" in terminal.screen.display[y])
        colours = [terminal.screen.buffer[line][x].fg for x in range(len("sqe> SHOW TABLES LIKE 'x' -- why"))]
        assert colours[5] == "blue" and colours[22] == "green" and colours[-1] == "brightblack"


def test_data_reaches_a_terminal_without_its_control_characters_in_every_form(tmp_path: Path) -> None:
    nasty = "CREATE TABLE t (a integer COMMENT 'x\x9b2Jy\u202e'); DESCRIBE t"
    for form in ("csv", "tsv", "json"):
        with Terminal(tmp_path, "--memory", "-f", form, "-e", nasty) as terminal:
            terminal.until("x\\u009b2Jy\\u202e")
            shown = terminal.everything.decode()
            assert "\x9b" not in shown and "\u202e" not in shown
