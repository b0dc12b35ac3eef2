"""Deadlines on two clocks that are advanced by hand: the host's, and a virtual bench's."""

from __future__ import annotations

import pytest

from gpiorig.capture.deadline import LOOK_S, Deadline

WAIT_S = 5.0


class Clocks:
    """The host's time in s, the bench's in ns, which starts anywhere."""

    def __init__(self) -> None:
        self.host_s, self.bench_ns = 100.0, 7_000_000_000

    def pass_time(self, host_s: float, *, speed: float) -> None:
        self.host_s += host_s
        self.bench_ns += round(host_s * speed * 1e9)


def waits_s(speed: float, *, stands_after_s: float = 1e9) -> float:
    """How long the host waits at a bench that runs at this many times real time, until it stops."""
    clocks = Clocks()
    deadline = Deadline(WAIT_S, lambda: clocks.bench_ns, clock_s=lambda: clocks.host_s)
    while deadline.left_s() > 0:
        assert deadline.left_s() <= LOOK_S
        clocks.pass_time(LOOK_S, speed=speed if clocks.host_s - 100.0 < stands_after_s else 0.0)
    return clocks.host_s - 100.0


@pytest.mark.parametrize(("speed", "host_s"), [(0.1, 10 * WAIT_S), (0.5, 2 * WAIT_S), (1.0, WAIT_S), (7.0, WAIT_S)])
def test_it_ends_when_both_clocks_have_come_so_far(speed: float, host_s: float) -> None:
    """A node that boots for 3 virtual s on a bench at a tenth of real time has them; a fast bench shortens nothing."""
    assert host_s == pytest.approx(waits_s(speed), abs=2 * LOOK_S)


@pytest.mark.parametrize("stands_after_s", [0.0, 3.0, 20.0])
def test_where_virtual_time_stands_the_host_counts(stands_after_s: float) -> None:
    """Nothing will come; yet not before the host has waited as long."""
    assert stands_after_s + WAIT_S == pytest.approx(waits_s(0.1, stands_after_s=stands_after_s), abs=2 * LOOK_S)


def test_without_a_virtual_bench_the_host_counts() -> None:
    clocks = Clocks()
    deadline = Deadline(WAIT_S, clock_s=lambda: clocks.host_s)
    clocks.pass_time(1.5, speed=0.0)

    assert 3.5 == pytest.approx(deadline.left_s())
