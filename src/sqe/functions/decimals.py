"""The result types of decimal arithmetic, which are Trino's."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.errors import TypeMismatch
from sqe.types.sql_types import MAX_PRECISION, Decimal, Type


def decimals_of(parameters: Sequence[Type]) -> tuple[Decimal, Decimal]:
    left, right = parameters
    assert isinstance(left, Decimal) and isinstance(right, Decimal)
    return left, right


def sum_type(parameters: tuple[Type, ...]) -> Type:
    left, right = decimals_of(parameters)
    scale = max(left.scale, right.scale)
    whole = max(left.precision - left.scale, right.precision - right.scale)
    return Decimal(min(MAX_PRECISION, whole + scale + 1), scale)


def product_type(parameters: tuple[Type, ...]) -> Type:
    left, right = decimals_of(parameters)
    scale = left.scale + right.scale
    if scale > MAX_PRECISION:
        raise TypeMismatch(f"DECIMAL scale {scale} of {left} * {right} must be at most {MAX_PRECISION}")
    return Decimal(min(MAX_PRECISION, left.precision + right.precision), scale)


def quotient_type(parameters: tuple[Type, ...]) -> Type:
    left, right = decimals_of(parameters)
    scale = max(left.scale, right.scale)
    precision = left.precision + right.scale + max(0, right.scale - left.scale)
    return Decimal(min(MAX_PRECISION, precision), scale)


def remainder_type(parameters: tuple[Type, ...]) -> Type:
    left, right = decimals_of(parameters)
    scale = max(left.scale, right.scale)
    precision = min(left.precision - left.scale, right.precision - right.scale) + scale
    return Decimal(min(MAX_PRECISION, max(precision, 1)), scale)
