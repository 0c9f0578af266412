"""Bars and lines as a small SVG file that is readable on a light and on a dark page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

# Told apart by people who see few colours, and on both backgrounds.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
_STYLE = (
    "text{font:11px sans-serif;fill:#24292f}line{stroke:#d0d7de}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}line{stroke:#484f58}}"
)
_LEFT, _TOP, _HEIGHT, _BOTTOM = 48, 34, 180, 26


@dataclass(frozen=True, slots=True)
class _Linear:
    top: float
    told = ""

    def height(self, value: float) -> float:
        return value / self.top

    def value(self, height: float) -> float:
        return height * self.top


@dataclass(frozen=True, slots=True)
class _Logarithmic:
    bottom: float
    top: float
    told = ", logarithmic"

    def height(self, value: float) -> float:
        return math.log(max(value, self.bottom) / self.bottom) / math.log(self.top / self.bottom)

    def value(self, height: float) -> float:
        return float(self.bottom * (self.top / self.bottom) ** height)


def _axis(values: Sequence[float]) -> _Linear | _Logarithmic:
    """Logarithmic where the small bars would not be seen beside the large ones."""
    low, high = min(values, default=1.0), max(values, default=1.0)
    # A little below the least, so that its bar has a height.
    return _Logarithmic(low / 1.5, high) if high > 100 * low else _Linear(high)


def bars(title: str, unit: str, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]) -> str:
    """A group of bars for each name of `groups`, with one bar of each series. None is left out."""
    bar = max(3, min(14, 640 // (max(1, len(groups)) * len(series))))
    step = bar * len(series) + max(3, bar // 2)
    width = max(_LEFT + step * len(groups) + 12, _LEFT + 110 * len(series) + 12, 320)
    height = _TOP + _HEIGHT + _BOTTOM
    axis = _axis([v for values in series.values() for v in values if v])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<text x="{_LEFT}" y="13">{escape(title)} ({escape(unit)}{axis.told})</text>',
    ]
    for mark in range(5):
        value = axis.value(mark / 4)
        y = _TOP + _HEIGHT * (1 - mark / 4)
        parts.append(f'<line x1="{_LEFT}" x2="{width - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for place, (name, values) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        x = _LEFT + 110 * place
        parts.append(f'<rect x="{x}" y="19" width="9" height="9" fill="{colour}"/>')
        parts.append(f'<text x="{x + 13}" y="28">{escape(name)}</text>')
        for group, bar_value in enumerate(values):
            if bar_value is not None:
                tall = max(1.0, _HEIGHT * axis.height(bar_value))
                x = _LEFT + 4 + step * group + bar * place
                told = escape(f"{groups[group]} {name}: {bar_value:.3f}")
                parts.append(
                    f'<rect x="{x}" y="{_TOP + _HEIGHT - tall:.1f}" width="{bar - 1}" height="{tall:.1f}" '
                    f'fill="{colour}"><title>{told}</title></rect>'
                )
    # As many names as fit beside each other.
    every = max(1, -(-30 // step))
    for group, label in enumerate(groups):
        if group % every == 0:
            x = _LEFT + 4 + step * group + bar * len(series) // 2
            parts.append(f'<text x="{x}" y="{height - 9}" text-anchor="middle">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def lines(title: str, unit: str, across: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """A line for each series of (place, value); `across` is the unit of the places."""
    width, height = 640, _TOP + _HEIGHT + _BOTTOM
    points = [point for values in series.values() for point in values]
    most = max((place for place, _ in points), default=1.0) or 1.0
    axis = _Linear(max((value for _, value in points), default=1.0) or 1.0)
    wide = width - _LEFT - 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<text x="{_LEFT}" y="13">{escape(title)} ({escape(unit)})</text>',
    ]
    for mark in range(5):
        y = _TOP + _HEIGHT * (1 - mark / 4)
        x = _LEFT + wide * mark / 4
        parts.append(f'<line x1="{_LEFT}" x2="{width - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{axis.value(mark / 4):.3g}</text>'
        )
        told = f"{most * mark / 4:.3g} {across}"
        parts.append(f'<text x="{x:.1f}" y="{height - 9}" text-anchor="middle">{escape(told)}</text>')
    for place, (name, values) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        x = _LEFT + 110 * place
        parts.append(f'<rect x="{x}" y="19" width="9" height="9" fill="{colour}"/>')
        parts.append(f'<text x="{x + 13}" y="28">{escape(name)}</text>')
        path = " ".join(
            f"{_LEFT + wide * at / most:.1f},{_TOP + _HEIGHT * (1 - axis.height(value)):.1f}"
            for at, value in values
        )
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
