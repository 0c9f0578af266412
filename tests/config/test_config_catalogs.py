"""The catalog blocks: every shape that users of SQE know."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.config.config import CatalogSettings, Config, load
from sqe.errors import ConfigError


def parse(directory: Path, text: str) -> Config:
    path = directory / "sqe.toml"
    path.write_text(text)
    return load(path, {}, check_built=False)


def only(config: Config) -> CatalogSettings:
    (catalog,) = config.catalogs.values()
    return catalog


REST = 'catalog_url = "https://polaris.example:18181/api/catalog"\nwarehouse = "production"\n'


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (f"[catalog]\n{REST}", "production", "rest"),
        (f'[catalog]\n{REST}[catalog.backend]\ntype = "rest"', "production", "rest"),
        (f'[catalog]\nname = "lake"\n{REST}', "lake", "rest"),
        ('[catalog]\ntype = "s3tables"\ntable_bucket_arn = "arn:aws:s3tables:r:1:bucket/b"',
         "s3tables", "s3tables"),
        ('[catalog.backend]\ntype = "s3tables"\ntable_bucket_arn = "arn:aws:s3tables:r:1:bucket/b"\n'
         'endpoint_url = "http://localhost:4566"', "s3tables", "s3tables"),
        ('[catalog.backend]\ntype = "glue"\nregion = "r-1"\nwarehouse = "s3://b/w"\n'
         'endpoint = "http://localhost:4566"', "glue", "glue"),
        ('[catalog.backend]\ntype = "hms"\nuri = "metastore.example:9083"\nwarehouse = "s3a://b/w"',
         "hms", "hms"),
        ('[catalog.backend]\ntype = "jdbc"\nurl = "postgresql://u:p@h:5432/i"\nwarehouse = "s3://b/w"',
         "jdbc", "jdbc"),
        ('[catalog.backend]\ntype = "jdbc"\nurl = "sqlite:some/file.db"\nwarehouse = "w"', "jdbc", "jdbc"),
        ('[catalog.backend]\ntype = "hadoop"\nwarehouse = "s3://b/w"', "hadoop", "hadoop"),
        ('[catalog]\ntype = "sqlite"\nwarehouse = "~/w"', "sqlite", "sqlite"),
    ],
)  # fmt: skip
def test_the_single_block(tmp_path: Path, text: str, name: str, kind: str) -> None:
    config = parse(tmp_path, text)
    assert (only(config).name, only(config).type) == (name, kind)
    assert config.query.default_catalog == name


def test_polaris_url_is_catalog_url(tmp_path: Path) -> None:
    config = parse(tmp_path, '[catalog]\npolaris_url = "http://p:8181"\nwarehouse = "w"')
    assert only(config).catalog_url == "http://p:8181"


SEVERAL = """
[catalog]
catalog_url = ""

[catalogs.polaris]
catalog_url = "http://polaris:8181/api/catalog"
warehouse = "production"
[catalogs.polaris.backend]
type = "rest"

[catalogs.nessie]
catalog_url = "http://nessie:19120/iceberg"
warehouse = "lake"
[catalogs.nessie.backend]
type = "rest"

[catalogs.aws_glue]
catalog_url = ""
[catalogs.aws_glue.backend]
type = "glue"
region = "r-1"
warehouse = "s3://bucket/wh"

[catalogs.aws_s3tables]
catalog_url = ""
[catalogs.aws_s3tables.backend]
type = "s3tables"
table_bucket_arn = "arn:aws:s3tables:r-2:1:bucket/b"

