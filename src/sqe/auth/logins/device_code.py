"""Log-in by a code that is typed into a browser elsewhere: RFC 8628. For terminals without a browser."""

from __future__ import annotations

import time

from sqe.auth.logins.external import External, Show, not_logged_in
from sqe.auth.oidc.idp_http import unavailable
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint, Tokens

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
INTERVAL_SECONDS = 5.0
SLOWER_SECONDS = 5.0


def log_in(external: External, show: Show) -> Tokens:
    """Waits until somebody has typed the code."""
    idp = external.idp
    url = idp.endpoint("device_authorization_endpoint")
    answer = idp.http.post(url, {"scope": external.scope}, external.client)
    content = answer.content
    code, user_code, page = (content.get(k) for k in ("device_code", "user_code", "verification_uri"))
    if answer.status != 200 or not all(isinstance(part, str) for part in (code, user_code, page)):
        raise unavailable(url, f"it gives no device code to the client {external.client.id}")
    show(f"Open {content.get('verification_uri_complete') or page} and confirm the code {user_code}")
    interval = _seconds(content.get("interval"), INTERVAL_SECONDS)
    deadline = time.monotonic() + min(external.timeout, _seconds(content.get("expires_in"), external.timeout))
    endpoint = TokenEndpoint(idp, external.client)
    while time.monotonic() + interval < deadline:
        time.sleep(interval)
        try:
            return endpoint.grant({"grant_type": GRANT, "device_code": str(code)})
        except GrantRefused as refusal:
            match refusal.error:
                case "authorization_pending":
                    continue
                case "slow_down":
                    interval += SLOWER_SECONDS
                case "expired_token":
                    break
                case _:
                    raise not_logged_in(f"the identity provider says {refusal.error}") from None
    raise not_logged_in("the code was not confirmed in time")


def _seconds(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and value > 0 else default
