"""Arithmetic, rounding, logarithms and trigonometry in Spark SQL."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.decimals import absolute
from sqe.engine.spark.functions.operators import modulus
from sqe.engine.spark.functions.text import refuse, share, shared, string
from sqe.engine.spark.types import spark_type
from sqe.functions.constants import constant, constant_integer
from sqe.functions.math import BYTES, digits_of_bigint, overflows, radix_of
from sqe.tree.expressions import Call
from sqe.types.sql_types import REAL, Decimal, is_integer

Texts = Sequence[str]
_EXACT_DOUBLES = "9007199254740992D"


def power_of_ten(digits: int) -> float:
    """As Java's pow has it, from 0 to infinity."""
    return float(f"1e{digits}")


def _typed(call: Call, text: str) -> str:
    """Double arithmetic for a real: Spark's functions of doubles, and the result made narrow again."""
    return f"CAST({text} AS FLOAT)" if call.type == REAL else text


def magnitude(call: Call, texts: Texts) -> str:
    return absolute(texts[0], call.type) if isinstance(call.type, Decimal) else f"abs({texts[0]})"


def _to_integer(name: str, template: str) -> Renderer:
    """ceil and floor: Spark makes a double a bigint, losing what is large, NaN and the sign of zero."""

    def render(call: Call, texts: Texts) -> str:
        if is_integer(call.type):
            return texts[0]
        if isinstance(call.type, Decimal):
            return f"CAST({name}({texts[0]}) AS {spark_type(call.type)})"
        return _typed(call, share(template, _doubles(call, texts)))

    return render


def _doubles(call: Call, texts: Texts) -> tuple[str, ...]:
    return tuple(
        f"CAST({text} AS DOUBLE)" if argument.type == REAL else text
        for argument, text in zip(call.arguments, texts, strict=True)
    )


