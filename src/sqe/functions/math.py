"""Arithmetic, rounding, logarithms, trigonometry."""

from __future__ import annotations

from sqe.functions.constants import constant_integer, invalid
from sqe.functions.function import Function, scalar
from sqe.functions.operators import MODULUS
from sqe.tree.expressions import Call
from sqe.types.sql_types import MAX_PRECISION, Decimal, Type

_SAME_INTEGERS = (
    "(tinyint) -> tinyint",
    "(smallint) -> smallint",
    "(integer) -> integer",
    "(bigint) -> bigint",
)
_SAME_FLOATS = ("(real) -> real", "(double) -> double")
_DOUBLE = "(double) -> double"


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


_SHORT_DECIMAL = 18


def overflows(source: Decimal, result: Decimal, digits: int) -> bool:
    """Whether a decimal of 128 bits is divided by more than 38 digits hold, which fails for every value."""
    return result.precision > _SHORT_DECIMAL and source.scale - digits > MAX_PRECISION


def radix_of(call: Call) -> int:
    radix = constant_integer(call, 1, "the radix")
    if radix is None or not 2 <= radix <= 36:
        raise invalid(call, "Radix must be between 2 and 36")
    return radix


def digits_of_bigint(radix: int) -> int:
    count, value = 0, 2**63
    while value:
        value //= radix
        count += 1
    return count


_POWER = "The first argument to the power of the second"
BYTES = {
    unit: 1024**power for power, unit in enumerate(("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"))
}
_INTEGER_PAIRS = tuple(f"({t}, {t}) -> {t}" for t in ("tinyint", "smallint", "integer", "bigint"))
_BODY = "sqe_distributions_"


def _distribution(name: str, parameters: int, help: str) -> Function:
    return scalar(
        name,
        f"({', '.join(['double'] * parameters)}) -> double",
        body=_BODY + name,
        help=help,
        raises="parameters outside their range",
    )


_ROUNDED = (*_SAME_INTEGERS, ("(decimal(p,s)) -> ?", _whole_decimal), *_SAME_FLOATS)


def _of_double(name: str, help: str) -> Function:
    return scalar(name, _DOUBLE, help=help)


def _constant(name: str, help: str) -> Function:
    return scalar(name, "() -> double", help=help)


FUNCTIONS = (
    scalar(
        "abs",
        *_SAME_INTEGERS,
        "(decimal(p,s)) -> decimal(p,s)",
        *_SAME_FLOATS,
        help="Without its sign",
        raises="overflow of the smallest number",
    ),
    scalar("ceil", *_ROUNDED, help="Rounded up"),
    scalar("ceiling", *_ROUNDED, help="Rounded up"),
    scalar("floor", *_ROUNDED, help="Rounded down"),
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
        help="Rounded to so many digits, a half away from zero",
        raises="overflow",
    ),
    scalar(
        "truncate",
        ("(decimal(p,s)) -> ?", _cut_decimal),
        "(decimal(p,s), integer) -> decimal(p,s)",
        *_SAME_FLOATS,
        help="Cut to so many digits, toward zero",
    ),
    scalar("sign", *_SAME_INTEGERS, "(decimal(p,s)) -> decimal(1,0)", *_SAME_FLOATS, help="-1, 0 or 1"),
    scalar("mod", *MODULUS, help="The remainder, with the sign of the dividend", raises="division by zero"),
    scalar("power", "(double, double) -> double", help=_POWER),
    scalar("pow", "(double, double) -> double", help=_POWER),
    _of_double("sqrt", "The square root"),
    _of_double("cbrt", "The cube root"),
    scalar("exp", _DOUBLE, help="e to the power of x"),
    scalar("ln", _DOUBLE, help="The natural logarithm"),
    scalar("log2", _DOUBLE, help="The logarithm to base 2"),
    scalar("log10", _DOUBLE, help="The logarithm to base 10"),
    scalar("log", "(double, double) -> double", help="The logarithm to base b of x"),
    _of_double("sin", "The sine"),
    _of_double("cos", "The cosine"),
    _of_double("tan", "The tangent"),
    _of_double("asin", "The arc sine"),
    _of_double("acos", "The arc cosine"),
    _of_double("atan", "The arc tangent"),
    scalar("atan2", "(double, double) -> double", help="The arc tangent of y / x"),
    _of_double("sinh", "The hyperbolic sine"),
    _of_double("cosh", "The hyperbolic cosine"),
    _of_double("tanh", "The hyperbolic tangent"),
    _of_double("degrees", "Radians as degrees"),
    _of_double("radians", "Degrees as radians"),
    _constant("pi", "The number pi"),
    _constant("e", "Euler's number"),
    _constant("nan", "The double that is not a number"),
    _constant("infinity", "The double above all numbers"),
    scalar("is_nan", "(real) -> boolean", "(double) -> boolean", help="Whether x is not a number"),
    scalar("is_finite", "(double) -> boolean", help="Neither infinite nor NaN"),
    scalar("is_infinite", "(double) -> boolean", help="Whether x is infinite"),
    scalar(
        "width_bucket",
        "(double, double, double, bigint) -> bigint",
        "(double, array(double)) -> bigint",
        help="The number of x's bucket among n equal ones, or among those with given lower bounds",
        raises="bounds or bins that make no buckets, NaN",
    ),
    scalar(
        "to_base",
        "(bigint, bigint) -> varchar(64)",
        help="Digits of x in a base",
        raises="a radix outside 2 to 36",
    ),
    scalar(
        "from_base",
        "(varchar(x), bigint) -> bigint",
        help="A number from its digits",
        raises="a text that is no number of the radix",
    ),
    *(
        scalar(
            name,
            "() -> double",
            *_SAME_INTEGERS,
            *_INTEGER_PAIRS,
            help="A number from 0 up to 1, or an integer from 0 or a first up to a last, which is not taken",
            raises="bounds that leave nothing between them",
        )
        for name in ("random", "rand")
    ),
    *(
        scalar(
            name,
            "(varchar(x)) -> decimal(38,0)",
            help="The bytes of a size such as 2.3MB, of B, kB, MB, GB, TB, PB, EB, ZB or YB",
            raises="a text that is no size",
        )
        for name in ("parse_data_size", "parse_presto_data_size")
    ),
    scalar(
        "great_circle_distance",
        "(double, double, double, double) -> double",
        help="The kilometres between two places on Earth, each its latitude and longitude",
        raises="a latitude beyond 90 degrees, a longitude beyond 180",
    ),
    scalar("uuid", "() -> uuid", help="A random UUID"),
    scalar(
        "wilson_interval_lower",
        "(bigint, bigint, double) -> double",
        help="The lower end of the Wilson score interval of successes among trials",
        raises="counts or a z that make no interval",
    ),
    scalar(
        "wilson_interval_upper",
        "(bigint, bigint, double) -> double",
        help="The upper end of the Wilson score interval of successes among trials",
        raises="counts or a z that make no interval",
    ),
    _distribution("normal_cdf", 3, "The normal distribution's probability of at most a value"),
    _distribution(
        "inverse_normal_cdf", 3, "The value that a normal distribution is below with a probability"
    ),
    _distribution("beta_cdf", 3, "The beta distribution's probability of at most a value"),
    _distribution("t_cdf", 2, "Student's distribution's probability of at most a value"),
    _distribution("t_pdf", 2, "Student's distribution's density at a value"),
)
