"""`python -m stack up`, `down` and `status`: what `make stack` and `make stack-down` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sqe.errors import Unavailable
from stack import component, keycloak

HOME = Path(__file__).parent.parent / ".stack"
PORTS = {"keycloak": 8180}
START = {"keycloak": keycloak.start}


def main() -> int:
    flags = argparse.ArgumentParser(prog="python -m stack", description=__doc__)
    flags.add_argument("command", choices=("up", "down", "status"))
    command = flags.parse_args().command
    for name, start in START.items():
        home = HOME / name
        known = component.running(name, home)
        if command == "up" and known is None:
            print(f"{name}: starting (its first start fetches and builds it)")
            try:
                known = start(home, port=PORTS[name])
            except Unavailable as error:
                print(error, file=sys.stderr)
                return 1
        if command == "down" and known is not None:
            known.stop()
            known = None
        print(f"{name}: " + ("not running" if known is None else f"{known.facts['url']}, log {home / 'log'}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
