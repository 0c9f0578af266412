"""The first observer: one JSON object a line, to a file of the operator's."""

from __future__ import annotations

import json
import os
from pathlib import Path

from sqe.errors import ConfigError
from sqe.observe.events import Event


class JsonLog:
    def __init__(self, path: Path) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise ConfigError(
                f"events.log_path cannot be written: {error.strerror}", hint=str(path)
            ) from None
        self._file = os.fdopen(descriptor, "w", buffering=1, encoding="utf-8")

    def hear(self, event: Event) -> None:
        line = {
            "event": event.kind,
            "at": round(event.at, 6),
            "statement_id": event.statement_id,
            "user": event.user,
            **event.details,
        }
        self._file.write(json.dumps(line, default=str) + "\n")
