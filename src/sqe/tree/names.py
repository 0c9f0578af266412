"""Characters that no name may have, and names that Hadoop would misread."""

from __future__ import annotations

import re

from sqe.errors import InvalidArgument, Position
from sqe.types import sql_types as t

# Controls, and halves of surrogate pairs.
_UNSPEAKABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def unspeakable(name: str, type_: t.Type | None = None) -> str | None:
    """A character that no name may have, in this name or in those inside the type: U+000A."""
    character = _UNSPEAKABLE.search(name)
    if character is not None:
        return f"U+{ord(character[0]):04X}"
    match type_:
        case t.Array(element):
            return unspeakable("", element)
        case t.Map(key, value):
            return unspeakable("", key) or unspeakable("", value)
        case t.Row(fields):
            return next((c for f in fields if (c := unspeakable(f.name or "", f.type))), None)
    return None


def expands(name: str, type_: t.Type) -> bool:
    """Whether the name, or one inside the type, has what Hadoop's configuration takes for a variable."""
    if "${" in name:
        return True
    match type_:
        case t.Array(element):
            return expands("", element)
        case t.Map(key, value):
            return expands("", key) or expands("", value)
        case t.Row(fields):
            return any(expands(f.name or "", f.type) for f in fields)
    return False


def check_characters(
    name: str, kind: str, *, type_: t.Type | None = None, position: Position | None = None
) -> None:
    character = unspeakable(name, type_)
    if character is not None:
        raise InvalidArgument(
            f"the name of a {kind} cannot contain the control character {character}", position=position
        )
