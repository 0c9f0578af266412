"""Object stores as the fast lane opens them: with a table's own keys, for the table's own prefix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqe.engine.duckdb.errors import FastLaneFailed

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

DEFAULT_REGION = "us-east-1"


def secret_of(prefix: str, storage: Storage) -> dict[str, str]:
    """The options of DuckDB's secret for the files below a prefix, with the keys as they are now.
    AccessDenied where there may be none."""
    from sqe.catalog.io import storage as names

    properties = storage.properties(prefix)
    names.refuse_plain_http(properties)
    options = {
        "scope": prefix,
        "region": properties.get(names.REGION) or DEFAULT_REGION,
        "url_style": "path" if properties.get(names.PATH_STYLE) == "true" else "vhost",
        **_endpoint(properties.get(names.ENDPOINT)),
    }
    # Without a key, requests are not signed.
    if properties.get(names.ACCESS_KEY):
        options["key_id"] = properties[names.ACCESS_KEY]
        options["secret"] = properties.get(names.SECRET_KEY, "")
        if properties.get(names.SESSION_TOKEN):
            options["session_token"] = properties[names.SESSION_TOKEN]
    return options


def _endpoint(url: str | None) -> Mapping[str, str]:
    if url is None:
        return {"use_ssl": "true"}
    from urllib.parse import urlsplit

    parts = urlsplit(url if "://" in url else f"https://{url}")
    if parts.path.strip("/") or parts.query or parts.username or not parts.hostname:
        raise FastLaneFailed("DuckDB cannot reach an object store at such an address")
    return {"endpoint": parts.netloc, "use_ssl": str(parts.scheme == "https").lower()}
