"""Numbers of routes and of round trips, by hand, and the sentences made of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from madeevents import events_of_rows

from gpiorig.analysis.delays import budget, model_doubt
from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.delays.model_doubt import Range
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Steps, between
from gpiorig.analysis.packets.timelines import COMPLETE, GAP, LOST, PARTIAL, Timelines

NS = Fraction(10**9)  # a sample is a nanosecond
NAMES = ("sixlowpan.tx", "mac.tx", "driver.prepare", "driver.load", "driver.exec")
NAN = float("nan")


def numbers_of(samples: list[list[int]], *, rate_hz: Fraction = NS) -> routenumbers.RouteNumbers:
    """Of packets with these durations of steps that are software, MAC, driver and driver."""
    durations = np.array(samples, dtype=np.int64).reshape(len(samples), -1 if samples else 3)
    milestones = {milestone.name: milestone for milestone in path.MILESTONES}
    ends = [milestones[f"request.{name}"] for name in NAMES[: durations.shape[1] + 1]]
    steps = tuple(between(a, b, nodes=("a", "b", "a"), ways=path.DIRECTIONS, turn=1) for a, b in pairwise(ends))
    rows = np.arange(len(durations))
    route = Route("a > b", Steps(steps, rows, durations, rate_hz), rows.astype(np.int32), 10**6 * rows, 0, 0)
    return routenumbers.numbers(route, budget.budget(route.steps))


def test_parts_of_round_trips_by_hand() -> None:
    """Sample 0 is an instant. A packet without the end of a part is lost to it; one in a gap is not counted."""
    rows = [
        (COMPLETE, (0, 0, 0, 30)),
        (PARTIAL, (100, 120, -1, 160)),
        (LOST, (200, 215, -1, -1)),
        (LOST, (0, -1, -1, -1)),
        (GAP, (400, 410, 425, 440)),
    ]
    names = ("request.app.tx", "request.app.rx", "reply.app.tx", "reply.app.rx")
    lines = Timelines(
        milestones=tuple(milestone for milestone in path.MILESTONES if milestone.name in names),
        absent=(),
        packets=np.arange(len(rows)),
        ids=np.arange(len(rows), dtype=np.int32),
        samples=np.array([samples for _, samples in rows]),
        status=np.array([status for status, _ in rows], dtype=np.uint8),
        nodes=("a", "b", "a"),
        ways=path.DIRECTIONS,
        turn=1,
        samplerate_hz=NS,
        header_samples=(0, 0),
    )
    burst = [(at, 1, "rig.calibrate", at // 80) for at in (0, 80, 160)]

    delays = routenumbers.round_trips(lines, events_of_rows(burst, ("a", "b"), end=500, rate_hz=NS))

    assert {
        "round trip": (2, 2, 30, 60),
        "request, app to app": (3, 1, 0, 20),
        "turn-around": (1, 2, 0, 0),
        "reply, app to app": (1, 0, 30, 30),
        "round trip minus the one before (IPDV)": (1, 0, 30, 30),
        "one event with an id, b (calibration)": (2, 0, 80, 80),
    } == {name: (delay.n, delay.lost, delay.min_ns, delay.max_ns) for name, delay in delays.items()}


@pytest.mark.parametrize(
    ("samples", "time", "variation"),
    [
        ([], "No packet has all its steps", "No packet has all its steps"),
        (
            [[10, 20, 30]],
            "Most of the time (50 %): driver, radio transfer; one packet has no jitter",
            "No step varies by more than the resolution (2.00 ns)",
        ),
        (
            [[10, 20, 30], [10, 20, 32]],
            "Most of the time (51 %): driver, radio transfer; no jitter above the resolution (2.00 ns)",
            "No step varies by more than the resolution (2.00 ns)",
        ),
        (
            [[10, 20], [15, 40]],
            "Most of the time (71 %): MAC: queue, slot, hand-over; "
            "most of the variance (80 %): MAC: queue, slot, hand-over",
            "Widest ranges: request mac to driver (20.0 ns) and request 6lowpan to mac (5.00 ns)",
        ),
        (
            [[10, 20, 30], [15, 40, 31]],
            "Most of the time (42 %): driver, radio transfer; most of the variance (77 %): MAC: queue, slot, hand-over",
            "Widest ranges: request mac to driver (20.0 ns) and request 6lowpan to mac (5.00 ns); "
            "every other step stays within 1.00 ns",
        ),
        (
            [[10, 20, 30, 1], [15, 40, 31, 9]],
            "Most of the time (46 %): driver, radio transfer; most of the variance (59 %): MAC: queue, slot, hand-over",
            "Widest ranges: request mac to driver (20.0 ns) and request load the frame (8.00 ns); "
            "every other step stays within 5.00 ns",
        ),
    ],
)
def test_conclusions_by_hand(samples: list[list[int]], time: str, variation: str) -> None:
    numbers = numbers_of(samples)
    assert variation == routenumbers.steps_conclusion(numbers)
    assert time == routenumbers.where_conclusion(numbers)


def test_a_route_on_which_nothing_arrived_has_no_conclusion() -> None:
    """It has no steps; nor has one whose steps took no time."""
    steps = Steps((), np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64), NS)
    route = Route("a > b", steps, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64), 3, 0)
    numbers = routenumbers.numbers(route, budget.budget(steps))
    assert (0, 3) == (numbers.total.n, numbers.total.lost)
    for conclusion in (routenumbers.where_conclusion(numbers), routenumbers.steps_conclusion(numbers)):
        assert "No packet has all its steps" == conclusion
    assert "No packet has all its steps" == routenumbers.where_conclusion(numbers_of([[0, 0], [0, 0]]))


def test_the_resolution_is_two_samples() -> None:
    """At 24 MS/s 2 / 24 µs."""
    assert "83.3 ns" == numbers_of([[1, 2]], rate_hz=Fraction(24_000_000)).resolution_text


@pytest.mark.parametrize(
    ("low_ns", "high_ns", "text"),
    [
        (0.0, 0.0, "\N{EN DASH}"),
        (-5.0, 0.0, "\N{MINUS SIGN}5.00 ns to 0"),
        (0.0, 7.0, "0 to +7.00 ns"),
        (-5.0, 7.0, "\N{MINUS SIGN}5.00 ns to +7.00 ns"),
    ],
)
def test_ranges_have_their_signs(low_ns: float, high_ns: float, text: str) -> None:
    assert text == model_doubt.range_text(Range(low_ns, high_ns))
