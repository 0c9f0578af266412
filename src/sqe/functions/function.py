"""A row of the registry, and the helpers that write one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqe.foundation.record import record
from sqe.types.sql_types import Array, Map, Row, Type


@record
class Resolution:
    """One choice among a function's signatures. The parameter of a lambda is a FunctionType."""

    parameters: tuple[Type, ...]
    result: Type


@record
class LambdaArgument:
    """A lambda that waits for the types of its parameters; `bind` gives the type of its body."""

    arity: int
    bind: Callable[[tuple[Type, ...]], Type]


ResultRule = Callable[[tuple[Type, ...]], Type]
ResolutionRule = Callable[[tuple[Type, ...]], Resolution | None]
# Text in the small language of signatures.py; text with a computed result ("... -> ?"); or a rule.
SignatureSpec = str | tuple[str, ResultRule] | ResolutionRule


@record
class Function:
    """What a function means; how an engine renders it is that engine's matter.

    `leakproof`: never raises an error that depends on a row's value; otherwise `leak` says what it raises.
    `nested_leak` is what it raises only where an argument or the result is an array, a map or a row.
    `ordered`: an aggregate whose arguments may be sorted.
    `body` is the Python body that computes it, by its name in an engine.
    """

    name: str
    kind: str
    signatures: tuple[SignatureSpec, ...]
    leakproof: bool
    help: str
    ordered: bool = False
    body: str | None = None
    leak: str = ""
    nested_leak: str = ""

    def leaks(self, types: Iterable[Type]) -> str:
        """What a call with arguments and a result of such types may raise; empty if nothing."""
        if self.leakproof and not self.nested_leak:
            return ""
        nested = any(isinstance(t, (Array, Map, Row)) for t in types)
        return (self.leak or "some values") if not self.leakproof else self.nested_leak if nested else ""

    @property
    def hidden(self) -> bool:
        """Operators are rows too, but no names that a user may write."""
        return self.name.startswith("$")

    @property
    def spellings(self) -> list[str]:
        """The signatures in words, `(varchar) -> bigint`; a computed one says only what goes in."""
        texts = [s[0] if isinstance(s, tuple) else s for s in self.signatures]
        return [text if isinstance(text, str) else "(...)" for text in texts]


def scalar(
    name: str,
    *signatures: SignatureSpec,
    help: str,
    raises: bool | str = False,
    nested_raises: str = "",
    body: str | None = None,
) -> Function:
    """`raises` says in words which values of a row it fails for."""
    return Function(
        name,
        "scalar",
        signatures,
        not raises,
        help,
        body=body,
        leak=_words(raises),
        nested_leak=nested_raises,
    )


def _words(raises: bool | str) -> str:
    return raises if isinstance(raises, str) else ""


def aggregate(
    name: str,
    *signatures: SignatureSpec,
    help: str,
    raises: bool | str = False,
    nested_raises: str = "",
    ordered: bool = False,
) -> Function:
    return Function(
        name,
        "aggregate",
        signatures,
        not raises,
        help,
        ordered=ordered,
        leak=_words(raises),
        nested_leak=nested_raises,
    )


def window(name: str, *signatures: SignatureSpec, help: str) -> Function:
    return Function(name, "window", signatures, True, help)
