"""The clock of a node against stamps of a host or of an analyzer, from the raw numbers of a log to its fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks.fit import ClockFit, fit
from gpiorig.analysis.clocks.hostclock import minimum_delay
from gpiorig.analysis.clocks.segment import PPM, Segment
from gpiorig.analysis.clocks.stamps import quantum
from gpiorig.analysis.clocks.unwrap import SLACK_NS, unwrap
from gpiorig.analysis.inference.intervals import Interval
from gpiorig.analysis.quantity import NS_PER_S

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MODULI = (1 << 16, 1 << 24, 1 << 32)
NEARLY_FULL = 0.9  # a timer that was seen above this part of its range, and then near 0, may have wrapped
# How fast nodes count: s, ms, us, ns, and the 32768 Hz of a watch crystal.
USUAL_HZ = tuple(Fraction(rate) for rate in (1, 1000, 32768, 10**6, 10**9))
USUAL_WITHIN = 0.05
EARLY_DEVIATIONS = 5.0
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A node's stamps from one reset to the next.

    Parameters
    ----------
    node_ns, reference_ns
        int64[n], unwrapped.
    line
        One line through all of it.
    pieces
        Where the residual asks for it, several.
    minimum
        The reference against the node, by its smallest delays; None for a reference that is not late.
    backsteps
        How often the node's clock went back.
    """

    node_ns: Integers
    reference_ns: Integers
    line: ClockFit
    pieces: ClockFit
    minimum: ClockFit | None
    backsteps: int


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
    """

    node: str
    reference: str
    tick_hz: Fraction
    modulus: int | None
    wraps: int
    stretches: tuple[Stretch, ...]
    quantisation_ns: float
    reference_quantisation_ns: float

    @property
    def n(self) -> int:
        """Stamps there are."""
        return sum(len(each.node_ns) for each in self.stretches)

    @property
    def backsteps(self) -> int:
        """How often the clock went back, resets and wraps aside."""
        return sum(each.backsteps for each in self.stretches)


def nominal_hz(ticks: Integers, reference_ns: Integers, scale: int = 1) -> tuple[float, Fraction | None]:
    """Ticks per second of the reference, and the usual rate within 5 % of that; None if there is none.

    Over the steps forward, so that a wrap or a reset takes only its own step.

    Parameters
    ----------
    ticks, reference_ns
        int64[n] each.
    scale
        Ticks per unit of what was printed: usual rates are those of the printed unit.
    """
    steps, passed = np.diff(ticks), np.diff(reference_ns)
    ahead = (steps > 0) & (passed >= 0)
    seconds = float(passed[ahead].sum()) / NS_PER_S
    rate = float(steps[ahead].sum()) / seconds if seconds > 0 else math.nan
    near = [usual * scale for usual in USUAL_HZ if abs(rate / float(usual * scale) - 1) <= USUAL_WITHIN]
    return rate, near[0] if near else None


def likely_modulus(ticks: Integers) -> int | None:
    """The least usual modulus above all stamps, if one of them nearly reached it and the next is far below."""
    most = int(ticks.max(initial=0))
    modulus = next((each for each in MODULI if most < each), None)
    if modulus is None or most < NEARLY_FULL * modulus:
        return None
    falls = (ticks[:-1] > NEARLY_FULL * modulus) & (ticks[1:] < modulus // 2)
    return modulus if falls.any() else None


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
) -> NodeClock:
    """Unwrap a node's stamps, split them at resets, and fit what lies between.

    Parameters
    ----------
    node, reference
        Names.
    ticks
        int64[n], stamps of the node in the order of the log.
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
    """
    found = unwrap(ticks, modulus, boots=boots, reference_ns=reference_ns, tick_hz=tick_hz, slack_ns=slack_ns)
    node_ns = found.ns(tick_hz)
    quanta = _quantum_ns(ticks, tick_hz), quantum(reference_ns)
    cuts = [0, *found.resets, len(ticks)]
    stretches = []
    for start, end in pairwise(cuts):
        part, host = node_ns[start:end], reference_ns[start:end]
        backsteps = sum(start <= at < end for at in found.backsteps)
        one, more = (
            fit(
                part,
                host,
                clock=f"node {node}",
                reference=reference,
                backsteps=backsteps,
                clock_quantum_ns=quanta[0],
                reference_quantum_ns=quanta[1],
                piecewise=piecewise,
            )
            for piecewise in (False, True)
        )
        minimum = None
        if late:
            some = _not_early(part, host, more)
            minimum = minimum_delay(host[some], part[some], host=reference, reference=f"node {node}", piecewise=False)
        stretches.append(Stretch(part, host, one, more, minimum, backsteps))
    return NodeClock(node, reference, tick_hz, modulus, found.wraps, tuple(stretches), *quanta)


def _not_early(node_ns: Integers, host_ns: Integers, fitted: ClockFit) -> NDArray[np.bool_]:
    """Stamps of which the host is not far too early: a node's stamp that jumped ahead would lie below all others."""
    if not fitted.segments:
        return np.ones(len(node_ns), dtype=bool)
    ahead = node_ns - host_ns - fitted.at(host_ns)[0]
    return np.asarray(ahead <= EARLY_DEVIATIONS * max(each.residual_std_ns for each in fitted.segments) + 1)


