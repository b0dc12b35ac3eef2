"""Parts of the radio wait: against a sample-by-sample count, and with shares that add up to the step's."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.attribution import airtime, radio_waits
from gpiorig.analysis.attribution.airtime import Intervals
from gpiorig.analysis.attribution.frame_lines import ACK_WAIT_NS
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.delays import budget, radio_parts
from gpiorig.analysis.delays.instruments import Analyzer, Instruments, Node
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Steps, between

RATE_HZ = Fraction(1_000_000)
ACK_WAIT = ACK_WAIT_NS // 1000  # samples
END = 400_000
NONE = airtime.NONE


def intervals(rng: np.random.Generator, count: int, longest: int, *, low: int = 0, high: int = END) -> Intervals:
    """Random intervals, some of which overlap."""
    starts = np.sort(rng.integers(low, high, count))
    return Intervals(starts, starts + rng.integers(1, longest, count))


def air_of(rng: np.random.Generator, packets: int = 40, *, commanded: bool = True) -> Air:
    """Waits of 1 to 6 ms every 10 ms, in which one packet in three was sent before, among frames of others."""
    begins = 1000 + 10_000 * np.arange(packets, dtype=np.int64)
    ends = begins + rng.integers(1000, 6000, packets)
    early = begins + rng.integers(0, 900, packets)
    again = rng.random(packets) < 1 / 3
    attempts = Intervals(early[again], np.minimum(early + rng.integers(50, 900, packets), ends)[again])
    flags = rng.random((3, packets)) < 0.1
    return Air(
        begins=begins,
        ends=ends,
        lengths=np.full(packets, 100),
        attempts=airtime.union(attempts),
        others=airtime.union(intervals(rng, 60, 4000)),
        unreceived=airtime.union(intervals(rng, 5, 2000)),
        hidden=flags[0],
        unclear=flags[1],
        unseen=flags[2],
        foreign=flags[2],
        commanded=commanded,
        samplerate_hz=RATE_HZ,
        span=END,
    )


def route_of(air: Air, others: np.ndarray) -> Route:
    """A step of software, the wait, and the air."""
    milestones = {MILESTONE.name: MILESTONE for MILESTONE in path.MILESTONES}
    names = ("driver.exec", "driver.exec.exit", "air.start", "irq")
    ends = [milestones[f"request.{name}"] for name in names]
    steps = tuple(between(a, b, nodes=("one", "two", "one"), ways=path.DIRECTIONS, turn=1) for a, b in pairwise(ends))
    samples = np.column_stack([others[:, 0], air.ends - air.begins, others[:, 1]])
    route_steps = Steps(steps, np.arange(len(samples)), samples, RATE_HZ)
    return Route("round trip", route_steps, np.arange(len(samples), dtype=np.int32), air.begins - others[:, 0], 0, 0)


def parts_of(air: Air, route: Route) -> radio_parts.RadioParts:
    (parts,) = radio_waits.for_route(route, {route.steps.steps[1].name: air})
    return parts


def plain(air: Air) -> np.ndarray:
    """int64[k, 4], every sample of a wait given to the first part that it is in."""
    own, foreign = (np.zeros(END + 10_000, dtype=bool) for _ in range(2))
    waits = np.zeros_like(own)
    for start, end in zip(*air.attempts, strict=True):
        own[start:end] = True
        window = int(np.searchsorted(air.begins, start, side="right")) - 1
        waits[end : min(end + ACK_WAIT, air.ends[window])] = True
    for part in (air.others, air.unreceived):
        for start, end in zip(*part, strict=True):
            foreign[start:end] = True
    kinds = np.select([own, waits, foreign], [0, 1, 2], default=3)
    return np.array([np.bincount(kinds[a:b], minlength=4) for a, b in zip(air.begins, air.ends, strict=True)])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 32))
def test_parts_are_those_of_every_sample(seed):
    """They add up to the wait exactly, whether it can be divided or not."""
    rng = np.random.default_rng(seed)
    air = air_of(rng)
    route = route_of(air, rng.integers(1, 500, (len(air.begins), 2)))
    parts = parts_of(air, route)
    assert (parts.samples >= 0).all()
    np.testing.assert_array_equal(route.steps.samples[:, 1], parts.samples.sum(axis=1))
    unknown = air.hidden | air.unclear | air.unseen
    np.testing.assert_array_equal(~unknown, parts.divided)
    np.testing.assert_array_equal(plain(air)[~unknown, :3], parts.samples[~unknown, :3])
    backoffs = [radio_parts.BACKOFF, radio_parts.AGAIN]
    np.testing.assert_array_equal(plain(air)[~unknown, 3], parts.samples[~unknown][:, backoffs].sum(axis=1))
    assert not parts.samples[unknown, : radio_parts.UNDIVIDED].any() and not parts.attempt_count[unknown].any()
    sent_once = np.flatnonzero(parts.attempt_count == 0)
    assert not parts.retransmission[sent_once].any()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 20))
def test_time_covered_is_what_is_counted(seed, count):
    """By windows that overlap what they like."""
    rng = np.random.default_rng(seed)
    merged = airtime.union(intervals(rng, count, 60, high=500))
    windows = intervals(rng, 10, 300, high=500)
    busy = np.zeros(1000, dtype=bool)
    for start, end in zip(*merged, strict=True):
        busy[start:end] = True
    expected = [int(busy[a:b].sum()) for a, b in zip(*windows, strict=True)]
    assert expected == airtime.covered(merged, *windows).tolist()
    rows = [
        sum(a < end and start < b for start, end in zip(*merged, strict=True)) for a, b in zip(*windows, strict=True)
    ]
    assert rows == airtime.count_within(merged, *windows).tolist()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1 << 32))
def test_shares_of_the_parts_add_up_to_the_step(seed):
    """Of the time, the variance and the tail; and parts change no share of a step."""
    rng = np.random.default_rng(seed)
    air = air_of(rng)
    route = route_of(air, rng.integers(1, 500, (len(air.begins), 2)))
    parts = parts_of(air, route)
    shares = budget.budget(route.steps, parts=(parts,))
    alone = budget.budget(route.steps)
    assert (alone.time, alone.variance, alone.tail) == (shares.time, shares.variance, shares.tail)
    assert math.isclose(1, sum(share.value for share in shares.time), rel_tol=1e-9)
    for kind in ("time", "variance", "tail"):
        complete = getattr(shares, kind)[1].value
        np.testing.assert_allclose(sum(getattr(part, kind).value for part in shares.parts), complete, atol=1e-9)
    assert [1] * 7 == [part.step for part in shares.parts]


def test_intervals_of_the_parts_have_the_plain_values():
    """cov(part, total) / var(total), with an interval around it."""
    rng = np.random.default_rng(1)
    air = air_of(rng)
    route = route_of(air, rng.integers(1, 500, (len(air.begins), 2)))
    parts = parts_of(air, route)
    totals = route.totals
    for part, samples in zip(budget.budget(route.steps, parts=(parts,)).parts, parts.samples.T, strict=True):
        assert np.cov(samples, totals)[0, 1] / np.var(totals, ddof=1) == pytest.approx(part.variance.value)
        assert samples.mean() / totals.mean() == pytest.approx(part.time.value)
        assert (np.count_nonzero(samples), samples.mean() * 1000) == pytest.approx((part.packets, part.mean_ns))
        assert part.variance.low <= part.variance.value <= part.variance.high


def test_retransmissions_are_a_kind_without_a_step_of_its_own():
    """Its shares are those of its four parts; of the wait the rest is left. A part that no packet has is omitted."""
    rng = np.random.default_rng(1)
    air = dataclasses.replace(air_of(rng), others=NONE, unreceived=NONE)
    route = route_of(air, rng.integers(1, 500, (len(air.begins), 2)))
    parts = parts_of(air, route)
    shares = budget.budget(route.steps, parts=(parts,))
    groups = {group.of: group for group in shares.by_kind}
    again = [part for part in shares.parts if part.kind is path.Kind.RETRANSMISSION]

    assert 4 == len(again)
    assert ((), (1,)) == (groups[path.Kind.RETRANSMISSION].steps, groups[path.Kind.RADIO_WAIT].steps)
    for kind in ("time", "variance", "tail"):
        share = getattr(groups[path.Kind.RETRANSMISSION], kind).value
        assert sum(getattr(part, kind).value for part in again) == pytest.approx(share)
        assert getattr(shares, kind)[1].value == pytest.approx(
            share + getattr(groups[path.Kind.RADIO_WAIT], kind).value
        )
    assert not parts.others.any()
    names = [name for name, samples in zip(PART_NAMES, parts.samples.T, strict=True) if samples.any()]
    assert names == [part.name for part in shares.parts_of(1)]
    assert () == shares.parts_of(0)


@pytest.mark.parametrize(("spread", "source"), [(0.0, ""), (7.0, "data sheet")])
def test_the_uncertainty_of_parts_by_hand(spread, source):
    """At 1 MS/s: the mean of those that have a part; what no line shows is off by a backoff, before it and after it."""
    air = air_of(np.random.default_rng(1), packets=3)
    route = route_of(air, np.full((3, 2), 100))
    samples = np.zeros((7, 3), dtype=np.int64)
    samples[radio_parts.BACKOFF], samples[radio_parts.UNDIVIDED] = [20, 0, 40], [0, 90, 0]
    parts = radio_parts.RadioParts(1, *samples, np.zeros(3, dtype=np.int64), spread=spread)
    node = Node(mark_ns=192_000, mark_uncertainty_ns=9000.0, mark_source=source)
    instruments = Instruments(Analyzer(period_ns=1000.0), nodes={"two": node})
    delays = radio_parts.uncertainties(parts, route, instruments)
    assert [0.0, 0.0, 0.0, 30_000.0, 0.0, 90_000.0, 0.0] == [delay.delay_ns for delay in delays]
    for name, delay in zip(PART_NAMES, delays, strict=True):
        named = {component.name: component for component in delay.components}
        is_unseen = name in (PART_NAMES[radio_parts.UNDIVIDED], PART_NAMES[radio_parts.REPEATED])
        assert (is_unseen and spread > 0) == ("first attempt, on no line" in named)
        if is_unseen and spread:
            assert 7000.0 == named["first attempt, on no line"].standard_ns
        assert (source or "unknown") == named["first bit on the air"].source
        assert 9000 / math.sqrt(3) == pytest.approx(named["first bit on the air"].standard_ns)


def test_rows_of_the_table_name_step_and_part():
    """A row per part below its step; the column is empty for complete steps, kinds and nodes."""
    rng = np.random.default_rng(2)
    air = air_of(rng)
    route = route_of(air, rng.integers(1, 500, (len(air.begins), 2)))
    table = budget.as_table(budget.budget(route.steps, parts=(parts_of(air, route),))).to_pylist()
    assert ["", "", *PART_NAMES, ""] == [row["part"] for row in table if row["of"] == "step"]
    assert {route.steps.steps[1].name} == {row["name"] for row in table if row["part"]}


def backoffs(rng: np.random.Generator, packets: int) -> np.ndarray:
    """Waits of 0 to 7 periods of 320 µs and 144 µs, to a sample."""
    return 144 + 320 * rng.integers(0, 8, packets) + rng.integers(0, 2, packets)


def test_a_wait_that_is_not_one_backoff_is_not_divided():
    """Where nothing was on the air: one that is too long, and one off the levels. A driver that commands has none."""
    rng = np.random.default_rng(3)
    delays = backoffs(rng, 400)
    delays[7] += 2640 + 100
    delays[11] += 160
    begins = 10_000 * np.arange(400, dtype=np.int64)
    none = np.zeros(400, dtype=bool)
    for commanded in (False, True):
        frames = (np.full(400, 2000), NONE, NONE, NONE)
        air = Air(begins, begins + delays, *frames, none, none, none, none, commanded, RATE_HZ, 4_000_000)
        parts = parts_of(air, route_of(air, np.ones((400, 2), dtype=np.int64)))
        assert ([] if commanded else [7, 11]) == np.flatnonzero(~parts.divided).tolist()
        assert commanded == (len(parts.notes) == 1)


def test_intervals_that_another_receiver_shows_too():
    """To a tolerance at either end, in any order; one that only begins alike stays."""
    seen = Intervals(np.array([1000, 5000, 9000]), np.array([1500, 5800, 9900]))
    others = Intervals(np.array([9002, 998, 5001]), np.array([9898, 1501, 6000]))
    assert [5000] == airtime.without(seen, others, tolerance=2).starts.tolist()
    assert [1000, 5000, 9000] == airtime.without(seen, others, tolerance=0.5).starts.tolist()
    assert [1000, 5000, 9000] == airtime.without(seen, NONE, tolerance=2).starts.tolist()


def test_the_window_of_an_instant():
    """Its begin belongs to a window, its end does not; windows may be in any order and may touch."""
    begins, ends = np.array([200, 100, 300]), np.array([300, 150, 310])
    instants = np.array([99, 100, 149, 150, 200, 299, 300, 309, 310])
    assert [-1, 1, 1, -1, 0, 0, 2, 2, -1] == airtime.window_of(instants, begins, ends).tolist()
    assert [-1, -1] == airtime.window_of(instants[:2], NONE.starts, NONE.ends).tolist()


def test_when_a_wait_meets_another_frame():
    """On the air as it begins, later, as it ends, and never."""
    begins = np.array([100, 1000, 2000, 3000])
    flags = np.zeros(4, dtype=bool)
    others = Intervals(np.array([50, 1040, 2100]), np.array([120, 1060, 2200]))
    air = Air(begins, begins + 100, np.full(4, 20), NONE, others, NONE, *[flags] * 4, False, RATE_HZ, 4000)
    assert [0, 40, np.inf, np.inf] == air.wait.others.tolist()
