"""Energy of the segments that a node's time is divided into, and of what is made of them, with ±.

A segment's energy goes to its owner; where several own it, each has an equal share. So the energies of all owners add
up to that of the node's time, and so do what alignment and instrument may falsify: those errors are common to all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks.segment import PPM
from gpiorig.analysis.energy import integral
from gpiorig.analysis.energy.trace_clock import TraceClock
from gpiorig.capture.power.trace import PowerTrace

Samples = NDArray[np.int64]
Floats = NDArray[np.float64]
THIRD = 1 / 3  # variance of what is anywhere within ±1 (GUM 4.3.7)
COVERAGE = 2  # k of an expanded uncertainty: about 95 %


@dataclass(frozen=True, slots=True, eq=False)
class Energies:
    """Energies with their uncertainties.

    Parameters
    ----------
    joules
        float64[n], NaN where the trace lacks a part.
    alignment, sampling, noise, instrument
        float64[n], standard uncertainties, J: of the alignment; of where within a sample the power changed; of the
        noise; of gain and offset.
    """

    joules: Floats
    alignment: Floats
    sampling: Floats
    noise: Floats
    instrument: Floats

    @property
    def expanded(self) -> Floats:
        """float64[n], expanded uncertainty, J (k = 2)."""
        parts = (self.alignment, self.sampling, self.noise, self.instrument)
        return COVERAGE * np.sqrt(sum(part**2 for part in parts))

    def summed(self, groups: Samples, count: int) -> Energies:
        """The sums of `count` groups; errors other than the noise are taken to be alike within a group."""

        def total(values: Floats) -> Floats:
            return np.asarray(np.bincount(groups, values, count))

        return Energies(
            joules=total(self.joules),
            alignment=total(self.alignment),
            sampling=total(self.sampling),
            noise=np.sqrt(total(self.noise**2)),
            instrument=total(self.instrument),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Adjacent segments of time, and what the trace has in each.

    Parameters
    ----------
    bounds
        int64[m + 1], samples of the analyzer, increasing.
    joules
        float64[m].
    shifts
        float64[2, m], by how much that changes if the trace lies a standard uncertainty later, or earlier.
    edges
        float64[m + 1], energy that may belong to the other side of a bound, half width.
    variances
        float64[m], of the noise.
    limits
        float64[m], half width of the instrument's error.
    complete
        bool[m], whether the trace has all of it.
    """

    bounds: Samples
    joules: Floats
    shifts: Floats
    edges: Floats
    variances: Floats
    limits: Floats
    complete: NDArray[np.bool_]

    def owned(self, begins: Samples, ends: Samples, owners: Samples) -> Energies:
        """The energy of each of n owners from a bound to another; segments of several owners are shared.

        Parameters
        ----------
        begins, ends
            int64[n], indices into `bounds`, ends not less than begins.
        owners
            int64[m], how many own each segment.
        """
        share = 1 / np.maximum(owners, 1)
        steps = np.concatenate([share[:1], np.abs(np.diff(share)), share[-1:]])

        def within(values: Floats) -> Floats:
            before = np.concatenate([[0.0], np.cumsum(values)])
            return np.asarray(before[ends] - before[begins])

        # The bounds inside, where the share changes, and the two at its ends.
        inside = np.concatenate([[0.0], np.cumsum(steps * self.edges)])
        latest, full = np.maximum(ends - 1, begins), np.append(share, 0.0)
        at_ends = full[begins] * self.edges[begins] + full[latest] * self.edges[ends]
        edges = np.where(ends > begins, inside[ends] - inside[np.minimum(begins + 1, ends)] + at_ends, 0.0)
        return self._energies(
            within(self.joules * share),
            np.stack([within(shift * share) for shift in self.shifts]),
            edges,
            within(self.variances * share**2),
            within(self.limits * share),
            within((~self.complete).astype(np.float64)) == 0,
        )

    def labelled(self, labels: Samples, count: int) -> Energies:
        """The energy of all segments with each of the labels 0 to `count` - 1; of any other label none."""
        inside = np.where((labels >= 0) & (labels < count), labels, count)

        def total(values: Floats) -> Floats:
            return np.asarray(np.bincount(inside, values, count + 1)[:count], dtype=np.float64)

        sides = np.append(count, inside), np.append(inside, count)
        passes = np.where(sides[0] != sides[1], self.edges, 0.0)
        edges = np.sum([np.bincount(side, passes, count + 1) for side in sides], axis=0)
        return self._energies(
            total(self.joules),
            np.stack([total(shift) for shift in self.shifts]),
            edges[:count],
            total(self.variances),
            total(self.limits),
            total((~self.complete).astype(np.float64)) == 0,
        )

    @staticmethod
    def _energies(
        joules: Floats,
        shifts: Floats,
        edges: Floats,
        variances: Floats,
        limits: Floats,
        complete: NDArray[np.bool_],
    ) -> Energies:
        return Energies(
            joules=np.where(complete, joules, np.nan),
            alignment=np.sqrt((shifts**2).mean(axis=0)),
            sampling=edges * np.sqrt(THIRD),
            noise=np.sqrt(variances),
            instrument=limits * np.sqrt(THIRD),
        )


def measure(trace: PowerTrace, clock: TraceClock, bounds: Samples, *, clock_ppm: float = 0.0) -> Segments:
    """Integrate a trace over the segments between bounds.

    The integral is made three times: as aligned, and with the trace a standard uncertainty of the alignment later and
    earlier. So an error of the alignment counts with the power that comes in at one end less that which goes out at
    the other.

    Parameters
    ----------
    trace, clock
        The trace, and its clock against the analyzer's.
    bounds
        int64[m + 1], samples of the analyzer, increasing.
    clock_ppm
        Half width of the error of the analyzer's clock, whose seconds count.
    """
    positions, deviations = clock.positions(bounds)
    summed = integral.up_to(trace, np.concatenate([positions, positions + deviations, positions - deviations]))
    joules = np.diff(summed.joules.reshape(3, -1), axis=1) * clock.scale
    here = slice(0, len(bounds))
    period_s = float(1 / trace.samplerate_hz)
    samples = np.diff(positions)
    return Segments(
        bounds=bounds,
        joules=joules[0],
        shifts=joules[1:] - joules[0],
        edges=summed.edge_joules[here] + np.abs(summed.watts[here]) / float(clock.reference_hz) / 2,
        variances=(summed.noise_w * period_s) ** 2 * samples + np.diff(summed.missed_joules2[here]),
        limits=np.diff(summed.limit_joules[here]) + np.abs(joules[0]) * clock_ppm / PPM,
        complete=np.diff(summed.lost[here]) <= 0,
    )
