"""CAST and TRY_CAST between all types that have one."""

from __future__ import annotations

from collections.abc import Iterator

from tests.lanes.probes import Probe

_SOURCES = (
    "b", "t8", "t16", "i", "l", "f", "fn", "d", "dn", "n", "n18", "n0", "big", "n38", "n20", "s", "w", "v",
    "c", "bin",
    "dt", "dn2", "ts", "tn", "ts3", "tz", "tz3", "ym", "ds", "j", "u",
)  # fmt: skip
_TARGETS = (
    "boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal(5,2)", "decimal(3,1)",
    "decimal(18,4)", "decimal(9,0)", "decimal(38,10)", "decimal(38,0)", "decimal(20,5)", "varchar",
    "varchar(2)",
    "varchar(30)", "char(3)", "char(20)", "varbinary", "date", "timestamp(0)", "timestamp(3)", "timestamp(6)",
    "timestamp(3) with time zone", "timestamp(6) with time zone", "uuid", "json",
)  # fmt: skip
_NESTED = {
    "ai": ("array(integer)", "array(varchar)", "array(double)", "json"),
    "aint": ("array(bigint)", "array(decimal(12,2))"),
    "ad": ("array(real)", "array(bigint)", "array(varchar)", "json"),
    "as_": ("array(bigint)", "array(varchar(2))", "json"),
    "adt": ("array(timestamp(6))", "array(varchar)", "json"),
    "aa": ("array(array(varchar))", "json"),
    "ms": ("map(varchar, double)", "map(varchar, varchar)", "json"),
    "mii": ("map(bigint, varchar)", "json"),
    "r": ("row(x varchar, y varchar)", "row(y varchar(1), z double)", "json"),
    "rd": ("row(x real, y varchar, z timestamp(6))", "json"),
    "ari": ("array(row(k varchar, v varchar))", "json"),
    "j": ("array(bigint)", "array(varchar)", "array(json)", "map(varchar, json)", "map(varchar, bigint)"),
    "w": ("array(varchar)",),
    "bin": ("HyperLogLog", "SetDigest", "tdigest"),
    **{stored: (kind,) for stored, kind in (("hb", "HyperLogLog"), ("sb", "SetDigest"), ("tb", "tdigest"))},
    **{sketch: ("varbinary",) for sketch in ("hll", "sets", "td")},
}


def probes() -> Iterator[Probe]:
    """Pairs without a cast are among them: both lanes say so."""
    for source in _SOURCES:
        for target in _TARGETS:
            yield from _both(source, target)
    for source, targets in _NESTED.items():
        for target in targets:
            yield from _both(source, target)


def _both(source: str, target: str) -> Iterator[Probe]:
    yield Probe("cast", f"CAST(a.{source} AS {target})")
    yield Probe("try_cast", f"TRY_CAST(a.{source} AS {target})")
