"""Threads that are used again."""

from __future__ import annotations

import os
import threading

import pytest

from sqe.foundation import idle_threads
from sqe.foundation.idle_threads import IdleThreads


def thread_of(threads: IdleThreads) -> int:
    """The thread that it runs in, once its work is done."""
    found: list[int] = []
    done = threading.Event()

    def work() -> None:
        found.append(threading.get_ident())
        done.set()

    threads.run(work)
    assert done.wait(10)
    return found[0]


def wait_until_idle(threads: IdleThreads, count: int) -> None:
    settled = threading.Event()
    for _ in range(1000):
        if threads.idle == count:
            return
        settled.wait(0.01)
    assert threads.idle == count


def test_one_thread_does_one_work_after_another() -> None:
    threads = IdleThreads("test")
    used = set()
    for _ in range(5):
        used.add(thread_of(threads))
        wait_until_idle(threads, 1)
    assert len(used) == 1


def test_work_never_waits_for_other_work() -> None:
    threads = IdleThreads("test")
    everybody = threading.Barrier(20)
    done = threading.Barrier(21)

    def work() -> None:
        everybody.wait(10)
        done.wait(10)

    for _ in range(20):
        threads.run(work)
    done.wait(10)


def test_a_thread_without_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_threads, "_IDLE_SECONDS", 0.05)
    threads = IdleThreads("test-ending")
    thread_of(threads)
    wait_until_idle(threads, 0)
    for thread in threading.enumerate():
        if thread.name == "test-ending":
            thread.join(10)
            assert not thread.is_alive()


def test_work_that_fails_ends_its_thread_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    raised = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: raised.set())
    threads = IdleThreads("test")

    def fail() -> None:
        raise ValueError("planted")

    threads.run(fail)
    assert raised.wait(10)
    thread_of(threads)


def test_a_forked_process_has_threads_of_its_own() -> None:
    threads = IdleThreads("test")
    thread_of(threads)
    wait_until_idle(threads, 1)
    child = os.fork()
    if child == 0:
        thread_of(threads)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
