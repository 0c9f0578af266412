"""Frozen dataclasses that are cheap to define: most of what a cold start imports are small classes.

`dataclass(frozen=True, slots=True)` compiles six methods per class; here only `__init__` is compiled, and
only when the first object is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Equal by its fields, hashable, with slots; nothing may change it."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # otherwise dataclass() works out a signature for it
    own = set(cls.__dict__)
    new: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    if "__init__" not in own:
        new.__init__ = _init_later(new)
    key = _key([f.name for f in fields(new) if f.compare])

    def equal(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    methods = {
        "__eq__": equal,
        "__hash__": lambda self: hash(key(self)),
        "__repr__": _repr,
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, method in methods.items():
        if name not in own:
            setattr(new, name, method)
    result: type[T] = new
    return result


def _init_later(cls: Any) -> Callable[..., None]:
    """Compiled with the first object: most classes that a process defines never get one."""

    def first(self: Any, /, *values: Any, **keywords: Any) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *values, **keywords)

    return first


def _compiled_init(cls: Any) -> Callable[..., None]:
    """As dataclass() would write it."""
    namespace: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], []
    for f in fields(cls):
        name, value, default = f.name, f.name, f"_default_{f.name}"
        if f.default is not MISSING:
            namespace[default] = f.default
            parameter, value = f"{name}={default}", name if f.init else default
        elif f.default_factory is not MISSING:
            namespace[default] = f.default_factory
            parameter = f"{name}=MISSING"
            value = f"{default}() if {name} is MISSING else {name}" if f.init else f"{default}()"
        else:
            parameter = name
        if f.init:
            parameters.append(parameter)
        # By the slot itself: an attribute of a record cannot be set.
        namespace[f"_set_{name}"] = getattr(cls, name).__set__
        lines.append(f" _set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), namespace)
    init: Callable[..., None] = namespace["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _key(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _refuse(self: Any, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"a {type(self).__name__} is never changed: {name}")


def _state(self: Any) -> list[object]:
    return [getattr(self, f.name) for f in fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"
