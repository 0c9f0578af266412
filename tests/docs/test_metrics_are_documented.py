"""docs/operations.md lists every metric, with its kind, its labels and what it means."""

from __future__ import annotations

import re
from pathlib import Path

from sqe.observe.metrics import BUCKETS, COUNTED, READINGS, Counted, Metrics, Reading
from sqe.tree.labels import LABELS

PAGE = (Path(__file__).parent.parent.parent / "docs" / "operations.md").read_text()
KNOWN: dict[str, Counted | Reading] = {**COUNTED, **READINGS}


def test_the_table_is_the_registry() -> None:
    listed = dict(re.findall(r"^\| `(sqe_\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    for name, known in KNOWN.items():
        labels = ", ".join(f"`{label}`" for label in known.labels)
        assert listed.pop(name) == f"{known.kind} | {labels} | {known.doc}"
    assert not listed


def test_every_metric_of_ours_is_in_the_tables() -> None:
    families = {family.name: family.type for family in Metrics().registry.collect()}
    for name, kind in families.items():
        if name.startswith("sqe_"):
            assert KNOWN[f"{name}_total" if kind == "counter" else name].kind == kind
    assert len([name for name in families if name.startswith("sqe_")]) == len(KNOWN)


def test_types_of_statements_and_buckets() -> None:
    for label in LABELS:
        assert f"`{label}`" in PAGE
    assert ", ".join(map(str, BUCKETS[:-1])) + f" and {BUCKETS[-1]} seconds" in " ".join(PAGE.split())
