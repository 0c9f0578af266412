"""`python -m stack up`, `down` and `status`: what `make stack` and `make stack-down` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sqe.errors import InvalidArgument, Unavailable
from stack.realm import USERS, secret_of
from stack.servers import PROGRAMS, running_in, start_all, stop_all
from stack.sqe_config import sqe_config

HOME = Path(__file__).parent.parent / ".stack"


def main() -> int:
    flags = argparse.ArgumentParser(prog="python -m stack", description=__doc__)
    flags.add_argument("command", choices=("up", "down", "status"))
    match flags.parse_args().command:
        case "up":
            try:
                start_all(HOME, tell=_tell)
            except (InvalidArgument, Unavailable) as error:
                print(error, file=sys.stderr)
                return 1
        case "down":
            stop_all(HOME)
    _show()
    return 0


def _tell(name: str) -> None:
    print(f"{name}: starting (the first start fetches or builds it)", flush=True)


def _show() -> None:
    servers = running_in(HOME)
    for name in (program.NAME for program in PROGRAMS):
        server = servers.get(name)
        where = "not running" if server is None else f"{server.facts['url']}, log {HOME / name / 'log'}"
        print(f"{name}: {where}")
    if len(servers) < len(PROGRAMS):
        return
    file = HOME / "sqe.toml"
    file.write_text(sqe_config(servers))
    for user, role in USERS.items():
        print(f"user {user} ({role}), password {secret_of(user)}")
    catalog, store = servers["nessie"].facts, servers["s3"].facts
    print(f"Iceberg REST: {catalog['rest_url']}, warehouse {catalog['warehouse']}")
    print(f"who asked for what: {catalog['access_log']}, {store['access_log']}")
    print(f"a server on it: ./sqe server --config {file.relative_to(HOME.parent)}")


if __name__ == "__main__":
    sys.exit(main())
