"""Arithmetic, rounding, logarithms, trigonometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.engine.spark.types import spark_type
from sqe.functions.function import Renderer, scalar
from sqe.functions.operators import MODULUS, modulus
from sqe.functions.spark_text import constant, constant_integer, invalid, refuse, share, shared, string
from sqe.tree.types import (
    MAX_PRECISION,
    REAL,
    Decimal,
    Type,
    is_integer,
)

Texts = Sequence[str]

_SAME_INTEGERS = (
    "(tinyint) -> tinyint",
    "(smallint) -> smallint",
    "(integer) -> integer",
    "(bigint) -> bigint",
)
_SAME_FLOATS = ("(real) -> real", "(double) -> double")
_DOUBLE = "(double) -> double"
_EXACT_DOUBLES = "9007199254740992D"


def _whole_decimal(parameters: tuple[Type, ...]) -> Type:
    t = parameters[0]
    assert isinstance(t, Decimal)
    return Decimal(max(1, t.precision - t.scale + min(t.scale, 1)), 0)


def _one_more_digit(parameters: tuple[Type, ...]) -> Type:
    t = parameters[0]
    assert isinstance(t, Decimal)
    return Decimal(min(MAX_PRECISION, t.precision + 1), t.scale)


def _cut_decimal(parameters: tuple[Type, ...]) -> Type:
    t = parameters[0]
    assert isinstance(t, Decimal)
    return Decimal(max(t.precision - t.scale, 1), 0)


def _typed(call: Any, text: str) -> str:
    """Double arithmetic for a real: Spark's functions of doubles, and the result made narrow again."""
    return f"CAST({text} AS FLOAT)" if call.type == REAL else text


def _to_integer(name: str, template: str) -> Renderer:
    """ceil and floor: Spark makes a double a bigint, losing what is large, NaN and the sign of zero."""

    def render(call: Any, texts: Texts) -> str:
        if is_integer(call.type):
            return texts[0]
        if isinstance(call.type, Decimal):
            return f"CAST({name}({texts[0]}) AS {spark_type(call.type)})"
        return _typed(call, share(template, _doubles(call, texts)))

    return render


def _doubles(call: Any, texts: Texts) -> tuple[str, ...]:
    return tuple(
        f"CAST({text} AS DOUBLE)" if argument.type == REAL else text
        for argument, text in zip(call.arguments, texts, strict=True)
    )


_KEPT = "{0} = 0D OR abs({0}) >= " + _EXACT_DOUBLES + " OR isnan({0})"


def _round(call: Any, texts: Texts) -> str:
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    if digits is None:
        return f"CAST(NULL AS {spark_type(call.type)})"
    if isinstance(call.type, Decimal):
        return f"CAST(round({texts[0]}, {digits}) AS {spark_type(call.type)})"
    if is_integer(call.type):
        return texts[0] if digits >= 0 else _round_integer(call, texts[0], -digits)
    return _typed(call, share(_round_double(digits), _doubles(call, texts)[:1]))


def _round_double(digits: int) -> str:
    """Trino rounds x * 10^n in binary, so that 1.005 to two digits is 1.0."""
    if digits == 0:
        return "(CASE WHEN {0} < 0 THEN -round(-{0}) ELSE round({0}) END)"
    factor = f"power(10D, {digits}D)" if not 0 < digits <= 22 else f"1E{digits}D"
    number = (
        f"(CASE WHEN {{0}} < 0 THEN -(round(-{{0}} * {factor}) / {factor})"
        f" ELSE round({{0}} * {factor}) / {factor} END)"
    )
    return f"(CASE WHEN isnan({{0}}) OR abs({{0}}) = double('Infinity') THEN {{0}} ELSE {number} END)"


def _round_integer(call: Any, text: str, zeros: int) -> str:
    if zeros > 18:
        return f"CAST({text} * 0 AS {spark_type(call.type)})"
    unit = 10**zeros
    wide = "CAST({0} AS DECIMAL(20,0))"
    rounded = f"((abs({wide}) + {unit // 2}) div {unit} * {unit})"
    signed = share(f"(CASE WHEN {{0}} < 0 THEN - {rounded} ELSE {rounded} END)", (text,))
    return f"CAST({signed} AS {spark_type(call.type)})"


def _truncate(call: Any, texts: Texts) -> str:
    source = call.arguments[0].type
    if not isinstance(source, Decimal):
        # Times the sign, so that -0.5 becomes -0.0.
        template = f"(CASE WHEN {_KEPT} THEN {{0}} ELSE sign({{0}}) * CAST(floor(abs({{0}})) AS DOUBLE) END)"
        return _typed(call, share(template, _doubles(call, texts)))
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    target = spark_type(call.type)
    if digits is None:
        return f"CAST(NULL AS {target})"
    if digits >= source.scale:
        return f"CAST({texts[0]} AS {target})"
    if -digits >= source.precision - source.scale:
        return f"CAST({texts[0]} * 0 AS {target})"
    unit = f"CAST('1E{-digits}' AS DECIMAL({max(digits, -digits) + 1},{max(digits, 0)}))"
    return share(f"CAST({{0}} - {{0}} % {unit} AS {target})", texts[:1])


