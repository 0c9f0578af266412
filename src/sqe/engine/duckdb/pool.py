"""The children of the fast lane: started when needed, replaced when they die, none left behind."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb import spawn, wire
from sqe.engine.duckdb.errors import FastLaneFailed

if TYPE_CHECKING:
    from sqe.foundation.scratch import Scratch

PREFIX = "sqe-fast-"
# As many as an instance cache of a child remembers.
REMEMBERED = 4
END_SECONDS = 2.0


class Child:
    """One process. Whoever holds it is its only user; `kill()` is for any thread."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.directory: Path | None = None
        self.statements = 0
        self._keys: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()
        self._reaped = False
        self.pid, self.sock = spawn.take()

    def knows(self, key: str) -> bool:
        return key in self._keys

    def remember(self, key: str) -> None:
        """It has the instance of this key now, in the place of the oldest."""
        self._keys[key] = None
        self._keys.move_to_end(key)
        while len(self._keys) > REMEMBERED:
            self._keys.popitem(last=False)

    @property
    def usable(self) -> bool:
        """Whether it waits for a statement: alive, and with nothing more to say."""
        if self.reaped():
            return False
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return not poll.poll(0)

    def reaped(self) -> bool:
        with self._lock:
            if not self._reaped:
                try:
                    self._reaped = os.waitpid(self.pid, os.WNOHANG)[0] != 0
                except ChildProcessError:
                    # Somebody waits for all children of this process.
                    self._reaped = True
            return self._reaped

    def kill(self) -> None:
        if not self.reaped():
            with self._lock, contextlib.suppress(ProcessLookupError):
                # Not reaped, so that the number is still its own.
                if not self._reaped:
                    os.kill(self.pid, signal.SIGKILL)

    def end(self) -> bool:
        """Whether it has ended, and everything of it."""
        self.kill()
        self.sock.close()
        if not self.gone_within(END_SECONDS):
            return False
        if self.directory is not None:
            import shutil

            shutil.rmtree(self.directory, ignore_errors=True)
        return True

    def gone_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        pause = 0.0005
        while not self.reaped():
            if time.monotonic() >= until:
                return False
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True


class Pool:
    """At most as many children as `[engine.fast] processes` says."""

    def __init__(self, settings: FastSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._starting = 0
        self._undead: list[Child] = []
        self._numbers = itertools.count(1)
        self._scratch: Scratch | None = None
        self._closed = False
        self._released_at = time.monotonic()

    @property
    def standstill(self) -> float:
        """Seconds since a child was last given back."""
        return time.monotonic() - self._released_at

    def start(self, children: int) -> None:
        """Ahead of statements, up to this many in all."""
        while self._may_start(children):
            try:
                child = self._start()
            except FastLaneFailed:
                # The statement that needs it tries again, and reports it.
                return
            self.give_back(child)

    def take(self, key: str, wait: Callable[[threading.Condition], None]) -> Child:
        """A child for exclusive use, preferably one that has the instance of `key`. `wait` waits for a change
        of the condition, or raises."""
        while True:
            with self._changed:
                while not self._closed and not self._idle and not self._has_room():
                    try:
                        wait(self._changed)
                    except BaseException:
                        # This may be the waiter that was woken for a child.
                        self._changed.notify()
                        raise
                if self._closed:
                    raise FastLaneFailed("the fast lane is closed")
                child = self._pick(key)
                if child is None:
                    self._starting += 1
                else:
                    self._busy.add(child)
            if child is None:
                return self._start()
            if child.usable:
                return child
            self.drop(child)

    def give_back(self, child: Child) -> None:
        with self._changed:
            self._busy.discard(child)
            self._released_at = time.monotonic()
            if not self._closed:
                self._idle.append(child)
                # One child is for one of them.
                self._changed.notify()
                return
        self.drop(child)

    def drop(self, child: Child) -> None:
        """A child that nobody may use again."""
        with self._changed:
            self._busy.discard(child)
            self._released_at = time.monotonic()
            self._changed.notify_all()
        if not child.end():
            with self._changed:
                self._undead.append(child)

    def children(self) -> list[int]:
        """Their process ids."""
        with self._changed:
            return [child.pid for child in (*self._idle, *self._busy)]

    def wake(self) -> None:
        """Whoever waits for a child looks whether it still should."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            undead, self._undead = self._undead, []
            self._changed.notify_all()
        for child in (*busy, *idle):
            # An idle one has nothing to lose; a statement hears of it, and closes the socket.
            child.kill()
        for child in (*idle, *undead):
            child.end()
        for child in busy:
            child.gone_within(END_SECONDS)
        with self._changed:
            scratch, self._scratch = self._scratch, None
        if scratch is not None:
            scratch.remove()

    def _has_room(self) -> bool:
        return len(self._idle) + len(self._busy) + self._starting < self._settings.most_children

    def _may_start(self, children: int) -> bool:
        with self._changed:
            count = len(self._idle) + len(self._busy) + self._starting
            if self._closed or count >= min(children, self._settings.most_children):
                return False
            self._starting += 1
            return True

    def _pick(self, key: str) -> Child | None:
        """Called with the lock held. None means a new one."""
        for child in self._idle:
            if child.knows(key):
                break
        else:
            if not self._idle:
                return None
            # The one that was used last is the warmest.
            child = self._idle[-1]
        self._idle.remove(child)
        return child

    def _start(self) -> Child:
        """One for the caller, who has counted it in `_starting`."""
        child = None
        try:
            child = Child(next(self._numbers))
            # It imports DuckDB by now, which takes longer than all of this.
            child.directory = self._spill_directory() / f"child-{child.number}"
            child.directory.mkdir(mode=0o700)
            hello = {
                "owner": os.getpid(),
                "spill": str(child.directory),
                "memory_limit": self._settings.memory_limit,
                "max_spill": self._settings.max_spill,
                "threads": self._settings.threads_each,
            }
            wire.send(child.sock, *wire.encode(wire.HELLO, hello))
            with self._changed:
                self._busy.add(child)
            return child
        except (OSError, wire.Gone) as error:
            if child is not None:
                child.end()
            reason = error.strerror if isinstance(error, OSError) else None
            raise FastLaneFailed(
                "the fast lane's process could not be started" + (f": {reason}" if reason else "")
            ) from None
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify_all()

    def _spill_directory(self) -> Path:
        from sqe.foundation.scratch import Scratch, remove_stale

        with self._changed:
            if self._closed:
                raise FastLaneFailed("the fast lane is closed")
            if self._scratch is None:
                remove_stale(PREFIX, self._settings.spill_dir)
                self._scratch = Scratch(PREFIX, self._settings.spill_dir)
            return self._scratch.path
