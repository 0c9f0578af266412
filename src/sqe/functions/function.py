"""What a row of the registry is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.errors import InternalError
from sqe.tree.types import Array, Map, Row, Type


@dataclass(frozen=True, slots=True)
class Resolution:
    """One choice among a function's signatures. The parameter of a lambda is a FunctionType."""

    parameters: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class LambdaArgument:
    """A lambda that waits for the types of its parameters; `bind` gives the type of its body."""

    arity: int
    bind: Callable[[tuple[Type, ...]], Type]


ResultRule = Callable[[tuple[Type, ...]], Type]
ResolutionRule = Callable[[tuple[Type, ...]], Resolution | None]
# Text in the small language of signatures.py; text with a computed result ("... -> ?"); or a rule.
SignatureSpec = str | tuple[str, ResultRule] | ResolutionRule

# (call, texts) -> text, or (call, texts, order) -> text for an ordered aggregate.
Renderer = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Function:
    """`spark` is a template with {0} {1} … and {args}, or a renderer; None is never rendered.

    Aggregates and window functions leave the markers {distinct} and {over} in their text.
    `leakproof`: never raises an error that depends on a row's value; `leak` says what it raises else.
    `nested_leak` is what it raises only for arrays, maps and rows.
    `projected`: Spark takes the rendering for non-deterministic, so that it must be computed in a
    projection of its own before an aggregate, a join condition or a MERGE may use it.
    `body` is the Python body that its text calls, by its name in an engine.
    """

    name: str
    kind: str
    signatures: tuple[SignatureSpec, ...]
    spark: str | Renderer | None
    leakproof: bool
    help: str
    ordered: bool = False
    projected: bool = False
    body: str | None = None
    leak: str = ""
    nested_leak: str = ""

    def leaks(self, arguments: Iterable[Type]) -> str:
        """What a call with arguments of such types may raise; empty if nothing."""
        if self.leakproof and not self.nested_leak:
            return ""
        nested = any(isinstance(t, (Array, Map, Row)) for t in arguments)
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

    def render_spark(self, call: Any, texts: Sequence[str], order: Sequence[tuple[str, Any]] = ()) -> str:
        """Spark's text of a call, given the texts of its arguments (and of its sort keys)."""
        if self.spark is None:
            raise InternalError(f"{self.name} becomes a constant when it is bound")
        if isinstance(self.spark, str):
            return fill(self.spark, texts)
        if self.ordered:
            return self.spark(call, texts, order)
        return self.spark(call, texts)


_PLACEHOLDER = re.compile(r"\{(\d+|args)\}")


def fill(template: str, texts: Sequence[str]) -> str:
    def text(found: re.Match[str]) -> str:
        return ", ".join(texts) if found[1] == "args" else texts[int(found[1])]

    return _PLACEHOLDER.sub(text, template)


def scalar(
    name: str,
    *signatures: SignatureSpec,
    spark: str | Renderer | None,
    help: str,
    raises: bool | str = False,
    nested_raises: str = "",
    projected: bool = False,
    body: str | None = None,
) -> Function:
    """With `body`, `spark` may be left to None: the body is called with the arguments.

    `raises` says in words which values of a row it fails for.
    """
    if body is not None and spark is None:
        spark = body + "({args})"
    return Function(
        name,
        "scalar",
        signatures,
        spark,
        not raises,
        help,
        projected=projected,
        body=body,
        leak=_words(raises),
        nested_leak=nested_raises,
    )


def _words(raises: bool | str) -> str:
    return raises if isinstance(raises, str) else ""


def aggregate(
    name: str,
    *signatures: SignatureSpec,
    spark: str | Renderer,
    help: str,
    raises: bool | str = False,
    ordered: bool = False,
) -> Function:
    return Function(
        name, "aggregate", signatures, spark, not raises, help, ordered=ordered, leak=_words(raises)
    )


def window(name: str, *signatures: SignatureSpec, spark: str | Renderer, help: str) -> Function:
    return Function(name, "window", signatures, spark, True, help)