def _math(method: str, count: int = 1) -> str:
    """A method of java.lang.Math. Spark's own exp, ln, log10 and power are StrictMath's, which differ in
    the last bit now and then, and give NULL outside their domain."""
    arguments = ", ".join(f"{{{index}}}" for index in range(count))
    given = " AND ".join(f"{{{index}}} IS NOT NULL" for index in range(count))
    return (
        f"(CASE WHEN {given} THEN CAST(java_method('java.lang.Math', '{method}', {arguments}) AS DOUBLE) END)"
    )


def _log(call: Any, texts: Texts) -> str:
    base, value = (f"CAST(java_method('java.lang.Math', 'log', {{{i}}}) AS DOUBLE)" for i in range(2))
    return share(
        f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN CASE WHEN {{0}} = 1D"
        f" THEN {value} * double('Infinity') ELSE {value} / {base} END END)",
        texts,
    )


def _to_base(call: Any, texts: Texts) -> str:
    radix = _radix(call)
    return share(
        f"(CASE WHEN {{0}} < 0 THEN concat('-', lower(conv(substr(CAST({{0}} AS STRING), 2), 10, {radix})))"
        f" ELSE lower(conv(CAST({{0}} AS STRING), 10, {radix})) END)",
        texts[:1],
    )


def _from_base(call: Any, texts: Texts) -> str:
    radix = _radix(call)
    digits = "".join(f"{d}" for d in range(min(radix, 10))) + "".join(
        chr(ord("a") + d) for d in range(max(0, radix - 10))
    )
    # conv answers a number of 64 unsigned bits, so that what does not fit a bigint fails in the cast.
    pattern = string(f"^[+-]?[{digits}]+$")
    return share(
        f"(CASE WHEN NOT (lower({{0}}) RLIKE {pattern}) OR length(regexp_replace({{0}}, '^[+-]?0*', '')) > "
        f"{_digits_of_bigint(radix)} THEN " + refuse(f"Not a valid base-{radix} number") + f" ELSE"
        f" CAST(CAST(conv(regexp_replace({{0}}, '^[+-]', ''), {radix}, 10) AS DECIMAL(20,0))"
        " * if({0} LIKE '-%', -1, 1) AS BIGINT) END)",
        texts[:1],
    )


def _digits_of_bigint(radix: int) -> int:
    count, value = 0, 2**63
    while value:
        value //= radix
        count += 1
    return count


def _radix(call: Any) -> int:
    radix = constant_integer(call, 1, "the radix")
    if radix is None or not 2 <= radix <= 36:
        raise invalid(call, "Radix must be between 2 and 36")
    return radix


def _power(call: Any, texts: Texts) -> str:
    exponent = constant(call.arguments[1])
    if isinstance(exponent, int) and not isinstance(exponent, bool) and 0 <= exponent <= 3:
        return f"power({texts[0]}, {texts[1]})"
    return share(_math("pow", 2), texts)


_POWER = "The first argument to the power of the second"
_IS_FINITE = "(CASE WHEN {0} IS NULL THEN NULL ELSE NOT isnan({0}) AND abs({0}) <> double('Infinity') END)"
_WIDTH_BUCKET = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL OR {3} IS NULL THEN NULL"
    " WHEN {3} <= 0 OR {1} = {2} OR isnan({0})"
    " OR abs({1}) >= double('Infinity') OR abs({2}) >= double('Infinity')"
    " THEN "
    + refuse("width_bucket: bounds must be finite and different, buckets more than 0")
    + " ELSE width_bucket({0}, {1}, {2}, {3}) END)"
)
_FLOOR = f"(CASE WHEN {_KEPT} THEN {{0}} ELSE CAST(floor({{0}}) AS DOUBLE) END)"
_CEILING = (
    f"(CASE WHEN {_KEPT} THEN {{0}} WHEN {{0}} > -1D AND {{0}} < 0D THEN -0.0D"
    " ELSE CAST(ceil({0}) AS DOUBLE) END)"
)
_ROUNDED = (*_SAME_INTEGERS, ("(decimal(p,s)) -> ?", _whole_decimal), *_SAME_FLOATS)


def _plain(name: str, help: str) -> Any:
    return scalar(name, _DOUBLE, spark=f"{name}({{0}})", help=help)


def _constant(name: str, spark: str, help: str) -> Any:
    return scalar(name, "() -> double", spark=spark, help=help)


