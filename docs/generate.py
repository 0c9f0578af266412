"""Writes the pages that are made from the code: `make docs`. A test compares them with the code."""

from __future__ import annotations

from pathlib import Path

from sqe.config_keys import SECTIONS, Key, Listed, Named, Node, Section
from sqe.functions import registry

DOCS = Path(__file__).parent

CONFIGURATION = """\
<!-- Made by docs/generate.py from src/sqe/config_keys.py: change it there. -->
# Configuration

A file (`sqe --config FILE`, else `$SQE_CONFIG`, else `~/.sqe/sqe.toml`; never one of the working
directory), the environment, and flags. Flags win over the environment, the environment over the file,
the file over defaults.

An environment variable names a key by its path, `SQE__section__key` or `SQE_SECTION__KEY`:
`SQE__query__timeout_secs=60`, `SQE__catalogs__partner__auth__client_secret=…`. A flag is `true` or
`false` (also `1`, `0`, `yes`, `no`), a list is separated by commas.

Sizes are texts such as `"64MB"` or `"8GB"`, in steps of 1024, or numbers of bytes.

Everything is checked before anything starts. A key that does not exist is an error that names the
nearest one that does. A key marked *not yet* is known, and its value is checked, but its feature is not
built: setting it stops the start, so that nobody relies on what does nothing. Secrets are best given by
the environment; they appear in no message.

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
    for name, node in SECTIONS.items():
        if name == "catalog":
            continue  # the same keys as a named one
        if isinstance(node, Named):
            parts += _section("[catalogs.<name>]", f"catalogs.{'<name>'}", node.section, None)
        else:
            parts += _section(f"[{name}]", name, node, None)
    return "\n".join(parts)


def _section(title: str, path: str, section: Section, awaits: str | None) -> list[str]:
    awaits = section.awaits or awaits
    lines = [f"## `{title}`", "", section.doc + (f" Not yet: awaits {awaits}." if awaits else ""), ""]
    rows = [(name, node) for name, node in section.keys.items() if isinstance(node, Key)]
    if rows:
        lines += ["| key | value | default | |", "|---|---|---|---|"]
        lines += [_row(f"{path}.{name}", key, built=key.built and not awaits) for name, key in rows]
        lines.append("")
    for name, node in section.keys.items():
        lines += _below(f"{path}.{name}", node, awaits)
    return lines


def _below(path: str, node: Node, awaits: str | None) -> list[str]:
    if isinstance(node, Listed):
        return _section(f"[[{path}]]", path, node.section, awaits)
    return _section(f"[{path}]", path, node, awaits) if isinstance(node, Section) else []


def _row(path: str, key: Key, *, built: bool) -> str:
    doc = key.doc if built else f"{key.doc} *Not yet.*"
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
`now()`, `current_user`, `current_catalog`, `current_schema` and `current_timezone()` are constants of the
statement. CAST, TRY_CAST, CASE, IF, EXTRACT, POSITION, SUBSTRING and TRIM have a grammar of their own.
*Leakproof* functions never fail because of a row's value.
"""


def functions() -> str:
    lines = [FUNCTIONS]
    for kind, title in (("scalar", "Scalar"), ("aggregate", "Aggregate"), ("window", "Window")):
        lines += [f"## {title} functions", "", "| function | what it is | leakproof |", "|---|---|---|"]
        for name in registry.names(kind):
            function = registry.lookup(name)
            assert function is not None
            shown = "<br>".join(f"`{name}{spelled}`" for spelled in function.spellings)
            lines.append(f"| {shown} | {function.help} | {'yes' if function.leakproof else 'no'} |")
        lines.append("")
    return "\n".join(lines)


PAGES = {"configuration.md": configuration, "functions.md": functions}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
        print(f"docs/{name}")
