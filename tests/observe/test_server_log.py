"""The server's log: one line a message, for machines or for people."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import datetime

from sqe.observe.logs import MOST_TEXT, JsonLines, TextLines


def record(message: str, *arguments: object, **extra: object) -> logging.LogRecord:
    made = logging.getLogger("sqe.some.room").makeRecord(
        "sqe.some.room", logging.WARNING, __file__, 1, message, arguments, None, extra=extra
    )
    made.created = 1_700_000_000.1234
    return made


def failing(message: str) -> logging.LogRecord:
    try:
        raise ValueError(message)
    except ValueError:
        made = record("it failed")
        made.exc_info = sys.exc_info()
        return made


def test_a_line_is_an_object_with_its_context() -> None:
    line = json.loads(
        JsonLines().format(record("read %d files", 3, statement_id="s1", user="joe", rows=None))
    )
    assert line == {
        "timestamp": "2023-11-14T22:13:20.123Z",
        "level": "warning",
        "logger": "sqe.some.room",
        "message": "read 3 files",
        "statement_id": "s1",
        "user": "joe",
    }


def test_people_read_the_same() -> None:
    line = TextLines().format(record("read %d files", 3, statement_id="s1", door="flight sql"))
    assert line == (
        '2023-11-14T22:13:20.123Z WARNING sqe.some.room read 3 files statement_id=s1 door="flight sql"'
    )


def test_nobody_writes_a_line_of_their_own() -> None:
    forged = record("user %s", "joe\n2023 INFO root logged in as admin\x1b[2J", user="a\r\nb\u2028c")
    for form in (JsonLines(), TextLines()):
        line = form.format(forged)
        assert len(line.splitlines()) == 1 and "\x1b" not in line


def test_secrets_are_hidden_wherever_they_are() -> None:
    for form in (JsonLines(), TextLines()):
        said = record("Bearer hunter2hunter2", why="password=hunter2", session_token="hunter2")
        assert "hunter2" not in form.format(said)
        assert "hunter2" not in form.format(failing("cannot log in with password=hunter2"))


def test_fields_are_bounded() -> None:
    line = json.loads(JsonLines().format(record("x" * 1_000_000, user="y" * 1_000_000)))
    assert len(line["message"]) < MOST_TEXT + 20 and len(line["user"]) < MOST_TEXT + 20


def test_an_exception_is_a_field_that_ends_with_what_was_raised() -> None:
    line = json.loads(JsonLines().format(failing("x" * 1_000_000 + " the end")))
    assert line["message"] == "it failed"
    assert line["exception"].endswith("the end") and len(line["exception"]) < MOST_TEXT + 20
    traced = json.loads(JsonLines().format(failing("no")))["exception"]
    assert traced.startswith("Traceback") and traced.endswith("ValueError: no")


def test_objects_that_json_does_not_know_are_text() -> None:
    line = json.loads(JsonLines().format(record("%s", [1], at=datetime(2024, 1, 2), share=0.5)))
    assert (line["at"], line["share"]) == ("2024-01-02 00:00:00", 0.5)


PROGRAM = """
import logging, sys, threading, warnings
from sqe.observe import logs
logs.start(level=sys.argv[1], form=sys.argv[2])
log = logging.getLogger("sqe.x")
log.debug("a detail")
log.info("hello", extra={"user": "joe"})
logging.getLogger("other.library").info("chatter")
logging.getLogger("other.library").warning("trouble")
warnings.warn("token=hunter2")
def fail(): raise KeyError("in a thread")
thread = threading.Thread(target=fail, name="worker-1"); thread.start(); thread.join()
raise RuntimeError("the end")
"""


def lines(level: str, form: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, level, form], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "" and done.returncode == 1
    return done.stderr.splitlines()


def test_all_of_a_process_goes_to_stderr_as_json() -> None:
    said = [json.loads(line) for line in lines("info", "json")]
    assert [(line["logger"], line["level"]) for line in said] == [
        ("sqe.x", "info"),
        ("other.library", "warning"),
        ("py.warnings", "warning"),
        ("sqe.observe.logs", "error"),
        ("sqe.observe.logs", "critical"),
    ]
    assert said[0]["user"] == "joe"
    assert "token=***" in said[2]["message"]
    assert said[3]["thread_name"] == "worker-1" and said[3]["exception"].endswith("'in a thread'")
    assert said[4]["exception"].endswith("RuntimeError: the end")


def test_the_level_is_that_of_the_configuration() -> None:
    assert "a detail" in lines("debug", "text")[0]
    assert not any("hello" in line or "trouble" in line for line in lines("error", "text"))