FUNCTIONS = (
    scalar(
        "abs",
        *_SAME_INTEGERS,
        "(decimal(p,s)) -> decimal(p,s)",
        *_SAME_FLOATS,
        spark="abs({0})",
        help="Without its sign",
        raises=True,
    ),
    scalar("ceil", *_ROUNDED, spark=_to_integer("ceil", _CEILING), help="Rounded up"),
    scalar("ceiling", *_ROUNDED, spark=_to_integer("ceil", _CEILING), help="Rounded up"),
    scalar("floor", *_ROUNDED, spark=_to_integer("floor", _FLOOR), help="Rounded down"),
    scalar(
        "round",
        *_ROUNDED,
        "(tinyint, integer) -> tinyint",
        "(smallint, integer) -> smallint",
        "(integer, integer) -> integer",
        "(bigint, integer) -> bigint",
        ("(decimal(p,s), integer) -> ?", _one_more_digit),
        "(real, integer) -> real",
        "(double, integer) -> double",
        spark=_round,
        help="Rounded to so many digits, a half away from zero",
        raises=True,
    ),
    scalar(
        "truncate",
        ("(decimal(p,s)) -> ?", _cut_decimal),
        "(decimal(p,s), integer) -> decimal(p,s)",
        *_SAME_FLOATS,
        spark=_truncate,
        help="Cut to so many digits, toward zero",
    ),
    scalar(
        "sign",
        *_SAME_INTEGERS,
        "(decimal(p,s)) -> decimal(1,0)",
        *_SAME_FLOATS,
        spark=lambda call, texts: f"CAST(sign({texts[0]}) AS {spark_type(call.type)})",
        help="-1, 0 or 1",
    ),
    scalar("mod", *MODULUS, spark=modulus, help="The remainder, with the sign of the dividend", raises=True),
    scalar("power", "(double, double) -> double", spark=_power, help=_POWER, projected=True),
    scalar("pow", "(double, double) -> double", spark=_power, help=_POWER, projected=True),
    _plain("sqrt", "The square root"),
    _plain("cbrt", "The cube root"),
    scalar("exp", _DOUBLE, spark=shared(_math("exp")), help="e to the power of x", projected=True),
    scalar("ln", _DOUBLE, spark=shared(_math("log")), help="The natural logarithm", projected=True),
    scalar(
        "log2",
        _DOUBLE,
        spark=shared(
            "(CASE WHEN {0} > 0D OR isnan({0}) THEN log2({0}) WHEN {0} = 0D THEN double('-Infinity')"
            " WHEN {0} < 0D THEN double('NaN') END)"
        ),
        help="The logarithm to base 2",
    ),
    scalar("log10", _DOUBLE, spark=shared(_math("log10")), help="The logarithm to base 10", projected=True),
    scalar(
        "log", "(double, double) -> double", spark=_log, help="The logarithm to base b of x", projected=True
    ),
    _plain("sin", "The sine"),
    _plain("cos", "The cosine"),
    _plain("tan", "The tangent"),
    _plain("asin", "The arc sine"),
    _plain("acos", "The arc cosine"),
    _plain("atan", "The arc tangent"),
    scalar(
        "atan2",
        "(double, double) -> double",
        spark=shared(_math("atan2", 2)),
        help="The arc tangent of y / x",
        projected=True,
    ),
    _plain("sinh", "The hyperbolic sine"),
    _plain("cosh", "The hyperbolic cosine"),
    _plain("tanh", "The hyperbolic tangent"),
    _plain("degrees", "Radians as degrees"),
    _plain("radians", "Degrees as radians"),
    _constant("pi", "pi()", "The number pi"),
    _constant("e", "e()", "Euler's number"),
    _constant("nan", "double('NaN')", "The double that is not a number"),
    _constant("infinity", "double('Infinity')", "The double above all numbers"),
    scalar(
        "is_nan",
        "(real) -> boolean",
        "(double) -> boolean",
        spark=shared("(CASE WHEN {0} IS NOT NULL THEN isnan({0}) END)"),
        help="Whether x is not a number",
    ),
    scalar("is_finite", "(double) -> boolean", spark=shared(_IS_FINITE), help="Neither infinite nor NaN"),
    scalar(
        "is_infinite",
        "(double) -> boolean",
        spark="(abs({0}) = double('Infinity'))",
        help="Whether x is infinite",
    ),
    scalar(
        "width_bucket",
        "(double, double, double, bigint) -> bigint",
        spark=shared(_WIDTH_BUCKET),
        help="The number of x's bucket among n equal ones",
        raises=True,
    ),
    scalar(
        "to_base",
        "(bigint, bigint) -> varchar(64)",
        spark=_to_base,
        help="Digits of x in a base",
        raises=True,
    ),
    scalar(
        "from_base",
        "(varchar(x), bigint) -> bigint",
        spark=_from_base,
        help="A number from its digits",
        raises=True,
    ),
    scalar("random", "() -> double", spark="rand()", help="A number from 0 up to 1", projected=True),
    scalar("rand", "() -> double", spark="rand()", help="A number from 0 up to 1", projected=True),
)
