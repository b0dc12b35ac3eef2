"""The relation of two clocks: offset, skew and drift (RFC 2330), piecewise, robust, with the residual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import bands, breaks, line
from gpiorig.analysis.clocks.line import Line
from gpiorig.analysis.clocks.resolution import impossible
from gpiorig.analysis.clocks.resolution import quanta as quanta_of
from gpiorig.analysis.clocks.segment import NS_PER_S, PPM
from gpiorig.analysis.clocks.segment import Segment as Segment
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.statistics.intervals import Interval

Instants = NDArray[np.int64]
Floats = NDArray[np.float64]

METHOD = "repeated median, then least squares without outliers"
# An unsteady clock is within 1 % of its rate (RC oscillators: RIOT issue 10545); one that is further off has other
# timestamps.
STRANGE_PPM = 50_000.0
STRANGE_RESIDUAL = 0.05  # of the span; timestamps of anything else leave about a quarter
MANY_OUTLIERS = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class ClockFit:
    """One clock against a reference.

    Parameters
    ----------
    clock, reference
        Names, such as ``node initiator`` and ``analyzer la``.
    method
        How it was fitted, as text, such as ``least squares without outliers`` or ``minimum delay``.
    segments
        Lines in the order of time. A reset of the clock, a step, or a change of its rate begins a new one.
    backsteps
        How often the clock went back, resets and wraps aside.
    resets
        How often it restarted.
    quantisation_ns
        Step in which the clock counts.
    note
        A warning for the reader; without a segment the reason for that.
    skipped
        Timestamps between resets that are too few, or do not move, and so are in no segment.
    """

    clock: str
    reference: str
    method: str
    segments: tuple[Segment, ...]
    backsteps: int
    resets: int
    quantisation_ns: float
    note: str = ""
    skipped: int = 0

    @property
    def outliers(self) -> int:
        """Number of outliers in all segments."""
        return sum(segment.outliers for segment in self.segments)

    def at(self, instants_ns: Instants) -> tuple[Instants, Floats]:
        """Offset by `Segment.at` of the segment nearest to each instant; needs at least one segment."""
        return self._nearest(instants_ns, instants_ns, Segment.at)

    def to_reference(self, clock_ns: Instants, *, near_ns: Instants) -> tuple[Instants, Floats]:
        """Instants by `Segment.to_reference` of the segment nearest to `near_ns`, instants of about that time."""
        return self._nearest(clock_ns, near_ns, Segment.to_reference)

    def _nearest(
        self, values: Instants, near_ns: Instants, function: Callable[[Segment, Instants], tuple[Instants, Floats]]
    ) -> tuple[Instants, Floats]:
        if not self.segments:
            raise EventError(f"{self.clock} against {self.reference}: no fit to use; {self.note or 'no segment'}.")
        away = np.stack([np.maximum(segment.start_ns - near_ns, near_ns - segment.end_ns) for segment in self.segments])
        nearest = np.argmin(np.maximum(away, 0), axis=0)
        instants, uncertainty = np.zeros(len(values), dtype=np.int64), np.zeros(len(values))
        for index, segment in enumerate(self.segments):
            inside = nearest == index
            instants[inside], uncertainty[inside] = function(segment, values[inside])
        return instants, uncertainty


def fit(
    clock_ns: Instants,
    reference_ns: Instants,
    *,
    clock: str,
    reference: str,
    resets: Sequence[int] = (),
    backsteps: int | None = None,
    quanta_ns: tuple[float, float] | None = None,
    piecewise: bool = True,
) -> ClockFit:
    """Fit one clock to another by timestamps of the same instants.

    Between resets `breaks.bounds` finds steps and changes of the rate, at which a new segment begins. Where a parabola
    explains the timestamps of a boot period better than two lines or more, by the same criterion, there is one segment
    with a drift. Each segment is fitted by `line.fit`; intervals are those of `slope.covariance`.

    A timer that truncates shows on average half a quantum less than the time, which stays in the offset.

    Parameters
    ----------
    clock_ns, reference_ns
        int64[n], in the order of the log; the reference may be out of order.
    clock, reference
        Names.
    resets
        Indices at which the clock restarted: `unwrap.Unwrapped.resets`.
    backsteps
        How often the clock went back otherwise; None: counted here.
    quanta_ns
        Steps in which the two clocks count; None: `resolution.quanta`.
    piecewise
        False: one line between resets, whatever the residual.

    Raises
    ------
    EventError
        Arrays of different length.
    """
    if len(clock_ns) != len(reference_ns):
        raise EventError(f"{clock}: {len(clock_ns)} timestamps, {reference}: {len(reference_ns)}; pair them first.")
    quanta = quanta_of(clock_ns, reference_ns) if quanta_ns is None else quanta_ns
    cuts = [0, *sorted({int(at) for at in resets if 0 < at < len(clock_ns)}), len(clock_ns)]
    if backsteps is None:
        inside = np.setdiff1d(np.arange(1, len(clock_ns)), cuts)
        backsteps = int((clock_ns[inside] < clock_ns[inside - 1]).sum())
    segments: list[Segment] = []
    notes: dict[str, int] = {}
    skipped = 0
    for start, end in pairwise(cuts):
        why = impossible(clock_ns[start:end], reference_ns[start:end])
        if why:
            notes[why] = notes.get(why, 0) + 1
            skipped += end - start
            continue
        segments += _boot_period_segments(clock_ns[start:end], reference_ns[start:end], quanta, piecewise)
    notes |= dict.fromkeys(_strange(segments), 1)
    return ClockFit(
        clock=clock,
        reference=reference,
        method=METHOD,
        segments=tuple(segments),
        backsteps=backsteps,
        resets=len(cuts) - 2,
        quantisation_ns=quanta[0],
        note="; ".join(text + (f" ({count} times)" if count > 1 else "") for text, count in notes.items()),
        skipped=skipped,
    )


def _strange(segments: Sequence[Segment]) -> list[str]:
    """Notes that the timestamps do not belong together, as with the log of another run."""
    notes = []
    for segment in segments:
        least = max(segment.ppm.low, -segment.ppm.high)
        if least > STRANGE_PPM or segment.residual_std_ns > STRANGE_RESIDUAL * (segment.end_ns - segment.start_ns):
            notes.append("the clock does not follow the reference: check that both are of one run, and their units")
        elif segment.outliers > MANY_OUTLIERS * (segment.n + segment.outliers):
            notes.append("more than a fifth of the timestamps are outliers")
    return notes


def _boot_period_segments(
    clock_ns: Instants, reference_ns: Instants, quanta: tuple[float, float], piecewise: bool
) -> list[Segment]:
    """Segments of timestamps without a reset."""
    order = np.argsort(reference_ns, kind="stable")
    clock_ns, reference_ns = clock_ns[order], reference_ns[order]
    cuts = [0, len(clock_ns)]
    if piecewise:
        bent, cuts = _bent_or_cuts(clock_ns, reference_ns, quanta)
        if bent is not None:
            return [bent]
    parts = [slice(start, end) for start, end in pairwise(cuts)]
    return [
        _segment(*_line(clock_ns[part], reference_ns[part], quanta), reference_ns[part])
        for part in parts
        if not impossible(clock_ns[part], reference_ns[part])
    ]


def _bent_or_cuts(
    clock_ns: Instants, reference_ns: Instants, quanta: tuple[float, float]
) -> tuple[Segment | None, list[int]]:
    """The segment with a drift if there is one, and where segments begin and end.

    Bands whose shares change look like breaks. Where one line is not enough and no bands were found, a change of the
    rate may hide them: then those of windows are aligned first.
    """
    x = (reference_ns - reference_ns[len(reference_ns) // 2]).astype(np.float64)
    straight, _ = _line(clock_ns, reference_ns, quanta)
    bent, cuts = _bent_or_cuts_of_line(clock_ns, reference_ns, straight, quanta)
    if straight.bands is not None or not (bent or len(cuts) > 2 or "wander" in straight.method):
        return bent, cuts
    y = ((clock_ns - clock_ns[0]) - (reference_ns - reference_ns[0])).astype(np.float64)
    shift = bands.local(x, y, quanta=quanta, first=straight.rate)
    if shift is None:
        return bent, cuts
    clock_ns = clock_ns - np.rint(shift).astype(np.int64)
    return _bent_or_cuts_of_line(clock_ns, reference_ns, _line(clock_ns, reference_ns, quanta)[0], quanta)


def _bent_or_cuts_of_line(
    clock_ns: Instants, reference_ns: Instants, straight: Line, quanta: tuple[float, float]
) -> tuple[Segment | None, list[int]]:
    """The same, without a search for bands in windows."""
    x = (reference_ns - reference_ns[len(reference_ns) // 2]).astype(np.float64)
    bent, anchor = _line(clock_ns, reference_ns, quanta, bent=True)
    cuts = breaks.bounds(x, straight.residuals, quanta=quanta)
    if breaks.bends(x, straight.residuals, bent.residuals, quanta=quanta):
        return _segment(bent, anchor, reference_ns), cuts
    return None, cuts


def _line(
    clock_ns: Instants, reference_ns: Instants, quanta: tuple[float, float], *, bent: bool = False
) -> tuple[Line, tuple[int, int]]:
    """The line, and the integer ns of reference and clock that it is relative to."""
    first = int(reference_ns[0])
    centre = first + round(float((reference_ns - first).mean()))
    start = int(clock_ns[len(clock_ns) // 2]) - int(reference_ns[len(clock_ns) // 2]) + centre
    y = ((clock_ns - start) - (reference_ns - centre)).astype(np.float64)
    return line.fit((reference_ns - centre).astype(np.float64), y, quanta=quanta, bent=bent), (centre, start)


def _segment(line: Line, anchor: tuple[int, int], reference_ns: Instants) -> Segment:
    deviations = np.sqrt(np.diag(line.covariance))
    drift = None
    if line.bend:
        drift = _interval(line.bend, deviations[2], 2 * PPM * NS_PER_S, line.method)
    used = int(line.inliers.sum())
    freedom = max(used - (3 if line.bend else 2), 1)
    offset_ns = round(line.offset)
    return Segment(
        start_ns=int(reference_ns[0]),
        end_ns=int(reference_ns[-1]),
        centre_ns=anchor[0],
        origin_clock_ns=anchor[1] + offset_ns,
        n=used,
        outliers=len(line.inliers) - used,
        offset_ns=_interval(line.offset - offset_ns, deviations[0], 1.0, line.method),
        ppm=_interval(line.rate, deviations[1], PPM, line.method),
        drift_ppm_per_s=drift,
        covariance=line.covariance[:2, :2],
        residual_std_ns=float(np.sqrt((line.residuals[line.inliers] ** 2).sum() / freedom)),
        bands_ns=(0.0,) if line.bands is None else line.bands.levels_ns,
    )


def _interval(value: float, deviation: float, scale: float, method: str) -> Interval:
    note = "" if np.isfinite(deviation) else "too few timestamps for an interval"
    half = 2 * float(deviation) if np.isfinite(deviation) else float("nan")
    return Interval(value * scale, (value - half) * scale, (value + half) * scale, method, note=note)
