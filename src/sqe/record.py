"""Frozen dataclasses that are cheap to define: most of what a cold start imports are small classes.

`dataclass(frozen=True, slots=True)` compiles six methods a class, and the type checker watches over
frozen fields anyway; here only `__init__` is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Equal by its fields, hashable, with slots; nothing may change it."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # or dataclass() works out a signature to say
    own = set(cls.__dict__)
    made: Any = dataclass(repr=False, eq=False, slots=True)(cls)
    key = _key([f.name for f in fields(made) if f.compare])

    def equal(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    methods = {"__eq__": equal, "__hash__": lambda self: hash(key(self)), "__repr__": _repr}
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    result: type[T] = made
    return result


def _key(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"
