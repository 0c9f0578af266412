"""`python -m stack up`, `down` and `status`: what `make stack` and `make stack-down` run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sqe.errors import Unavailable
from stack import component, keycloak
from stack.component import Component, Program

HOME = Path(__file__).parent.parent / ".stack"
PROGRAMS: tuple[Program, ...] = (keycloak,)
"""In the order in which they are started; each may need those before it."""


def main() -> int:
    flags = argparse.ArgumentParser(prog="python -m stack", description=__doc__)
    flags.add_argument("command", choices=("up", "down", "status"))
    match flags.parse_args().command:
        case "up":
            return _up()
        case "down":
            for known in reversed(list(_running().values())):
                known.stop()
    _show()
    return 0


def _up() -> int:
    known = _running()
    for program in PROGRAMS:
        if program.NAME in known:
            continue
        print(f"{program.NAME}: starting (the first start fetches and builds it)", flush=True)
        try:
            known[program.NAME] = program.start(HOME / program.NAME, known, port=program.PORT)
        except Unavailable as error:
            print(error, file=sys.stderr)
            return 1
    _show()
    return 0


def _running() -> dict[str, Component]:
    found = {program.NAME: component.running(program.NAME, HOME / program.NAME) for program in PROGRAMS}
    return {name: known for name, known in found.items() if known is not None}


def _show() -> None:
    known = _running()
    for name in (program.NAME for program in PROGRAMS):
        where = f"{known[name].facts['url']}, log {HOME / name / 'log'}" if name in known else "not running"
        print(f"{name}: {where}")


if __name__ == "__main__":
    sys.exit(main())
