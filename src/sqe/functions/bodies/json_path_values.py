"""SQL's values in a JSON path: what JSON is as one, and how they are computed and compared."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.json_text import Number

BITS = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}
# The digits that an integer has as a decimal.
_DIGITS = {"tinyint": 3, "smallint": 5, "integer": 10, "bigint": 19}
NUMERIC = (*BITS, "decimal", "double")
_INTEGER = re.compile(r"-?[0-9]+")
EXACT = Context(prec=120)


class PathFailure(Exception):
    """What ON ERROR is for."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def named(self) -> BodyError:
        return BodyError(self.code, str(self))


class Missing:
    """What an empty text is to Trino: neither an error nor null."""


def failed(message: str) -> PathFailure:
    return PathFailure("PATH_EVALUATION_ERROR", f"path evaluation failed: {message}")


class Typed:
    """A value of a SQL type. Of a decimal, the value has the scale of its type."""

    def __init__(self, kind: str, value: Any, precision: int = 0) -> None:
        self.kind = kind
        self.value = value
        self.precision = precision

    @property
    def scale(self) -> int:
        return -int(self.value.as_tuple().exponent)


def of_json(item: Any) -> Typed | None:
    """A scalar of JSON as a value; None for what is none."""
    if isinstance(item, bool):
        return Typed("boolean", item)
    if isinstance(item, Number):
        return number_of_json(item)
    return Typed("varchar", item) if isinstance(item, str) else None


def number_of_json(item: Number) -> Typed:
    if not _INTEGER.fullmatch(item):
        return Typed("double", float(item))
    number = int(item) if len(item) < 40 else 1 << 64
    for kind in ("integer", "bigint"):
        if _fits(number, kind):
            return Typed(kind, number)
    raise failed("a JSON number is too big")


def _fits(number: int, kind: str) -> bool:
    limit = 1 << (BITS[kind] - 1)
    return -limit <= number < limit


def as_double(item: Typed) -> float:
    if item.kind != "decimal":
        return float(item.value)
    if item.precision > 18:
        return float(item.value)
    # As Trino divides, which is not always the nearest double.
    return float(int(item.value.scaleb(item.scale))) / float(10**item.scale)


def as_index(item: Any) -> int:
    """The place in an array that an item means."""
    if isinstance(item, Number):
        number = float(item)
        if not -(2.0**63) <= number < 2.0**63:
            raise failed("a subscript is no bigint")
        return int(item) if _INTEGER.fullmatch(item) else int(number)
    if not isinstance(item, Typed) or item.kind not in NUMERIC:
        raise failed("a subscript is no number")
    if item.kind == "decimal":
        index = int(item.value.quantize(Decimal(1), ROUND_HALF_UP, EXACT))
    elif item.kind == "double":
        if not math.isfinite(item.value):
            raise failed("a subscript is no bigint")
        index = math.floor(item.value + 0.5) if item.value >= 0 else -math.floor(-item.value + 0.5)
    else:
        index = item.value
    if not _fits(index, "bigint"):
        raise failed("a subscript is no bigint")
    return index


def exact_text(number: Decimal) -> str:
    """As Java's BigDecimal is printed: with an exponent below 1e-6."""
    if number.adjusted() >= -6 or int(number.as_tuple().exponent) == 0:
        return f"{number:f}"
    digits = str(abs(int(number.scaleb(-int(number.as_tuple().exponent), EXACT))))
    fraction = f".{digits[1:]}" if digits[1:] else ""
    return f"{'-' if number < 0 else ''}{digits[0]}{fraction}E{number.adjusted()}"


def negated(item: Typed) -> Typed:
    if item.kind in BITS and not _fits(-item.value, item.kind):
        raise failed("out of range")
    value = item.value.copy_negate() if item.kind == "decimal" and item.value else -item.value
    return Typed(item.kind, value, item.precision)


def absolute(item: Typed) -> Typed:
    return item if item.value >= 0 else negated(item)