def _quantum_ns(ticks: Integers, tick_hz: Fraction) -> float:
    """Step of the stamps; one tick where they are too few or too even to show it."""
    steps = np.abs(np.diff(ticks))
    steps = steps[steps != 0]
    shown = len(steps) and int(steps.min()) < int(steps.max())
    return float((int(np.gcd.reduce(steps)) if shown else 1) * NS_PER_S / tick_hz)


def as_json(found: NodeClock) -> dict[str, Any]:
    """All of it in JSON's types: units in the names, null for what is not known."""
    return {
        "n": found.n,
        "resets": len(found.stretches) - 1,
        "wraps": found.wraps,
        "wrap_ticks": found.modulus,
        "backsteps": found.backsteps,
        "tick_hz": float(found.tick_hz),
        "quantisation_s": found.quantisation_ns / NS_PER_S,
        "reference": found.reference,
        "reference_quantisation_s": found.reference_quantisation_ns / NS_PER_S,
        "segments": [stretch_json(each) for each in found.stretches],
    }


def stretch_json(stretch: Stretch) -> dict[str, Any]:
    """One stretch in JSON's types."""
    found: dict[str, Any] = {"n": len(stretch.node_ns), "backsteps": stretch.backsteps, "note": stretch.pieces.note}
    line = stretch.line.segments[0] if stretch.line.segments else None
    found |= _segment_json(line)
    pieces = stretch.pieces.segments
    found["pieces"] = [_segment_json(piece) | {"n": piece.n} for piece in pieces] if len(pieces) > 1 else []
    drift = pieces[0].drift_ppm_per_s if len(pieces) == 1 else None
    found["drift_ppm_per_s"] = None if drift is None else drift.value
    found["minimum_delay"] = _minimum_json(stretch)
    return found


def _segment_json(segment: Segment | None) -> dict[str, Any]:
    if segment is None:
        return dict.fromkeys(
            ("start_s", "end_s", "rate", "ppm", "ppm_interval", "offset_s", "residual_std_s", "outliers")
        )
    return {
        "start_s": segment.start_ns / NS_PER_S,
        "end_s": segment.end_ns / NS_PER_S,
        "rate": 1 + segment.ppm.value / PPM,
        "ppm": segment.ppm.value,
        "ppm_interval": _ends(segment.ppm),
        "offset_s": _offset_ns(segment) / NS_PER_S,
        "residual_std_s": segment.residual_std_ns / NS_PER_S,
        "outliers": segment.outliers,
    }


def _offset_ns(segment: Segment) -> int:
    """Clock minus reference where the segment begins."""
    return int(segment.at(np.array([segment.start_ns], dtype=np.int64))[0][0])


def _minimum_json(stretch: Stretch) -> dict[str, Any] | None:
    """The node against the host by the smallest delays: the inverse of the fit of the host against the node."""
    if stretch.minimum is None or not stretch.minimum.segments:
        return None
    segment = stretch.minimum.segments[0]
    delays = delays_ns(stretch)
    return {
        "ppm": inverse_ppm(segment.ppm.value),
        "ppm_interval": None if segment.ppm.note else [inverse_ppm(segment.ppm.high), inverse_ppm(segment.ppm.low)],
        "offset_s": -_offset_ns(segment) / NS_PER_S,
        "delay_s": {name: float(np.quantile(delays, p)) / NS_PER_S for name, p in QUANTILES.items()},
    }


def inverse_ppm(ppm: float) -> float:
    """Skew of the reference against the clock, from that of the clock against the reference."""
    return -ppm / (1 + ppm / PPM)


def delays_ns(stretch: Stretch) -> Floats:
    """How much later than the fastest line each stamp of the host is that is not early; empty without such a fit."""
    if stretch.minimum is None or not stretch.minimum.segments:
        return np.empty(0)
    offset, _ = stretch.minimum.at(stretch.node_ns)
    delays = np.asarray(stretch.reference_ns - stretch.node_ns - offset, dtype=np.float64)
    return np.maximum(delays[_not_early(stretch.node_ns, stretch.reference_ns, stretch.pieces)], 0.0)


def residuals_ns(stretch: Stretch) -> Floats:
    """What the fit leaves of each stamp of the node; empty without a fit."""
    if not stretch.pieces.segments:
        return np.empty(0)
    offset, _ = stretch.pieces.at(stretch.reference_ns)
    return np.asarray(stretch.node_ns - stretch.reference_ns - offset, dtype=np.float64)


def _ends(interval: Interval) -> list[float] | None:
    return None if math.isnan(interval.low) else [interval.low, interval.high]
