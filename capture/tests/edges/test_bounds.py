"""Bounds of losses: the tightest of several, intervals without one, and their sentence."""

from __future__ import annotations

from fractions import Fraction

from gpiorig.capture.edges.bounds import Bound, sentence, tightest, unchecked, uncovered

CLOCK, LINE = "the host's clock", "sync line sync"


def clock(start: int, end: int, limit: int) -> Bound:
    return Bound(start=start, end=end, limit_samples=limit, found_by=CLOCK)


def test_tightest() -> None:
    """Where two bounds overlap the smaller limit holds, one without a limit never; equal neighbours are one."""
    line = Bound(start=10, end=60, limit_samples=3, found_by=LINE)
    bounds = [clock(50, 80, 20), line, clock(0, 50, 20), *unchecked(90, "a reason")]
    assert tightest(bounds) == (
        clock(0, 10, 20),
        line,
        clock(60, 80, 20),
        Bound(start=80, end=90, found_by="none: a reason"),
    )
    assert tightest([clock(0, 50, 20), clock(50, 80, 20)]) == (clock(0, 80, 20),)
    assert tightest([clock(0, 50, 20), clock(60, 80, 20)]) == (clock(0, 50, 20), clock(60, 80, 20))


def test_uncovered() -> None:
    """The first interval without a bound is found at the start, between two bounds and at the end."""
    assert uncovered([clock(5, 10, 1)], 10) == (0, 5)
    assert uncovered([clock(8, 10, 1), clock(0, 5, 1)], 10) == (5, 8)
    assert uncovered([clock(0, 5, 1)], 10) == (5, 10)
    assert uncovered([clock(0, 10, 1)], 10) is None
    assert uncovered([], 0) is None


def test_sentence() -> None:
    """Sizes are samples or times, each source is named once, and an interval that was not checked states why."""
    rate_hz = Fraction(1_000_000)
    bounds = [clock(0, 9_200_000, 400), clock(9_200_000, 10_000_000, 2_100)]
    assert sentence(bounds, rate_hz) == (
        "a loss of 400 µs or more would have been found from 0 s to 9.2 s (by the host's clock), "
        "of 2.1 ms from 9.2 s to 10 s"
    )
    assert sentence([clock(0, 50, 1)], rate_hz).startswith("a loss of 1 sample or more")
    assert sentence(unchecked(3_000_000, "an imported file"), rate_hz) == (
        "no loss would have been found from 0 s to 3 s (an imported file)"
    )