_OVERFLOW = refuse("numerical overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_DECIMAL_OVERFLOW = refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_KEPT = "{0} = 0D OR abs({0}) >= " + _EXACT_DOUBLES + " OR isnan({0})"


def _round(call: Call, texts: Texts) -> str:
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    if digits is None:
        return f"CAST(NULL AS {spark_type(call.type)})"
    if isinstance(call.type, Decimal):
        return _round_decimal(call, texts[0], digits)
    if is_integer(call.type):
        return texts[0] if digits >= 0 else _round_integer(call, texts[0], -digits)
    return _typed(call, share(_round_double(digits), _doubles(call, texts)[:1]))


def _round_decimal(call: Call, text: str, digits: int) -> str:
    source = call.arguments[0].type
    assert isinstance(source, Decimal) and isinstance(call.type, Decimal)
    target = spark_type(call.type)
    if overflows(source, call.type, digits):
        return share(f"if({{0}} IS NULL, NULL, {_DECIMAL_OVERFLOW})", (text,))
    if source.precision - source.scale + digits < 0:
        return f"CAST({text} * 0 AS {target})"
    return f"CAST(round({text}, {digits}) AS {target})"


def _round_double(digits: int) -> str:
    """Trino rounds x * 10^n in binary, so that 1.005 to two digits is 1.0; too large a product is x."""
    if digits == 0:
        return "(CASE WHEN {0} < 0 THEN -round(-{0}) ELSE round({0}) END)"
    power = power_of_ten(digits)
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


def _round_integer(call: Call, text: str, zeros: int) -> str:
    if zeros > 18:
        return share(f"if({{0}} IS NULL, NULL, {_OVERFLOW})", (text,))
    unit = 10**zeros
    wide = "CAST({0} AS DECIMAL(20,0))"
    # div makes a bigint, whatever it divides.
    rounded = f"(CAST((abs({wide}) + {unit // 2}) div {unit} AS DECIMAL(20,0)) * {unit})"
    signed = share(f"(CASE WHEN {{0}} < 0 THEN - {rounded} ELSE {rounded} END)", (text,))
    return f"CAST({signed} AS {spark_type(call.type)})"


def _truncate(call: Call, texts: Texts) -> str:
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
    no_null = " AND ".join(f"{{{index}}} IS NOT NULL" for index in range(count))
    number = f"CAST(java_method('java.lang.Math', '{method}', {arguments}) AS DOUBLE)"
    return f"(CASE WHEN {no_null} THEN {number} END)"


# Spark's own loses the sign of a zero, which says on which side of the line y is.
_ATAN2 = (
    "(CASE WHEN {0} = 0D AND (CAST({1} AS STRING) LIKE '-%') THEN"
    " if(CAST({0} AS STRING) LIKE '-%', -pi(), pi()) WHEN {0} = 0D AND {1} >= 0D AND NOT isnan({1}) THEN {0}"
    " ELSE atan2({0}, {1}) END)"
)


def _log(call: Call, texts: Texts) -> str:
    base, value = (f"CAST(java_method('java.lang.Math', 'log', {{{i}}}) AS DOUBLE)" for i in range(2))
    return share(
        f"(CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN CASE WHEN {{0}} = 1D"
        f" THEN {value} * double('Infinity') ELSE {value} / {base} END END)",
        texts,
    )


def _to_base(call: Call, texts: Texts) -> str:
    radix = radix_of(call)
    return share(
        f"(CASE WHEN {{0}} < 0 THEN concat('-', lower(conv(substr(CAST({{0}} AS STRING), 2), 10, {radix})))"
        f" ELSE lower(conv(CAST({{0}} AS STRING), 10, {radix})) END)",
        texts[:1],
    )


def _from_base(call: Call, texts: Texts) -> str:
    radix = radix_of(call)
    digits = "".join(f"{d}" for d in range(min(radix, 10))) + "".join(
        chr(ord("a") + d) for d in range(max(0, radix - 10))
    )
    # conv answers a number of 64 unsigned bits, so that what does not fit a bigint fails in the cast.
    pattern = string(f"^[+-]?[{digits}]+$")
    return share(
        f"(CASE WHEN NOT (lower({{0}}) RLIKE {pattern}) OR length(regexp_replace({{0}}, '^[+-]?0*', '')) > "
        f"{digits_of_bigint(radix)} THEN " + refuse(f"Not a valid base-{radix} number") + f" ELSE"
        f" CAST(CAST(conv(regexp_replace({{0}}, '^[+-]', ''), {radix}, 10) AS DECIMAL(20,0))"
        " * if({0} LIKE '-%', -1, 1) AS BIGINT) END)",
        texts[:1],
    )


def _power(call: Call, texts: Texts) -> str:
    exponent = constant(call.arguments[1])
    if isinstance(exponent, int) and not isinstance(exponent, bool) and 0 <= exponent <= 3:
        return f"power({texts[0]}, {texts[1]})"
    return share(_math("pow", 2), texts)


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


def _width_bucket(call: Call, texts: Texts) -> str:
    return share(_BUCKET_OF_BINS if len(texts) == 2 else _WIDTH_BUCKET, texts)


def _random(call: Call, texts: Texts) -> str:
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


_SIZE = string("^([0-9]+(?:[.][0-9]*)?|[.][0-9]+)([a-zA-Z]+)$")


def _data_size(call: Call, texts: Texts) -> str:
    """Cut to whole bytes; the product of a number and its unit is exact while it has 38 digits."""
    value = f"regexp_extract({{0}}, {_SIZE}, 1)"
    units = " ".join(
        f"WHEN '{unit}' THEN CAST({value} AS DECIMAL({38 - len(str(factor))},6))"
        f" * CAST('{factor}' AS DECIMAL({len(str(factor))},0))"
        for unit, factor in BYTES.items()
    )
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT ({{0}} RLIKE {_SIZE})"
        f" OR regexp_extract({{0}}, {_SIZE}, 2) NOT IN ({', '.join(map(string, BYTES))}) THEN "
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
_FLOOR = f"(CASE WHEN {_KEPT} THEN {{0}} ELSE CAST(floor({{0}}) AS DOUBLE) END)"
_CEILING = (
    f"(CASE WHEN {_KEPT} THEN {{0}} WHEN {{0}} > -1D AND {{0}} < 0D THEN -0.0D"
    " ELSE CAST(ceil({0}) AS DOUBLE) END)"
)


RENDERINGS: dict[str, Rendering] = {
    "abs": magnitude,
    "ceil": _to_integer("ceil", _CEILING),
    "ceiling": _to_integer("ceil", _CEILING),
    "floor": _to_integer("floor", _FLOOR),
    "round": _round,
    "truncate": _truncate,
    "sign": lambda call, texts: f"CAST(sign({texts[0]}) AS {spark_type(call.type)})",
    "mod": modulus,
    "power": _power,
    "pow": _power,
    "exp": shared(_math("exp")),
    "ln": shared(_math("log")),
    "log2": shared(_math("log") + " / 0.6931471805599453D"),
    "log10": shared(_math("log10")),
    "log": _log,
    "atan2": shared(_ATAN2),
    "is_nan": shared("(CASE WHEN {0} IS NOT NULL THEN isnan({0}) END)"),
    "is_finite": shared(_IS_FINITE),
    "is_infinite": "(abs({0}) = double('Infinity'))",
    "width_bucket": _width_bucket,
    "to_base": _to_base,
    "from_base": _from_base,
    "great_circle_distance": shared(_GREAT_CIRCLE),
    "uuid": "uuid()",
    "wilson_interval_lower": _wilson("-"),
    "wilson_interval_upper": _wilson("+"),
    **{
        name: f"{name}({{0}})"
        for name in (
            *("sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
            *("degrees", "radians"),
        )
    },
    "pi": "pi()",
    "e": "e()",
    "nan": "double('NaN')",
    "infinity": "double('Infinity')",
    "random": _random,
    "rand": _random,
    "parse_data_size": _data_size,
    "parse_presto_data_size": _data_size,
}
