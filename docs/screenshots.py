"""Draws docs/images from the real shell: `make screenshots`. Needs Spark, and the packages of the tests."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "cli"))

from terminal import ALT_ENTER, CTRL_C, TAB, Terminal  # noqa: E402

LEFT, CLEAR = "\x1b[D", "\x0c"
WIDTH, HEIGHT, BORDER = 8.43, 18, 12
FONT = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"
GROUND, INK = "#1d1f27", "#d6d9e0"
COLOURS = {
    "black": "#1d1f27",
    "red": "#e06c75",
    "green": "#98c379",
    "brown": "#e5c07b",
    "blue": "#61afef",
    "magenta": "#c678dd",
    "cyan": "#56b6c2",
    "white": "#d6d9e0",
    "brightblack": "#7f848e",
}

ORDERS = """\
CREATE TABLE orders (id BIGINT, region VARCHAR, amount DECIMAL(10, 2), day DATE);
INSERT INTO orders VALUES (1, 'EU', 12.50, DATE '2026-04-01'),
  (2, 'US', 7.25, DATE '2026-05-01'), (3, 'EU', 30.00, NULL);"""
TOTALS = """\
SELECT region, sum(amount) AS total -- of all days
FROM orders GROUP BY region ORDER BY total DESC;"""
SLOW = "SELECT count(*) FROM TABLE(sequence(1, 300000)) a CROSS JOIN TABLE(sequence(1, 3000000)) b;"


def type_statement(terminal: Terminal, text: str) -> None:
    terminal.type(text.replace("\n", ALT_ENTER))
    terminal.run("")


def shell(terminal: Terminal) -> None:
    type_statement(terminal, ORDERS)
    terminal.run("SELECT * FROM orders;")
    type_statement(terminal, TOTALS)
    terminal.run("SELECT amont FROM orders WHERE region = 'EU';")


def completion(terminal: Terminal) -> None:
    rest = " FROM orders"
    terminal.type("SELECT region, a" + rest + LEFT * len(rest) + TAB)
    terminal.until("approx_distinct")


def progress(terminal: Terminal) -> None:
    terminal.run(SLOW, until="2/4 tasks")


SCENES: dict[str, Callable[[Terminal], None]] = {
    "shell": shell,
    "completion": completion,
    "progress": progress,
}


def main() -> None:
    folder = DOCS / "images"
    folder.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        Terminal(Path(home), "--memory", "--memory-limit", "1g", columns=96, lines=40) as terminal,
    ):
        for name, play in SCENES.items():
            terminal.until_prompt()
            play(terminal)
            time.sleep(1)
            (folder / f"{name}.svg").write_text(svg(terminal.screen))
            terminal.type(CTRL_C)
            terminal.until_prompt()
            terminal.type(CLEAR)
        terminal.leave()


def svg(screen: Any) -> str:
    """The screen as it is, in colours."""
    used = max((y for y in range(screen.lines) if screen.display[y].strip()), default=0) + 1
    width, height = screen.columns * WIDTH + 2 * BORDER, used * HEIGHT + 2 * BORDER
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{FONT}" font-size="14">',
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
    ]
    for y in range(used):
        x = 0
        while x < screen.columns:
            style = look(screen.buffer[y][x])
            end = x
            while end < screen.columns and look(screen.buffer[y][end]) == style:
                end += 1
            parts += run(style, "".join(screen.buffer[y][i].data for i in range(x, end)), x, y)
            x = end
    return "\n".join([*parts, "</svg>", ""])


def look(cell: Any) -> tuple[str, str, bool]:
    ink, ground = colour(cell.fg, INK), colour(cell.bg, GROUND)
    return (ground, ink, cell.bold) if cell.reverse else (ink, ground, cell.bold)


def colour(name: str, default: str) -> str:
    return default if name == "default" else COLOURS.get(name, f"#{name}")


def run(style: tuple[str, str, bool], text: str, x: int, y: int) -> list[str]:
    ink, ground, bold = style
    left, top, length = BORDER + x * WIDTH, BORDER + y * HEIGHT, len(text) * WIDTH
    parts = []
    if ground != GROUND:
        parts.append(
            f'<rect x="{left:.1f}" y="{top}" width="{length:.1f}" height="{HEIGHT}" fill="{ground}"/>'
        )
    if text.strip():
        weight = ' font-weight="bold"' if bold else ""
        parts.append(
            f'<text x="{left:.1f}" y="{top + 14}" textLength="{length:.1f}" fill="{ink}"{weight} '
            f'xml:space="preserve">{escape(text)}</text>'
        )
    return parts


if __name__ == "__main__":
    main()
