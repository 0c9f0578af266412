"""The flags of `sqe` and `sqe-cli`, and which of them go together."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import NoReturn

from sqe.foundation.record import record

FORMATS = ("table", "csv", "tsv", "json")


@record
class Server:
    """Which server, and as whom: by a token, or a user whose password stands elsewhere."""

    host: str
    port: int
    user: str | None
    tls: bool
    insecure: bool
    token: str | None = field(default=None, repr=False)


@record
class Arguments:
    """What was asked for; without a `server`, in this process."""

    server: Server | None
    script: str | None
    file: Path | None
    stop_on_error: bool
    format: str
    warehouse: Path | None
    catalogs: dict[str, Path]
    memory: bool
    memory_limit: str | None
    config: Path | None


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong with the flags in one line, without the list of all flags."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\nhint: {self.prog} --help lists the flags\n")


def parser(program: str) -> argparse.ArgumentParser:
    remote = program == "sqe-cli"
    flags = OneLineParser(
        prog=program,
        allow_abbrev=False,
        description="SQL on Iceberg tables. "
        + (
            "Talks to a server unless --embedded, --warehouse, --catalog or --memory is given."
            if remote
            else "Runs in this process unless -H, -p, --token or --protocol is given."
        ),
        epilog=None
        if remote
        else "Other commands: sqe server --config FILE | sqe worker | sqe bench | sqe auth. "
        "Exit codes: 0 done, 1 a statement failed, 2 the command cannot be run, 130 interrupted.",
    )
    what = flags.add_argument_group("what to run (nothing: a shell, or standard input)")
    what.add_argument("-e", "--execute", metavar="SQL", dest="script", help="statements, separated by ;")
    what.add_argument("--file", type=Path, metavar="FILE", help="a file of statements; runs before -e")
    what.add_argument(
        "--stop-on-error", action="store_true", help="do not run what follows a failed statement"
    )
    what.add_argument("-f", "--format", choices=FORMATS, default="table", help="of results (table)")

    here = flags.add_argument_group("in this process")
    here.add_argument("--embedded", action="store_true", help="use no server")
    where = here.add_mutually_exclusive_group()
    where.add_argument("--warehouse", type=Path, metavar="PATH", help="other than ~/.sqe/warehouse")
    where.add_argument(
        "--catalog",
        action="append",
        default=[],
        metavar="NAME=PATH",
        dest="catalogs",
        help="mount a warehouse under a name; may be repeated",
    )
    where.add_argument("--memory", action="store_true", help="a warehouse that ends with the process")
    here.add_argument(
        "--memory-limit", metavar="SIZE", type=_size, help="for the engine, such as 4GB (Spark's heap)"
    )
    here.add_argument("--config", type=Path, metavar="FILE", help="sqe.toml to use")

    server = flags.add_argument_group("on a server")
    server.add_argument("-H", "--host", help="(localhost)")
    server.add_argument("-p", "--port", type=int, help="(50051)")
    server.add_argument("--protocol", choices=("flight", "http"), help="(flight)")
    server.add_argument("-u", "--user", "--username", help="default: SQE_USER; password: SQE_PASSWORD")
    server.add_argument("--token", help="a bearer token")
    server.add_argument("--tls", action="store_true", help="encrypt")
    server.add_argument("--insecure", action="store_true", help="do not check the certificate")
    flags.add_argument("--version", action="version", version=f"sqe {_version()}")
    return flags


def parse(program: str, arguments: Sequence[str]) -> Arguments:
    """Leaves with code 2 and one line where the flags cannot be used."""
    flags = parser(program)
    options = flags.parse_args(arguments)
    local = options.embedded or options.warehouse is not None or options.catalogs or options.memory
    server = [
        name
        for name in ("host", "port", "token", "protocol")
        if getattr(options, name) is not None  # an empty host is still a host
    ]
    if local and server:
        flags.error(f"--{server[0]} is for a server, and the other flags for this process")
    remote = bool(server) or (program == "sqe-cli" and not local)
    if not remote:
        for name in ("user", "tls", "insecure"):
            if getattr(options, name):
                flags.error(f"--{name} is for a server; name one with --host")
    elif options.memory_limit is not None or options.config is not None:
        flags.error("--memory-limit and --config are for this process, not for a server")
    return Arguments(
        server=_server(flags, options) if remote else None,
        script=options.script,
        file=options.file,
        stop_on_error=options.stop_on_error,
        format=options.format,
        warehouse=options.warehouse,
        catalogs=_mounts(flags, options.catalogs),
        memory=options.memory,
        memory_limit=options.memory_limit,
        config=options.config,
    )


def _server(flags: argparse.ArgumentParser, options: argparse.Namespace) -> Server:
    if options.protocol == "http":
        flags.error("--protocol http is not built yet; leave it out")
    if options.host == "":
        flags.error("--host is empty")
    if options.port is not None and not 0 < options.port < 65536:
        flags.error(f"--port {options.port}: a port is a number from 1 to 65535")
    if options.insecure and not options.tls:
        flags.error("--insecure is about the certificate of --tls")
    return Server(
        host=options.host if options.host is not None else "localhost",
        port=options.port if options.port is not None else 50051,
        user=options.user or os.environ.get("SQE_USER") or None,
        token=options.token,
        tls=options.tls,
        insecure=options.insecure,
    )


def _mounts(flags: argparse.ArgumentParser, values: Sequence[str]) -> dict[str, Path]:
    mounts: dict[str, Path] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not name or not path:
            flags.error(f"--catalog {value}: expected NAME=PATH")
        if "." in name:
            flags.error(f"--catalog {value}: a catalog's name must not contain a dot")
        if name in mounts:
            flags.error(f"--catalog {name} is given twice")
        mounts[name] = Path(path)
    return mounts


def _size(value: str) -> str:
    from sqe.config.keys import read_size

    try:
        read_size(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"must be {error}") from None
    return value


def _version() -> str:
    from sqe.foundation.version import __version__

    return __version__
