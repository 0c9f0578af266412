"""A process with a fast lane, for tests that end it: `fast_owner.py SPILL_DIRECTORY idle|busy|exit`."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.processes import Processes

ENDLESS = "SELECT sum(a.range * b.range % 7) FROM range(100000000) a, range(1000000) b"
SPILLING = "SELECT hash(range) AS n, range FROM range(1000000000) ORDER BY n"


def spilled(directory: str) -> bool:
    return any(name.endswith(".tmp") for _, _, names in os.walk(directory) for name in names)


def main(spill: str, how: str) -> None:
    lane = Processes(FastSettings(processes=2, spill_dir=Path(spill), memory_limit=64 << 20))
    streams = [
        lane.run(sql if how == "busy" else "SELECT 1", statement_id=sql, identity_key="joe")
        for sql in (ENDLESS, SPILLING)
    ]
    threads = [threading.Thread(target=list, args=(stream,), daemon=True) for stream in streams]
    for thread in threads:
        thread.start()
    if how == "busy":
        while not spilled(spill) or len(lane.children()) < 2:
            time.sleep(0.02)
    else:
        for thread in threads:
            thread.join()
    print(*lane.children(), flush=True)
    if how != "exit":
        time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
