"""The configuration of an SQE whose users and tables are those of the stack."""

from __future__ import annotations

from collections.abc import Mapping

from stack.component import Component
from stack.realm import CATALOG, secret_of


def sqe_config(servers: Mapping[str, Component]) -> str:
    """As TOML. No key of the S3 server: the catalog vends them to each user."""
    issuer = servers["keycloak"].facts["issuer"]
    nessie = servers["nessie"].facts
    return f"""[[auth.providers]]
type = "bearer_token"
issuer = "{issuer}"
allow_insecure_jwks = true
audience = "{CATALOG}"

[[auth.providers]]
type = "oidc_password"
issuer = "{issuer}"
allow_insecure_jwks = true
client_id = "sqe"
client_secret = "{secret_of("sqe")}"

[catalogs.lake]
catalog_url = "{nessie["rest_url"]}"
warehouse = "{nessie["warehouse"]}"

[catalogs.lake.backend]
type = "rest"

[catalogs.lake.auth]
type = "session_bearer"

[storage]
s3_allow_http = true
"""
