"""The files of users and of API keys: private, checked, and read again when they change."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.auth.provider_cases import (
    ANN_SECRET,
    CHEAP,
    KEY,
    configured,
    identity_in,
    keys_toml,
    private,
    users_toml,
)

from sqe.auth.chain import Chain
from sqe.auth.credentials import Bearer, Password, Provider
from sqe.auth.limiter import Limiter
from sqe.auth.passwords import Cost, PasswordHash, hash_password, read_hash
from sqe.auth.private_file import PrivateFile
from sqe.auth.providers.api_key import hash_of
from sqe.auth.providers.users_file import REMEMBERED_SECS, UsersFile, read_users
from sqe.errors import AuthenticationFailed, ConfigError

ANN = Password("ann", ANN_SECRET)


def users(path: Path) -> Provider:
    return configured(path.parent, f'type = "users_file"\nusers_file = "{path}"')


def keys(path: Path) -> Provider:
    return configured(path.parent, f'type = "api_key"\nkeys_file = "{path}"')


def failure(make: Callable[[Path], Provider], path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        make(path)
    return str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o601])
def test_a_file_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    path = private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    path.chmod(mode)
    message = failure(users, path)
    assert f"may be read or changed by others: its mode is {mode:04o}" in message
    assert f"chmod 600 {path}" in message
    path.chmod(0o400)
    users(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[users", "is not TOML"),
        ("[[users]]\nx = 1", "users must be a table"),
        ("[user.ann]\n", "there is no key 'user'"),
        ("[users]\nann = 'x'", "user 'ann': an entry must be a table"),
        ("[users.ann]\n", "user 'ann': it is no hash"),
        ("[users.ann]\npassword = 'hunter2'", "user 'ann': it is no hash"),
        (f"[users.ann]\npassword = '$scrypt$ln=30,r=8,p=1${'A' * 22}${'A' * 43}'", "out of bounds"),
        (f"[users.ann]\npassword = '$scrypt$ln=18,r=99,p=1${'A' * 22}${'A' * 43}'", "out of bounds"),
        ("[users.ann]\npasword = 'x'", "there is no key 'pasword'"),
        (users_toml(ann="x").replace('["analyst"]', '"analyst"'), "roles must be a list"),
        (users_toml(ann="x").replace("users.ann", 'users."a\\nb"'), "without control characters"),
    ],
)
def test_a_wrong_file_of_users_says_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    message = failure(users, private(tmp_path / "users.toml", text))
    assert complaint in message and "users.toml" in message
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[keys]\nx = 1", "keys must be an array"),
        ("[[keys]]\nuser = 'etl'", "key 1: hash must be sha256:"),
        (f"[[keys]]\nkey = '{KEY}'\nuser = 'etl'", "key 1: keys are kept as hashes"),
        (keys_toml() + f"[[keys]]\nhash = '{hash_of('x')}'", "key 2: a user must have a name"),
        (keys_toml() * 2, "one key is there twice"),
    ],
)
def test_a_wrong_file_of_keys_says_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    message = failure(keys, private(tmp_path / "keys.toml", text))
    assert complaint in message
    assert KEY not in message


def test_files_may_be_json(tmp_path: Path) -> None:
    entry = {"password": str(hash_password(ANN_SECRET, CHEAP)), "roles": ["analyst"]}
    path = private(tmp_path / "users.json", json.dumps({"users": {"ann": entry}}))
    identity = identity_in(users(path).authenticate(ANN))
    assert identity is not None and identity.roles == {"analyst"}
    path = private(tmp_path / "keys.json", json.dumps({"keys": [{"hash": hash_of(KEY), "user": "etl"}]}))
    assert keys(path).authenticate(Bearer(KEY)) is not None
    for text in ("{", "[]", "\ufeff{}", "[" * 100_000):
        assert "keys.json" in failure(keys, private(path, text))
    path.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in failure(keys, path)


def test_an_absent_file_stops_the_start(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in failure(users, tmp_path / "users.toml")
    assert "needs users_file" in failure(lambda p: configured(p, 'type = "users_file"'), tmp_path)
    assert "needs keys_file or keys" in failure(lambda p: configured(p, 'type = "api_key"'), tmp_path)


def test_a_changed_password_holds_at_once(tmp_path: Path) -> None:
    path = private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    provider = users(path)
    assert provider.authenticate(ANN) is not None
    assert provider.authenticate(ANN) is not None  # remembered
    private(path, users_toml(ann="another-one"))
    os.utime(path, ns=(1, 1))
    with pytest.raises(AuthenticationFailed):
        provider.authenticate(ANN)
    assert provider.authenticate(Password("ann", "another-one")) is not None


def test_changed_roles_hold_at_once_also_for_who_is_remembered(tmp_path: Path) -> None:
    text = users_toml(ann=ANN_SECRET)
    path = private(tmp_path / "users.toml", text)
    provider = users(path)
    assert provider.authenticate(ANN) is not None
    private(path, text.replace("analyst", "owner"))
    identity = identity_in(provider.authenticate(ANN))
    assert identity is not None and identity.roles == {"owner"}


def test_a_removed_key_is_refused_at_once(tmp_path: Path) -> None:
    path = private(tmp_path / "keys.toml", keys_toml())
    provider = keys(path)
    assert provider.authenticate(Bearer(KEY)) is not None
    private(path, "")
    with pytest.raises(AuthenticationFailed):
        provider.authenticate(Bearer(KEY))


@pytest.mark.parametrize("how", ["open to others", "broken", "gone"])
def test_a_file_that_cannot_be_used_any_more_lets_nobody_in(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    chain = Chain([users(path)], limiter=Limiter(100))
    assert chain.authenticate(ANN, peer="192.0.2.1").user == "ann"
    text = path.read_text()
    if how == "open to others":
        path.chmod(0o644)
    elif how == "broken":
        path.write_text("[users")
    else:
        path.unlink()
    with pytest.raises(AuthenticationFailed, match=r"^authentication failed$"):
        chain.authenticate(ANN, peer="192.0.2.1")
    assert any(
        str(path) in record.getMessage() for record in caplog.records if record.levelno == logging.ERROR
    )
    private(path, text)
    assert chain.authenticate(ANN, peer="192.0.2.1").user == "ann"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[Cost]:
    """What each comparison with a hash has cost."""
    done: list[Cost] = []
    matches = PasswordHash.matches

    def counted(self: PasswordHash, password: str) -> bool:
        done.append(self.cost)
        return matches(self, password)

    monkeypatch.setattr(PasswordHash, "matches", counted)
    return done


def test_a_right_password_is_remembered_for_a_moment(tmp_path: Path, work: list[Cost]) -> None:
    now = [0.0]
    path = private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    provider = UsersFile(PrivateFile(path, read_users), clock=lambda: now[0])
    for _ in range(5):
        assert provider.authenticate(ANN) is not None
    assert len(work) == 1
    now[0] += REMEMBERED_SECS
    assert provider.authenticate(ANN) is not None
    assert len(work) == 2
    for wrong in ("wrong-one", "wrong-one"):
        with pytest.raises(AuthenticationFailed):
            provider.authenticate(Password("ann", wrong))
    assert len(work) == 4  # wrong ones never are


def test_what_is_remembered_is_not_the_password(tmp_path: Path) -> None:
    path = private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET))
    provider = UsersFile(PrivateFile(path, read_users))
    assert provider.authenticate(ANN) is not None
    reached: list[object] = [provider]
    seen: set[int] = set()
    while reached:
        one = reached.pop()
        if id(one) in seen or isinstance(one, type):
            continue
        seen.add(id(one))
        assert one not in (ANN_SECRET, ANN_SECRET.encode())
        if isinstance(one, Mapping):
            reached += [*one.keys(), *one.values()]
        elif isinstance(one, (tuple, list, set, frozenset)):
            reached += one
        elif type(one).__module__.startswith("sqe."):
            names = [*getattr(one, "__dict__", ()), *getattr(one, "__slots__", ())]
            reached += [getattr(one, name) for name in names]
    assert len(seen) > 10


def test_a_user_that_is_not_there_costs_what_one_that_is_costs(tmp_path: Path, work: list[Cost]) -> None:
    provider = users(private(tmp_path / "users.toml", users_toml(ann=ANN_SECRET)))
    for user in ("ann", "nobody"):
        with pytest.raises(AuthenticationFailed):
            provider.authenticate(Password(user, "wrong-one"))
    assert work == [CHEAP, CHEAP]


def test_a_hash_is_read_as_it_was_written_and_as_others_write_it() -> None:
    kept = hash_password("correct horse", CHEAP)
    assert read_hash(str(kept)) == kept
    assert kept != hash_password("correct horse", CHEAP), "each has a salt of its own"
    # An example of RFC 7914, section 12, and its first 32 bytes.
    digest = bytes.fromhex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
    assert PasswordHash(Cost(ln=10, r=8, p=16), b"NaCl", digest).matches("password")


@pytest.mark.parametrize("text", ["hunter2", "$2b$12$abc", "$scrypt$ln=4,r=1,p=1$$"])
def test_what_is_no_hash_is_not_shown(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_hash(text)
    assert text not in str(caught.value)
