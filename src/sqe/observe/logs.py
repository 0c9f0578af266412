"""The server's log: one line per message to stderr, as JSON or as text, and never a secret in it.

What a line is about comes with `extra=`: `log.info("…", extra={"statement_id": …, "user": …})`.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from types import TracebackType
from typing import TextIO

from sqe.observe.redact import HIDDEN, without_secrets

MOST_TEXT = 8 << 10
"""Characters of one field: a line must stay one that a collector takes."""
_ORDINARY = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SECRET_NAMES = ("password", "secret", "token", "credential", "authorization", "cookie")
# Whoever names a user or a table must not write lines of our log.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}

log = logging.getLogger(__name__)


def start(*, level: str = "info", form: str = "json", stream: TextIO | None = None) -> None:
    """Sends all logging, Python's warnings and whatever kills a thread to `stream`. Other libraries are
    heard from `warning` on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    threshold = getattr(logging, level.upper())
    logging.basicConfig(level=max(threshold, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("sqe").setLevel(threshold)
    # A stream that is gone must not print tracebacks of its own.
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


class JsonLines(logging.Formatter):
    """timestamp, level, logger, message, the context, and the exception if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "timestamp": _moment(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _safe(record.getMessage()),
            **dict(_context(record)),
        }
        if record.exc_info:
            line["exception"] = _exception(record)
        return json.dumps(line, default=_unknown)


class TextLines(logging.Formatter):
    """The same for people: time, level, logger, message, `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        parts = [
            _moment(record.created),
            f"{record.levelname:<7}",
            record.name,
            _safe(record.getMessage()).translate(_CONTROL),
            *(f"{name}={_shown(value)}" for name, value in _context(record)),
        ]
        line = " ".join(parts)
        if record.exc_info:
            line += "".join(f"\n  {text.translate(_CONTROL)}" for text in _exception(record).splitlines())
        return line


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _context(record: logging.LogRecord) -> Iterator[tuple[str, object]]:
    for name, value in vars(record).items():
        if name in _ORDINARY or name.startswith("_") or value is None:
            continue
        if _names_a_secret(name):
            yield name, HIDDEN
        elif isinstance(value, (bool, int, float)):
            yield name, value
        else:
            yield name, _safe(str(value))


@cache
def _names_a_secret(name: str) -> bool:
    """Names of fields are written in our code, so that there are few."""
    return any(word in name.lower() for word in _SECRET_NAMES)


def _shown(value: object) -> str:
    text = str(value).translate(_CONTROL)
    return text if text and not set(text) & set(' "=') else json.dumps(text, ensure_ascii=False)


def _safe(text: str) -> str:
    return without_secrets(_bounded(text))


def _bounded(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + " … (cut)"


def _exception(record: logging.LogRecord) -> str:
    assert record.exc_info is not None
    text = "".join(traceback.format_exception(*record.exc_info)).strip()
    # What was raised is at the end. Redacted before it is cut: a secret without its name is not recognized.
    text = without_secrets(text[-8 * MOST_TEXT :])
    return text if len(text) <= MOST_TEXT else "(cut) … " + text[-MOST_TEXT:]


def _unknown(value: object) -> str:
    return type(value).__name__


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        log.critical("the process ends by an error", exc_info=(kind, error, trace))


def _uncaught_in_thread(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is None or issubclass(failure.exc_type, SystemExit):
        return
    name = failure.thread.name if failure.thread is not None else "unknown"
    error = (failure.exc_type, failure.exc_value, failure.exc_traceback)
    log.error("a thread ended by an error", exc_info=error, extra={"thread_name": name})
