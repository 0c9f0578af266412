"""Decimal arithmetic that is exact on DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import give_up, refuse, share
from sqe.errors import NotSupported
from sqe.types.sql_types import MAX_PRECISION, Decimal

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
    return share(
        f"coalesce(TRY_CAST({{0}} AS {target}), CASE WHEN {{0}} IS NOT NULL THEN {_OVERFLOW} END)", (text,)
    )


_OVERFLOW = refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_ZERO = refuse("Division by zero", code="DIVISION_BY_ZERO")


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
    return share(f"(CASE WHEN {absent} THEN NULL{zero} ELSE {value} END)", texts)


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
        f"CASE WHEN abs{rest} >= {most} THEN {give_up('quotient of so many digits')}"
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
        return share(value, texts)
    return share(f"(CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {_ZERO} ELSE {value} END)", texts)
