"""Runs what it reads, a statement a line, and answers with the seconds that each took. Of the checkout that
is on its path, whatever that is: it uses what every commit has."""

from __future__ import annotations

import sys
import time

import sqe


def main() -> None:
    warehouse = sys.argv[1] if len(sys.argv) > 1 else None
    with sqe.connect(warehouse=warehouse, memory=warehouse is None) as connection:
        for line in sys.stdin:
            begin = time.perf_counter()
            cursor = connection.execute(line)
            if line.startswith(("SELECT", "EXPLAIN")):
                cursor.fetchall()
            print(time.perf_counter() - begin, flush=True)


if __name__ == "__main__":
    main()
