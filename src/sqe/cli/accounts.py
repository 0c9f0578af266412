"""`sqe server passwd` and `sqe server api-key`: write the files that providers read."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqe.auth.entries import identity_of
from sqe.auth.passwords import hash_password
from sqe.auth.private_file import read_private, replacing
from sqe.auth.providers.api_key import hash_of, new_key, read_keys
from sqe.auth.providers.users_file import read_users
from sqe.cli.arguments import OneLineParser
from sqe.config.providers import KEY_PREFIX
from sqe.errors import ConfigError, InvalidArgument

Reader = Callable[[Mapping[str, object]], object]
COMMANDS = ("passwd", "api-key")
_SHORTEST_PASSWORD = 8
_SHORTEST_KEY = 32
_LONGEST = 1024


def main(words: Sequence[str]) -> int:
    """`words` begin with one of COMMANDS."""
    return _passwd(words[1:]) if words[0] == "passwd" else _api_key(words[1:])


def _passwd(words: Sequence[str]) -> int:
    flags = OneLineParser(
        prog="sqe server passwd",
        allow_abbrev=False,
        description="Give a user a password in a file for [[auth.providers]] of type users_file. The password"
        " is asked for, or is the first line of standard input.",
    )
    flags.add_argument("--users", type=Path, required=True, metavar="FILE", help="TOML, or JSON if so named")
    _who(flags)
    options = flags.parse_args(words)
    path: Path = options.users
    _check_user(options.user)
    password = _ask_password(options.user)
    with replacing(_folder_exists(path)) as replace:
        tree = _read(path, read_users)
        users: dict[str, dict[str, object]] = tree.setdefault("users", {})
        users.setdefault(options.user, {}).update(password=str(hash_password(password)), **_roles(options))
        _check(path, tree, read_users)
        replace(_json(tree) if path.suffix == ".json" else _users_toml(users))
    print(f"{path}: {options.user} has a new password")
    return 0


def _api_key(words: Sequence[str]) -> int:
    flags = OneLineParser(
        prog="sqe server api-key",
        allow_abbrev=False,
        description="Make an API key for a user, for [[auth.providers]] of type api_key. The key is printed"
        " once; the file has its hash.",
    )
    flags.add_argument("--file", type=Path, required=True, metavar="FILE", help="TOML, or JSON if so named")
    flags.add_argument("--prefix", default=KEY_PREFIX, help=f"how the key begins ({KEY_PREFIX})")
    flags.add_argument("--stdin", action="store_true", help="take a key from standard input, and make none")
    _who(flags)
    options = flags.parse_args(words)
    path: Path = options.file
    _check_user(options.user)
    key = _first_line() if options.stdin else new_key(options.prefix)
    if len(key) < _SHORTEST_KEY:
        raise InvalidArgument(f"a key must have at least {_SHORTEST_KEY} characters, at random")
    with replacing(_folder_exists(path)) as replace:
        tree = _read(path, read_keys)
        keys: list[dict[str, object]] = tree.setdefault("keys", [])
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        keys.append({"hash": hash_of(key), "user": options.user, **_roles(options), "created": created})
        _check(path, tree, read_keys)
        replace(_json(tree) if path.suffix == ".json" else _keys_toml(keys))
    if not options.stdin:
        print(key)
        print(f"{path} has its hash; the key is not shown again", file=sys.stderr)
    return 0


def _who(flags: argparse.ArgumentParser) -> None:
    flags.add_argument("user", metavar="USER")
    flags.add_argument("--roles", metavar="A,B", help="of the user; without it they stay as they are")
    flags.add_argument("--groups", metavar="A,B", help="likewise")


def _roles(options: argparse.Namespace) -> dict[str, object]:
    texts = {"roles": options.roles, "groups": options.groups}
    return {
        key: [part.strip() for part in text.split(",") if part.strip()]
        for key, text in texts.items()
        if text is not None
    }


def _check_user(user: str) -> None:
    try:
        identity_of(user, {})
    except ValueError as error:
        raise InvalidArgument(str(error)) from None


def _ask_password(user: str) -> str:
    if sys.stdin.isatty():
        password = getpass.getpass(f"Password of {user}: ")
        if getpass.getpass("Once more: ") != password:
            raise InvalidArgument("the two passwords differ")
    else:
        password = _first_line()
    if not _SHORTEST_PASSWORD <= len(password) <= _LONGEST:
        raise InvalidArgument(f"a password must have {_SHORTEST_PASSWORD} to {_LONGEST} characters")
    return password


def _first_line() -> str:
    try:
        return sys.stdin.buffer.readline().decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise InvalidArgument("standard input is not UTF-8 text") from None


def _folder_exists(path: Path) -> Path:
    if not path.parent.is_dir():
        raise ConfigError(f"{path.parent} is not a directory")
    return path


def _read(path: Path, read: Reader) -> dict[str, Any]:
    tree = dict(read_private(path)) if path.exists() else {}
    _check(path, tree, read)
    return tree


def _check(path: Path, tree: Mapping[str, object], read: Reader) -> None:
    try:
        read(tree)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def _json(tree: Mapping[str, object]) -> str:
    return json.dumps(tree, indent=2) + "\n"


def _users_toml(users: Mapping[str, Mapping[str, object]]) -> str:
    lines = ["# Written by `sqe server passwd`, which keeps no comments."]
    for name, entry in users.items():
        lines += ["", f"[users.{_toml(name)}]", *_pairs(entry)]
    return "\n".join(lines) + "\n"


def _keys_toml(keys: Sequence[Mapping[str, object]]) -> str:
    lines = ["# Written by `sqe server api-key`, which keeps no comments. Remove an entry to revoke its key."]
    for entry in keys:
        lines += ["", "[[keys]]", *_pairs(entry)]
    return "\n".join(lines) + "\n"


def _pairs(entry: Mapping[str, object]) -> Iterator[str]:
    for key, value in entry.items():
        yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    """Texts and lists of them: JSON's form is TOML's too, but for the one character that it leaves as is."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
