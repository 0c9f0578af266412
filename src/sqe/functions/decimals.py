"""Decimal arithmetic: Trino's result types, and operations that are exact on Spark and on DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.errors import NotSupported, TypeMismatch
from sqe.functions import duck_text as duck
from sqe.functions.spark_text import share, string
from sqe.types.sql_types import MAX_PRECISION, Decimal, Type

_LONG_DIGITS = 18


def _pair(parameters: tuple[Type, ...]) -> tuple[Decimal, Decimal]:
    left, right = parameters
    assert isinstance(left, Decimal) and isinstance(right, Decimal)
    return left, right


def sum_type(parameters: tuple[Type, ...]) -> Type:
    left, right = _pair(parameters)
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return Decimal(min(MAX_PRECISION, whole + scale + 1), scale)


def product_type(parameters: tuple[Type, ...]) -> Type:
    left, right = _pair(parameters)
    scale = left.scale + right.scale
    if scale > MAX_PRECISION:
        raise TypeMismatch(f"DECIMAL scale {scale} of {left} * {right} must be at most {MAX_PRECISION}")
    return Decimal(min(MAX_PRECISION, left.precision + right.precision), scale)


def quotient_type(parameters: tuple[Type, ...]) -> Type:
    left, right = _pair(parameters)
    scale = max(left.scale, right.scale)
    precision = left.precision + right.scale + max(0, right.scale - left.scale)
    return Decimal(min(MAX_PRECISION, precision), scale)


def remainder_type(parameters: tuple[Type, ...]) -> Type:
    left, right = _pair(parameters)
    scale = max(left.scale, right.scale)
    precision = min(left.precision - left.scale, right.precision - right.scale) + scale
    return Decimal(min(MAX_PRECISION, max(precision, 1)), scale)


# Spark's own - x and abs(x) keep no more digits than these, and round the rest away.
_KEPT_DIGITS = 34


def negated(text: str, t: Decimal) -> str:
    """Spark's text of - x."""
    if t.precision <= _KEPT_DIGITS:
        return f"(- {text})"
    return f"CAST(0 - {text} AS DECIMAL({t.precision},{t.scale}))"


def absolute(text: str, t: Decimal) -> str:
    if t.precision <= _KEPT_DIGITS:
        return f"abs({text})"
    return share(f"if({{0}} < 0, {negated('{0}', t)}, {{0}})", (text,))


def divide(left: str, right: str, types: tuple[Decimal, Decimal], result: Decimal) -> str:
    """A quotient, rounded once and half away from zero.

    Spark rounds a quotient to a scale of its own before our cast rounds it again. Where it keeps more
    digits than the divisor has, no first rounding can reach a half; for wider types the digits are
    found by long division.
    """
    dividend, divisor = types
    target = f"DECIMAL({result.precision},{result.scale})"
    if dividend.precision + divisor.scale + divisor.precision + 1 <= MAX_PRECISION:
        return f"CAST({left} / {right} AS {target})"
    scale = result.scale
    if scale > _LONG_DIGITS:
        raise NotSupported(f"{dividend} / {divisor} needs more than {_LONG_DIGITS} decimal places")
    shift = f"CAST('1{'0' * scale}' AS DECIMAL({scale + 1},0))"
    unit = f"CAST('1E-{scale}' AS DECIMAL({max(scale, 1) + 1},{scale}))"
    n, d = absolute("{0}", dividend), absolute("{1}", divisor)
    rest = f"(CAST({n} % {d} AS DECIMAL(38,{scale})) * {shift})"
    whole = f"CAST({n} div {d} AS DECIMAL(19,0))"
    digits = f"CAST({rest} div {d} AS DECIMAL(19,0))"
    half = f"CASE WHEN 2 * CAST({rest} % {d} AS DECIMAL(37,{scale})) >= {d} THEN 1 ELSE 0 END"
    magnitude = f"CAST({whole} + ({digits} + {half}) * {unit} AS {target})"
    return share(
        "CASE WHEN abs(CAST({0} AS DOUBLE)) >= 9E18D * abs(CAST({1} AS DOUBLE)) AND {1} <> 0"
        f" THEN {_large_quotient(types, result)}"
        f" WHEN ({{0}} < 0) <> ({{1}} < 0) THEN {negated(magnitude, result)} ELSE {magnitude} END",
        (left, right),
    )


