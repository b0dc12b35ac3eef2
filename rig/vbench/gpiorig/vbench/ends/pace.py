"""The two paces of a virtual bench: as fast as the host can, or one virtual second per second of the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Protocol

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.ends.analyzer import AnalyzerServer
from gpiorig.vbench.ends.uart import VirtualUart

# One turn of the fast pace: short enough that samples flow, long enough that Python costs little.
SLICE_PS = 5_000_000_000
# A line from the host waits this long for all boards to sleep; then it enters at the next multiple of it.
ENTRY_PS = 100_000_000_000
_TICK_S = 0.002
_LONGEST_TURN_PS = 50_000_000_000  # of the real-time pace, so that a late bench still serves its sockets
_PS_PER_S = 1_000_000_000_000
# The most that a program on the host ages the boards between two looks: a person at a prompt may take hours.
_LONGEST_PAUSE_PS = 100_000_000_000


class HostClock:
    """By how much virtual time advances for a program that waits by the host's clock, where nothing else drives it.

    Without what the boards' own computation takes (`stopped`): where a board that computes is slower than the host's
    clock, each pause would be longer than the one before, up to the longest.
    """

    def __init__(self) -> None:
        self._last_s = time.monotonic()

    def pause_ps(self) -> int:
        """Since the last call."""
        now_s = time.monotonic()
        pause_s, self._last_s = now_s - self._last_s, now_s
        return min(int(pause_s * _PS_PER_S), _LONGEST_PAUSE_PS)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """While the boards compute."""
        began_s = time.monotonic()
        yield
        self._last_s += time.monotonic() - began_s


class Pace(Protocol):
    """When the bench's loop waits, and how far virtual time goes in one turn."""

    def timeout_s(self) -> float | None:
        """How long the loop may wait for the host; None: until the host does something."""

    def turn(self) -> None:
        """Let virtual time advance, if it may."""

    @property
    def stands(self) -> bool:
        """Whether virtual time stands still but for what a debug adapter or a flashing tool does."""

    def settled(self, until_ps: int) -> bool:
        """Whether the host has all that came until this instant, or until nothing more is to come."""

    def wake(self) -> None:
        """A program outside has acted on a board."""

    @property
    def remarks(self) -> list[str]:
        """The message about the pace at the end."""


class Console(Protocol):
    """The host's side of a board's serial port, as the fast pace uses it."""

    @property
    def has_pending(self) -> bool:
        """Whether bytes wait for the host."""

    @property
    def has_line(self) -> bool:
        """Whether a line from the host waits."""

    def take_line(self) -> bytes:
        """The next line from the host, or nothing."""

    def feed(self, data: bytes) -> None:
        """Send bytes to the board at the present virtual instant."""

    def drain_board(self) -> None:
        """Take what the board has sent by now."""


class Sampler(Protocol):
    """The host's side of an analyzer."""

    @property
    def capturing(self) -> bool:
        """Whether it samples."""

    @property
    def has_pending(self) -> bool:
        """Whether samples wait for the host."""

    def pump(self) -> None:
        """Hand the host the samples up to the present virtual instant."""


