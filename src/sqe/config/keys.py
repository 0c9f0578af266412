"""How a configuration key is declared: its kind, what it must be, its default and one line of help.

A field of a settings record carries its key (`setting`), so that each is declared once: the loader, the
record and docs/configuration.md all read it from there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any, TypeVar

from sqe.errors import ConfigError
from sqe.foundation.record import record

Reader = Callable[[object], object]
"""Makes the value of what a file or the environment says; ValueError tells what it must be."""
T = TypeVar("T")


@record
class Key:
    """`default` is in the form that a file would have it; None means that there is none. `awaits` names the
    feature that has to be built before the key may be set."""

    kind: str
    read: Reader
    doc: str
    default: object = None
    secret: bool = False
    awaits: str | None = None

    def value(self, value: object) -> object:
        """The value that was set, else the default; an empty text is as good as none."""
        if value is None or value == "":
            value = None if self.default is None else self.read(self.default)
        return Path(value).expanduser() if self.kind == "path" and isinstance(value, str) else value


@record
class Section:
    """A table of keys."""

    doc: str
    keys: Mapping[str, Node]


@record
class Named:
    """A table of sections whose names the user chooses: `[catalogs.<name>]`."""

    section: Section


@record
class Listed:
    """An array of tables: `[[auth.providers]]`."""

    section: Section


Node = Key | Section | Named | Listed


class EnvironmentText(str):
    """A value from the environment, where a number and a flag are text too."""


def setting(key: Key, *, name: str | None = None, factory: Callable[[], object] | None = None) -> Any:
    """A field of a settings record. `name` is the key's if it is another than the field's; `factory` makes
    the field's own default where that is not the key's."""
    metadata = {"key": key, "name": name}
    if factory is not None:
        return field(default_factory=factory, repr=not key.secret, metadata=metadata)
    return field(default=key.value(None), repr=not key.secret, metadata=metadata)


def declared(settings: type, doc: str, **further: Node) -> Section:
    """The section whose keys a record's fields are."""
    own = {f.metadata["name"] or f.name: f.metadata["key"] for f in fields(settings) if "key" in f.metadata}
    return Section(doc, {**own, **further})


def build_settings(settings: type[T], values: object, **computed: object) -> T:
    """A settings record of what was set in its section. `computed` are fields that need more than that."""
    table = values if isinstance(values, Mapping) else {}
    for f in fields(settings):  # type: ignore[arg-type]
        if "key" in f.metadata and f.name not in computed:
            computed[f.name] = f.metadata["key"].value(table.get(f.metadata["name"] or f.name))
    return settings(**computed)


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_size(value: object) -> int:
    """Bytes of "64MB", "1.5GB", "2g" or a plain number; units count in steps of 1024."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError('a size such as "512MB" or "8GB"')
    return math.floor(float(match[1]) * _UNITS[match[2].lower()])


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("text in quotes")
    return value


def _read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, EnvironmentText) and value.lower() in _FLAGS:
        return _FLAGS[value.lower()]
    raise ValueError("true or false")


def _read_count(value: object) -> int:
    if isinstance(value, EnvironmentText) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError("a whole number, 0 or more")


def _read_port(value: object) -> int:
    try:
        number = _read_count(value)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise ValueError("a port between 0 and 65535")
    return number


def _read_texts(value: object) -> tuple[str, ...]:
    if isinstance(value, EnvironmentText):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise ValueError("a list of texts")


def _read_table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError("a table")
    return value


def text(doc: str, default: str | None = None, *, secret: bool = False) -> Key:
    return Key("text", _read_text, doc, default, secret)


def flag(doc: str, default: bool = False) -> Key:
    return Key("flag", _read_flag, doc, default)


def count(doc: str, default: int, *, least: int = 0) -> Key:
    return Key("number", _at_least(least, _read_count), doc, default)


def size(doc: str, default: str, *, least: str = "0", form: Callable[[int], object] | None = None) -> Key:
    """`form` makes something else of the bytes."""
    read = _at_least(least, read_size)
    return Key("size", read if form is None else lambda value: form(read(value)), doc, default)


def _at_least(least: object, read: Callable[[object], int]) -> Callable[[object], int]:
    def bounded(value: object) -> int:
        number = read(value)
        if number < read(least):
            raise ValueError(f"at least {least}")
        return number

    return bounded


def port(doc: str, default: int) -> Key:
    return Key("port", _read_port, doc, default)


def path(doc: str) -> Key:
    return Key("path", _read_text, doc)


def texts(doc: str) -> Key:
    return Key("list", _read_texts, doc)


def table(doc: str, *, secret: bool = False) -> Key:
    return Key("table", _read_table, doc, secret=secret)


def choice(doc: str, options: str, default: str | None = None, *, group: str | None = None) -> Key:
    """One of `options`, or of what other packages add to them in a group of entry points."""
    own = options.split()

    def read(value: object) -> str:
        allowed = own if value in own or group is None else [*own, *of_other_packages(group)]
        if value not in allowed:
            raise ValueError("one of " + ", ".join(allowed))
        return str(value)

    return Key(" \\| ".join(f"`{option}`" for option in own), read, doc, default)


def of_other_packages(group: str) -> list[str]:
    """The names of entry points."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group).names)


def unbuilt(feature: str) -> Key:
    """A key that is known by its name alone."""
    return Key("", lambda value: value, "", secret=True, awaits=feature)


def not_built(source: str, what: str, reason: str) -> ConfigError:
    return ConfigError(
        f"{source}: {what} is known but not built yet ({reason})",
        hint="remove it to start without it",
    )
