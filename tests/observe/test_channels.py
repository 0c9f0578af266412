"""Two ways to hear events: without fail and at once, or soon and as far as there is room."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.observe.event_samples import received

from sqe.observe.channels import Events
from sqe.observe.events import Event, Observer, StatementReceived
from sqe.observe.history import History
from sqe.observe.json_log import JsonLog

SENDERS, EACH = 8, 500


class Recorder:
    """What is heard, by the thread that it is heard in."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int]] = []
        self._lock = threading.Lock()

    def hear(self, event: Event) -> None:
        assert isinstance(event, StatementReceived)
        with self._lock:
            self.heard.append((event.origin.statement_id, threading.get_ident()))

    @property
    def ids(self) -> list[str]:
        return [id for id, _ in self.heard]


class Slow:
    """Hears nothing before it is released."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.heard = 0

    def hear(self, event: Event) -> None:
        self.release.wait(30)
        self.heard += 1


class Broken:
    def hear(self, event: Event) -> None:
        raise RuntimeError("no")


def send(events: Events) -> list[str]:
    """From several threads at once; the ids that were sent."""

    def work(sender: int) -> None:
        for number in range(EACH):
            events.emit(received(f"{sender}-{number}"))

    threads = [threading.Thread(target=work, args=(sender,)) for sender in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [f"{sender}-{number}" for sender in range(SENDERS) for number in range(EACH)]


def test_a_full_queue_drops_and_counts() -> None:
    slow = Slow()
    events = Events([slow], capacity=5)
    for number in range(50):
        events.emit(received(str(number)))
    assert events.dropped >= 40
    slow.release.set()
    events.close()
    assert slow.heard + events.dropped == 50


@pytest.mark.parametrize("others", [(), (Broken,)], ids=["alone", "beside one that fails"])
def test_the_certain_channel_loses_nothing_while_the_other_is_full(
    others: tuple[Callable[[], Observer], ...],
) -> None:
    slow, certain = Slow(), Recorder()
    events = Events([slow], certain=[*(make() for make in others), certain], capacity=5)
    ids = send(events)
    # Everything was heard before the queue moved at all, each event once, and those of a sender in order.
    assert events.dropped >= len(ids) - 10 and slow.heard == 0
    assert sorted(certain.ids) == sorted(ids)
    for sender in range(SENDERS):
        theirs = [id for id in certain.ids if id.startswith(f"{sender}-")]
        assert theirs == [f"{sender}-{number}" for number in range(EACH)]
    slow.release.set()
    events.close()
    assert slow.heard + events.dropped == len(ids)
    assert len(certain.ids) == len(ids), "and nothing is heard twice"


def test_the_certain_channel_is_heard_before_the_sender_goes_on() -> None:
    certain = Recorder()
    Events(certain=[certain]).emit(received("1"))
    assert certain.heard == [("1", threading.get_ident())]


def test_history_misses_nothing_while_the_queue_is_full() -> None:
    slow, history = Slow(), History()
    events = Events([slow], certain=[history], capacity=5)
    ids = send(events)
    assert history.running == len(ids)
    slow.release.set()
    events.close()


def test_a_broken_observer_does_not_stop_the_others(tmp_path: Path) -> None:
    events = Events([Broken(), JsonLog(tmp_path / "log")])
    events.emit(received())
    events.close()
    assert json.loads((tmp_path / "log").read_text())["event"] == "received"
