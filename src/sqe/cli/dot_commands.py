"""Commands of the shell itself: a dot or a backslash, a name, and an argument."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.arguments import FORMATS
from sqe.cli.run import read_script, run_script
from sqe.errors import InvalidArgument, NotFound
from sqe.foundation.record import record

if TYPE_CHECKING:
    from sqe.cli.shell_state import ShellState

LANES = ("auto", "spark", "fast")


class Leave(Exception):
    """The shell is to end."""


@record
class DotCommand:
    """`takes` is what completes its argument: table, schema, file, or choices separated by `|`."""

    names: tuple[str, ...]
    argument: str
    help: str
    run: Callable[[ShellState, str], None]
    takes: str = ""


def is_command(text: str) -> bool:
    return text.lstrip().startswith((".", "\\"))


def run_command(shell: ShellState, text: str) -> None:
    name, _, argument = text.strip().partition(" ")
    argument = argument.strip().rstrip(";").rstrip()
    word = name[1:].rstrip(";").lower()
    for command in COMMANDS:
        if word in command.names:
            command.run(shell, argument)
            return
    close = difflib.get_close_matches(word, [n for c in COMMANDS for n in c.names], n=1)
    raise NotFound(
        f"there is no command {name}",
        code="COMMAND_NOT_FOUND",
        hint=(f"did you mean .{close[0]}? " if close else "") + ".help lists the commands",
    )


def _help(shell: ShellState, argument: str) -> None:
    usages = [f".{' .'.join(c.names)}" + (f" {c.argument}" if c.argument else "") for c in COMMANDS]
    width = max(map(len, usages))
    for usage, command in zip(usages, COMMANDS, strict=True):
        print(f"{usage:<{width}}  {command.help}")
    print(
        "A statement ends with ; and runs with Enter; Alt-Enter begins a new line, Tab completes.\n"
        "Ctrl-C cancels what runs or clears the line, Ctrl-R searches the history, Ctrl-D leaves.\n"
        "A backslash does in place of the dot: \\q, \\d t."
    )


def _tables(shell: ShellState, argument: str) -> None:
    shell.run_sql(f"SHOW TABLES FROM {argument}" if argument else "SHOW TABLES")


def _describe(shell: ShellState, argument: str) -> None:
    # Without a table, what there is to choose from.
    shell.run_sql(f"DESCRIBE {argument}" if argument else "SHOW TABLES")


def _summarize(shell: ShellState, argument: str) -> None:
    from sqe.cli.summarize import summary

    if not argument:
        raise InvalidArgument("which table?", hint=".summarize t")
    cursor = shell.connection.cursor()
    cursor.execute(f"DESCRIBE {argument}")
    columns = [row[:2] for row in cursor.fetchall()]
    cursor.close()
    shell.run_sql(summary(argument, columns))


def _catalogs(shell: ShellState, argument: str) -> None:
    shell.run_sql("SHOW CATALOGS")


def _read(shell: ShellState, argument: str) -> None:
    if not argument:
        raise InvalidArgument("which file?", hint=".read script.sql")
    path = Path(argument.strip("'\"")).expanduser()
    run_script(shell.connection, read_script(path), display=shell.display)
    shell.names.forget()


def _timer(shell: ShellState, argument: str) -> None:
    if argument:
        shell.display.timer = _choice(argument, ("on", "off")) == "on"
    print(f"timer: {'on' if shell.display.timer else 'off'}")


def _format(shell: ShellState, argument: str) -> None:
    if argument:
        shell.display.form = _choice(argument, FORMATS)
    print(f"format: {shell.display.form}")


def _lane(shell: ShellState, argument: str) -> None:
    if argument:
        shell.run_sql(f"SET SESSION lane = '{_choice(argument, LANES)}'")
    else:
        with shell.connection.cursor() as cursor:
            # Its default is the configuration's.
            [(_, lane, *_)] = cursor.execute("SHOW SESSION LIKE 'lane'").fetchall()
        print(f"lane: {lane}")


def _quit(shell: ShellState, argument: str) -> None:
    sys.stdout.flush()
    raise Leave


def _choice(argument: str, choices: tuple[str, ...]) -> str:
    if argument.lower() not in choices:
        raise InvalidArgument(f"'{argument}' is none of {', '.join(choices)}")
    return argument.lower()


COMMANDS = (
    DotCommand(("help",), "", "this list", _help),
    DotCommand(("tables",), "[schema]", "the tables and views of a schema", _tables, "schema"),
    DotCommand(("schema", "describe", "d"), "table", "its columns and their types", _describe, "table"),
    DotCommand(
        ("summarize", "summary"), "table", "each column's range, quartiles and NULLs", _summarize, "table"
    ),
    DotCommand(("catalogs", "databases"), "", "the catalogs", _catalogs),
    DotCommand(("read",), "file", "run the statements of a file", _read, "file"),
    DotCommand(("timer",), "[on|off]", "show how long statements take", _timer, "on|off"),
    DotCommand(("format",), f"[{'|'.join(FORMATS)}]", "how results are shown", _format, "|".join(FORMATS)),
    DotCommand(("lane",), f"[{'|'.join(LANES)}]", "which engine answers", _lane, "|".join(LANES)),
    DotCommand(("quit", "exit", "q"), "", "leave", _quit),
)
