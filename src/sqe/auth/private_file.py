"""Files of users and keys: readable by nobody else, and read again when they change."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from sqe.errors import ConfigError

log = logging.getLogger(__name__)
T = TypeVar("T")
_Stamp = tuple[int, int, int, int]


class PrivateFile(Generic[T]):
    """What `parse` makes of a TOML or JSON file (`.json`), as it is now.

    A file that can no longer be used is a ConfigError: what it held before must not stay valid.
    """

    def __init__(self, path: Path, parse: Callable[[Mapping[str, object]], T]) -> None:
        self._path = path
        self._parse = parse
        self._lock = threading.Lock()
        self._cached: tuple[_Stamp, T] = self._fresh()

    def content(self) -> T:
        try:
            cached = self._cached
            if cached[0] == _stamp(os.stat(self._path)):
                return cached[1]
            with self._lock:
                self._cached = self._fresh()
                return self._cached[1]
        except OSError as error:
            failure = _unreadable(self._path, error)
        except ConfigError as error:
            failure = error
        log.error("%s", failure)
        raise failure

    def _fresh(self) -> tuple[_Stamp, T]:
        stamp, tree = _open(self._path)
        try:
            return stamp, self._parse(tree)
        except ValueError as error:
            raise ConfigError(f"{self._path}: {error}") from None


def read_private(path: Path) -> Mapping[str, object]:
    return _open(path)[1]


@contextmanager
def replacing(path: Path) -> Iterator[Callable[[str], None]]:
    """Gives what writes the whole file anew, at once and privately; one process at a time may."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield lambda text: _replace(path, text)
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    target = path.resolve()  # the file that a link leads to, and not the link
    partial = target.with_name(f".{target.name}.{os.getpid()}.new")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            if target.exists():
                # Run by root for a server that is not: the file stays the server's.
                owner = os.stat(target)
                if (owner.st_uid, owner.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _open(path: Path) -> tuple[_Stamp, Mapping[str, object]]:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if status.st_mode & 0o077:
                raise ConfigError(
                    f"{path} may be read or changed by others: its mode is {status.st_mode & 0o777:04o}",
                    hint=f"chmod 600 {path}",
                )
            content = file.read()
    except OSError as error:
        raise _unreadable(path, error) from None
    form = "JSON" if path.suffix == ".json" else "TOML"
    try:
        tree = json.loads(content.decode()) if form == "JSON" else tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not {form}: it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path} is not JSON: line {error.lineno}, column {error.colno}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold a table")
    return _stamp(status), tree


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read: {error.strerror}")