[catalogs.legacy_hms]
catalog_url = ""
[catalogs.legacy_hms.backend]
type = "hms"
uri = "metastore.example:9083"
warehouse = "s3a://bucket/wh"
"""


def test_several_catalogs_and_a_leftover_single_block(tmp_path: Path) -> None:
    config = parse(tmp_path, SEVERAL)
    assert list(config.catalogs) == ["aws_glue", "aws_s3tables", "legacy_hms", "nessie", "polaris"]
    assert config.query.default_catalog == "aws_glue"
    assert config.catalogs["legacy_hms"].options == {"uri": "metastore.example:9083"}


def test_the_default_catalog_is_chosen(tmp_path: Path) -> None:
    config = parse(tmp_path, SEVERAL + '[query]\ndefault_catalog = "polaris"')
    assert config.query.default_catalog == "polaris"


def test_the_default_catalog_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='did you mean "polaris"'):
        parse(tmp_path, SEVERAL + '[query]\ndefault_catalog = "polari"')


def test_the_single_block_stays_where_the_default_names_it(tmp_path: Path) -> None:
    block = f"[catalog]\n{REST}" + SEVERAL.split('catalog_url = ""', 1)[1]
    assert "production" not in parse(tmp_path, block).catalogs
    config = parse(tmp_path, block + '[query]\ndefault_catalog = "production"')
    assert config.query.default_catalog == "production"
    assert config.catalogs["production"].catalog_url == "https://polaris.example:18181/api/catalog"
    assert len(config.catalogs) == 6


def test_identity_and_storage_of_each_catalog(tmp_path: Path) -> None:
    config = parse(
        tmp_path,
        """
        [catalogs.partner]
        catalog_url = "https://partner.example/iceberg"
        warehouse = "shared"
        [catalogs.partner.backend]
        type = "rest"
        [catalogs.partner.auth]
        type = "client_credentials"
        token_endpoint = "https://partner.example/oauth/tokens"
        client_id = "sqe-partner"
        client_secret = "hush"
        [catalogs.partner.storage]
        s3_endpoint = "https://s3.partner.example"
        s3_region = "r-1"
        s3_access_key = "key"
        s3_secret_key = "hush"
        s3_path_style = true
        s3_allow_http = false

        [catalogs.public]
        catalog_url = "https://nessie.example/iceberg"
        warehouse = "public"
        [catalogs.public.auth]
        type = "anonymous"

        [catalogs.gateway]
        catalog_url = "https://gateway.example/iceberg"
        warehouse = "w"
        [catalogs.gateway.auth]
        type = "static"
        token = "hush"

        [catalogs.own]
        catalog_url = "https://own.example/iceberg"
        warehouse = "w"
        [catalogs.own.auth]
        type = "session_bearer"

        [catalogs.aws_glue]
        [catalogs.aws_glue.backend]
        type = "glue"
        region = "r-1"
        warehouse = "s3://wh/"
        [catalogs.aws_glue.auth]
        type = "aws"
        """,
    )
    assert config.catalogs["partner"].auth["client_id"] == "sqe-partner"
    assert config.catalogs["partner"].storage["s3_path_style"] is True
    assert config.catalogs["aws_glue"].auth == {"type": "aws"}
    assert "hush" not in repr(config)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[catalog]\ncatalog_url = "http://x"', "catalog: there is no warehouse"),
        ("[catalogs.a]\nwarehouse = 'w'", 'type "rest" needs catalog_url'),
        ('[catalogs.a.backend]\ntype = "hms"\nwarehouse = "w"', 'type "hms" needs uri'),
        ('[catalogs.a.backend]\ntype = "glue"', 'type "glue" needs region and warehouse'),
        ('[catalogs.a.backend]\ntype = "s3tables"', "needs table_bucket_arn"),
        ('[catalogs.a.backend]\ntype = "jdbc"\nwarehouse = "w"', "needs url"),
        ('[catalogs.a.backend]\ntype = "hadoop"', "needs warehouse"),
        ('[catalogs."a.b"]\ntype = "hadoop"\nwarehouse = "w"', "must not be empty or contain a dot"),
        ('[catalogs.a]\ntype = "glue"\n[catalogs.a.backend]\ntype = "hms"', "differ"),
        (f'[catalogs.a]\n{REST}polaris_url = "http://other"', "differ"),
        (f'[catalogs.a]\n{REST}[catalogs.a.auth]\ntype = "static"', 'type "static" needs token'),
        (f'[catalogs.a]\n{REST}[catalogs.a.auth]\ntype = "kerberos"', "must be one of session_bearer"),
        (f'[catalogs.a]\n{REST}[catalogs.a.auth]\ntoken = "x"', 'type "session_bearer" has no key token'),
        (
            '[catalogs.a]\ntype = "hadoop"\nwarehouse = "w"\n[catalogs.a.auth]\ntype = "anonymous"',
            "asks nobody",
        ),
    ],
)
def test_a_catalog_that_cannot_work(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(tmp_path, text)
    assert complaint in str(caught.value)


def test_a_sqlite_catalog_can_be_used_now(tmp_path: Path) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text('[catalogs.lake]\ntype = "sqlite"\nwarehouse = "/data/lake"')
    config = load(path, {})
    assert config.catalogs["lake"].warehouse == "/data/lake"
    assert config.query.default_catalog == "lake"


@pytest.mark.parametrize(
    "text",
    [
        'type = "jdbc"\nurl = "sqlite:/data/catalog.db"\nwarehouse = "/data/w"',
        'type = "jdbc"\nurl = "postgresql://u:hush@h/d"\nwarehouse = "file:///data/w"',
        'type = "jdbc"\nurl = "postgres://u:hush@h/d"\nwarehouse = "w"',
        'type = "hadoop"\nwarehouse = "/data/w"',
        REST,
        REST + '[catalogs.c.auth]\ntype = "anonymous"',
        REST + '[catalogs.c.auth]\ntype = "session_bearer"',
        REST + '[catalogs.c.storage]\ns3_region = "r"\ns3_secret_key = "hush"',
        REST + '[catalogs.c.auth]\ntype = "static"\ntoken = "hush"',
    ],
)
def test_these_can_be_used_now(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text(f"[catalogs.c]\n{text}")
    config = load(path, {})
    assert "hush" not in repr(config)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('type = "hms"\nuri = "h:1"\nwarehouse = "w"', 'catalogs.c: a catalog of type "hms" is known'),
        ('type = "glue"\nregion = "r"\nwarehouse = "w"', 'catalogs.c: a catalog of type "glue" is known'),
        ('type = "s3tables"\ntable_bucket_arn = "arn:x"', 'a catalog of type "s3tables" is known'),
        ('type = "jdbc"\nurl = "mysql://u:hush@h/d"\nwarehouse = "w"', 'a catalog in a "mysql" database is'),
        ('type = "jdbc"\nurl = "sqlite:x"\nwarehouse = "gs://b/w"', "a warehouse that is not a local"),
        ('type = "sqlite"\nwarehouse = "s3a://b/w"', "a warehouse that is not a local directory is known"),
        ('catalog_url = "http://u:hush@h"\nwarehouse = "w"', "a catalog_url with a user in it is known"),
        (REST + '[catalogs.c.auth]\ntype = "aws"', 'auth of type "aws" is known'),
    ],
)  # fmt: skip
def test_these_stop_the_start(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "sqe.toml"
    path.write_text(f"[catalogs.c]\n{text}")
    with pytest.raises(ConfigError, match="known but not built yet") as error:
        load(path, {})
    assert complaint in str(error.value)
    assert "hush" not in str(error.value)


def test_a_url_of_no_known_database_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="url must begin with") as error:
        parse(tmp_path, '[catalogs.c]\ntype = "jdbc"\nurl = "oracle:u/hush@h"\nwarehouse = "w"')
    assert "hush" not in str(error.value)
