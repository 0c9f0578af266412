"""Writes the pages that are made from the code: `make docs`. A test compares them with the code."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path

from sqe.config.keys import Key, Listed, Named, Node, Section
from sqe.config.settings import sections
from sqe.config.unbuilt import AWAITED
from sqe.engine.duckdb.proven import outcome
from sqe.functions import registry
from sqe.functions.aliases import ALIASES
from sqe.functions.refused import REFUSED

DOCS = Path(__file__).parent
PARITY = DOCS.parent / "tests" / "parity"

CONFIGURATION = """\
<!-- Made by docs/generate.py from src/sqe/config/: change it there. -->
# Configuration

A file (`sqe --config FILE`, else `$SQE_CONFIG`, else `~/.sqe/sqe.toml`; never one of the working
directory), the environment, and flags. Flags win over the environment, the environment over the file,
the file over defaults.

An environment variable names a key by its path, `SQE__section__key` or `SQE_SECTION__KEY`:
`SQE__query__timeout_secs=60`, `SQE__catalogs__partner__auth__client_secret=…`. A flag is `true` or
`false` (also `1`, `0`, `yes`, `no`), a list is separated by commas.

Sizes are texts such as `"64MB"` or `"8GB"`, in steps of 1024, or numbers of bytes.

Everything is checked before anything starts. A key that does not exist is an error that names the
nearest one that does. A key whose feature is [not built yet](#not-built-yet) is known: setting it stops the
start, so that nobody relies on what does nothing. Secrets are best given by the environment; they appear in
no message.

The single `[catalog]` block and the named `[catalogs.<name>]` blocks have the same keys. The single
one's SQL name is its `name`, else its warehouse (type `rest`) or its type. Beside named blocks it is
ignored, unless `query.default_catalog` names it. The backend's keys (`type`, `warehouse`, …) may stand
in the block itself or in its `.backend`.

```toml
[catalogs.lake]
type = "sqlite"
warehouse = "/data/lake"

[query]
default_catalog = "lake"
timeout_secs = 600

[spark]
driver_memory = "4GB"
"spark.sql.shuffle.partitions" = 8
```
"""


def configuration() -> str:
    parts = [CONFIGURATION]
    for name, node in sections().items():
        if isinstance(node, Named):
            parts += _section("[catalogs.<name>]", f"catalogs.{'<name>'}", node.section)
        elif isinstance(node, Section) and name != "catalog":  # the same keys as a named one
            parts += _section(f"[{name}]", name, node)
    parts += ["## Not built yet", "", "| awaits | keys |", "|---|---|"]
    for feature, names in AWAITED.items():
        keys = [f"`{section}.{name}`" for section, of in names.items() for name in of.split()]
        parts.append(f"| {feature} | {', '.join(keys)} |")
    return "\n".join([*parts, ""])


def _section(title: str, path: str, section: Section) -> list[str]:
    lines = [f"## `{title}`", "", section.doc, ""] if section.doc else []
    rows = [(name, node) for name, node in section.keys.items() if isinstance(node, Key) and node.doc]
    if rows:
        lines += ["| key | value | default | |", "|---|---|---|---|"]
        lines += [_row(f"{path}.{name}", key) for name, key in rows]
        lines.append("")
    for name, node in section.keys.items():
        lines += _below(f"{path}.{name}", node)
    return lines


def _below(path: str, node: Node) -> list[str]:
    if isinstance(node, Listed):
        return _section(f"[[{path}]]", path, node.section)
    return _section(f"[{path}]", path, node) if isinstance(node, Section) else []


def _row(path: str, key: Key) -> str:
    doc = key.doc if key.awaits is None else f"{key.doc} Others await {key.awaits}."
    return f"| `{path}` | {key.kind} | {_default(key.default)} | {doc} |"


def _default(value: object) -> str:
    if value is None or value == () or value == "":
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{', '.join(value)}`" if isinstance(value, tuple) else f"`{value}`"


FUNCTIONS = """\
<!-- Made by docs/generate.py from src/sqe/functions/: change it there. -->
# Functions

What can be called, with Trino's names and meanings. `T`, `U`, `K` and `V` stand for any type. A name that
is not here is an error, with the nearest one that is. `current_date`, `current_timestamp`, `localtimestamp`,
`localtime`, `now()`, `current_user`, `current_catalog`, `current_schema` and `current_timezone()` are
constants of the statement; the moments take a precision, `current_timestamp(6)`. CAST, TRY_CAST, CASE, IF,
EXTRACT, POSITION, SUBSTRING, TRIM, NORMALIZE and TRY have a grammar of their own.
*Leakproof* functions never fail because of a row's value; of the others it says which values they fail for.
Those of the *fast lane* are proven to give Spark's answer on DuckDB, for most types of their arguments:
EXPLAIN says which lane a statement takes, and why.
"""
_HEAD = "| function | what it is | leakproof | fast lane |"


def functions() -> str:
    lines = [FUNCTIONS]
    for kind, title in (
        ("scalar", "Scalar"),
        ("aggregate", "Aggregate"),
        ("window", "Window"),
        ("table", "Table"),
    ):
        lines += [f"## {title} functions", "", _HEAD, "|---|---|---|---|"]
        for name in registry.names(kind):
            function = registry.lookup(name)
            assert function is not None
            shown = "<br>".join(f"`{name}{spelled}`" for spelled in function.spellings)
            fast = "yes" if name in outcome().functions else "no"
            lines.append(f"| {shown} | {function.help} | {_leak(function)} | {fast} |")
        lines.append("")
    lines += [OTHER_NAMES, "| name | is |", "|---|---|"]
    lines += [f"| `{alias}` | `{name}` |" for alias, name in sorted(ALIASES.items())]
    lines.append("")
    return "\n".join(lines)


OTHER_NAMES = """\
## Names of other engines

Spark's and DuckDB's names for the same are understood where both mean the same, or where only one of them
has the name. `nvl2(x, a, b)` is `IF(x IS NOT NULL, a, b)`, and `iff(c, a, b)` is `IF(c, a, b)`. Names that
the two understand differently are unknown: `left`, `right`, `log` of one argument, `dayofweek`, `datediff`,
`to_date`, `to_timestamp`, `md5` of a text.
"""


def _leak(function: registry.Function) -> str:
    if not function.leakproof:
        return f"no: {function.leak}"
    return f"yes, but over arrays, maps and rows: {function.nested_leak}" if function.nested_leak else "yes"


COMPATIBILITY = """\
<!-- Made by docs/generate.py from src/sqe/functions/ and tests/parity/: change it there. -->
# Compatibility with Trino

The dialect is Trino's, and Trino 476 is the reference. `make test-parity` runs answers that were recorded
from such a server ([answers.json](../tests/parity/answers.json)) and fails where a value, a NULL, a type or
the name of an error differs. What cannot be exact is refused (`NOT_SUPPORTED`, with the reason) instead of
being answered nearly; it is listed below.
"""

BY_DESIGN = """\
## What differs by design

- All values of a `timestamp with time zone` column are in one zone; what would bring two zones into one
  column is refused.
- Times and timestamps are computed with at most six digits of a second, in the years 1 to 9999, and times
  without a zone. What is finer (`timestamp(12)`), `time with time zone` and other years exist as constants:
  a literal, a NULL, a CAST or a comparison of constants is as in Trino, and can be selected, alone and in an
  array, a row or a map. Whatever would compute with one is refused
  ([ADR 41](adr/0041-times-that-are-constants.md)).
- `0.0` and `-0.0` are one group; which of the two stands for it may differ.
- Sums of `real` and `double` may differ in their last bits, as they do between two runs of Trino.
- `(a, b) IN (subquery)`, and `= ANY` and `<> ALL` of rows, are NULL where a NULL inside a row leaves them
  open, as they are for a list of rows; Trino finds such rows equal, or not, by how it runs the query.
- What is approximate (`approx_distinct`, `approx_percentile`, …) has other errors than Trino's.
- Computed coordinates and measures (`st_centroid`, `st_area` on a sphere) may differ in their last bits, and
  comparing collections of geometries, or geometries that are not valid, is refused.
- Patterns have Joni's sets and its (?i) over all of Unicode, with the tables of a newer Unicode; what Java
  cannot say of them is refused.
- The wording of errors is ours; their names are Trino's.
"""


def compatibility() -> str:
    cases = json.loads((PARITY / "answers.json").read_text())["cases"]
    unanswered = tomllib.loads((PARITY / "differences.toml").read_text()).get("case", [])
    listed = [line for line in (PARITY / "trino_functions.txt").read_text().splitlines() if line[0] != "#"]
    trino = {name.lower(): kind for name, kind, _ in (line.split(" | ", 2) for line in listed)}
    ours = set(registry.names())
    have = len(ours & trino.keys())
    lines = [
        COMPATIBILITY,
        f"Of the {len(trino)} names of Trino's function list {have} can be called "
        f"({100 * have / len(trino):.0f} %); the others are known and refused by name.",
        "",
        "## Recorded answers",
        "",
        *_answers(cases, {entry["sql"]: entry["outcome"] for entry in unanswered}),
        "",
    ]
    if unanswered:
        lines += ["| not answered | | reason |", "|---|---|---|"]
        lines += [f"| `{_cell(e['sql'])}` | {e['outcome']} | {_cell(e['reason'])} |" for e in unanswered]
        lines.append("")
    lines += [BY_DESIGN, "## Trino's functions that are refused", "", "| reason | functions |", "|---|---|"]
    for reason in dict.fromkeys(REFUSED.values()):
        names = ", ".join(f"`{name}`" for name, why in REFUSED.items() if why == reason)
        lines.append(f"| {reason} | {names} |")
    lines += ["", "## Every function", "", "What each one takes is in [functions.md](functions.md).", ""]
    for kind in ("scalar", "aggregate", "window", "table"):
        names = registry.names(kind)
        lines += [f"{kind.capitalize()}: " + ", ".join(f"`{n}`" for n in names if n in trino) + ".", ""]
        if more := [name for name in names if name not in trino]:
            lines += [
                f"{kind.capitalize()}, not in Trino's list: " + ", ".join(f"`{n}`" for n in more) + ".",
                "",
            ]
    return "\n".join(lines)


def _answers(cases: list[dict[str, str]], unanswered: dict[str, str]) -> list[str]:
    lines = ["| category | cases | as Trino | refused | missing |", "|---|---|---|---|---|"]
    for category in (*dict.fromkeys(c["category"] for c in cases), "all"):
        own = [c for c in cases if category in (c["category"], "all")]
        count = Counter(unanswered.get(c["sql"], "equal") for c in own)
        lines.append(
            f"| {category} | {len(own)} | {count['equal']} | {count['refused']} | {count['missing']} |"
        )
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {
    "configuration.md": configuration,
    "functions.md": functions,
    "trino-compatibility.md": compatibility,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
        print(f"docs/{name}")
