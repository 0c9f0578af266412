"""What a row of the registry is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqe.errors import InternalError, NotSupported
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

# (call, texts) -> text, or (call, texts, order) -> text for an ordered aggregate.
Renderer = Callable[..., str]


@record
class Function:
    """`spark` is a template with {0} {1} … and {args}, or a renderer; None is never rendered. `fast` is the
    same for DuckDB, where None means that only Spark can compute it.

    Aggregates and window functions leave the markers {distinct} and {over} in their text, those for DuckDB
    also {nulls} where IGNORE NULLS may stand.
    `leakproof`: never raises an error that depends on a row's value; `leak` says what it raises else.
    `nested_leak` is what it raises only where an argument or the result is an array, a map or a row.
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
    fast: str | Renderer | None = None

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

    def render_spark(self, call: Any, texts: Sequence[str], order: Sequence[tuple[str, Any]] = ()) -> str:
        """Spark's text of a call, given the texts of its arguments (and of its sort keys)."""
        if self.spark is None:
            raise InternalError(f"{self.name} becomes a constant when it is bound")
        return self._render(self.spark, call, texts, order)

    def render_fast(self, call: Any, texts: Sequence[str], order: Sequence[tuple[str, Any]] = ()) -> str:
        """DuckDB's text of a call."""
        if self.fast is None:
            raise NotSupported(f"the fast lane does not have {self.name}")
        return self._render(self.fast, call, texts, order)

    def _render(
        self, engine: str | Renderer, call: Any, texts: Sequence[str], order: Sequence[tuple[str, Any]]
    ) -> str:
        if isinstance(engine, str):
            return fill(engine, texts)
        if self.ordered:
            return engine(call, texts, order)
        return engine(call, texts)


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
    fast: str | Renderer | None = None,
    raises: bool | str = False,
    nested_raises: str = "",
    projected: bool = False,
    body: str | None = None,
) -> Function:
    """With `body`, `spark` may be left to None: the body is called with the arguments.

    `raises` says in words which values of a row it fails for.
    """
    if body is not None:
        spark = spark or body + "({args})"
        fast = fast or (spark if spark == body + "({args})" else None)
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
        fast=fast,
    )


def _words(raises: bool | str) -> str:
    return raises if isinstance(raises, str) else ""


def aggregate(
    name: str,
    *signatures: SignatureSpec,
    spark: str | Renderer,
    help: str,
    fast: str | Renderer | None = None,
    raises: bool | str = False,
    nested_raises: str = "",
    ordered: bool = False,
) -> Function:
    return Function(
        name,
        "aggregate",
        signatures,
        spark,
        not raises,
        help,
        ordered=ordered,
        leak=_words(raises),
        nested_leak=nested_raises,
        fast=fast,
    )


def window(
    name: str,
    *signatures: SignatureSpec,
    spark: str | Renderer,
    help: str,
    fast: str | Renderer | None = None,
) -> Function:
    return Function(name, "window", signatures, spark, True, help, fast=fast)
