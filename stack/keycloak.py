"""Keycloak, with the realm `lake`: an identity provider as companies have it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sqe.engine.spark.jars import Jar
from sqe.engine.spark.java import find_java
from sqe.errors import Unavailable
from stack.component import NOTHING, Component, answers, free_port, start_process
from stack.fetch import unzipped
from stack.realm import REALM, realm

NAME = "keycloak"
PORT = 8180
ARCHIVE = Jar(
    "org.keycloak",
    "keycloak-quarkus-dist",
    "26.7.3",
    sha256="27a6535553c3cdcd083872ba40629efafb3475e3b758e0c6f691395561dd0f1f",
    size=176710367,
    ending="zip",
)
START_SECONDS = 180.0
BUILD_SECONDS = 300.0
ADMIN = "admin"


def start(home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None) -> Component:
    """Its data is in `home` and in memory: the next one begins anew. It needs nothing of those beside it."""
    program = unzipped(ARCHIVE, directory=f"keycloak-{ARCHIVE.version}", prepare=_build)
    for name in ("conf", "lib", "providers", "themes"):
        link = home / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(program / name)
    imported = home / "data" / "import"
    imported.mkdir(parents=True, exist_ok=True)
    (imported / f"{REALM}.json").write_text(json.dumps(realm()))
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    issuer = f"{url}/realms/{REALM}"
    password = secrets.token_urlsafe(16)
    return start_process(
        NAME,
        home,
        [*_java(home, program), "start", "--optimized", *_flags(port), "--import-realm"],
        environment={"KC_BOOTSTRAP_ADMIN_USERNAME": ADMIN, "KC_BOOTSTRAP_ADMIN_PASSWORD": password},
        facts={"url": url, "issuer": issuer, "admin": ADMIN, "admin_password": password},
        is_ready=lambda: answers(f"{issuer}/.well-known/openid-configuration"),
        seconds=START_SECONDS,
    )


def _build(program: Path) -> None:
    """Once: what is fixed for good makes each start quicker."""
    command = [
        str(program / "bin" / "kc.sh"),
        "build",
        "--db=dev-mem",
        "--cache=local",
        "--health-enabled=true",
    ]
    java_home = find_java().executable.parent.parent
    (program / "bin" / "kc.sh").chmod(0o755)
    done = subprocess.run(
        command,
        env={**os.environ, "JAVA_HOME": str(java_home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BUILD_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise Unavailable(f"Keycloak could not be built: {done.stdout.decode(errors='replace')[-1000:]}")


def _java(home: Path, program: Path) -> list[str]:
    """As kc.sh does it, with a directory of its own for what it writes."""
    return [
        str(find_java().executable),
        *("-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        "-Dkc.config.built=true",
        f"-Dkc.home.dir={home}",
        "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
        "-Djava.util.concurrent.ForkJoinPool.common.threadFactory="
        "io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory",
        *("-cp", str(program / "lib" / "quarkus-run.jar")),
        "io.quarkus.bootstrap.runner.QuarkusEntryPoint",
    ]


def _flags(port: int) -> list[str]:
    # The management port answers health checks, and has to be another one each time.
    return [
        "--http-enabled=true",
        "--hostname-strict=false",
        "--http-host=127.0.0.1",
        f"--http-port={port}",
        "--http-management-host=127.0.0.1",
        f"--http-management-port={free_port()}",
    ]
