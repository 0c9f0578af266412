"""Configuration: what is read, from where, and what stops the start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sqe.config.config import Config, load, usual_path
from sqe.config.duckdb import FastSettings
from sqe.config.keys import EnvironmentText, read_size, texts
from sqe.errors import ConfigError

Toml = Callable[[str], Path]


@pytest.fixture
def toml(tmp_path: Path) -> Toml:
    def write(text: str) -> Path:
        path = tmp_path / "sqe.toml"
        path.write_text(text)
        return path

    return write


def parse(path: Path, environ: dict[str, str] | None = None) -> Config:
    return load(path, environ or {}, check_built=False)


def failure(path: Path | None, environ: dict[str, str] | None = None, **flags: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load(path, environ or {}, flags)
    assert caught.value.code == "CONFIGURATION_INVALID"
    return str(caught.value)


def test_without_anything_the_defaults_hold() -> None:
    config = load(None, {})
    assert config.spark.master == "local[*]"
    assert config.spark.remote is None
    assert config.spark.driver_memory == "2048m"
    assert config.engine.lane == "auto"
    assert config.fast == FastSettings()
    assert config.results.memory_window == 64 << 20
    assert config.results.spool_dir is None
    assert config.results.max_spool_per_user == 10 << 30
    assert config.results.max_spool == 50 << 30
    assert config.query.default_catalog is None
    assert config.query.timeout_secs == 0
    assert config.query.max_sql_bytes == 1 << 20
    assert config.query.max_result_rows == 0
    assert config.events.log_path is None
    assert (config.metrics.prometheus_port, config.metrics.health_port) == (9090, 9091)
    assert (config.logging.level, config.logging.format) == ("info", "json")
    assert not config.logging.statement_text
    assert config.catalogs == {}


def test_flags_win_over_environment_over_file_over_defaults(toml: Toml) -> None:
    path = toml(
        '[query]\ntimeout_secs = 1\nmax_result_rows = 1\nmax_sql_bytes = 1\n[spark]\nmaster = "local[1]"'
    )
    environ = {"SQE__query__timeout_secs": "2", "SQE_QUERY__MAX_RESULT_ROWS": "2"}
    config = load(path, environ, {"query.timeout_secs": 3})
    assert (config.query.timeout_secs, config.query.max_result_rows, config.query.max_sql_bytes) == (3, 2, 1)
    assert config.spark.master == "local[1]"


def test_environment_reaches_any_depth_and_keeps_the_case_of_names(toml: Toml) -> None:
    path = toml(
        """
        [catalogs.Partner]
        catalog_url = "https://partner.example/iceberg"
        warehouse = "shared"
        [catalogs.Partner.auth]
        type = "client_credentials"
        token_endpoint = "https://partner.example/token"
        client_id = "sqe"
        """
    )
    for variable in (
        "SQE__catalogs__Partner__auth__client_secret",
        "SQE_CATALOGS__PARTNER__AUTH__CLIENT_SECRET",
    ):
        config = parse(path, {variable: "hush"})
        assert config.catalogs["Partner"].auth["client_secret"] == "hush"
        assert "hush" not in repr(config)


def test_other_variables_of_ours_are_no_configuration() -> None:
    load(None, {"SQE_PASSWORD": "x", "SQE_USER": "y", "SQE_CACHE_DIR": "/z", "HOME": "/h"})


def test_values_of_the_environment_are_typed() -> None:
    config = load(
        None,
        {
            "SQE_COORDINATOR__FLIGHT_REFLECTION": "yes",
            "SQE_COORDINATOR__FLIGHT_SQL_PORT": "6000",
            "SQE_COORDINATOR__MAX_HEADER_SIZE": "1MB",
            "SQE_QUERY__MAX_QUEUED": "7",
            "SQE_METRICS__HEALTH_PORT": "6001",
        },
    )
    assert config.server.flight_reflection is True
    assert config.server.max_header_size == 1 << 20
    assert config.query.max_queued == 7
    assert texts("Some.").read(EnvironmentText("a, b")) == ("a", "b")
    assert config.server.flight_sql_port == 6000
    assert config.metrics.health_port == 6001


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("8GB", 8 << 30), ("64MB", 64 << 20), ("1.5 gb", 3 << 29), ("2g", 2 << 30), ("1KiB", 1024), ("7", 7)],
)
def test_sizes(text: str, bytes_: int) -> None:
    assert read_size(text) == bytes_


@pytest.mark.parametrize("text", ["", "big", "-1GB", "1XB", "1 2", "GB"])
def test_not_a_size(text: str) -> None:
    with pytest.raises(ValueError, match="size such as"):
        read_size(text)


def test_spark_settings_from_a_table_or_directly(toml: Toml) -> None:
    config = load(
        toml(
            """
            [spark]
            driver_memory = "3GB"
            spark.ui.enabled = false
            "spark.sql.shuffle.partitions" = 4
            [spark.conf]
            "spark.local.dir" = "/scratch"
            """
        ),
        {"SQE__spark__conf__spark.ui.port": "4041"},
    )
    assert config.spark.driver_memory == "3072m"
    assert config.spark.conf == {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.local.dir": "/scratch",
        "spark.ui.port": "4041",
    }


def test_spark_settings_must_be_sparks(toml: Toml) -> None:
    assert 'spark.conf."hive.x" must begin with "spark."' in failure(toml('[spark.conf]\n"hive.x" = "1"'))


def test_remote_spark_is_a_connect_address(toml: Toml) -> None:
    remote = 'remote = "sc://spark.example:15002/;token=hush"'
    config = load(toml(f'[spark]\n{remote}\ngateway_url = "https://sqe.example:8443"'), {})
    assert config.spark.remote == "sc://spark.example:15002/;token=hush"
    assert "hush" not in repr(config)
    assert 'must begin with "sc://"' in failure(toml('[spark]\nremote = "spark://x:7077"'))
    assert load(toml('[spark]\nremote = "sc://127.0.0.1:15002"'), {}).spark.gateway_url is None


def test_a_remote_spark_has_a_safe_way_to_the_gateway(toml: Toml) -> None:
    remote = '[spark]\nremote = "sc://spark.example:15002"\n'
    assert "has to reach this one" in failure(toml(remote))
    assert 'must begin with "https://"' in failure(toml(remote + 'gateway_url = "http://sqe.example:8182"'))
    everywhere = remote + 'gateway_url = "https://sqe.example:8182"\ngateway_host = "0.0.0.0"\n'
    assert "needs TLS" in failure(toml(everywhere))
    tls = '[coordinator.tls]\ncert_file = "c.pem"\nkey_file = "k.pem"\n'
    assert load(toml(everywhere + tls), {}).spark.gateway_host == "0.0.0.0"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[query]\ntimeout_sec = 1", "query.timeout_secs"),
        ("[quer]\ntimeout_secs = 1", "query"),
        ("[query]\nmemory_window = 1", "results.memory_window"),
        ("[catalog]\nwarehous = 'x'", "catalog.warehouse"),
        ("[catalogs.lake.backend]\ntyp = 'rest'", "catalogs.lake.backend.type"),
        ("[catalogs.lake.auth]\nclient_secrt = 'x'", "catalogs.lake.auth.client_secret"),
        ("[coordinator]\nflight_port = 1", "coordinator.flight_sql_port"),
        ("[metrics.openlineage]\nenable = true", "metrics.openlineage.enabled"),
        ("[spark]\nmemory = '1GB'", "spark.driver_memory"),
    ],
)
def test_an_unknown_key_names_the_nearest_right_one(toml: Toml, text: str, meant: str) -> None:
    message = failure(toml(text))
    assert "there is no key" in message
    assert f"did you mean {meant}?" in message


def test_an_unknown_variable_is_an_error_too() -> None:
    message = failure(None, {"SQE__query__default_catalogue": "x"})
    assert message.startswith("SQE__query__default_catalogue: there is no key query.default_catalogue")
    assert "did you mean query.default_catalog?" in message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[query]\ntimeout_secs = "5"', "query.timeout_secs must be a whole number"),
        ("[query]\ntimeout_secs = -5", "query.timeout_secs must be a whole number"),
        ("[query]\ntimeout_secs = true", "query.timeout_secs must be a whole number"),
        ("[query]\ndefault_catalog = 5", "query.default_catalog must be text"),
        ('[results]\nmemory_window = "lots"', 'must be a size such as "512MB" or "8GB", not "lots"'),
        ('[engine]\nlane = "slow"', 'engine.lane must be one of auto, spark, fast, not "slow"'),
        ('[catalog]\ntype = "oracle"', "catalog.type must be one of rest, hms, glue"),
        ("[coordinator]\nflight_sql_port = 70000", "must be a port between 0 and 65535"),
        ("[[auth.providers]]\ntype = 'anonymous'\nroles = 'a'", "must be a list of texts"),
        ("[coordinator]\nworker_urls = 'a'", "worker_urls is known but not built yet (it awaits workers)"),
        ('[engine.fast]\nmemory_limit = "1MB"', 'must be at least 32MB, not "1MB"'),
        ("[auth]\nproviders = 'x'", "auth.providers must be an array of tables"),
        ("query = 5", "query must be a table"),
        ("[catalogs]\nlake = 5", "catalogs.lake must be a table"),
        ('[spark]\ndriver_memory = "100MB"', "at least 512MB"),
        ("[query", "is not TOML"),
    ],
)
def test_a_wrong_value_says_what_it_must_be(toml: Toml, text: str, complaint: str) -> None:
    assert complaint in failure(toml(text))


def test_a_wrong_secret_is_not_shown(toml: Toml) -> None:
    assert "12345" not in failure(toml("[policy]\nmask_key = 12345"))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read" in failure(tmp_path / "absent.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "is not TOML" in failure(binary)


def test_ports_must_differ(toml: Toml) -> None:
    path = toml("[coordinator]\nflight_sql_port = 8080")
    assert "coordinator.flight_sql_port and coordinator.trino_http_port are both 8080" in failure(path)
    parse(toml("[coordinator]\nflight_sql_port = 8080\ntrino_http_port = 0"))
    assert "metrics.prometheus_port and metrics.health_port are both 9090" in failure(
        toml("[metrics]\nhealth_port = 9090")
    )


def test_the_ports_of_operators_may_be_switched_off(toml: Toml) -> None:
    config = load(toml("[metrics]\nprometheus_port = 0\nhealth_port = 0"), {})
    assert config.metrics.prometheus_port is None and config.metrics.health_port is None


def test_the_log_of_a_server(toml: Toml) -> None:
    config = load(toml('[logging]\nlevel = "debug"\nformat = "text"\nstatement_text = true'), {})
    assert (config.logging.level, config.logging.format) == ("debug", "text")
    assert config.logging.statement_text
    assert "logging.level must be one of debug, info, warning, error" in failure(
        toml('[logging]\nlevel = "loud"')
    )


def test_tls_needs_both_files_or_neither(toml: Toml) -> None:
    assert "coordinator.tls.key_file is missing" in failure(toml("[coordinator.tls]\ncert_file = 'c.pem'"))
    assert "coordinator.tls.cert_file is missing" in failure(toml("[coordinator.tls]\nkey_file = 'k.pem'"))
    parse(toml("[coordinator.tls]\ncert_file = 'c.pem'\nkey_file = 'k.pem'"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[coordinator]\nquack_port = 50052", "coordinator.quack_port"),
        ('[[auth.providers]]\ntype = "mtls"\nextract_ou = true', 'auth.providers: type "mtls"'),
        ('[policy.opa]\nurl = "http://opa"', "policy.opa.url"),
        ("[metrics]\ntrace_sample_rate = 0.5", "metrics.trace_sample_rate"),
        ("[metrics.openlineage]\nenabled = true", "metrics.openlineage.enabled"),
        ("[query]\nmax_query_memory = 5", "query.max_query_memory"),
        ("[storage.tvf]\nallow_http = true", "storage.tvf.allow_http"),
        (
            '[catalogs.w]\ntype = "sqlite"\nwarehouse = "w"\nmanifest_concurrency = 1',
            "catalogs.w.manifest_concurrency",
        ),
        ('[catalogs.w]\ntype = "hms"\nuri = "h:1"\nwarehouse = "w"', 'catalogs.w: a catalog of type "hms"'),
    ],
)
def test_a_known_key_without_its_feature_stops_the_start(toml: Toml, text: str, key: str) -> None:
    path = toml(text)
    parse(path)
    assert f"{key} is known but not built yet" in failure(path)


def test_no_file_of_the_working_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sqe.toml").write_text("[spark]\n")
    monkeypatch.chdir(tmp_path)
    assert usual_path({"HOME": str(tmp_path / "home")}) is None
    assert usual_path({"SQE_CONFIG": "other.toml"}) == Path("other.toml")
    own = tmp_path / "home" / ".sqe"
    own.mkdir(parents=True)
    (own / "sqe.toml").write_text("")
    assert usual_path({"HOME": str(tmp_path / "home")}) == own / "sqe.toml"
