"""The clock of a node against timestamps of a host or of an analyzer, from the raw numbers of a log to its fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import timer_guesses
from gpiorig.analysis.clocks.clock_fit import ClockFit, fit
from gpiorig.analysis.clocks.host_clock import minimum_delay
from gpiorig.analysis.clocks.resolution import counted_step
from gpiorig.analysis.clocks.segment import Segment
from gpiorig.analysis.clocks.unwrap import SLACK_NS, unwrap
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.number_text import NS_PER_S

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

SET_BACK_NS = 128_000_000  # from which on ntpd sets a clock instead of turning its rate (STEPT of RFC 5905, appendix A)
NEIGHBOURS = 15  # timestamps, the middle ones of which show whether it was
EARLY_DEVIATIONS = 5.0
ODD_SHARE = 0.1  # of the timestamps that are resets or steps back: it is not a clock
MIN_ODD = 10


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Timestamps over which neither the node restarted, nor the reference was set back, nor is there a known break.

    Parameters
    ----------
    node_ns, reference_ns
        int64[n], unwrapped.
    fit
        Lines through them: one, or where the residual asks for it several.
    minimum
        The reference against the node, by its smallest delays; None for a reference that is not late.
    """

    node_ns: Integers
    reference_ns: Integers
    fit: ClockFit
    minimum: ClockFit | None

    def residuals_ns(self) -> Floats:
        """float64[n], residual of each timestamp of the node; NaN without a fit."""
        if not self.fit.segments:
            return np.full(len(self.node_ns), np.nan)
        return np.asarray(self.node_ns - self.reference_ns - self.fit.at(self.reference_ns)[0], dtype=np.float64)

    def delays_ns(self) -> Floats:
        """Delays of the timestamps of the reference after the fastest line, without those that are early."""
        if self.minimum is None or not self.minimum.segments:
            return np.empty(0)
        delays = self.reference_ns - self.node_ns - self.minimum.at(self.node_ns)[0]
        some = _not_early(self.node_ns, self.reference_ns, self.fit)
        return np.asarray(np.maximum(delays[some], 0), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class BootPeriod:
    """Boot period: a node's timestamps from one reset to the next.

    Parameters
    ----------
    parts
        One part, or more where the reference was set back, and at known breaks.
    backsteps
        How often the node's clock went back.
    """

    parts: tuple[Part, ...]
    backsteps: int

    @property
    def n(self) -> int:
        """Number of timestamps."""
        return sum(len(part.node_ns) for part in self.parts)

    @property
    def reference_ns(self) -> Integers:
        """int64[n], on the reference."""
        return np.concatenate([part.reference_ns for part in self.parts])

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Lines through the timestamps."""
        return tuple(segment for part in self.parts for segment in part.fit.segments)

    @property
    def fastest(self) -> tuple[Segment, ...]:
        """Lines of the reference against the node, by its smallest delays."""
        return tuple(segment for part in self.parts if part.minimum for segment in part.minimum.segments)

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the reader, without repetitions."""
        return tuple(dict.fromkeys(part.fit.note for part in self.parts if part.fit.note))

    def residuals_ns(self) -> Floats:
        """float64[n], residual of each timestamp of the node; NaN without a fit."""
        return np.concatenate([part.residuals_ns() for part in self.parts])

    def delays_ns(self) -> Floats:
        """float64[m], delays of the timestamps of the reference, without those that are early."""
        return np.concatenate([part.delays_ns() for part in self.parts])


@dataclass(frozen=True, slots=True, eq=False)
class NodeClock:
    """The clock of a node.

    Parameters
    ----------
    node, reference
        Names.
    tick_hz
        Nominal rate of the timestamps' last digit.
    modulus
        Range of the timer, in ticks; None if no wrap is known.
    wraps
        How often it wrapped.
    boot_periods
        Timestamps between resets.
    quantisation_ns, reference_quantisation_ns
        Steps in which the clocks count.
    reference_backsteps
        How often the reference went back from one timestamp to the next: it was set, or the log is not in order.
    n, resets, backsteps
        Numbers of timestamps, of restarts, and of steps back without resets and wraps.
    note
        The reason for no boot period; else empty.
    """

    node: str
    reference: str
    tick_hz: Fraction
    modulus: int | None
    wraps: int
    boot_periods: tuple[BootPeriod, ...]
    quantisation_ns: float
    reference_quantisation_ns: float
    reference_backsteps: int
    n: int
    resets: int
    backsteps: int
    note: str = ""


def node_clock(
    node: str,
    ticks: Integers,
    reference_ns: Integers,
    *,
    reference: str,
    tick_hz: Fraction,
    modulus: int | None = None,
    boots: Sequence[int] = (),
    breaks: Sequence[int] = (),
    late: bool = True,
    slack_ns: int = SLACK_NS,
    scale: int = 1,
) -> NodeClock:
    """Unwrap a node's timestamps, split them at resets, and fit the parts between.

    Timestamps are in the order of `timer_guesses.order`. Where a tenth of them are resets without a known boot, or
    steps back though the numbers do not grow, they are not a clock, or one of fewer bits: nothing is fitted.

    Parameters
    ----------
    node, reference
        Names.
    ticks
        int64[n], timestamps of the node in the order of the log; those of a timer that wraps may have a sign.
    reference_ns
        int64[n], the same instants on the reference.
    tick_hz
        Ticks per second, nominally.
    modulus
        Number of ticks after which the timer begins again at 0.
    boots
        Indices of the first timestamps after known boots.
    breaks
        Indices of the first timestamps after known breaks of either clock, at which another part begins.
    late
        Whether the timestamps of the reference can only be late, as those of a host.
    slack_ns
        By how much the reference may be late: `unwrap.unwrap`.
    scale
        Ticks per printed unit.

    Raises
    ------
    EventError
        Errors of `unwrap.unwrap`, and node times beyond 292 years.
    """
    places = timer_guesses.order(ticks, reference_ns)
    ticks, reference_ns, boots = ticks[places], reference_ns[places], timer_guesses.moved(boots, places)
    breaks = timer_guesses.moved(breaks, places)
    if modulus and int(ticks.min(initial=0)) >= -modulus // 2:
        ticks = ticks % modulus
    unwrapped = unwrap(ticks, modulus, boots=boots, reference_ns=reference_ns, tick_hz=tick_hz, slack_ns=slack_ns)
    try:
        node_ns = unwrapped.ns(tick_hz)
    except OverflowError as error:
        raise EventError(f"node {node}: its time is beyond 292 years at {float(tick_hz):g} ticks per s.") from error
    quanta = _quanta_ns(unwrapped.ticks, node_ns, reference_ns, tick_hz)
    falls = int((np.diff(reference_ns) < 0).sum())
    counts = falls, len(ticks), len(unwrapped.resets), len(unwrapped.backsteps)
    odd = len(set(unwrapped.resets) - set(boots))
    if len(ticks) and float(np.ptp(ticks)) / float(tick_hz) * NS_PER_S < float(np.ptp(reference_ns)) / 2:
        odd += len(unwrapped.backsteps)  # else they are of lines out of order: the numbers go as far as the time
    if odd >= max(MIN_ODD, ODD_SHARE * len(ticks)):
        note = timer_guesses.no_clock(ticks, scale)
        return NodeClock(node, reference, tick_hz, modulus, unwrapped.wraps, (), *quanta, *counts, note)
    boot_periods = []
    for start, end in pairwise([0, *unwrapped.resets, len(ticks)]):
        set_back = {start + at for at in _set_back(node_ns[start:end], reference_ns[start:end])}
        cuts = [start, *sorted(set_back | {at for at in breaks if start < at < end}), end]
        parts = (slice(*ends) for ends in pairwise(cuts))
        boot_periods.append(
            BootPeriod(
                tuple(_part(node_ns[at], reference_ns[at], (node, reference), quanta, late=late) for at in parts),
                sum(start <= at < end for at in unwrapped.backsteps),
            )
        )
    return NodeClock(node, reference, tick_hz, modulus, unwrapped.wraps, tuple(boot_periods), *quanta, *counts)


def _quanta_ns(ticks: Integers, node_ns: Integers, reference_ns: Integers, tick_hz: Fraction) -> tuple[float, float]:
    """Steps in which node and reference count."""
    ns_per_tick = float(NS_PER_S / tick_hz)
    per_s = int(tick_hz) if tick_hz.denominator == 1 else 1
    step = counted_step(ticks, (reference_ns - reference_ns[:1]) / ns_per_tick, per_s)
    return step * ns_per_tick, counted_step(reference_ns, (node_ns - node_ns[:1]).astype(np.float64), NS_PER_S)


def _set_back(node_ns: Integers, reference_ns: Integers) -> list[int]:
    """Timestamps from which on the reference was set back; after a late timestamp it only falls."""
    ahead = node_ns - reference_ns
    parts = []
    for at in (np.flatnonzero(np.diff(reference_ns) <= -SET_BACK_NS) + 1).tolist():
        before, after = ahead[max(at - NEIGHBOURS, 0) : at], ahead[at : at + NEIGHBOURS]
        if np.median(after) - np.median(before) >= SET_BACK_NS / 2:
            parts.append(at)
    return parts


def _part(
    node_ns: Integers, reference_ns: Integers, names: tuple[str, str], quanta: tuple[float, float], *, late: bool
) -> Part:
    node, reference = names
    fitted = fit(
        node_ns,
        reference_ns,
        clock=f"node {node}",
        reference=reference,
        quanta_ns=quanta,
    )
    minimum = None
    if late:
        some = _not_early(node_ns, reference_ns, fitted)
        minimum = minimum_delay(
            reference_ns[some],
            node_ns[some],
            host=reference,
            reference=f"node {node}",
            piecewise=len(fitted.segments) > 1,
        )
    return Part(node_ns, reference_ns, fitted, minimum)


def _not_early(node_ns: Integers, host_ns: Integers, fitted: ClockFit) -> NDArray[np.bool_]:
    """Timestamps for which the host is not far too early: one that jumped ahead would be below all others."""
    if not fitted.segments:
        return np.ones(len(node_ns), dtype=bool)
    ahead = node_ns - host_ns - fitted.at(host_ns)[0]
    earliest = max(EARLY_DEVIATIONS * segment.residual_std_ns + max(segment.bands_ns) for segment in fitted.segments)
    return np.asarray(ahead <= earliest + 1)
