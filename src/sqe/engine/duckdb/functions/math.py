"""Arithmetic and rounding in DuckDB's SQL.

DuckDB's own logarithms, powers and trigonometric functions differ from Java's in the last bit now and then:
they have no rendering, and what calls them runs on Spark.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.operators import modulus
from sqe.engine.duckdb.functions.text import refuse, share, shared, string
from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.errors import NotSupported
from sqe.functions.constants import constant, constant_integer
from sqe.functions.math import BYTES, digits_of_bigint, overflows, radix_of
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, MAX_PRECISION, REAL, Decimal, is_integer

Texts = Sequence[str]
_LOWEST = -(1 << 63)
_OVERFLOW = refuse("numerical overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_DECIMAL_OVERFLOW = refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")


def to_integer(name: str) -> Renderer:
    """ceil and floor."""

    def render(call: Call, texts: Texts) -> str:
        if is_integer(call.type):
            return texts[0]
        text = f"{name}({texts[0]})"
        return f"CAST({text} AS {duck_type(call.type)})" if isinstance(call.type, Decimal) else text

    return render


def round_(call: Call, texts: Texts) -> str:
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    if digits is None:
        return f"CAST(NULL AS {duck_type(call.type)})"
    if isinstance(call.type, Decimal):
        return _round_decimal(call, texts[0], digits)
    if is_integer(call.type):
        return texts[0] if digits >= 0 else _round_integer(call, texts[0], -digits)
    # Adding 0 makes 0 of -0, as Trino does.
    value = f"({{0}} + CAST(0 AS {duck_type(call.type)}))"
    if digits == 0:
        return share(f"round({value})", texts[:1])
    if abs(digits) > 22:
        raise NotSupported(f"the fast lane does not round to {digits} digits")
    # Trino rounds x * 10^n in binary, so that 1.005 to two digits is 1.0; a product too large is x itself.
    if call.type == REAL:
        return share(f"CAST(round(CAST({value} AS DOUBLE) * 1e{digits}) / 1e{digits} AS FLOAT)", texts[:1])
    number = f"(round({value} * 1e{digits}) / 1e{digits})"
    if digits < 0:
        return share(number, texts[:1])
    return share(f"(CASE WHEN isinf({{0}} * 1e{digits}) THEN {{0}} ELSE {number} END)", texts[:1])


def _round_decimal(call: Call, text: str, digits: int) -> str:
    source = call.arguments[0].type
    assert isinstance(source, Decimal) and isinstance(call.type, Decimal)
    target = duck_type(call.type)
    if overflows(source, call.type, digits):
        return share(f"CASE WHEN {{0}} IS NOT NULL THEN {_DECIMAL_OVERFLOW} END", (text,))
    left = source.precision - source.scale + digits
    if left < 0:
        return f"CAST({text} * 0 AS {target})"
    if left == 0 and source.precision < MAX_PRECISION:
        # DuckDB rounds all digits of a type to 0.
        text = f"CAST({text} AS DECIMAL({source.precision + 1},{source.scale}))"
    elif left == 0 and call.type.scale == source.scale:
        half = f"CAST('5{'0' * (MAX_PRECISION - 1 - source.scale)}' AS {target})"
        if source.scale == MAX_PRECISION:
            half = f"CAST('0.5' AS {target})"
        return share(f"(CASE WHEN abs({{0}}) >= {half} THEN {_DECIMAL_OVERFLOW} ELSE {{0}} * 0 END)", (text,))
    if call.type.precision < MAX_PRECISION:
        return f"CAST(round({text}, {digits}) AS {target})"
    rounded = f"TRY_CAST(round({{0}}, {digits}) AS {target})"
    rounded = f"coalesce({rounded}, CASE WHEN {{0}} IS NOT NULL THEN {_DECIMAL_OVERFLOW} END)"
    # An addition is checked; a rounding up to 39 digits is not.
    return share(f"({rounded} + CAST(0 AS {target}))", (text,))


def _round_integer(call: Call, text: str, zeros: int) -> str:
    kind = duck_type(call.type)
    if zeros > 18:
        return share(f"CASE WHEN {{0}} IS NOT NULL THEN {_OVERFLOW} END", (text,))
    unit = 10**zeros
    rounded = f"(abs(CAST({{0}} AS HUGEINT)) + {unit // 2}) // {unit} * {unit}"
    return share(f"CAST(sign({{0}}) * ({rounded}) AS {kind})", (text,))


def truncate(call: Call, texts: Texts) -> str:
    source = call.arguments[0].type
    if not isinstance(source, Decimal):
        return f"trunc({texts[0]})"
    digits = constant_integer(call, 1, "the number of digits") if len(texts) == 2 else 0
    target = duck_type(call.type)
    if digits is None:
        return f"CAST(NULL AS {target})"
    if digits >= source.scale:
        return f"CAST({texts[0]} AS {target})"
    if -digits >= source.precision - source.scale:
        return f"CAST({texts[0]} * 0 AS {target})"
    unit = f"1{'0' * -digits}" if digits <= 0 else f".{1:0{digits}}"
    same = duck_type(source)
    return share(f"CAST({{0}} - {{0}} % CAST('{unit}' AS {same}) AS {target})", texts[:1])


def sign(call: Call, texts: Texts) -> str:
    kind = duck_type(call.type)
    if call.type in APPROXIMATE:
        # NaN and the zeros are themselves.
        return share(
            f"(CASE WHEN isnan({{0}}) OR {{0}} = 0 THEN {{0}} ELSE CAST(sign({{0}}) AS {kind}) END)", texts
        )
    return f"CAST(sign({texts[0]}) AS {kind})"


def power(call: Call, texts: Texts) -> str:
    match constant(call.arguments[1]):
        case bool():
            pass
        case 0 | 0.0:
            return share("(CASE WHEN {0} IS NOT NULL THEN 1e0 END)", texts[:1])
        case 1 | 1.0:
            return texts[0]
        case 2 | 2.0:
            return share("({0} * {0})", texts[:1])
    raise NotSupported("the fast lane has no powers but squares")


SQRT = shared("(CASE WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({0}) END)")
WIDTH_BUCKET = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL OR {3} IS NULL THEN NULL"
    " WHEN {3} <= 0 OR {1} = {2} OR isnan({0}) OR NOT isfinite({1}) OR NOT isfinite({2}) THEN "
    + refuse("width_bucket: bounds must be finite and different, buckets more than 0")
    + " WHEN {1} < {2} THEN CASE WHEN {0} < {1} THEN CAST(0 AS BIGINT) WHEN {0} >= {2} THEN {3} + 1"
    " ELSE CAST(trunc(CAST({3} AS DOUBLE) * ({0} - {1}) / ({2} - {1})) AS BIGINT) + 1 END"
    " ELSE CASE WHEN {0} > {1} THEN CAST(0 AS BIGINT) WHEN {0} <= {2} THEN {3} + 1"
    " ELSE CAST(trunc(CAST({3} AS DOUBLE) * ({1} - {0}) / ({1} - {2})) AS BIGINT) + 1 END END)"
)
_BUCKET_OF_BINS = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN len({1}) = 0 OR isnan({0})"
    " OR len(list_filter({1}, lambda b_: b_ IS NULL OR NOT isfinite(b_))) > 0 OR {1} <> list_sort({1}) THEN "
    + refuse("width_bucket: bins must be finite and sorted, and the operand a number")
    + " ELSE CAST(len(list_filter({1}, lambda b_: b_ <= {0})) AS BIGINT) END)"
)


def width_bucket(call: Call, texts: Texts) -> str:
    return share(_BUCKET_OF_BINS if len(texts) == 2 else WIDTH_BUCKET, texts)


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def to_base(call: Call, texts: Texts) -> str:
    radix = radix_of(call)
    digits, rest = "", -_LOWEST
    while rest:
        rest, digit = divmod(rest, radix)
        digits = _DIGITS[digit] + digits
    # DuckDB may compute it for values of a dictionary that no row of the branch has, and fails below zero.
    size = f"CASE WHEN {{0}} = {_LOWEST} THEN 0 ELSE abs({{0}}) END"
    return share(
        f"(CASE WHEN {{0}} = {_LOWEST} THEN '-{digits}' ELSE"
        f" CASE WHEN {{0}} < 0 THEN '-' ELSE '' END || lower(to_base({size}, {radix})) END)",
        texts[:1],
    )


def from_base(call: Call, texts: Texts) -> str:
    radix = radix_of(call)
    refused = refuse(f"Not a valid base-{radix} number")
    pattern = string(f"[+-]?[{_DIGITS[:radix]}]+")
    digit = f"instr('{_DIGITS}', c_) - 1"
    # What has leading zeros cut is short enough for 128 bits.
    digits = "string_split(regexp_replace(lower({0}), '^[+-]?0*', ''), '')"
    value = f"list_reduce(list_transform({digits}, lambda c_: {digit}), lambda s_, v_: s_ * {radix} + v_,"
    value = f"({value} CAST(0 AS HUGEINT)) * CASE WHEN starts_with({{0}}, '-') THEN -1 ELSE 1 END)"
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT regexp_full_match(lower({{0}}), {pattern})"
        f" OR length(regexp_replace({{0}}, '^[+-]?0*', '')) > {digits_of_bigint(radix)} THEN {refused}"
        f" ELSE coalesce(TRY_CAST({value} AS BIGINT), {refused}) END)",
        texts[:1],
    )


def random(call: Call, texts: Texts) -> str:
    """From 0, or from the first, up to but not with the last."""
    if not texts:
        return "random()"
    low, high = ("0", "{0}") if len(texts) == 1 else ("{0}", "{1}")
    width = f"(CAST({high} AS HUGEINT) - {low})"
    picked = f"CAST({low} + CAST(floor(random() * {width}) AS HUGEINT) AS {duck_type(call.type)})"
    return share(
        f"(CASE WHEN {low} >= {high} THEN " + refuse("bounds must be in order") + f" ELSE {picked} END)",
        texts,
    )


def wilson(sign: str) -> Renderer:
    square, p, n = "({2} * {2})", "(CAST({0} AS DOUBLE) / {1})", "CAST({1} AS DOUBLE)"
    root = f"sqrt(({p} * (1e0 - {p})) / {n} + {square} / (4e0 * {n} * {n}))"
    return shared(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
        " WHEN {0} < 0 OR {1} <= 0 OR {0} > {1} OR {2} < 0 OR isnan({2}) THEN "
        + refuse("successes must be from 0 to trials, trials more than 0, the z-score not negative")
        + f" ELSE ({p} + {square} / (2e0 * {n}) {sign} {{2}} * {root}) / (1e0 + {square} / {n}) END)"
    )


_SIZE = string("^([0-9]+(?:[.][0-9]*)?|[.][0-9]+)([a-zA-Z]+)$")


def data_size() -> Renderer:
    """Cut to whole bytes; the product of a number and its unit is exact while it has 38 digits."""
    value = f"regexp_extract({{0}}, {_SIZE}, 1)"
    whens = " ".join(
        f"WHEN '{unit}' THEN CAST({value} AS DECIMAL({38 - len(str(factor))},6))"
        f" * CAST('{factor}' AS DECIMAL({len(str(factor))},0))"
        for unit, factor in BYTES.items()
    )
    return shared(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN NOT regexp_matches({{0}}, {_SIZE})"
        f" OR regexp_extract({{0}}, {_SIZE}, 2) NOT IN ({', '.join(map(string, BYTES))}) THEN "
        + refuse("Invalid data size")
        + f" WHEN regexp_matches({{0}}, {string('[.][0-9]{7,}')}) THEN "
        + refuse("a data size with more than six decimal places is not supported", code="NOT_SUPPORTED")
        + f" ELSE CAST(floor(CASE regexp_extract({{0}}, {_SIZE}, 2) {whens} END) AS DECIMAL(38,0)) END)"
    )


RENDERINGS: dict[str, Rendering] = {
    "abs": "abs({0})",
    "ceil": to_integer("ceil"),
    "ceiling": to_integer("ceil"),
    "floor": to_integer("floor"),
    "round": round_,
    "truncate": truncate,
    "sign": sign,
    "mod": modulus,
    "power": power,
    "pow": power,
    "is_nan": "isnan({0})",
    "is_finite": "isfinite({0})",
    "is_infinite": "isinf({0})",
    "width_bucket": width_bucket,
    "to_base": to_base,
    "from_base": from_base,
    "uuid": "CAST(uuid() AS VARCHAR)",
    "wilson_interval_lower": wilson("-"),
    "wilson_interval_upper": wilson("+"),
    "sqrt": SQRT,
    "degrees": "degrees({0})",
    "radians": "radians({0})",
    "pi": "3.141592653589793e0",
    "e": "2.718281828459045e0",
    "nan": "CAST('NaN' AS DOUBLE)",
    "infinity": "CAST('Infinity' AS DOUBLE)",
    "random": random,
    "rand": random,
    "parse_data_size": data_size(),
    "parse_presto_data_size": data_size(),
}
