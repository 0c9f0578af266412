"""Arithmetic, rounding, logarithms, trigonometry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sqe.engine.spark.types import spark_type
from sqe.functions import duck_math as duck
from sqe.functions import duck_operators
from sqe.functions.decimals import absolute
from sqe.functions.function import Renderer, scalar
from sqe.functions.operators import MODULUS, modulus
from sqe.functions.spark_text import constant, constant_integer, refuse, share, shared, string
from sqe.types.sql_types import (
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


def magnitude(call: Any, texts: Texts) -> str:
    return absolute(texts[0], call.type) if isinstance(call.type, Decimal) else f"abs({texts[0]})"


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


_OVERFLOW = refuse("numerical overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_DECIMAL_OVERFLOW = refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_KEPT = "{0} = 0D OR abs({0}) >= " + _EXACT_DOUBLES + " OR isnan({0})"


def _round(call: Any, texts: Texts) -> str:
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    if digits is None:
        return f"CAST(NULL AS {spark_type(call.type)})"
    if isinstance(call.type, Decimal):
        return _round_decimal(call, texts[0], digits)
    if is_integer(call.type):
        return texts[0] if digits >= 0 else _round_integer(call, texts[0], -digits)
    return _typed(call, share(_round_double(digits), _doubles(call, texts)[:1]))


def _round_decimal(call: Any, text: str, digits: int) -> str:
    source, target = call.arguments[0].type, spark_type(call.type)
    if duck.overflows(source, call.type, digits):
        return share(f"if({{0}} IS NULL, NULL, {_DECIMAL_OVERFLOW})", (text,))
    if source.precision - source.scale + digits < 0:
        return f"CAST({text} * 0 AS {target})"
    return f"CAST(round({text}, {digits}) AS {target})"


def _round_double(digits: int) -> str:
    """Trino rounds x * 10^n in binary, so that 1.005 to two digits is 1.0; too large a product is x."""
    if digits == 0:
        return "(CASE WHEN {0} < 0 THEN -round(-{0}) ELSE round({0}) END)"
    power = duck.power_of_ten(digits)
    if power == math.inf:
        return "({0} + 0D)"
    if power == 0:
        return "(CASE WHEN {0} IS NOT NULL THEN if(abs({0}) = double('Infinity'), {0}, double('NaN')) END)"
    factor = f"{power!r}D"
    number = (
        f"(CASE WHEN {{0}} < 0 THEN -(round(-{{0}} * {factor}) / {factor})"
        f" ELSE round({{0}} * {factor}) / {factor} END)"
    )
    return (
        f"(CASE WHEN isnan({{0}}) OR abs({{0}} * {factor}) = double('Infinity') THEN {{0}} ELSE {number} END)"
    )


def _round_integer(call: Any, text: str, zeros: int) -> str:
    if zeros > 18:
        return share(f"if({{0}} IS NULL, NULL, {_OVERFLOW})", (text,))
    unit = 10**zeros
    wide = "CAST({0} AS DECIMAL(20,0))"
    # div makes a bigint, whatever it divides.
    rounded = f"(CAST((abs({wide}) + {unit // 2}) div {unit} AS DECIMAL(20,0)) * {unit})"
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


# Spark's own loses the sign of a zero, which says on which side of the line y is.
_ATAN2 = (
    "(CASE WHEN {0} = 0D AND (CAST({1} AS STRING) LIKE '-%') THEN"
    " if(CAST({0} AS STRING) LIKE '-%', -pi(), pi()) WHEN {0} = 0D AND {1} >= 0D AND NOT isnan({1}) THEN {0}"
    " ELSE atan2({0}, {1}) END)"
)


def _log(call: Any, texts: Texts) -> str:
    base, value = (f"CAST(java_method('java.lang.Math', 'log', {{{i}}}) AS DOUBLE)" for i in range(2))
    return share(
        f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN CASE WHEN {{0}} = 1D"
        f" THEN {value} * double('Infinity') ELSE {value} / {base} END END)",
        texts,
    )


def _to_base(call: Any, texts: Texts) -> str:
    radix = duck.radix_of(call)
    return share(
        f"(CASE WHEN {{0}} < 0 THEN concat('-', lower(conv(substr(CAST({{0}} AS STRING), 2), 10, {radix})))"
        f" ELSE lower(conv(CAST({{0}} AS STRING), 10, {radix})) END)",
        texts[:1],
    )


def _from_base(call: Any, texts: Texts) -> str:
    radix = duck.radix_of(call)
    digits = "".join(f"{d}" for d in range(min(radix, 10))) + "".join(
        chr(ord("a") + d) for d in range(max(0, radix - 10))
    )
    # conv answers a number of 64 unsigned bits, so that what does not fit a bigint fails in the cast.
    pattern = string(f"^[+-]?[{digits}]+$")
    return share(
        f"(CASE WHEN NOT (lower({{0}}) RLIKE {pattern}) OR length(regexp_replace({{0}}, '^[+-]?0*', '')) > "
        f"{duck.digits_of_bigint(radix)} THEN " + refuse(f"Not a valid base-{radix} number") + f" ELSE"
        f" CAST(CAST(conv(regexp_replace({{0}}, '^[+-]', ''), {radix}, 10) AS DECIMAL(20,0))"
        " * if({0} LIKE '-%', -1, 1) AS BIGINT) END)",
        texts[:1],
    )


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
_BUCKET_OF_BINS = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN size({1}) = 0 OR isnan({0})"
    " OR exists({1}, b_ -> b_ IS NULL OR isnan(b_) OR abs(b_) = double('Infinity')) OR {1} <> array_sort({1})"
    " THEN "
    + refuse("width_bucket: bins must be finite and sorted, and the operand a number")
    + " ELSE CAST(size(filter({1}, b_ -> b_ <= {0})) AS BIGINT) END)"
)


def _width_bucket(call: Any, texts: Texts) -> str:
    return share(_BUCKET_OF_BINS if len(texts) == 2 else _WIDTH_BUCKET, texts)


def _random(call: Any, texts: Texts) -> str:
    """From 0, or from the first, up to but not with the last."""
    if not texts:
        return "rand()"
    low, high = ("0", "{0}") if len(texts) == 1 else ("{0}", "{1}")
    wide = f"CAST({high} AS DECIMAL(20,0)) - {low}"
    picked = f"CAST({low} + floor(CAST(rand() AS DECIMAL(18,17)) * ({wide})) AS {spark_type(call.type)})"
    return share(
        f"(CASE WHEN {low} >= {high} THEN " + refuse("bounds must be in order") + f" ELSE {picked} END)",
        texts,
    )


def _wilson(sign: str) -> Renderer:
    square, p, n = "({2} * {2})", "(CAST({0} AS DOUBLE) / {1})", "CAST({1} AS DOUBLE)"
    root = f"sqrt(({p} * (1D - {p})) / {n} + {square} / (4D * {n} * {n}))"
    return shared(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        " WHEN {0} < 0 OR {1} <= 0 OR {0} > {1} OR {2} < 0D OR isnan({2}) THEN "
        + refuse("successes must be from 0 to trials, trials more than 0, the z-score not negative")
        + f" ELSE ({p} + {square} / (2D * {n}) {sign} {{2}} * {root}) / (1D + {square} / {n}) END)"
    )


_BYTES = {
    unit: 1024**power for power, unit in enumerate(("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"))
}
_SIZE = string("^([0-9]+(?:[.][0-9]*)?|[.][0-9]+)([a-zA-Z]+)$")


def _data_size(call: Any, texts: Texts) -> str:
    """Cut to whole bytes; the product of a number and its unit is exact while it has 38 digits."""
    value = f"regexp_extract({{0}}, {_SIZE}, 1)"
    units = " ".join(
        f"WHEN '{unit}' THEN CAST({value} AS DECIMAL({38 - len(str(factor))},6))"
        f" * CAST('{factor}' AS DECIMAL({len(str(factor))},0))"
        for unit, factor in _BYTES.items()
    )
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT ({{0}} RLIKE {_SIZE})"
        f" OR regexp_extract({{0}}, {_SIZE}, 2) NOT IN ({', '.join(map(string, _BYTES))}) THEN "
        + refuse("Invalid data size")
        + " WHEN {0} RLIKE '[.][0-9]{7,}' THEN "
        + refuse("a data size with more than six decimal places is not supported", code="NOT_SUPPORTED")
        + f" ELSE CAST(floor(CASE regexp_extract({{0}}, {_SIZE}, 2) {units} END) AS DECIMAL(38,0)) END)",
        texts,
    )


_EARTH_RADIUS_IN_KM = "6371.01D"
_ACROSS = "(cos(radians({2})) * sin(radians({1}) - radians({3})))"
_ALONG = (
    "(cos(radians({0})) * sin(radians({2}))"
    " - sin(radians({0})) * cos(radians({2})) * cos(radians({1}) - radians({3})))"
)
_GREAT_CIRCLE = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL OR {3} IS NULL THEN NULL"
    " WHEN NOT (abs({0}) <= 90D AND abs({2}) <= 90D AND abs({1}) <= 180D AND abs({3}) <= 180D) THEN "
    + refuse("Latitude must be between -90 and 90, longitude between -180 and 180")
    + f" ELSE atan2(sqrt({_ACROSS} * {_ACROSS} + {_ALONG} * {_ALONG}),"
    " sin(radians({0})) * sin(radians({2}))"
    " + cos(radians({0})) * cos(radians({2})) * cos(radians({1}) - radians({3})))"
    f" * {_EARTH_RADIUS_IN_KM} END)"
)
_INTEGER_PAIRS = tuple(f"({t}, {t}) -> {t}" for t in ("tinyint", "smallint", "integer", "bigint"))
_BODY = "sqe_distributions_"


def _distribution(name: str, parameters: int, help: str) -> Any:
    return scalar(
        name,
        f"({', '.join(['double'] * parameters)}) -> double",
        spark=None,
        body=_BODY + name,
        help=help,
        raises="parameters outside their range",
    )


_FLOOR = f"(CASE WHEN {_KEPT} THEN {{0}} ELSE CAST(floor({{0}}) AS DOUBLE) END)"
_CEILING = (
    f"(CASE WHEN {_KEPT} THEN {{0}} WHEN {{0}} > -1D AND {{0}} < 0D THEN -0.0D"
    " ELSE CAST(ceil({0}) AS DOUBLE) END)"
)
_ROUNDED = (*_SAME_INTEGERS, ("(decimal(p,s)) -> ?", _whole_decimal), *_SAME_FLOATS)


def _plain(name: str, help: str, fast: str | Renderer | None = None) -> Any:
    return scalar(name, _DOUBLE, spark=f"{name}({{0}})", fast=fast, help=help)


def _constant(name: str, spark: str, fast: str, help: str) -> Any:
    return scalar(name, "() -> double", spark=spark, fast=fast, help=help)


FUNCTIONS = (
    scalar(
        "abs",
        *_SAME_INTEGERS,
        "(decimal(p,s)) -> decimal(p,s)",
        *_SAME_FLOATS,
        spark=magnitude,
        fast="abs({0})",
        help="Without its sign",
        raises="overflow of the smallest number",
    ),
    scalar(
        "ceil",
        *_ROUNDED,
        spark=_to_integer("ceil", _CEILING),
        fast=duck.to_integer("ceil"),
        help="Rounded up",
    ),
    scalar(
        "ceiling",
        *_ROUNDED,
        spark=_to_integer("ceil", _CEILING),
        fast=duck.to_integer("ceil"),
        help="Rounded up",
    ),
    scalar(
        "floor",
        *_ROUNDED,
        spark=_to_integer("floor", _FLOOR),
        fast=duck.to_integer("floor"),
        help="Rounded down",
    ),
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
        fast=duck.round_,
        help="Rounded to so many digits, a half away from zero",
        raises="overflow",
    ),
    scalar(
        "truncate",
        ("(decimal(p,s)) -> ?", _cut_decimal),
        "(decimal(p,s), integer) -> decimal(p,s)",
        *_SAME_FLOATS,
        spark=_truncate,
        fast=duck.truncate,
        help="Cut to so many digits, toward zero",
    ),
    scalar(
        "sign",
        *_SAME_INTEGERS,
        "(decimal(p,s)) -> decimal(1,0)",
        *_SAME_FLOATS,
        spark=lambda call, texts: f"CAST(sign({texts[0]}) AS {spark_type(call.type)})",
        fast=duck.sign,
        help="-1, 0 or 1",
    ),
    scalar(
        "mod",
        *MODULUS,
        spark=modulus,
        fast=duck_operators.modulus,
        help="The remainder, with the sign of the dividend",
        raises="division by zero",
    ),
    scalar("power", "(double, double) -> double", spark=_power, fast=duck.power, help=_POWER, projected=True),
    scalar("pow", "(double, double) -> double", spark=_power, fast=duck.power, help=_POWER, projected=True),
    _plain("sqrt", "The square root", duck.SQRT),
    _plain("cbrt", "The cube root"),
    scalar("exp", _DOUBLE, spark=shared(_math("exp")), help="e to the power of x", projected=True),
    scalar("ln", _DOUBLE, spark=shared(_math("log")), help="The natural logarithm", projected=True),
    scalar(
        "log2",
        _DOUBLE,
        spark=shared(_math("log") + " / 0.6931471805599453D"),
        help="The logarithm to base 2",
        projected=True,
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
        spark=shared(_ATAN2),
        help="The arc tangent of y / x",
    ),
    _plain("sinh", "The hyperbolic sine"),
    _plain("cosh", "The hyperbolic cosine"),
    _plain("tanh", "The hyperbolic tangent"),
    _plain("degrees", "Radians as degrees", "degrees({0})"),
    _plain("radians", "Degrees as radians", "radians({0})"),
    _constant("pi", "pi()", "3.141592653589793e0", "The number pi"),
    _constant("e", "e()", "2.718281828459045e0", "Euler's number"),
    _constant("nan", "double('NaN')", "CAST('NaN' AS DOUBLE)", "The double that is not a number"),
    _constant("infinity", "double('Infinity')", "CAST('Infinity' AS DOUBLE)", "The double above all numbers"),
    scalar(
        "is_nan",
        "(real) -> boolean",
        "(double) -> boolean",
        spark=shared("(CASE WHEN {0} IS NOT NULL THEN isnan({0}) END)"),
        fast="isnan({0})",
        help="Whether x is not a number",
    ),
    scalar(
        "is_finite",
        "(double) -> boolean",
        spark=shared(_IS_FINITE),
        fast="isfinite({0})",
        help="Neither infinite nor NaN",
    ),
    scalar(
        "is_infinite",
        "(double) -> boolean",
        spark="(abs({0}) = double('Infinity'))",
        fast="isinf({0})",
        help="Whether x is infinite",
    ),
    scalar(
        "width_bucket",
        "(double, double, double, bigint) -> bigint",
        "(double, array(double)) -> bigint",
        spark=_width_bucket,
        fast=duck.width_bucket,
        help="The number of x's bucket among n equal ones, or among those with given lower bounds",
        raises="bounds or bins that make no buckets, NaN",
    ),
    scalar(
        "to_base",
        "(bigint, bigint) -> varchar(64)",
        spark=_to_base,
        fast=duck.to_base,
        help="Digits of x in a base",
        raises="a radix outside 2 to 36",
    ),
    scalar(
        "from_base",
        "(varchar(x), bigint) -> bigint",
        spark=_from_base,
        fast=duck.from_base,
        help="A number from its digits",
        raises="a text that is no number of the radix",
    ),
    *(
        scalar(
            name,
            "() -> double",
            *_SAME_INTEGERS,
            *_INTEGER_PAIRS,
            spark=_random,
            fast=duck.random,
            help="A number from 0 up to 1, or an integer from 0 or a first up to a last, which is not taken",
            projected=True,
            raises="bounds that leave nothing between them",
        )
        for name in ("random", "rand")
    ),
    *(
        scalar(
            name,
            "(varchar(x)) -> decimal(38,0)",
            spark=_data_size,
            fast=duck.data_size(_BYTES),
            help="The bytes of a size such as 2.3MB, of B, kB, MB, GB, TB, PB, EB, ZB or YB",
            raises="a text that is no size",
        )
        for name in ("parse_data_size", "parse_presto_data_size")
    ),
    scalar(
        "great_circle_distance",
        "(double, double, double, double) -> double",
        spark=shared(_GREAT_CIRCLE),
        help="The kilometres between two places on Earth, each its latitude and longitude",
        raises="a latitude beyond 90 degrees, a longitude beyond 180",
    ),
    scalar(
        "uuid",
        "() -> uuid",
        spark="uuid()",
        fast="CAST(uuid() AS VARCHAR)",
        help="A random UUID",
        projected=True,
    ),
    scalar(
        "wilson_interval_lower",
        "(bigint, bigint, double) -> double",
        spark=_wilson("-"),
        fast=duck.wilson("-"),
        help="The lower end of the Wilson score interval of successes among trials",
        raises="counts or a z that make no interval",
    ),
    scalar(
        "wilson_interval_upper",
        "(bigint, bigint, double) -> double",
        spark=_wilson("+"),
        fast=duck.wilson("+"),
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
