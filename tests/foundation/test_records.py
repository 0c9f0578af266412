"""Records are dataclasses in all that callers see, however late their `__init__` is compiled."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from dataclasses import dataclass, field, fields, replace
from threading import Barrier, Thread
from typing import Any

import pytest

from sqe.foundation.record import record


@dataclass(frozen=True)
class Plain:
    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)
    d: dict[str, int] = field(default_factory=dict, init=False, compare=False)
    e: int = field(default=5, init=False)

    def __post_init__(self) -> None:
        self.d["a"] = self.a


@record
class Kept:
    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)
    d: dict[str, int] = field(default_factory=dict, init=False, compare=False)
    e: int = field(default=5, init=False)

    def __post_init__(self) -> None:
        self.d["a"] = self.a


@record
class Longer(Kept):
    f: int = 6


@record
class Nothing:
    pass


@record
class Own:
    a: int

    def __init__(self) -> None:
        object.__setattr__(self, "a", 7)


@pytest.mark.parametrize(
    ("values", "named"), [((1,), {}), ((1, "x"), {}), ((1,), {"c": [2]}), ((), {"b": "y", "a": 3})]
)
def test_they_are_made_as_dataclasses_are(values: Any, named: Any) -> None:
    made, plain = Kept(*values, **named), Plain(*values, **named)
    assert [getattr(made, f.name) for f in fields(made)] == [getattr(plain, f.name) for f in fields(plain)]
    assert repr(made) == repr(plain).replace("Plain", "Kept")


def test_the_first_and_the_second_are_alike() -> None:
    @record
    class Fresh:
        a: int
        b: tuple[int, ...] = ()

    first, second = Fresh(1), Fresh(1)
    assert first == second and hash(first) == hash(second)
    assert replace(first, b=(2,)) == Fresh(1, (2,)) != first
    assert list(inspect.signature(Fresh).parameters) == ["a", "b"]


def test_each_has_its_own_lists() -> None:
    assert Kept(1).c is not Kept(1).c


def test_wrong_arguments_name_the_class() -> None:
    @record
    class Fresh:
        a: int

    for _ in range(2):
        with pytest.raises(TypeError, match=r"Fresh\.__init__\(\) missing 1 required .*: 'a'"):
            Fresh()  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"Fresh\.__init__\(\) got an unexpected keyword argument 'z'"):
            Fresh(a=1, z=2)  # type: ignore[call-arg]


def test_they_inherit_fields() -> None:
    assert Longer(1, f=8).f == 8
    assert [f.name for f in fields(Longer)] == ["a", "b", "c", "d", "e", "f"]
    assert Longer(1).d == {"a": 1}
    assert Longer(1) != Kept(1)


def test_they_may_be_empty_or_have_an_init_of_their_own() -> None:
    assert Nothing() == Nothing()
    assert Own().a == 7


def test_two_threads_may_make_the_first_one() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):

            @record
            class Fresh:
                a: int
                b: list[int] = field(default_factory=list)

            start = Barrier(4)
            made: list[Any] = []

            def make(cls: Any = Fresh, start: Barrier = start, made: list[Any] = made) -> None:
                start.wait()
                made.append(cls(1))

            threads = [Thread(target=make) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert made == [Fresh(1)] * 4
    finally:
        sys.setswitchinterval(before)


def test_they_travel_between_processes() -> None:
    record_ = Longer(1, "x", [2], 7)
    again = pickle.loads(pickle.dumps(record_))
    assert again == record_ and again.d == record_.d and copy.deepcopy(record_) == record_
