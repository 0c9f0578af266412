"""Decimal arithmetic that is exact on Spark."""

from __future__ import annotations

from sqe.engine.spark.functions.text import share, string
from sqe.errors import NotSupported
from sqe.types.sql_types import MAX_PRECISION, Decimal

_LONG_DIGITS = 18
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
