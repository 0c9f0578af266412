"""The commands: `sqe`, and the names that the older tools had."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sqe.cli.arguments import Arguments, OneLineParser, Server, parse
from sqe.cli.leave import leaving
from sqe.foundation.recursion import ensure_recursion_limit

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection
    from sqe.api.connection import Connection

FAILED = 1
UNUSABLE = 2
INTERRUPTED = 130
# How many more objects are made than freed before Python looks for some that nobody can reach.
GARBAGE = 20_000


def sqe(arguments: Sequence[str] | None = None) -> int:
    if arguments is None:
        return leaving(lambda: sqe(sys.argv[1:]))
    words = list(arguments)
    commands: dict[str, Callable[[Sequence[str]], int]]
    commands = {"server": sqe_server, "worker": sqe_worker, "bench": sqe_bench, "auth": _auth}
    if words and words[0] in commands:
        return commands[words[0]](words[1:])
    return _client("sqe", words)


def sqe_cli(arguments: Sequence[str] | None = None) -> int:
    if arguments is None:
        return leaving(lambda: sqe_cli(sys.argv[1:]))
    return _client("sqe-cli", arguments)


def sqe_server(arguments: Sequence[str] | None = None) -> int:
    """`sqe server --config FILE [--mode coordinator|worker]`; `sqe server passwd …`, `… api-key …`"""
    words = sys.argv[1:] if arguments is None else arguments
    if words and words[0] in ("passwd", "api-key"):
        from sqe.cli.accounts import main

        return _guarded(lambda: main(words))
    flags = OneLineParser(
        prog="sqe server",
        allow_abbrev=False,
        description="Start a server.",
        epilog="Who may log in: sqe server passwd --help | sqe server api-key --help",
    )
    flags.add_argument("--config", metavar="FILE", help="sqe.toml to use")
    flags.add_argument("--mode", choices=("coordinator", "worker"), default="coordinator")
    options = flags.parse_args(words)
    return sqe_worker([]) if options.mode == "worker" else _start_server(options.config)


def sqe_coordinator(arguments: Sequence[str] | None = None) -> int:
    """`sqe-coordinator FILE`"""
    flags = OneLineParser(prog="sqe-coordinator", allow_abbrev=False, description="Start a server.")
    flags.add_argument("config", metavar="FILE", help="sqe.toml to use")
    return _start_server(flags.parse_args(sys.argv[1:] if arguments is None else arguments).config)


def sqe_worker(arguments: Sequence[str] | None = None) -> int:
    return _not_built("workers are not built yet; Spark's executors do their work")


def sqe_bench(arguments: Sequence[str] | None = None) -> int:
    from sqe.bench.command import main

    words = sys.argv[1:] if arguments is None else arguments
    return _guarded(lambda: main(words))


def _auth(words: Sequence[str]) -> int:
    """`sqe auth login | logout | status`"""
    from sqe.cli.auth import main

    return _guarded(lambda: main(words))


def _start_server(config: str | None) -> int:
    def start() -> int:
        from pathlib import Path

        from sqe.config.config import load, usual_path
        from sqe.observe import logs

        settings = load(Path(config) if config else usual_path(os.environ), os.environ)
        logs.start(level=settings.logging.level, form=settings.logging.format)
        from sqe.doors.open import serve

        return serve(settings)

    return _guarded(start)


def _not_built(what: str) -> int:
    print(f"error: {what}", file=sys.stderr)
    return UNUSABLE


def _client(program: str, words: Sequence[str]) -> int:
    arguments = parse(program, words)
    return _guarded(lambda: _run(arguments))


def _guarded(command: Callable[[], int]) -> int:
    """What the command returns; for what it raises, a line on stderr and the exit code."""
    try:
        _own_the_process()
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        from sqe.cli.run import silence_output

        silence_output()
        return 0
    except Exception as error:
        from sqe.cli.complain import complain
        from sqe.errors import ConfigError

        complain(error)
        return UNUSABLE if isinstance(error, ConfigError) else FAILED


def _own_the_process() -> None:
    """What the library leaves alone in the process of a host program."""
    ensure_recursion_limit()
    # gRPC's own lines about broken connections belong to no user's terminal.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def _run(arguments: Arguments) -> int:
    if arguments.server is None:
        from sqe.engine.duckdb.spawn import start_ahead

        # Before anything else: it loads its engine while we load ours.
        start_ahead()
    # What a command makes mostly stays, and there is much of it: 40 searches for garbage take 10 ms.
    gc.set_threshold(GARBAGE)
    from sqe.cli.run import Display, read_script, run_script

    scripts = []
    if arguments.file is not None:
        scripts.append(read_script(arguments.file))
    if arguments.script is not None:
        scripts.append(arguments.script)
    interactive = not scripts and sys.stdin.isatty()
    if not scripts and not interactive:
        scripts.append(read_script(None))
    good = True
    display = Display(arguments.format)
    connection, where = _connect(arguments) if arguments.server is None else _log_in(arguments.server)
    with connection:
        if interactive:
            from sqe.cli.shell import run_shell

            run_shell(connection, form=arguments.format, where=where)
        for script in scripts:
            good &= run_script(connection, script, display=display, stop_on_error=arguments.stop_on_error)
            if not good and arguments.stop_on_error:
                break
    return 0 if good else FAILED


def _import_arrow() -> None:
    """Without NumPy, which it would load for conversions that the command never makes."""
    hidden = "numpy" not in sys.modules
    if hidden:
        sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        import pyarrow  # noqa: F401
    finally:
        if hidden:
            del sys.modules["numpy"]


def _log_in(server: Server) -> tuple[BaseConnection[Any], str]:
    """A connection to a server, and the words for it."""
    from sqe.cli.log_in import address_of

    address = address_of(server)
    _import_arrow()
    from sqe.api.remote.connection import RemoteConnection

    user = f"{address.user} at " if address.user else ""
    return RemoteConnection(address), f"{user}{address}"


def _connect(arguments: Arguments) -> tuple[BaseConnection[Any], str]:
    """An engine in this process, and where its tables are, in a few words."""
    from sqe.config.config import load, usual_path

    overrides = {} if arguments.memory_limit is None else {"spark.driver_memory": arguments.memory_limit}
    config = load(arguments.config or usual_path(os.environ), os.environ, overrides)
    # After the configuration: a fault in that is reported at once, and the engine takes a moment.
    gc.disable()  # imports make nothing but what stays
    try:
        _import_arrow()
        from sqe.api.connection import connect

        connection = connect(
            warehouse=arguments.warehouse,
            catalogs=arguments.catalogs or None,
            memory=arguments.memory,
            config=config,
        )
    finally:
        gc.freeze()
        gc.enable()
    if any(catalog.type == "rest" for catalog in config.catalogs.values()):
        from sqe.cli.own_tokens import own_tokens

        connection.session.tokens = own_tokens(config.catalogs.values())
    if config.fast.enabled:
        # It is told its limits now, and opens DuckDB while the first statement is planned.
        connection.coordinator.fast.start()
    return connection, _where(arguments, connection)


def _where(arguments: Arguments, connection: Connection) -> str:
    if arguments.memory:
        return "tables in memory"
    if arguments.catalogs or (arguments.warehouse is None and connection.coordinator.config.catalogs):
        return f"catalogs {', '.join(connection.coordinator.catalogs.names())}"
    return f"tables in {arguments.warehouse or '~/.sqe/warehouse'}"


if __name__ == "__main__":
    sys.exit(sqe())
