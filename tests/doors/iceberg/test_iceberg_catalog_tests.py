"""Iceberg's own tests of catalogs and of views, run by JUnit through Iceberg's REST client.

The client is that of the Spark runtime. The tests are 1.11.0's: Maven Central has no
`tests` jar of iceberg-core 1.12.0 (404 in November 2026).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tests.doors.iceberg.conftest import UNSUPPORTED

from sqe.engine.spark.jars import ICEBERG, Jar, default_cache, ensure_jars, spark_jars
from sqe.engine.spark.java import find_java

pytestmark = pytest.mark.integration

SOURCE = Path(__file__).with_name("RestCatalogTests.java")
JARS = (
    ICEBERG,
    Jar(
        "org.apache.iceberg",
        "iceberg-core",
        "1.11.0",
        classifier="tests",
        sha256="4284719a5f0eb7db01e9f784a0ed4ca8bacf7d6f9951924143afc083428d8be3",
        size=1804337,
    ),
    Jar(
        "org.apache.iceberg",
        "iceberg-api",
        "1.11.0",
        classifier="tests",
        sha256="5ba3fda757ce34f12604f1451c72fbfb583d870f43fa8df9ae4d9a329bbe7a8b",
        size=386152,
    ),
    Jar(
        "org.junit.platform",
        "junit-platform-console-standalone",
        "1.13.4",
        sha256="3fdfc37e29744a9a67dd5365e81467e26fbde0b7aa204e6f8bbe79eeaa7ae892",
        size=3159930,
    ),
    Jar(
        "org.assertj",
        "assertj-core",
        "3.27.6",
        sha256="b27872b049abc88e23c853ce5917945dd57d43bd31175d852e3941d2a6fd0231",
        size=1398872,
    ),
    # AssertJ makes classes with it.
    Jar(
        "net.bytebuddy",
        "byte-buddy",
        "1.17.7",
        sha256="3575dcb8a98faf943d3c1595c47a16047c4fce8a83ebbb26262f1a2f67546357",
        size=9015334,
    ),
)
# Test -> why it fails.
KNOWN_FAILURES = {
    "Tables.testCatalogWithCustomMetricsReporter()": (
        "appends a data file with a relative path, and the door takes files of a warehouse alone"
    )
}
# Test -> why JUnit leaves it out.
LEFT_OUT = {
    f"{name}()": "asked only of catalogs with an empty namespace; the tests' own default is without"
    for name in (
        "Tables.createAndDropEmptyNamespace",
        "Tables.listNamespacesWithEmptyNamespace",
        "Tables.listTablesInEmptyNamespace",
        "Tables.namespacePropertiesOnEmptyNamespace",
        "Views.listViewsInEmptyNamespace",
    )
}
if "supportsNamesWithDot" in UNSUPPORTED:
    LEFT_OUT |= {
        "Tables.testNamespaceWithDot()": UNSUPPORTED["supportsNamesWithDot"],
        "Tables.testTableNameWithDot()": UNSUPPORTED["supportsNamesWithDot"],
    }


def test_icebergs_own_tests_pass(
    client_properties: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes, output = run_tests(client_properties, tmp_path)
    failures = {name: reason for name, (outcome, reason) in outcomes.items() if outcome == "failed"}
    with capsys.disabled():
        print(f"\n{sum(outcome == 'passed' for outcome, _ in outcomes.values())} passed of {len(outcomes)}")
        for name, reason in sorted(failures.items()):
            print(f"  {name}: {reason}")
    assert len(outcomes) > 150, output
    assert failures.keys() == KNOWN_FAILURES.keys()
    assert {name for name, (outcome, _) in outcomes.items() if outcome == "left out"} == LEFT_OUT.keys()


def run_tests(properties: dict[str, str], directory: Path) -> tuple[dict[str, tuple[str, str]], str]:
    """Each test's outcome with the first words of its reason, and all that JUnit wrote."""
    jars = os.pathsep.join(map(str, [*ensure_jars(default_cache(), JARS), *spark_jars()]))
    compile_tests(jars, directory / "classes")
    # Their temporary tables are where the door lets tables be.
    command = [str(find_java().executable), "-Xmx512m", f"-Djava.io.tmpdir={directory}"]
    command += [f"-Drest.{name}={value}" for name, value in properties.items()]
    command += [f"-Dtests.{switch}=false" for switch in UNSUPPORTED]
    command += [f"-Dtests.locations={(directory / 'locations').as_uri()}"]
    command += ["-cp", f"{directory / 'classes'}{os.pathsep}{jars}"]
    command += ["org.junit.platform.console.ConsoleLauncher", "execute"]
    command += ["--select-class=RestCatalogTests$Tables", "--select-class=RestCatalogTests$Views"]
    command += ["--details=none", f"--reports-dir={directory}"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800
    )
    output = done.stdout.decode(errors="replace")
    report = directory / "TEST-junit-jupiter.xml"
    assert report.exists(), output
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.attrib['classname'].partition('$')[2]}.{case.attrib['name']}"
        outcomes[name] = _outcome(case)
    return outcomes, output


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    for problem in (case.find("failure"), case.find("error")):
        if problem is not None:
            return "failed", " ".join((problem.get("message") or problem.text or "").split())[:300]
    return ("passed", "") if case.find("skipped") is None else ("left out", "")


def compile_tests(jars: str, target: Path) -> None:
    beside = find_java().home / "bin" / "javac"
    compiler = str(beside) if beside.exists() else shutil.which("javac")
    if compiler is None:
        pytest.skip("a JDK is needed, and there is no javac")
    subprocess.run([compiler, "--release", "17", "-cp", jars, "-d", str(target), str(SOURCE)], check=True)
