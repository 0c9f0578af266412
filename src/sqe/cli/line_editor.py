"""How a statement is typed: over several lines, in colours, completed, and recalled from the history."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth

from sqe.cli.completion import candidates
from sqe.cli.dot_commands import is_command
from sqe.cli.highlight import STYLE, SqlLexer
from sqe.cli.history import StatementHistory
from sqe.cli.names import Names
from sqe.cli.terminal import Terminal
from sqe.sql.split import is_complete

PROMPT = "sqe> "
MORE = "...> "
BARE_WORDS = {"exit", "quit", "help"}


class Editor(Protocol):
    def read(self) -> str:
        """One statement or command. EOFError at the end of the input, KeyboardInterrupt at Ctrl-C."""


def open_editor(names: Names, on_text: Callable[[str], None], terminal: Terminal | None) -> Editor:
    """`on_text` is called with the text as it grows."""
    if terminal is None or not terminal.escapes:
        return PlainEditor(on_text)
    return LineEditor(names, on_text, terminal)


def is_finished(text: str) -> bool:
    """Whether Enter runs it."""
    word = text.strip()
    return not word or is_command(word) or word.lower() in BARE_WORDS or is_complete(text)


class LineEditor:
    def __init__(self, names: Names, on_text: Callable[[str], None], terminal: Terminal) -> None:
        self._session: PromptSession[str] = PromptSession(
            [("class:prompt", PROMPT)],
            multiline=True,
            prompt_continuation=_continued,
            key_bindings=_bindings(),
            lexer=SqlLexer(),
            style=STYLE,
            include_default_pygments_style=False,
            color_depth=None if terminal.colour else ColorDepth.DEPTH_1_BIT,
            completer=SqlCompleter(names),
            complete_in_thread=True,
            complete_while_typing=False,  # only Tab asks: each listing is a statement
            reserve_space_for_menu=6,
            history=StatementHistory(),
            enable_open_in_editor=True,
            enable_suspend=True,
            tempfile_suffix=".sql",
        )
        self._session.default_buffer.on_text_changed += lambda buffer: on_text(buffer.text)

    def read(self) -> str:
        return self._session.prompt()


def _continued(width: int, line: int, is_wrapped: int) -> StyleAndTextTuples:
    """Before the lines after the first; one that only lacks room on the screen is not a new one."""
    return [("", " " * width)] if is_wrapped else [("class:prompt", MORE)]


class SqlCompleter(Completer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for candidate in candidates(document.text, document.cursor_position, self._names):
            start = candidate.start - document.cursor_position
            if candidate.text != document.text[candidate.start : document.cursor_position]:
                yield Completion(candidate.text, start, display_meta=candidate.about)


def _bindings() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=has_focus(DEFAULT_BUFFER))
    def run(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None  # chosen from the menu
        elif is_finished(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    @keys.add("escape", "enter", filter=has_focus(DEFAULT_BUFFER))
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys


class PlainEditor:
    """For a terminal that cannot move its cursor: a line at a time."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._history = StatementHistory()
        with contextlib.suppress(ImportError):
            import readline

            readline.set_auto_history(False)
            for entry in reversed(list(self._history.load_history_strings())):
                readline.add_history(entry.replace("\n", " "))

    def read(self) -> str:
        text = self._line(PROMPT)
        while not is_finished(text):
            self._on_text(text + "\n")
            text += "\n" + self._line(MORE)
        if text.strip():
            self._remember(text)
        return text

    def _line(self, prompt: str) -> str:
        try:
            if sys.stdout.isatty():
                return input(prompt)
            # Results go to a file, and only they.
            print(prompt, end="", file=sys.stderr, flush=True)
            return input()
        except (EOFError, KeyboardInterrupt):
            print(file=sys.stderr)  # the cursor stands behind the prompt
            raise

    def _remember(self, text: str) -> None:
        self._history.store_string(text)
        with contextlib.suppress(ImportError):
            import readline

            readline.add_history(text.replace("\n", " "))
