"""What engines are sent is what the proof was made with: a rendering that changed is proven again."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lanes import fingerprints
from tests.lanes.both import Lanes
from tests.lanes.fingerprints import Fingerprints, Rendered, recorded, rendered
from tests.lanes.outcome import EVERYTHING, Key, proven_keys, spoken
from tests.lanes.probes import Probe
from tests.lanes.proving import prove

import sqe
from sqe.api.connection import Connection
from sqe.engine.duckdb import proven
from sqe.engine.spark.session_conf import SESSION_CONF

RENEW = "run `SQE_PROOF=write make test-lanes`"
# Where a run leaves what it has found unchanged for the next one.
UNCHANGED = "sqe/renderings-unchanged"


def sources() -> str:
    """A digest of everything that a fingerprint may depend on."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("duckdb", "pyspark", "sqlglot")]
    digest = hashlib.sha256("\n".join(versions).encode())
    here = Path(__file__).parent
    for file in sorted([*Path(sqe.__file__).parent.rglob("*.py"), proven.FILE, *here.iterdir()]):
        if file.is_file():
            digest.update(f"{file}\n".encode() + file.read_bytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def now(unread: Connection) -> Iterator[Rendered]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proven, "outcome", lambda: EVERYTHING)
        yield rendered(unread)


@pytest.fixture(scope="module")
def rows() -> set[Key]:
    return proven_keys(proven.read(proven.FILE.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def before() -> Fingerprints:
    return recorded(fingerprints.FILE.read_text(encoding="utf-8"))


def test_every_row_of_the_proof_has_a_fingerprint(rows: set[Key], before: Fingerprints) -> None:
    assert set(before.rows) == rows, RENEW


def test_every_row_of_the_proof_has_probes(rows: set[Key], now: Rendered) -> None:
    """A row that nothing asks for was never proven, or is no longer."""
    assert rows <= set(now.probes), RENEW


def test_no_rendering_has_changed_since_its_proof(
    rows: set[Key], before: Fingerprints, now: Rendered, pytestconfig: pytest.Config
) -> None:
    changed = now.fingerprints.of(rows).changed(before)
    names = [spoken(*key) for key in sorted(changed)]
    shown = names[:20] + ([f"and {len(names) - 20} more"] if len(names) > 20 else [])
    head = f"{len(changed)} rows of the proof are sent something else than was proven: {RENEW}"
    assert not changed, "\n".join([head, *shown])
    assert pytestconfig.cache is not None
    pytestconfig.cache.set(UNCHANGED, sources())


@pytest.mark.spark
def test_rows_that_changed_answer_alike(
    rows: set[Key], before: Fingerprints, request: pytest.FixtureRequest
) -> None:
    """Whoever changed a rendering reads here what came of it. Spark starts only then."""
    cache = request.config.cache
    if cache is not None and cache.get(UNCHANGED, None) == sources():
        # The part of `make test` that needs no Spark has just looked at the same files.
        return
    now: Rendered = request.getfixturevalue("now")
    changed = now.fingerprints.of(rows).changed(before)
    if changed:
        asked = dict.fromkeys(probe for key in sorted(changed) for probe in now.probes[key])
        lanes: Lanes = request.getfixturevalue("lanes")
        request.getfixturevalue("everything_admitted")
        different = [found.word for found in prove(lanes.fast, lanes.spark, asked) if found.differs]
        assert not different, "\n".join(different)


def test_a_fingerprint_has_no_number_of_a_statement(unread: Connection, everything_admitted: None) -> None:
    """Names that are unique in a statement, and the files of tables, do not count."""
    probe = Probe("abs", "abs(a.l)")
    narrow, wide = (
        fingerprints.sent(unread, probe, sql=f"SELECT k, abs(a_l) FROM {t}") for t in ("one_l", "one")
    )
    assert narrow[0] == wide[0] == [("functions", "abs", "bigint")]
    assert narrow[1].replace("one_l", "one") == wide[1]


@pytest.mark.parametrize(
    ("probe", "other"),
    [
        (Probe("abs", "abs(a.l)"), "SELECT k, abs(a_l) + 0 FROM one_l"),
        (Probe("to_base32", "to_base32(a.bin)"), "SELECT k, from_base32(a_s) FROM one_s"),
    ],
)
def test_a_fingerprint_is_of_what_is_sent(
    unread: Connection, everything_admitted: None, probe: Probe, other: str
) -> None:
    assert fingerprints.sent(unread, probe)[1] != fingerprints.sent(unread, probe, sql=other)[1]


def test_a_body_in_python_counts(
    unread: Connection, everything_admitted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = Probe("json_extract", "json_extract(a.j, '$.a')")
    before = fingerprints.sent(unread, probe)[1]
    monkeypatch.setattr(fingerprints, "source", lambda body: f"another {body}")
    assert fingerprints.sent(unread, probe)[1] != before


def test_another_engine_changes_every_row() -> None:
    key = ("functions", "abs", "bigint")
    before = Fingerprints({"duckdb": "1"}, {key: "a"})
    assert Fingerprints({"duckdb": "1"}, {key: "a"}).changed(before) == set()
    assert Fingerprints({"duckdb": "1"}, {key: "b"}).changed(before) == {key}
    assert Fingerprints({"duckdb": "2"}, {key: "a"}).changed(before) == {key}


def test_settings_of_spark_are_of_the_engine(now: Rendered, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "SESSION_CONF", {**SESSION_CONF, "spark.sql.ansi.enabled": "false"})
    assert fingerprints.engines() != now.fingerprints.engines


def test_what_is_written_is_read_again(before: Fingerprints) -> None:
    assert recorded(before.as_text()) == before
