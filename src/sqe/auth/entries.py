"""What entries of users and of API keys have in common: they give somebody roles and groups."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.session import Identity


def identity_of(user: object, entry: Mapping[str, object]) -> Identity:
    if not isinstance(user, str) or not _is_name(user):
        raise ValueError("a user must have a name, without control characters")
    return Identity(user, texts(entry, "roles"), texts(entry, "groups"))


def texts(entry: Mapping[str, object], key: str) -> frozenset[str]:
    value = entry.get(key, ())
    if not isinstance(value, (list, tuple)) or not all(_is_name(part) for part in value):
        raise ValueError(f"{key} must be a list of names, without control characters")
    return frozenset(value)


def only(entry: object, *keys: str) -> Mapping[str, object]:
    """The entry, if it is a table of known keys; its values are not shown."""
    if not isinstance(entry, Mapping):
        raise ValueError("an entry must be a table")
    for key in entry:
        if key not in keys:
            raise ValueError(f"there is no key {key!r}; there are {', '.join(keys)}")
    return entry


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isprintable()
