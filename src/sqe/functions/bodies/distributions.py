"""Probability distributions, to nine digits and more."""

from __future__ import annotations

import math
from statistics import NormalDist

from sqe.functions.bodies.arrow import BodyError

_SQRT_2 = math.sqrt(2)
_TINY = 1e-300
_STEPS = 100_000


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise BodyError("INVALID_FUNCTION_ARGUMENT", message)


def normal_cdf(mean: float, deviation: float, value: float) -> float:
    _require(deviation > 0, "standardDeviation must be > 0")
    return 0.5 * (1 + math.erf((value - mean) / (deviation * _SQRT_2)))


def inverse_normal_cdf(mean: float, deviation: float, probability: float) -> float:
    _require(0 < probability < 1, "p must be 0 > p > 1")
    _require(deviation > 0, "sd must be > 0")
    # Trino asks for the inverse at 2p - 1, which is -1 or 1 where p is too near to 0 or 1.
    around = 2 * probability - 1
    if abs(around) == 1:
        return mean + deviation * math.copysign(math.inf, around)
    return mean + deviation * NormalDist().inv_cdf((around + 1) / 2)


def beta_cdf(a: float, b: float, value: float) -> float:
    _require(0 <= value <= 1, "value must be 0 >= v >= 1")
    _require(a > 0 and b > 0, "a, b must be > 0")
    return _regularized_beta(value, a, b)


def t_pdf(x: float, freedom: float) -> float:
    _require(freedom > 0, "df must be greater than 0")
    logarithm = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    logarithm -= 0.5 * (math.log(math.pi) + math.log(freedom))
    return math.exp(logarithm - (freedom + 1) / 2 * math.log1p(x * x / freedom))


def t_cdf(x: float, freedom: float) -> float:
    _require(freedom > 0, "df must be greater than 0")
    if x == 0:
        return 0.5
    tail = 0.5 * _regularized_beta(freedom / (freedom + x * x), freedom / 2, 0.5)
    return tail if x < 0 else 1 - tail


def _regularized_beta(x: float, a: float, b: float) -> float:
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):
        # The fraction converges on this side alone.
        return 1 - _regularized_beta(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    logarithm += a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's way through the continued fraction of the incomplete beta function."""
    numerator, denominator = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = denominator
    for step in range(1, _STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        change = 1.0
        for term in (even, odd):
            denominator = 1 / _away_from_zero(1 + term * denominator)
            numerator = _away_from_zero(1 + term / numerator)
            change = numerator * denominator
            result *= change
        if abs(change - 1) < 1e-15:
            return result
    raise BodyError("NOT_SUPPORTED", "The distribution does not converge for these arguments")


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
