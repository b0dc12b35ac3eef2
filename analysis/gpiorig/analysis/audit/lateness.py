"""Lateness of a host's timestamps after its fastest line, even if its clock is set."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import fit as fitting
from gpiorig.analysis.clocks import host_clock
from gpiorig.analysis.clocks.fit import ClockFit

Instants = NDArray[np.int64]

CRYSTALS_PPM = 50.0  # by which an analyzer's and a host's clock may differ; an assumption about ordinary crystals
MIN_VALUES = 8  # timestamps before and after a step


@dataclass(frozen=True, slots=True, eq=False)
class Lateness:
    """Timestamps of a host's lines against their events or bits.

    Parameters
    ----------
    fit, median
        The minimum-delay fit, and that through the middle of the timestamps; in parts where the clock was set.
    delays_ns
        int64[n], distance of each timestamp from the line through the fastest ones, in the given order.
    evened
        Whether the rate of that line is the fitted one; if not, the lines determine the rate worse than it is known
        without them, and it is that of the analyzer.
    steps
        Instants from which on all timestamps are later (positive) or earlier than all before, and the distances; ns.
    """

    fit: ClockFit
    median: ClockFit
    delays_ns: Instants
    evened: bool
    steps: tuple[tuple[int, int], ...]


def lateness(host_ns: Instants, since_ns: Instants, *, host: str, reference: str) -> Lateness:
    """Fit the fastest lines, between one setting of the host's clock and the next.

    Parameters
    ----------
    host_ns, since_ns
        int64[n], timestamps, and instants on the analyzer's clock that they are later than.
    host, reference
        Names of the clocks.
    """
    order = np.argsort(since_ns, kind="stable")
    timestamps_ns, instants_ns = host_ns[order], since_ns[order]
    late_ns = timestamps_ns - instants_ns
    cuts = [0, *sorted(_steps(late_ns, 0)), len(late_ns)]
    parts = [slice(start, end) for start, end in pairwise(cuts)]
    fits = [host_clock.minimum_delay(timestamps_ns[p], instants_ns[p], host=host, reference=reference) for p in parts]
    evened = all(fit.segments for fit in fits) and all(
        segment.ppm.high - segment.ppm.low < 2 * CRYSTALS_PPM for fit in fits for segment in fit.segments
    )
    delays_ns = np.empty_like(late_ns)
    for part, fit in zip(parts, fits, strict=True):
        below_ns = fit.at(instants_ns[part])[0] if evened else late_ns[part].min(initial=np.iinfo(np.int64).max)
        delays_ns[order[part]] = late_ns[part] - below_ns
    middle = [fitting.fit(timestamps_ns[p], instants_ns[p], clock=host, reference=reference) for p in parts]
    jumps = [
        (int(instants_ns[after.start]), round(float(np.median(late_ns[after]) - np.median(late_ns[before]))))
        for before, after in pairwise(parts)
    ]
    return Lateness(_joined(fits, timestamps_ns), _joined(middle, timestamps_ns), delays_ns, evened, tuple(jumps))


def _joined(fits: list[ClockFit], timestamps_ns: Instants) -> ClockFit:
    """The fits of all parts as one."""
    if len(fits) == 1:
        return fits[0]
    return dataclasses.replace(
        fits[0],
        segments=tuple(segment for fit in fits for segment in fit.segments),
        backsteps=int(np.count_nonzero(np.diff(timestamps_ns) < 0)),
        quantisation_ns=min(fit.quantisation_ns for fit in fits),
        note="; ".join(dict.fromkeys(fit.note for fit in fits if fit.note)),
        skipped=sum(fit.skipped for fit in fits),
    )


def _steps(late_ns: Instants, first: int) -> Iterator[int]:
    """Places from which on all are later, or all earlier, than all before.

    The difference exceeds those among the delays of one side: delays that merely vary, or a rate that is off, do not.
    """
    n = len(late_ns)
    if n < 2 * MIN_VALUES:
        return
    low, high = np.minimum.accumulate(late_ns)[:-1], np.maximum.accumulate(late_ns)[:-1]
    low_after, high_after = (
        extreme[::-1][1:] for extreme in (np.minimum.accumulate(late_ns[::-1]), np.maximum.accumulate(late_ns[::-1]))
    )
    gap = np.maximum(low_after - high, low - high_after)
    excess = (gap - np.minimum(high - low, high_after - low_after))[MIN_VALUES - 1 : n - MIN_VALUES]
    best = int(np.argmax(excess))
    if excess[best] <= 0:
        return
    cut = best + MIN_VALUES
    yield first + cut
    yield from _steps(late_ns[:cut], first)
    yield from _steps(late_ns[cut:], first + cut)
