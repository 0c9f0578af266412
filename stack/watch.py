"""`python -m stack.watch HOME`: ends the servers in a directory when no process uses them any more."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

from stack.servers import stop_all


def main() -> None:
    home = Path(sys.argv[1])
    with open(home / "users", "w") as users:
        fcntl.flock(users, fcntl.LOCK_EX)
        stop_all(home)


if __name__ == "__main__":
    main()
