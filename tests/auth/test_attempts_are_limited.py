"""Failed log-ins are limited by user and by address, also when they come all at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sqe.auth.limiter import Limiter, network
from sqe.errors import LimitExceeded

HERE, THERE = "192.0.2.1", "198.51.100.7"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def fail(limiter: Limiter, peer: str, user: str) -> None:
    limiter.end(limiter.begin(peer, user), accepted=False)


def succeed(limiter: Limiter, peer: str, user: str) -> None:
    limiter.end(limiter.begin(peer, user), accepted=True)


def limited(limiter: Limiter, peer: str, user: str) -> bool:
    try:
        attempt = limiter.begin(peer, user)
    except LimitExceeded:
        return True
    limiter.end(attempt, accepted=True)
    return False


def test_an_address_is_limited_whichever_users_it_tries(clock: Clock) -> None:
    limiter = Limiter(3, clock=clock)
    for user in ("a", "b", "c"):
        fail(limiter, HERE, user)
    assert limited(limiter, HERE, "d")
    assert not limited(limiter, THERE, "d")


def test_a_user_is_limited_from_wherever(clock: Clock) -> None:
    limiter = Limiter(3, clock=clock)
    for number in range(3):
        fail(limiter, f"203.0.113.{number}", "ann")
    assert limited(limiter, HERE, "ann")
    assert not limited(limiter, HERE, "bob")


def test_the_error_names_the_key_and_when_to_come_back(clock: Clock) -> None:
    limiter = Limiter(2, clock=clock)
    fail(limiter, HERE, "ann")
    clock.now += 20
    fail(limiter, HERE, "ann")
    with pytest.raises(LimitExceeded) as caught:
        limiter.begin(HERE, "ann")
    assert caught.value.code == "TOO_MANY_ATTEMPTS"
    assert caught.value.message == "too many failed log-ins: rate_limit.auth_attempts_per_minute is 2"
    assert caught.value.hint == "try again in 40 seconds"
    clock.now += 39
    with pytest.raises(LimitExceeded, match="in 1 second"):
        limiter.begin(HERE, "ann")
    clock.now += 1
    fail(limiter, HERE, "ann")
    assert limited(limiter, HERE, "ann")


def test_successes_do_not_count(clock: Clock) -> None:
    limiter = Limiter(2, clock=clock)
    for _ in range(20):
        succeed(limiter, HERE, "ann")
    assert not limited(limiter, HERE, "ann")


def test_a_success_takes_no_failure_back(clock: Clock) -> None:
    """Or whoever has an account could guess at others' for ever."""
    limiter = Limiter(3, clock=clock)
    for user in ("a", "b", "c"):
        fail(limiter, HERE, user)
        if user != "c":
            succeed(limiter, HERE, "mallory")
    assert limited(limiter, HERE, "d")
    succeed(limiter, HERE, "mallory")
    assert limited(limiter, HERE, "d")


def test_strangers_do_not_lock_out_who_has_been_here(clock: Clock) -> None:
    limiter = Limiter(3, clock=clock)
    succeed(limiter, HERE, "ann")
    for number in range(3):
        fail(limiter, f"203.0.113.{number}", "ann")
    for user in ("a", "b", "c"):
        fail(limiter, HERE, user)
    assert not limited(limiter, HERE, "ann")
    assert limited(limiter, THERE, "ann")
    for _ in range(3):
        fail(limiter, HERE, "ann")
    assert limited(limiter, HERE, "ann")


def test_many_at_once_are_no_way_around(clock: Clock) -> None:
    limiter = Limiter(4, clock=clock)
    tried: list[int] = []

    def guess(number: int) -> None:
        try:
            attempt = limiter.begin(HERE, "ann")
        except LimitExceeded:
            return
        tried.append(number)
        time.sleep(0.01)
        limiter.end(attempt, accepted=False)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(guess, range(64)))
    assert len(tried) == 4


def test_many_right_ones_at_once_all_get_in(clock: Clock) -> None:
    limiter = Limiter(2, clock=clock)

    def log_in(number: int) -> None:
        attempt = limiter.begin(HERE, "ann")
        time.sleep(0.002)
        limiter.end(attempt, accepted=True)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(log_in, range(64)))


def test_memory_is_bounded(clock: Clock) -> None:
    limiter = Limiter(3, keys=50, clock=clock)
    for number in range(1000):
        peer = f"10.0.{number // 250}.{number % 250}"
        fail(limiter, peer, "x" * 1000 + str(number))
        succeed(limiter, peer, "y" * 1000 + str(number))
    assert len(limiter) <= 100


def test_what_is_tried_on_is_not_forgotten_for_what_is_not(clock: Clock) -> None:
    limiter = Limiter(3, keys=50, clock=clock)
    for number in range(3):
        fail(limiter, f"203.0.113.{number}", "ann")
    for number in range(200):
        fail(limiter, f"10.0.0.{number}", f"u{number}")
        assert limited(limiter, THERE, "ann")


def test_nothing_is_kept_of_what_is_over(clock: Clock) -> None:
    limiter = Limiter(3, clock=clock)
    fail(limiter, HERE, "ann")
    clock.now += 61
    assert not limited(limiter, HERE, "ann")
    clock.now += 61
    succeed(limiter, HERE, "ann")
    assert len(limiter) <= 2  # that it was accepted, and the failure of both, which nobody asked for


@pytest.mark.parametrize(
    ("peer", "place"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5000", "192.0.2.1"),
        ("ipv4:192.0.2.1:5000", "192.0.2.1"),
        ("ipv6:%5B2001:db8:1:2::3%5D:5000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::3]:5000", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2:ffff::3]:5000", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::3", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:5000", "192.0.2.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
        ("unix:/run/sqe.sock", "unix:/run/sqe.sock"),
        ("", ""),
    ],
)
def test_an_address_counts_without_its_port(peer: str, place: str) -> None:
    assert network(peer) == place