def _large_quotient(types: tuple[Decimal, Decimal], result: Decimal) -> str:
    """One of more than 18 digits before the point, for which Spark has no integers: its digits as text.

    The divisor has at most 20 digits then, so that the dividend is divided in two parts of 20 digits each.
    """
    places = max(t.scale for t in types)
    n, d = (_unscaled(f"{{{side}}}", t, places) for side, t in enumerate(types))
    numbers = share("named_struct('h', {0} div {1}, 'l', {0} % {1}, 'd', {2})", (n, _TWENTY, d))
    high = "CAST(q_.h % q_.d AS DECIMAL(18,0))"
    low = f"(CAST({high} * {_TWENTY} AS DECIMAL(38,0)) + q_.l)"
    rest = f"CAST({low} % q_.d AS DECIMAL(20,0))"
    # What is divided has no remainder, so that nothing is rounded.
    whole = (
        f"CAST(CAST(CAST(q_.h div q_.d AS DECIMAL(18,0)) * {_TWENTY} AS DECIMAL(38,0))"
        f" + CAST(({low} - {rest}) / q_.d AS DECIMAL(38,0)) AS DECIMAL(38,0))"
    )
    more = f"CAST({rest} * CAST('1{'0' * result.scale}' AS DECIMAL({result.scale + 1},0)) AS DECIMAL(38,0))"
    parts = f"named_struct('w', {whole}, 'm', {more}, 'd', q_.d)"
    up = "CASE WHEN 2 * CAST(p_.m % p_.d AS DECIMAL(20,0)) >= p_.d THEN 1 ELSE 0 END"
    digits = "CAST(p_.w AS STRING)"
    if result.scale:
        digits = f"concat({digits}, lpad(CAST(p_.m div p_.d AS STRING), {result.scale}, '0'))"
    total = f"CAST(CAST({digits} AS DECIMAL(38,0)) + {up} AS DECIMAL(38,0))"
    total = f"transform(array({parts}), p_ -> CAST({total} AS STRING))[0]"
    total = f"transform(array({numbers}), q_ -> {total})[0]"
    sign = "if(({0} < 0) <> ({1} < 0), '-', '')"
    pointed = string(f"([0-9]{{{result.scale}}})$") if result.scale else ""
    text = f"regexp_replace({total}, {pointed}, '.$1')" if result.scale else total
    return f"CAST(concat({sign}, {text}) AS DECIMAL({result.precision},{result.scale}))"


_TWENTY = f"CAST('1{'0' * 20}' AS DECIMAL(21,0))"


def _unscaled(text: str, t: Decimal, places: int) -> str:
    """A number's size without its point, as if it had so many places."""
    zeros = f", '{'0' * (places - t.scale)}'" if places > t.scale else ""
    return f"CAST(concat(regexp_replace(CAST({text} AS STRING), '[-.]', ''){zeros}) AS DECIMAL(38,0))"


# Digits that DuckDB keeps in 64 bits. An operation on two such numbers stays there, and fails where its
# result has more digits.
_NARROW = 18


def duck_decimal(
    op: str, left: str, right: str, left_type: Decimal, right_type: Decimal, result: Decimal
) -> str:
    """DuckDB's text of a sum, difference or product; `op` is its sign."""
    if op == "*":
        if left_type.precision <= _NARROW and right_type.precision <= _NARROW < result.precision:
            left = f"CAST({left} AS DECIMAL({_NARROW + 1},{left_type.scale}))"
        return f"({left} {op} {right})"
    if result.precision == MAX_PRECISION:
        left, right = _widened(left, left_type, result), _widened(right, right_type, result)
    elif result.precision > _NARROW:
        left = f"CAST({left} AS {_duck(result)})"
    return f"({left} {op} {right})"


def _duck(t: Decimal) -> str:
    return f"DECIMAL({t.precision},{t.scale})"


def _narrow(text: str, t: Decimal) -> str:
    return text if t.precision <= _NARROW else f"CAST({text} AS DECIMAL({_NARROW},{t.scale}))"


def _widened(text: str, t: Decimal, result: Decimal) -> str:
    """An operand in a type of 38 digits, which may have fewer of them before the point than it has."""
    target = _duck(result)
    if t.precision - t.scale <= result.precision - result.scale:
        return text if t == result else f"CAST({text} AS {target})"
    return duck.share(
        f"coalesce(TRY_CAST({{0}} AS {target}), CASE WHEN {{0}} IS NOT NULL THEN {_OVERFLOW} END)", (text,)
    )


_OVERFLOW = duck.refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_ZERO = duck.refuse("Division by zero", code="DIVISION_BY_ZERO")


