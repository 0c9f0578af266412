"""Writes down which key asked MinIO for which object, and runs as long as MinIO does.

`python -m stack.access_log FILE PORT COMMAND…` listens on 127.0.0.1:PORT, and becomes the command."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# MinIO tells the operation only.
_METHODS = {"Get": "GET", "List": "GET", "Head": "HEAD", "Put": "PUT", "Copy": "PUT", "Upload": "PUT"}
_EXCEPTIONS = {"DeleteMultipleObjects": "POST", "AbortMultipartUpload": "DELETE"}


def main() -> None:
    file, port, *command = sys.argv[1:]
    log = Path(file)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), _listener(log))
    # MinIO keeps the writing end open until it ends, however it ends.
    ended, held = os.pipe()
    os.set_inheritable(held, True)
    if os.fork() != 0:
        os.execvp(command[0], command)
    os.close(held)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.read(ended, 1)


def lines_of(entry: dict[str, Any]) -> Iterator[str]:
    """What is written for one entry of MinIO's audit log, which has whole headers: one line an object."""
    api = entry["api"]
    objects = [each["objectName"] for each in api.get("objects") or ()] or [api.get("object", "")]
    for name in objects:
        line = {
            "time": entry["time"],
            "access_key": entry.get("accessKey", ""),
            "operation": api["name"],
            "method": method_of(api["name"]),
            "object": "/".join(part for part in (api.get("bucket", ""), name) if part),
            "status": api["statusCode"],
        }
        yield json.dumps(line) + "\n"


def method_of(operation: str) -> str:
    if operation in _EXCEPTIONS:
        return _EXCEPTIONS[operation]
    if operation.startswith("Delete"):
        return "DELETE"
    return next((method for start, method in _METHODS.items() if operation.startswith(start)), "POST")


def _listener(log: Path) -> type[BaseHTTPRequestHandler]:
    writing = threading.Lock()

    class Listener(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for text in body.splitlines():
                entry = json.loads(text)
                # Its own work, and its health checks, have no such part.
                if entry.get("trigger") == "incoming" and entry.get("api", {}).get("name"):
                    with writing, open(log, "a") as file:
                        file.writelines(lines_of(entry))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Listener


if __name__ == "__main__":
    main()
