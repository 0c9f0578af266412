"""Decimal arithmetic: Trino's result types, and division that is exact on Spark."""

from __future__ import annotations

from sqe.errors import NotSupported, TypeMismatch
from sqe.functions.spark_text import refuse, share
from sqe.tree.types import MAX_PRECISION, Decimal, Type

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


def divide(left: str, right: str, types: tuple[Decimal, Decimal], result: Decimal) -> str:
    """A quotient, rounded once and half away from zero.

    Spark rounds a quotient to a scale of its own before our cast rounds it again. Where it keeps more
    digits than the divisor has, no first rounding can reach a half; for wider types the digits are
    found by long division, which fails (and never lies) where 38 digits do not hold a step of it.
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
    rest = f"(CAST(abs({{0}}) % abs({{1}}) AS DECIMAL(38,{scale})) * {shift})"
    whole = "CAST(abs({0}) div abs({1}) AS DECIMAL(19,0))"
    digits = f"CAST({rest} div abs({{1}}) AS DECIMAL(19,0))"
    half = f"CASE WHEN 2 * CAST({rest} % abs({{1}}) AS DECIMAL(37,{scale})) >= abs({{1}}) THEN 1 ELSE 0 END"
    magnitude = f"CAST({whole} + ({digits} + {half}) * {unit} AS {target})"
    return share(
        "CASE WHEN abs(CAST({0} AS DOUBLE)) >= 9E18D * abs(CAST({1} AS DOUBLE)) AND {1} <> 0"
        " THEN "
        + refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
        + f" WHEN ({{0}} < 0) <> ({{1}} < 0) THEN - {magnitude} ELSE {magnitude} END",
        (left, right),
    )
