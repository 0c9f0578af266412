"""Runs what it reads, a statement a line, and answers with the seconds that each took. Of the checkout that
is on its path, whatever that is: it uses what every commit has."""

from __future__ import annotations

import sys
import time

import sqe


def main() -> None:
    with sqe.connect(memory=True) as connection:
        for line in sys.stdin:
            begin = time.perf_counter()
            cursor = connection.execute(line)
            if line.startswith("SELECT"):
                cursor.fetchall()
            print(time.perf_counter() - begin, flush=True)


if __name__ == "__main__":
    main()