def rounded(item: Typed, *, up: bool) -> Typed:
    if item.kind == "double":
        if not math.isfinite(item.value):
            return item
        whole = float(math.ceil(item.value) if up else math.floor(item.value))
        return Typed("double", math.copysign(whole, item.value) if whole == 0 else whole)
    if item.kind == "decimal":
        whole_part = item.value.to_integral_value("ROUND_CEILING" if up else "ROUND_FLOOR")
        value = Decimal(int(whole_part))
        return Typed("decimal", value, item.precision - item.scale + min(item.scale, 1))
    return item


def computed(operator: str, left: Typed, right: Typed) -> Typed:
    kinds = {left.kind, right.kind}
    if not kinds <= set(NUMERIC):
        raise failed(f"{left.kind} {operator} {right.kind} is no arithmetic")
    if "double" in kinds:
        return Typed("double", _double(operator, as_double(left), as_double(right)))
    if "decimal" in kinds:
        return _decimal(operator, _as_decimal(left), _as_decimal(right))
    kind = max(left.kind, right.kind, key=BITS.__getitem__)
    number = _integer(operator, left.value, right.value)
    if not _fits(number, kind):
        raise failed("out of range")
    return Typed(kind, number)


def _integer(operator: str, left: int, right: int) -> int:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0:
        raise failed("division by zero")
    quotient = abs(left) // abs(right)
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return quotient if operator == "/" else left - quotient * right


def _double(operator: str, left: float, right: float) -> float:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "%":
        return math.nan if right == 0 or math.isinf(left) or left != left else math.fmod(left, right)
    if right != 0:
        return left / right
    return math.nan if left == 0 or left != left else math.copysign(math.inf, left) * math.copysign(1, right)


def _as_decimal(item: Typed) -> Typed:
    return item if item.kind == "decimal" else Typed("decimal", Decimal(item.value), _DIGITS[item.kind])


def _decimal(operator: str, left: Typed, right: Typed) -> Typed:
    p1, s1, p2, s2 = left.precision, left.scale, right.precision, right.scale
    scale = s1 + s2 if operator == "*" else max(s1, s2)
    if operator in "+-":
        precision = max(p1 - s1, p2 - s2) + scale + 1
    elif operator == "*":
        precision = p1 + p2
    elif operator == "/":
        precision = p1 + s2 + max(s2 - s1, 0)
    else:
        precision = min(p1 - s1, p2 - s2) + scale
    precision = min(38, precision)
    if scale > precision:
        # Trino has no such type, and ends the statement.
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "DECIMAL scale must be in range [0, precision]")
    a = int(left.value.scaleb(s1, EXACT))
    b = int(right.value.scaleb(s2, EXACT))
    if operator in "/%" and b == 0:
        raise failed("division by zero")
    if operator == "*":
        unscaled = a * b
    elif operator == "/":
        above, below = abs(a) * 10 ** (scale + s2 - s1), abs(b)
        quotient, rest = divmod(above, below)
        quotient += 2 * rest >= below
        unscaled = quotient if (a < 0) == (b < 0) else -quotient
    else:
        a, b = a * 10 ** (scale - s1), b * 10 ** (scale - s2)
        unscaled = _integer(operator, a, b)
    if abs(unscaled) >= 10**38:
        raise failed("out of range")
    return Typed("decimal", Decimal(unscaled).scaleb(-scale, EXACT), max(precision, 1))


def compared(operator: str, left: Typed, right: Typed) -> bool | None:
    """None where values of such types are not comparable."""
    a, b = left.value, right.value
    if left.kind in NUMERIC and right.kind in NUMERIC:
        if "double" in (left.kind, right.kind):
            a, b = as_double(left), as_double(right)
        elif "decimal" in (left.kind, right.kind) and not _have_common_type(left, right):
            return None
    elif left.kind != right.kind:
        return None
    if operator in ("==", "<>", "!="):
        return bool(a == b) == (operator == "==")
    if operator == "<":
        return bool(a < b)
    if operator == ">":
        return bool(a > b)
    return bool(a <= b if operator == "<=" else a >= b)


def _have_common_type(left: Typed, right: Typed) -> bool:
    left, right = _as_decimal(left), _as_decimal(right)
    scale = max(left.scale, right.scale)
    return all(abs(int(item.value.scaleb(scale, EXACT))) < 10**38 for item in (left, right))