class FastPace:
    """Virtual time runs as fast as the host computes and the analyzers' clients take samples.

    It stands still

    - until every analyzer of the bench captures, and again once none does: nothing happens unseen, and a run begins at
      the same instant;
    - while samples or serial bytes wait for the host: nothing is lost, memory is bounded;
    - while every board sleeps with nothing to come: the next move is the host's. A line from the host enters the
      virtual world at that instant, so the same commands give the same edges however long the host thinks.

    Where boards do not all sleep within `ENTRY_PS`, such as with a periodic tick, a line enters at a multiple of it.
    """

    def __init__(
        self,
        boards: VirtualBoards,
        uarts: Collection[Console],
        analyzers: Collection[Sampler],
        *,
        slice_ps: int = SLICE_PS,
    ) -> None:
        self._boards, self._uarts, self._analyzers, self._slice_ps = boards, uarts, analyzers, slice_ps
        self._running = self._idle = False
        self._waiting_since_ps: int | None = None

    def timeout_s(self) -> float | None:
        """No wait while virtual time may advance."""
        if self._idle:
            self._feed_line()
        return 0 if self._may_run() else None

    def turn(self) -> None:
        """Run one slice, and hand the host what came of it."""
        if not self._may_run():
            return
        until_ps = self._boards.now_ps + self._slice_ps
        entry_ps = self._entry_ps()
        if entry_ps is not None:
            until_ps = min(until_ps, entry_ps)
        self._idle = self._boards.run(until_ps)
        _hand_over(self._uarts, self._analyzers)
        if self._boards.now_ps == entry_ps and not self._idle:
            self._feed_line()

    @property
    def stands(self) -> bool:
        """While no analyzer captures, and while every board sleeps."""
        return not self._may_run()

    def settled(self, until_ps: int) -> bool:
        """Also when every board sleeps, or no analyzer captures any more."""
        done = self._idle or not self._running or self._boards.now_ps >= until_ps
        return done and not _pending(self._uarts, self._analyzers)

    def wake(self) -> None:
        """The boards may have something to do."""
        self._idle = False
        _hand_over(self._uarts, self._analyzers)

    @property
    def remarks(self) -> list[str]:
        """Nothing."""
        return []

    def _may_run(self) -> bool:
        capturing = [analyzer.capturing for analyzer in self._analyzers]
        self._running = all(capturing) or (self._running and any(capturing))
        return self._running and not self._idle and not _pending(self._uarts, self._analyzers)

    def _entry_ps(self) -> int | None:
        """The next instant at which a waiting line enters though boards are awake."""
        if not any(uart.has_line for uart in self._uarts):
            self._waiting_since_ps = None
            return None
        if self._waiting_since_ps is None:
            self._waiting_since_ps = self._boards.now_ps
        earliest_ps = max(self._waiting_since_ps + ENTRY_PS, self._boards.now_ps + 1)
        return -(-earliest_ps // ENTRY_PS) * ENTRY_PS

    def _feed_line(self) -> None:
        for uart in self._uarts:
            line = uart.take_line()
            if line:
                uart.feed(line)
                self._idle = False
                self._waiting_since_ps = None
                return


class RealTimePace:
    """Virtual time follows the wall clock; analyzers and serial ports deliver when it is due, and come and go.

    A turn that begins more than a tick late is counted. Nothing is skipped: the bench catches up.
    """

    def __init__(
        self,
        boards: VirtualBoards,
        uarts: Collection[VirtualUart],
        analyzers: Collection[AnalyzerServer],
        *,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._boards, self._uarts, self._analyzers = boards, uarts, analyzers
        self._clock_s = clock_s
        self._start_s: float | None = None
        self._due_s = 0.0
        self._ticks = self._late = 0
        self._worst_s = 0.0

    def timeout_s(self) -> float | None:
        """Until the next tick."""
        now_s = self._clock_s()
        if self._start_s is None:
            self._start_s = self._due_s = now_s
        return max(0.0, self._due_s - now_s)

    def turn(self) -> None:
        """Bring virtual time up to the wall clock, if a tick is due."""
        now_s = self._clock_s()
        if self._start_s is None or now_s < self._due_s:
            return
        late_s = now_s - self._due_s
        self._ticks += 1
        self._late += late_s > _TICK_S
        self._worst_s = max(self._worst_s, late_s)
        for uart in self._uarts:
            uart.feed(uart.take_all())
        wall_ps = int((now_s - self._start_s) * _PS_PER_S)
        self._boards.pass_time(min(wall_ps, self._boards.now_ps + _LONGEST_TURN_PS))
        _hand_over(self._uarts, self._analyzers)
        self._due_s = max(self._due_s + _TICK_S, self._start_s + self._boards.now_ps / _PS_PER_S)

    @property
    def stands(self) -> bool:
        """Never: the wall clock drives it."""
        return False

    def settled(self, until_ps: int) -> bool:
        """Only when the time has come: boards that sleep may be woken."""
        return self._boards.now_ps >= until_ps and not _pending(self._uarts, self._analyzers)

    def wake(self) -> None:
        """Wait for the wall clock, which a debug adapter may be ahead of: its TCK is not faster than it states."""
        if self._start_s is not None:
            time.sleep(max(0.0, self._start_s + self._boards.now_ps / _PS_PER_S - self._clock_s()))

    @property
    def remarks(self) -> list[str]:
        """How well the bench kept up, and what was not read."""
        ticks = f"{self._ticks} ticks of {_TICK_S * 1e3:g} ms"
        remark = f"real-time pace: {self._late} of {ticks} were late, at worst by {self._worst_s * 1e3:.1f} ms"
        lost = [f"{uart.path}: {uart.lost} bytes were lost because no program read the port" for uart in self._uarts]
        return [remark, *(text for text, uart in zip(lost, self._uarts, strict=True) if uart.lost)]


def _pending(uarts: Collection[Console], analyzers: Collection[Sampler]) -> bool:
    """Whether samples or serial bytes wait for the host."""
    return any(uart.has_pending for uart in uarts) or any(analyzer.has_pending for analyzer in analyzers)


def _hand_over(uarts: Collection[Console], analyzers: Collection[Sampler]) -> None:
    for uart in uarts:
        uart.drain_board()
    for analyzer in analyzers:
        analyzer.pump()