def duck_divide(
    texts: Sequence[str], types: tuple[Decimal, Decimal], result: Decimal, *, nonzero: bool
) -> str:
    """A quotient, rounded half away from zero: DuckDB's own is a double, so that integers are divided.

    Those of 128 bits take a hundred times as long, and are for numbers that need them.
    """
    dividend, divisor = types
    shift = result.scale - dividend.scale + divisor.scale
    if shift > MAX_PRECISION:
        raise NotSupported(f"the fast lane has no {dividend} / {divisor}")
    if max(shift, dividend.scale, divisor.scale, result.scale) > _NARROW:
        value = _wide_quotient(types, result, shift)
    else:
        value = _narrow_quotient(types, result, shift)
        tests = [
            _below("{0}", dividend, _NARROW - dividend.scale - max(shift, dividend.scale)),
            _below("{1}", divisor, _NARROW - 2 * divisor.scale),
        ]
        if any(tests):
            is_small = " AND ".join(filter(None, tests))
            value = f"CASE WHEN {is_small} THEN {value} ELSE {_wide_quotient(types, result, shift)} END"
    # NULL first: of NULL no test is true.
    absent = "{0} IS NULL OR {1} IS NULL"
    zero = "" if nonzero else f" WHEN {{1}} = 0 THEN {_ZERO}"
    return duck.share(f"(CASE WHEN {absent} THEN NULL{zero} ELSE {value} END)", texts)


def _below(text: str, t: Decimal, power: int) -> str:
    """A test whether a number is below a power of 10; none where its type says so."""
    if power >= t.precision - t.scale:
        return ""
    limit = f"1{'0' * power}" if power >= 0 else f".{1:0{-power}}"
    return f"abs({text}) < CAST('{limit}' AS {_duck(t)})"


def _ten_to(power: int, integers: str) -> str:
    return f"CAST('1{'0' * power}' AS {integers})"


def _with_point(digits: str, result: Decimal) -> str:
    """An integer's digits, the last of them after a point."""
    text = f"{digits} * CAST('.{1:0{result.scale}}' AS DECIMAL({result.scale},{result.scale}))"
    return f"CAST({text if result.scale else digits} AS {_duck(result)})"


def _narrow_quotient(types: tuple[Decimal, Decimal], result: Decimal, shift: int) -> str:
    n, d = (
        f"CAST({_narrow(f'{{{side}}}', t)} * {_ten_to(t.scale, f'DECIMAL({t.scale + 1},0)')} AS BIGINT)"
        for side, t in enumerate(types)
    )
    n = f"{n} * {_ten_to(shift, 'BIGINT')}" if shift else n
    # 18 digits leave room for three times as much.
    quotient = f"(2 * abs({n}) + abs({d})) // (2 * abs({d})) * sign({{0}}) * sign({{1}})"
    return _with_point(f"CAST({quotient} AS DECIMAL({_NARROW},0))", result)


def _wide_quotient(types: tuple[Decimal, Decimal], result: Decimal, shift: int) -> str:
    """The digits after the point of the integers' quotient are found apart. Where they are too many for a
    step of it, Spark has to go on."""
    n, d = (_digits(f"{{{side}}}") for side in range(2))
    most, factor = _ten_to(MAX_PRECISION - shift, "HUGEINT"), _ten_to(shift, "HUGEINT")
    rest, more = "(q_.n % q_.d)", f"(q_.n % q_.d * {factor})"
    cut = f"abs({more} % q_.d)"
    up = f"sign({rest}) * sign(q_.d) * CAST({cut} >= abs(q_.d) - {cut} AS HUGEINT)"
    quotient = (
        f"CASE WHEN abs{rest} >= {most} THEN {duck.give_up('quotient of so many digits')}"
        f" ELSE q_.n // q_.d * {factor} + {more} // q_.d + {up} END"
    )
    quotient = f"list_transform([struct_pack(n := {n}, d := {d})], lambda q_: {quotient})[1]"
    fitting = f"coalesce(TRY_CAST({quotient} AS DECIMAL({MAX_PRECISION},0)), {_OVERFLOW})"
    return _with_point(fitting, result)


def _digits(text: str) -> str:
    """A decimal without its point, in 128 bits."""
    return f"CAST(replace(CAST({text} AS VARCHAR), '.', '') AS HUGEINT)"


def duck_remainder(
    texts: Sequence[str], types: tuple[Decimal, Decimal], result: Decimal, *, nonzero: bool
) -> str:
    dividend, divisor = types
    whole = max(dividend.precision - dividend.scale, divisor.precision - divisor.scale)
    if whole + result.scale > MAX_PRECISION:
        raise NotSupported(f"the fast lane has no {dividend} % {divisor}")
    # Of two types DuckDB may make a double.
    common = f"DECIMAL({whole + result.scale},{result.scale})"
    value = f"CAST(CAST({{0}} AS {common}) % CAST({{1}} AS {common}) AS {_duck(result)})"
    if nonzero:
        return duck.share(value, texts)
    return duck.share(f"(CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {_ZERO} ELSE {value} END)", texts)
