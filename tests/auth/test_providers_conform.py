"""What every provider does; a new one adds its case to provider_cases.py."""

from __future__ import annotations

import logging
import re
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.auth.provider_cases import CASES, Case, identity_in

from sqe.auth.credentials import Bearer, Credentials, Password
from sqe.config.providers import PROVIDER_KEYS
from sqe.errors import AuthenticationFailed
from sqe.session import Identity

NONSENSE: list[Credentials] = [
    *(Bearer(text) for text in ("\0", "\ud800", "sqe_\ud800", " ", "ü" * 70_000, "%s%n{}", "a.b.c")),
    *(Password(text, "x") for text in ("\0", "\ud800", "\n", "u" * 70_000, "../../etc/passwd")),
    *(Password("ann", text) for text in ("\0", "\ud800", "\r\n", "sqe_\udcff", " ", "p" * 70_000)),
]


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    made: Case = request.param(tmp_path, monkeypatch)
    return made


def test_every_built_provider_is_here() -> None:
    assert set(PROVIDER_KEYS) <= {name.partition(",")[0] for name in CASES}


def test_its_name_is_a_label(case: Case) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,30}", case.provider.name)


def test_right_credentials_are_an_identity_each_time(case: Case) -> None:
    for credentials, identity in case.right * 2:
        assert identity_in(case.provider.authenticate(credentials)) == identity


def test_wrong_credentials_are_refused_and_nothing_is_said(case: Case) -> None:
    for credentials in case.wrong * 2:
        with pytest.raises(AuthenticationFailed) as caught:
            case.provider.authenticate(credentials)
        assert str(caught.value) == "authentication failed"
        assert caught.value.args == ("authentication failed",)
        assert caught.value.code == "AUTHENTICATION_FAILED"


def test_what_it_does_not_know_is_left_to_others(case: Case) -> None:
    for credentials in case.foreign:
        assert case.provider.authenticate(credentials) is None


def test_nonsense_is_never_an_identity_nor_a_crash(case: Case) -> None:
    for credentials in NONSENSE:
        with suppress(AuthenticationFailed):
            assert case.provider.authenticate(credentials) is None


def test_many_threads_at_once(case: Case) -> None:
    def one(number: int) -> Identity | str | None:
        credentials, _ = case.right[number % len(case.right)]
        if number % 3 and case.wrong:
            credentials = case.wrong[number % len(case.wrong)]
        try:
            return identity_in(case.provider.authenticate(credentials))
        except AuthenticationFailed:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        for number, answer in enumerate(pool.map(one, range(64))):
            expected = case.right[number % len(case.right)][1]
            assert answer == ("refused" if number % 3 and case.wrong else expected)


def test_no_secret_is_in_what_it_leaves_behind(case: Case, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    sent: list[Credentials] = [*(credentials for credentials, _ in case.right), *case.wrong, *case.foreign]
    seen = [repr(case.provider), repr(vars(case.provider))]
    for credentials in sent:
        seen.append(repr(credentials))
        try:
            seen.append(repr(case.provider.authenticate(credentials)))
        except AuthenticationFailed:
            seen.append(traceback.format_exc())
    text = "\n".join([*seen, caplog.text])
    for secret in filter(None, map(secret_of, sent)):
        if len(secret) > 4:
            assert secret not in text


def secret_of(credentials: Credentials) -> str | None:
    if isinstance(credentials, Password):
        return credentials.password
    return credentials.token if credentials is not None else None
