"""The types of our dialect: Trino's names and rules, no library's."""

from __future__ import annotations

from sqe.foundation.identifiers import quoted
from sqe.foundation.record import record


@record
class Type:
    """A SQL type; `str()` is its name as Trino spells it."""

    def __str__(self) -> str:
        raise AssertionError(type(self).__name__)


@record
class Simple(Type):
    """A type without parameters."""

    name: str

    def __str__(self) -> str:
        return self.name


@record
class Decimal(Type):
    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@record
class Varchar(Type):
    """Text; `length` is None where it is unbounded."""

    length: int | None = None

    def __str__(self) -> str:
        return "varchar" if self.length is None else f"varchar({self.length})"


@record
class Char(Type):
    """Text padded with blanks to a fixed length."""

    length: int = 1

    def __str__(self) -> str:
        return f"char({self.length})"


@record
class Fixed(Type):
    """Iceberg's fixed-length binary; a varbinary to users."""

    length: int

    def __str__(self) -> str:
        return "varbinary"


@record
class Time(Type):
    precision: int = 3

    def __str__(self) -> str:
        return f"time({self.precision})"


@record
class Timestamp(Type):
    precision: int = 3

    def __str__(self) -> str:
        return f"timestamp({self.precision})"


@record
class TimestampTz(Type):
    """An instant, shown in `zone`, which all values of one column share: engines keep no zone with a
    value. bind.query.zones refuses what would bring two zones into one column."""

    precision: int = 3
    zone: str = "UTC"

    def __str__(self) -> str:
        return f"timestamp({self.precision}) with time zone"


@record
class Array(Type):
    element: Type

    def __str__(self) -> str:
        return f"array({self.element})"


@record
class Map(Type):
    key: Type
    value: Type

    def __str__(self) -> str:
        return f"map({self.key}, {self.value})"


@record
class RowField:
    name: str | None
    type: Type


@record
class Row(Type):
    fields: tuple[RowField, ...]

    def __str__(self) -> str:
        return "row(" + ", ".join(f"{quote_field(f.name)}{f.type}" for f in self.fields) + ")"


@record
class Opaque(Type):
    """A type that exists while a statement runs, and that only its own functions look into. Engines carry its
    values as those of `carrier`; a text is what Trino's clients are shown."""

    name: str
    carrier: Type

    def __str__(self) -> str:
        return self.name


@record
class ConstantTime(Opaque):
    """A time or timestamp that no engine has: more than six digits of a second, a time with a zone, a year
    outside 1 to 9999. Only constants have such a type; see types.exact_times."""

    base: str
    precision: int
    zoned: bool


@record
class FunctionType(Type):
    """The type of a lambda."""

    arguments: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"function({', '.join(map(str, (*self.arguments, self.result)))})"


def row_field_names(t: Row) -> list[str]:
    """Engines' structs need names, and different ones; `field0`, `field1`, … where a row has none."""
    names: list[str] = []
    for index, field in enumerate(t.fields):
        name = field.name if field.name is not None and field.name not in names else f"field{index}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def quote_field(name: str | None) -> str:
    if name is None:
        return ""
    plain = name.isidentifier() and name == name.lower()
    return (name if plain else quoted(name)) + " "


BOOLEAN = Simple("boolean")
TINYINT = Simple("tinyint")
SMALLINT = Simple("smallint")
INTEGER = Simple("integer")
BIGINT = Simple("bigint")
REAL = Simple("real")
DOUBLE = Simple("double")
VARBINARY = Simple("varbinary")
DATE = Simple("date")
UUID = Simple("uuid")
JSON = Simple("json")
UNKNOWN = Simple("unknown")
YEAR_MONTH = Simple("interval year to month")
DAY_SECOND = Simple("interval day to second")
VARCHAR = Varchar()
GEOMETRY = Opaque("Geometry", VARCHAR)
SPHERICAL_GEOGRAPHY = Opaque("SphericalGeography", VARCHAR)
BING_TILE = Opaque("BingTile", VARCHAR)
HYPER_LOG_LOG = Opaque("HyperLogLog", VARBINARY)
SET_DIGEST = Opaque("SetDigest", VARBINARY)
T_DIGEST = Opaque("tdigest", VARBINARY)
Q_DIGESTS = {element: Opaque(f"qdigest({element})", VARBINARY) for element in (BIGINT, DOUBLE, REAL)}

