"""The clock of a node against stamps of a host or of an analyzer, from the raw numbers of a log to its fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import timer_guesses
from gpiorig.analysis.clocks.fit import ClockFit, fit
from gpiorig.analysis.clocks.host_clock import minimum_delay
from gpiorig.analysis.clocks.resolution import quantum, shown_step
from gpiorig.analysis.clocks.segment import Segment
from gpiorig.analysis.clocks.unwrap import SLACK_NS, unwrap
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.quantity import NS_PER_S

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

SET_BACK_NS = 128_000_000  # from which on ntpd sets a clock instead of turning its rate (STEPT of RFC 5905, appendix A)
BESIDE = 15  # stamps, the middle ones of which say whether it was
EARLY_DEVIATIONS = 5.0
ODD_SHARE = 0.1  # of the stamps that are resets or steps back: it is no clock
LEAST_ODD = 10


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Stamps over which neither the node began anew nor the reference was set back.

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
        """What the fit leaves of each stamp of the node; NaN without a fit."""
        if not self.fit.segments:
            return np.full(len(self.node_ns), np.nan)
        return np.asarray(self.node_ns - self.reference_ns - self.fit.at(self.reference_ns)[0], dtype=np.float64)

    def delays_ns(self) -> Floats:
        """How much later than the fastest line each stamp of the reference is that is not early."""
        if self.minimum is None or not self.minimum.segments:
            return np.empty(0)
        delays = self.reference_ns - self.node_ns - self.minimum.at(self.node_ns)[0]
        some = _not_early(self.node_ns, self.reference_ns, self.fit)
        return np.asarray(np.maximum(delays[some], 0), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A node's stamps from one reset to the next.

    Parameters
    ----------
    parts
        One, or more where the reference was set back.
    backsteps
        How often the node's clock went back.
    """

    parts: tuple[Part, ...]
    backsteps: int

    @property
    def n(self) -> int:
        """Stamps there are."""
        return sum(len(part.node_ns) for part in self.parts)

    @property
    def reference_ns(self) -> Integers:
        """int64[n], on the reference."""
        return np.concatenate([part.reference_ns for part in self.parts])

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Lines through the stamps."""
        return tuple(segment for part in self.parts for segment in part.fit.segments)

    @property
    def fastest(self) -> tuple[Segment, ...]:
        """Lines of the reference against the node, by its smallest delays."""
        return tuple(segment for part in self.parts if part.minimum for segment in part.minimum.segments)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know, each once."""
        return tuple(dict.fromkeys(part.fit.note for part in self.parts if part.fit.note))

    def residuals_ns(self) -> Floats:
        """float64[n], what the fits leave of each stamp of the node; NaN without a fit."""
        return np.concatenate([part.residuals_ns() for part in self.parts])

    def delays_ns(self) -> Floats:
        """float64[m], how late the stamps of the reference are, those left out that are early."""
        return np.concatenate([part.delays_ns() for part in self.parts])


