"""The jars that Spark needs besides its own, fetched once by coordinate and checked.

`python -m sqe.engine.spark.jars` fetches all of them. No host is named here: the Ivy that pyspark
carries resolves the coordinates, with the user's own ivysettings.xml where there is one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqe.engine.spark.java import find_java
from sqe.errors import Unavailable
from sqe.foundation.record import record

FETCH_SECONDS = 900


@record
class Jar:
    group: str
    artifact: str
    version: str
    sha256: str
    size: int
    classifier: str = ""
    ending: str = "jar"

    @property
    def coordinate(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}{self.classifier and ':' + self.classifier}"

    @property
    def file_name(self) -> str:
        return f"{self.artifact}-{self.version}{self.classifier and '-' + self.classifier}.{self.ending}"


ICEBERG = Jar(
    "org.apache.iceberg",
    "iceberg-spark-runtime-4.1_2.13",
    "1.12.0",
    sha256="3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
    size=48309426,
)

JARS = (ICEBERG,)
# What reads and writes S3, for servers with catalogs whose tables may be there.
ICEBERG_AWS = Jar(
    "org.apache.iceberg",
    "iceberg-aws-bundle",
    "1.12.0",
    sha256="dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
    size=69034612,
)

OnProgress = Callable[[Jar, int], None]
"""Called with a jar that is being fetched and how many bytes of it have arrived."""


def default_cache() -> Path:
    """Where downloads and class archives are kept between runs."""
    directory = os.environ.get("SQE_CACHE_DIR")
    return Path(directory).expanduser() if directory else Path.home() / ".cache" / "sqe"


def spark_jars() -> list[Path]:
    """Spark's own jars, as the pyspark package carries them, in an order that never changes."""
    return sorted(_spark_jar_directory().glob("*.jar"))


def ensure_jars(
    cache: Path, jars: Sequence[Jar] = JARS, *, on_progress: OnProgress | None = None
) -> list[Path]:
    """The jars' files; what is missing is fetched."""
    directory = cache / "jars"
    files = [directory / jar.file_name for jar in jars]
    # A file gets its name only after its checksum was right, so its presence and size are enough.
    if all(_is_there(file, jar) for file, jar in zip(files, jars, strict=True)):
        return files
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _lock(directory / ".lock"):
            for jar, file in zip(jars, files, strict=True):
                if not _is_there(file, jar):
                    _fetch(jar, file, on_progress)
    except OSError as error:
        raise Unavailable(
            f"the cache directory {cache} cannot be used: {error.strerror}",
            code="CACHE_NOT_USABLE",
            hint="set SQE_CACHE_DIR to a directory that you may write",
        ) from None
    return files


def _is_there(file: Path, jar: Jar) -> bool:
    try:
        return file.stat().st_size == jar.size
    except OSError:
        return False


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """One process fetches; the others wait, and then find the files there."""
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _fetch(jar: Jar, file: Path, on_progress: OnProgress | None) -> None:
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=file.parent) as scratch:
        download = _retrieve(jar, Path(scratch), on_progress)
        digest = _sha256(download)
        if digest != jar.sha256:
            raise Unavailable(
                f"{jar.coordinate} was fetched, but its SHA-256 is {digest} and not {jar.sha256}",
                code="JAR_NOT_AVAILABLE",
                hint="check the repository that your ivysettings.xml names",
            )
        os.replace(download, file)


def _retrieve(jar: Jar, scratch: Path, on_progress: OnProgress | None) -> Path:
    target = scratch / "out"
    # One artifact by name: modules publish several, and a classifier is never in their own description.
    module = scratch / "ivy.xml"
    module.write_text(
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
        '<info organisation="sqe" module="jars"/><dependencies>'
        f'<dependency org="{jar.group}" name="{jar.artifact}" rev="{jar.version}" transitive="false">'
        f'<artifact name="{jar.artifact}" type="{jar.ending}" ext="{jar.ending}"'
        f"{jar.classifier and f' m:classifier={jar.classifier!r}'}/>"
        "</dependency></dependencies></ivy-module>"
    )
    command = [str(find_java().executable), "-jar", str(_ivy())]
    command += _ivy_settings()
    command += ["-cache", str(scratch / "ivy"), "-ivy", str(module)]
    command += ["-retrieve", f"{target}/[artifact]-[revision](-[classifier]).[ext]"]
    with _watched(jar, scratch, on_progress):
        try:
            process = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=FETCH_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _not_available(jar, f"it took more than {FETCH_SECONDS} s") from None
    download = target / jar.file_name
    if process.returncode != 0 or not download.exists():
        raise _not_available(jar, _reason(process.stdout.decode(errors="replace")))
    return download


def _not_available(jar: Jar, reason: str) -> Unavailable:
    return Unavailable(
        f"{jar.coordinate} could not be fetched: {reason}",
        code="JAR_NOT_AVAILABLE",
        hint="check the network, or name a mirror in ~/.ivy2/ivysettings.xml or SQE_IVY_SETTINGS",
    )


def _reason(output: str) -> str:
    """The one line of Ivy's output that says what went wrong."""
    lines = [line.strip() for line in output.splitlines()]
    for mark in ("UnknownHostException", "ConnectException", "Connection", "SSL", "timed out"):
        if any(mark in line for line in lines):
            return "the repository cannot be reached"
    for line in lines:
        if "not found" in line or "No such file" in line or "parse" in line.lower():
            return line.strip(": ")
    return "Ivy gave no reason"


@contextmanager
def _watched(jar: Jar, scratch: Path, on_progress: OnProgress | None) -> Iterator[None]:
    """Ivy reports nothing that can be parsed, so the size of what it writes is the progress."""
    if on_progress is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            sizes = [_size(path) for path in scratch.rglob(f"{jar.artifact}*.{jar.ending}*")]
            on_progress(jar, min(max(sizes, default=0), jar.size - 1))

    watcher = threading.Thread(target=watch, name="sqe-jar-progress", daemon=True)
    on_progress(jar, 0)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    on_progress(jar, jar.size)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _ivy_settings() -> list[str]:
    override = os.environ.get("SQE_IVY_SETTINGS")
    if override:
        return ["-settings", override]
    default = Path.home() / ".ivy2" / "ivysettings.xml"
    return ["-settings", str(default)] if default.exists() else []


def _ivy() -> Path:
    jars = sorted(_spark_jar_directory().glob("ivy-*.jar"))
    if not jars:
        raise Unavailable("pyspark has no Ivy in its jars", hint="reinstall pyspark with its jars")
    return jars[0]


def _spark_jar_directory() -> Path:
    # pyspark itself is not imported: that takes 0.2 s, and only its place is needed.
    from importlib.util import find_spec

    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise Unavailable("pyspark is not installed", hint="run: pip install 'pyspark==4.1.4'")
    return Path(spec.origin).parent / "jars"


def _sha256(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def main() -> int:
    live = sys.stderr.isatty()

    def show(jar: Jar, arrived: int) -> None:
        megabytes = f"{arrived / 1e6:.0f} of {jar.size / 1e6:.0f} MB"
        if live:
            print(f"\r{jar.coordinate} {megabytes}", end="", file=sys.stderr, flush=True)
        if arrived == jar.size:
            print("" if live else f"{jar.coordinate} {megabytes}", file=sys.stderr)

    try:
        ensure_jars(default_cache(), on_progress=show)
    except Unavailable as error:
        print(f"\n{error}" if live else str(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