INTEGERS = (TINYINT, SMALLINT, INTEGER, BIGINT)
INTEGER_DIGITS = {TINYINT: 3, SMALLINT: 5, INTEGER: 10, BIGINT: 19}
APPROXIMATE = (REAL, DOUBLE)
# The types without parameters by name, and varchar without a length.
SIMPLE_TYPES: dict[str, Type] = {
    str(kind): kind
    for kind in (
        *(BOOLEAN, *INTEGERS, *APPROXIMATE, VARBINARY, DATE, UUID, JSON, UNKNOWN),
        *(YEAR_MONTH, DAY_SECOND, VARCHAR),
    )
}
OPAQUE_TYPES: dict[str, Opaque] = {
    str(kind).lower(): kind
    for kind in (
        *(GEOMETRY, SPHERICAL_GEOGRAPHY, BING_TILE, HYPER_LOG_LOG, SET_DIGEST, T_DIGEST),
        *Q_DIGESTS.values(),
    )
}
"""By name in lower case: a statement may spell them as it likes."""
_COMPARED = (GEOMETRY, BING_TILE)
MAX_PRECISION = 38


def constant_time(base: str, precision: int, *, zoned: bool) -> ConstantTime:
    """`base` is time or timestamp."""
    name = f"{base}({precision})" + (" with time zone" if zoned else "")
    return ConstantTime(name, VARCHAR, base, precision, zoned)


def is_integer(t: Type) -> bool:
    return t in INTEGER_DIGITS


def is_exact(t: Type) -> bool:
    return is_integer(t) or isinstance(t, Decimal)


def is_numeric(t: Type) -> bool:
    return is_exact(t) or t in APPROXIMATE


def is_text(t: Type) -> bool:
    return isinstance(t, (Varchar, Char))


def is_interval(t: Type) -> bool:
    return t in (YEAR_MONTH, DAY_SECOND)


def holds_floats(t: Type) -> bool:
    """Whether a real or double is the value, or inside it."""
    match t:
        case Array(element):
            return holds_floats(element)
        case Map(key, value):
            return holds_floats(key) or holds_floats(value)
        case Row(fields):
            return any(holds_floats(f.type) for f in fields)
    return t in APPROXIMATE


def is_datetime(t: Type) -> bool:
    return t == DATE or isinstance(t, (Timestamp, TimestampTz, Time))


def as_constant_time(t: Type) -> ConstantTime | None:
    """The type of constants that are as precise as a time or timestamp; None for other types."""
    match t:
        case ConstantTime():
            return t
        case Time(precision):
            return constant_time("time", precision, zoned=False)
        case Timestamp(precision) | TimestampTz(precision):
            return constant_time("timestamp", precision, zoned=isinstance(t, TimestampTz))
    return constant_time("timestamp", 0, zoned=False) if t == DATE else None


def as_decimal(t: Type) -> Decimal:
    """The decimal that holds every value of an exact type."""
    if isinstance(t, Decimal):
        return t
    assert isinstance(t, Simple)
    return Decimal(INTEGER_DIGITS[t], 0)


def is_comparable(t: Type) -> bool:
    if isinstance(t, Array):
        return is_comparable(t.element)
    if isinstance(t, Row):
        return all(is_comparable(f.type) for f in t.fields)
    if isinstance(t, Map):
        return is_comparable(t.value)
    return t in _COMPARED if isinstance(t, Opaque) else not isinstance(t, FunctionType)


def is_orderable(t: Type) -> bool:
    if isinstance(t, Array):
        return is_orderable(t.element)
    if isinstance(t, Row):
        return all(is_orderable(f.type) for f in t.fields)
    return not isinstance(t, (Map, FunctionType, Opaque)) and t != JSON


def has(t: Type, kind: type[Type] | Type) -> bool:
    """Whether a type is, or has inside, one of a kind."""
    if t == kind or (isinstance(kind, type) and isinstance(t, kind)):
        return True
    if isinstance(t, Array):
        return has(t.element, kind)
    if isinstance(t, Map):
        return has(t.key, kind) or has(t.value, kind)
    return isinstance(t, Row) and any(has(f.type, kind) for f in t.fields)


