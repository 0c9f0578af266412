"""Jars come by coordinate from the user's own repository, are checked, and are kept."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.engine.spark.jars import Jar, ensure_jars
from sqe.errors import Unavailable

# Java fetches them.
pytestmark = pytest.mark.spark

CONTENT = b"a small jar" * 1000


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven repository of files, named by an ivysettings.xml as a user would name a mirror."""
    root = tmp_path / "repository"
    settings = tmp_path / "ivysettings.xml"
    settings.write_text(
        f"""<ivysettings><settings defaultResolver="mirror"/>
        <resolvers><ibiblio name="mirror" m2compatible="true" root="{root.as_uri()}/"/></resolvers>
        </ivysettings>"""
    )
    monkeypatch.setenv("SQE_IVY_SETTINGS", str(settings))
    return root


def publish(repository: Path, jar: Jar, content: bytes = CONTENT) -> None:
    directory = repository / jar.group.replace(".", "/") / jar.artifact / jar.version
    directory.mkdir(parents=True)
    (directory / jar.file_name).write_bytes(content)
    (directory / f"{jar.artifact}-{jar.version}.pom").write_text(
        f"""<project><modelVersion>4.0.0</modelVersion><groupId>{jar.group}</groupId>
        <artifactId>{jar.artifact}</artifactId><version>{jar.version}</version></project>"""
    )


def jar_of(content: bytes = CONTENT) -> Jar:
    return Jar("org.example", "thing", "1.0", hashlib.sha256(content).hexdigest(), len(content))


def test_fetched_with_progress_and_then_kept(repository: Path, tmp_path: Path) -> None:
    jar = jar_of()
    publish(repository, jar)
    seen: list[int] = []
    (file,) = ensure_jars(tmp_path / "cache", [jar], on_progress=lambda _, arrived: seen.append(arrived))
    assert file.read_bytes() == CONTENT
    assert (seen[0], seen[-1]) == (0, len(CONTENT))
    (repository / "org/example/thing/1.0/thing-1.0.jar").unlink()
    assert ensure_jars(tmp_path / "cache", [jar]) == [file]
    assert sorted(p.name for p in file.parent.iterdir()) == [".lock", "thing-1.0.jar"]


def test_one_artifact_of_several_is_fetched(repository: Path, tmp_path: Path) -> None:
    jar = replace(jar_of(), classifier="tests")
    publish(repository, jar)
    archive = replace(jar_of(), ending="tar.gz")
    (repository / "org/example/thing/1.0/thing-1.0.tar.gz").write_bytes(CONTENT)
    files = ensure_jars(tmp_path / "cache", [jar, archive])
    assert [file.name for file in files] == ["thing-1.0-tests.jar", "thing-1.0.tar.gz"]
    assert [file.read_bytes() for file in files] == [CONTENT, CONTENT]


def test_a_wrong_checksum_is_refused_and_nothing_kept(repository: Path, tmp_path: Path) -> None:
    jar = jar_of()
    publish(repository, jar, CONTENT[::-1])
    with pytest.raises(Unavailable, match="SHA-256"):
        ensure_jars(tmp_path / "cache", [jar])
    assert [p.name for p in (tmp_path / "cache" / "jars").iterdir()] == [".lock"]


def test_what_cannot_be_had_is_one_clear_line(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"org\.example:thing:1\.0 could not be fetched") as caught:
        ensure_jars(tmp_path / "cache", [jar_of()])
    assert caught.value.hint is not None and "SQE_IVY_SETTINGS" in caught.value.hint
    assert "\n" not in str(caught.value)


def test_an_unusable_cache_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="SQE_CACHE_DIR"):
        ensure_jars(tmp_path / "file" / "cache", [jar_of()])


def test_two_processes_fetch_at_once(repository: Path, tmp_path: Path) -> None:
    jar = jar_of()
    publish(repository, jar)
    code = (
        "import sys; from pathlib import Path; from sqe.engine.spark.jars import Jar, ensure_jars\n"
        f"ensure_jars(Path(sys.argv[1]), [{jar!r}])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(120) for process in processes] == [0, 0]
    assert (tmp_path / "cache" / "jars" / jar.file_name).read_bytes() == CONTENT