@dataclass(frozen=True, slots=True, eq=False)
class NodeClock:
    """The clock of a node.

    Parameters
    ----------
    node, reference
        Names.
    tick_hz
        Nominal rate of the stamps' last digit.
    modulus
        Of the timer, in ticks; None if no wrap is known of.
    wraps
        How often it wrapped.
    stretches
        Between resets.
    quantisation_ns, reference_quantisation_ns
        Steps of the stamps.
    reference_backsteps
        How often the reference went back from one stamp to the next: it was set, or the log is not in order.
    n, resets, backsteps
        Stamps there are, how often the clock began again, and how often it went back, resets and wraps aside.
    note
        Why there is no stretch, if there is none.
    """

    node: str
    reference: str
    tick_hz: Fraction
    modulus: int | None
    wraps: int
    stretches: tuple[Stretch, ...]
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
    late: bool = True,
    slack_ns: int = SLACK_NS,
    scale: int = 1,
) -> NodeClock:
    """Unwrap a node's stamps, split them at resets, and fit what lies between.

    Stamps are taken in the order `guesses.order` finds. Where a tenth of them are resets that no boot is known of, or
    steps back though the numbers go nowhere, they are no clock, or one of fewer bits: nothing is fitted.

    Parameters
    ----------
    node, reference
        Names.
    ticks
        int64[n], stamps of the node in the order of the log; those of a timer that wraps may have a sign.
    reference_ns
        int64[n], the same instants on the reference.
    tick_hz
        Ticks per second, nominally.
    modulus
        At which the timer begins again at 0.
    boots
        Indices of the first stamps after boots that are known of.
    late
        Whether the stamps of the reference can only be late, as those of a host.
    slack_ns
        By how much the reference may be late: `unwrap.unwrap`.
    scale
        Ticks per unit of what was printed.

    Raises
    ------
    EventError
        What `unwrap.unwrap` raises, and node times beyond 292 years.
    """
    places = timer_guesses.order(ticks, reference_ns)
    ticks, reference_ns, boots = ticks[places], reference_ns[places], timer_guesses.moved(boots, places)
    if modulus and int(ticks.min(initial=0)) >= -modulus // 2:
        ticks = ticks % modulus
    unwrapped = unwrap(ticks, modulus, boots=boots, reference_ns=reference_ns, tick_hz=tick_hz, slack_ns=slack_ns)
    try:
        node_ns = unwrapped.ns(tick_hz)
    except OverflowError as error:
        raise EventError(f"node {node}: its time is beyond 292 years at {float(tick_hz):g} ticks per s.") from error
    quanta = float((shown_step(ticks) or 1) * NS_PER_S / tick_hz), quantum(reference_ns)
    falls = int((np.diff(reference_ns) < 0).sum())
    counts = falls, len(ticks), len(unwrapped.resets), len(unwrapped.backsteps)
    odd = len(set(unwrapped.resets) - set(boots))
    if len(ticks) and float(np.ptp(ticks)) / float(tick_hz) * NS_PER_S < float(np.ptp(reference_ns)) / 2:
        odd += len(unwrapped.backsteps)  # else they are of lines out of order: the numbers go as far as the time
    if odd >= max(LEAST_ODD, ODD_SHARE * len(ticks)):
        note = timer_guesses.no_clock(ticks, scale)
        return NodeClock(node, reference, tick_hz, modulus, unwrapped.wraps, (), *quanta, *counts, note)
    stretches = []
    for start, end in pairwise([0, *unwrapped.resets, len(ticks)]):
        cuts = [start, *(start + at for at in _set_back(node_ns[start:end], reference_ns[start:end])), end]
        parts = (slice(*ends) for ends in pairwise(cuts))
        stretches.append(
            Stretch(
                tuple(_part(node_ns[at], reference_ns[at], (node, reference), quanta, late=late) for at in parts),
                sum(start <= at < end for at in unwrapped.backsteps),
            )
        )
    return NodeClock(node, reference, tick_hz, modulus, unwrapped.wraps, tuple(stretches), *quanta, *counts)


def _set_back(node_ns: Integers, reference_ns: Integers) -> list[int]:
    """Stamps from which on the reference is behind where it was; after a stamp that was late it only falls."""
    ahead = node_ns - reference_ns
    parts = []
    for at in (np.flatnonzero(np.diff(reference_ns) <= -SET_BACK_NS) + 1).tolist():
        before, after = ahead[max(at - BESIDE, 0) : at], ahead[at : at + BESIDE]
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
        clock_quantum_ns=quanta[0],
        reference_quantum_ns=quanta[1],
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
    """Stamps of which the host is not far too early: a node's stamp that jumped ahead would lie below all others."""
    if not fitted.segments:
        return np.ones(len(node_ns), dtype=bool)
    ahead = node_ns - host_ns - fitted.at(host_ns)[0]
    earliest = max(EARLY_DEVIATIONS * segment.residual_std_ns + max(segment.bands_ns) for segment in fitted.segments)
    return np.asarray(ahead <= earliest + 1)