def common_type(a: Type, b: Type) -> Type | None:
    """The type that both are coerced to where they meet, as Trino chooses it; None if there is none."""
    if a == b:
        return a
    if a == UNKNOWN:
        return b
    if b == UNKNOWN:
        return a
    if is_numeric(a) and is_numeric(b):
        return _common_numeric(a, b)
    if is_text(a) and is_text(b):
        return _common_text(a, b)
    if isinstance(a, Array) and isinstance(b, Array):
        element = common_type(a.element, b.element)
        return None if element is None else Array(element)
    if isinstance(a, Map) and isinstance(b, Map):
        key, value = common_type(a.key, b.key), common_type(a.value, b.value)
        return None if key is None or value is None else Map(key, value)
    if isinstance(a, Row) and isinstance(b, Row) and len(a.fields) == len(b.fields):
        return _common_row(a, b)
    if {a, b} <= {VARBINARY} or (isinstance(a, Fixed) or isinstance(b, Fixed)):
        binary = all(x == VARBINARY or isinstance(x, Fixed) for x in (a, b))
        return VARBINARY if binary else None
    return _common_datetime(a, b)


def _common_numeric(a: Type, b: Type) -> Type:
    if DOUBLE in (a, b):
        return DOUBLE
    if REAL in (a, b):
        return REAL
    if is_integer(a) and is_integer(b):
        return a if INTEGERS.index(a) >= INTEGERS.index(b) else b
    da, db = as_decimal(a), as_decimal(b)
    scale = max(da.scale, db.scale)
    whole = max(da.precision - da.scale, db.precision - db.scale)
    return Decimal(min(MAX_PRECISION, whole + scale), scale)


def _common_text(a: Type, b: Type) -> Type | None:
    assert isinstance(a, (Varchar, Char)) and isinstance(b, (Varchar, Char))
    length = None if a.length is None or b.length is None else max(a.length, b.length)
    if isinstance(a, Varchar) and isinstance(b, Varchar):
        return Varchar(length)
    # Text becomes char, so that blanks at the end do not count; unbounded text has no length to pad to.
    return None if length is None else Char(length)


def _common_row(a: Row, b: Row) -> Type | None:
    fields = []
    for x, y in zip(a.fields, b.fields, strict=True):
        t = common_type(x.type, y.type)
        if t is None:
            return None
        fields.append(RowField(x.name if x.name == y.name else None, t))
    return Row(tuple(fields))


def _common_datetime(a: Type, b: Type) -> Type | None:
    if isinstance(a, ConstantTime) or isinstance(b, ConstantTime):
        x, y = as_constant_time(a), as_constant_time(b)
        if x is None or y is None or x.base != y.base:
            return None
        return constant_time(x.base, max(x.precision, y.precision), zoned=x.zoned or y.zoned)
    if not (is_datetime(a) and is_datetime(b)):
        return None
    if isinstance(a, Time) or isinstance(b, Time):
        return Time(max(a.precision, b.precision)) if isinstance(a, Time) and isinstance(b, Time) else None
    precision = max(getattr(a, "precision", 0), getattr(b, "precision", 0))
    zoned = next((x for x in (a, b) if isinstance(x, TimestampTz)), None)
    if zoned is not None:
        return TimestampTz(precision, zoned.zone)
    return Timestamp(precision)


def holds_all(target: Type, source: Type) -> bool:
    """Whether `target` has every value of `source`, so that no cast of one can fail."""
    match source, target:
        case Array(), Array():
            return holds_all(target.element, source.element)
        case Map(), Map():
            return holds_all(target.key, source.key) and holds_all(target.value, source.value)
        case Row(), Row() if len(source.fields) == len(target.fields):
            pairs = zip(target.fields, source.fields, strict=True)
            return all(holds_all(x.type, y.type) for x, y in pairs)
    return coerces(source, target)


def coerces(source: Type, target: Type) -> bool:
    """Whether a value of `source` may stand where `target` is expected, with no CAST written."""
    if isinstance(source, (Varchar, Char)) and isinstance(target, Varchar):
        return target.length is None or (source.length is not None and source.length <= target.length)
    if isinstance(source, Decimal) and isinstance(target, Decimal):
        return (
            target.scale >= source.scale
            and target.precision - target.scale >= source.precision - source.scale
        )
    if is_integer(source) and isinstance(target, Decimal):
        return coerces(as_decimal(source), target)
    if isinstance(source, (Timestamp, TimestampTz, Time)) and type(source) is type(target):
        return source.precision <= target.precision
    return common_type(source, target) == target
