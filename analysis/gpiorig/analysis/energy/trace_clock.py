"""Where the samples of a power trace are in the time of the analyzer: by a pin that both see, or by a load."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import clock_fit
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.segment import PPM
from gpiorig.analysis.energy import load_pattern
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.nanoseconds import nearest_ns
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.power.instruments import Instrument
from gpiorig.capture.power.trace import PowerTrace
from gpiorig.capture.sync import frame_line, pulses
from gpiorig.capture.sync.frame_line import Frames

Samples = NDArray[np.int64]
Floats = NDArray[np.float64]

SHORTEST = 2.0  # samples of the slower one, of a level that both see for certain
JITTER = 1.1  # samples of the slower one, by which an interval between two edges may differ


@dataclass(frozen=True, slots=True, eq=False)
class TraceClock:
    """The clock of a power trace against that of the analyzer.

    Parameters
    ----------
    fit
        The trace's clock by the analyzer's, both in ns from their sample 0.
    trace_hz, reference_hz
        Samplerates of the trace and of the analyzer.
    lag_ns
        By how much the power may be off the pins of the same row, half width.
    instants
        Instants that both saw.
    """

    fit: ClockFit
    trace_hz: Fraction
    reference_hz: Fraction
    lag_ns: float
    instants: int

    def positions(self, samples: Samples) -> tuple[Floats, Floats]:
        """Positions in the trace of edges at samples of the analyzer, and their standard uncertainty, in samples.

        An edge that a sample shows first was half a sample before it, on average. The uncertainty is that of the fit,
        the same for instants next to each other, and of the lag anywhere within its limits (GUM 4.3.7).
        """
        instants_ns = nearest_ns(samples, self.reference_hz)
        offsets_ns, deviations_ns = self.fit.at(instants_ns)
        trace_ns = (instants_ns + offsets_ns) - float(NS_PER_S / self.reference_hz) / 2
        per_ns = float(self.trace_hz) / NS_PER_S
        deviations = np.hypot(deviations_ns, self.lag_ns / math.sqrt(3)) * per_ns
        return np.asarray(trace_ns * per_ns), np.asarray(deviations)

    @property
    def scale(self) -> float:
        """Seconds of the analyzer in one of the trace."""
        segments = self.fit.segments
        ppm = np.average([segment.ppm.value for segment in segments], weights=[segment.n for segment in segments])
        return float(1 / (1 + ppm / PPM))

    @property
    def sentence(self) -> str:
        """How it was aligned, and how well."""
        segments = self.fit.segments
        middle = np.array([round((segments[0].start_ns + segments[-1].end_ns) / 2)])
        deviation_us = float(np.hypot(self.fit.at(middle)[1][0], self.lag_ns / math.sqrt(3))) / 1e3
        return (
            f"{self.fit.clock}: aligned by {self.instants} instants, ±{2 * deviation_us:.3g} µs, "
            f"{segments[0].ppm.value:+.3g} ppm{f', in {len(segments)} pieces' if len(segments) > 1 else ''}"
        )


def by_pins(trace: Edges, pin: str, analyzer: Edges, channel: str, *, instrument: Instrument) -> TraceClock:
    """Align by pulses that a pin of the trace's file and a channel of the analyzer both show.

    Pulses that are too short for the slower of the two are omitted. The others are known by their intervals
    (`frame_line.in_common`), so they must not be regular.

    Raises
    ------
    CaptureError
        A pin or a channel is not there, there are too few pulses, or it is not certain which are the same.
    """
    slower_ns = max(float(NS_PER_S / edges.samplerate_hz) for edges in (trace, analyzer))
    seen = [_lasting(edges, name, SHORTEST * slower_ns) for edges, name in ((analyzer, channel), (trace, pin))]
    try:
        trace_samples, analyzer_samples, _ = frame_line.in_common(*seen, jitter_ns=JITTER * slower_ns)
    except CaptureError as error:
        pair = f"pin {pin} of the trace and channel {channel} of the recording cannot be matched: {error.what}"
        remedy = "name a pin that both see with pulses at irregular intervals, or load=CHANNEL"
        raise CaptureError(pair, where=error.where, remedy=remedy) from error
    rates = trace.samplerate_hz, analyzer.samplerate_hz
    pair, lag_ns = f"pin {pin} against {channel}", instrument.lag_samples * float(NS_PER_S / trace.samplerate_hz)
    begun = _fitted(_middle_ns(trace_samples, rates[0]), _middle_ns(analyzer_samples, rates[1]), rates, lag_ns, pair)
    # The line is known: now all edges count, not only those of pulses that are known by their intervals.
    analyzer_ns, trace_ns = (_middle_ns(_edges(frames), frames.samplerate_hz) for frames in seen)
    expected_ns = analyzer_ns + begun.fit.at(analyzer_ns)[0]
    after = np.clip(np.searchsorted(trace_ns, expected_ns), 1, len(trace_ns) - 1)
    is_before = expected_ns - trace_ns[after - 1] < trace_ns[after] - expected_ns
    nearest = np.where(is_before, after - 1, after)
    same = np.abs(trace_ns[nearest] - expected_ns) <= SHORTEST * slower_ns
    same &= nearest % 2 == np.arange(len(nearest)) % 2  # rise with rise, fall with fall
    return _fitted(trace_ns[nearest[same]], analyzer_ns[same], rates, lag_ns, pair)


def by_load(trace: PowerTrace, analyzer: Edges, channel: str) -> TraceClock:
    """Align by a load in the power itself that is there while a channel of the analyzer is high.

    What is matched is the power, so that no lag between it and pins counts.

    Raises
    ------
    CaptureError
        The channel is not there, or the power does not follow it in one place only.
    """
    rises, lengths_ns = pulses.read(analyzer, channel)
    rate_hz = analyzer.samplerate_hz
    toggles_ns = _middle_ns(_edges(Frames(rises, lengths_ns, rate_hz)), rate_hz)
    try:
        instants_s = load_pattern.instants(trace, toggles_ns / NS_PER_S)
    except CaptureError as error:
        problem = f"load on channel {channel}: {error.what}"
        raise CaptureError(problem, where=error.where, remedy=error.remedy) from error
    trace_ns, analyzer_ns = (np.rint(part * NS_PER_S).astype(np.int64) for part in instants_s)
    return _fitted(trace_ns, analyzer_ns, (trace.samplerate_hz, rate_hz), 0.0, f"load against {channel}")


def _middle_ns(samples: Samples, rate_hz: Fraction) -> Samples:
    """When the edges were that these samples show first: half a sample before, on average."""
    return nearest_ns(samples, rate_hz) - round(NS_PER_S / rate_hz / 2)


def _edges(frames: Frames) -> Samples:
    """Rises and falls of pulses, in turn."""
    lengths = np.rint(frames.lengths_ns * float(frames.samplerate_hz) / NS_PER_S).astype(np.int64)
    return np.stack([frames.samples, frames.samples + lengths], axis=1).ravel()


def _fitted(
    trace_ns: Samples, analyzer_ns: Samples, rates: tuple[Fraction, Fraction], lag_ns: float, pair: str
) -> TraceClock:
    """The line through instants that both saw."""
    fit = clock_fit.fit(
        trace_ns,
        analyzer_ns,
        clock=f"power trace ({pair})",
        reference="analyzer",
        quanta_ns=(float(NS_PER_S / rates[0]), float(NS_PER_S / rates[1])),
    )
    certain = bool(fit.segments) and all(np.isfinite(segment.covariance).all() for segment in fit.segments)
    if len(trace_ns) < load_pattern.FEWEST or not certain:
        raise CaptureError(
            f"{len(trace_ns)} instants of the power trace are known in the recording ({pair}); {fit.note or 'too few'}",
            remedy=f"an alignment needs {load_pattern.FEWEST}: record longer, or name another pin",
        )
    return TraceClock(fit, *rates, lag_ns, len(trace_ns))


def _lasting(edges: Edges, channel: str, shortest_ns: float) -> Frames:
    """The pulses of a channel, without levels that are too short, whichever they are."""
    rises, lengths_ns = pulses.read(edges, channel)
    shortest = shortest_ns * float(edges.samplerate_hz) / NS_PER_S
    falls = rises + np.rint(lengths_ns * float(edges.samplerate_hz) / NS_PER_S).astype(np.int64)
    apart = rises[1:] - falls[:-1] >= shortest
    rises, falls = rises[np.append(True, apart)[: len(rises)]], falls[np.append(apart, True)[: len(falls)]]
    long = falls - rises >= shortest
    rate = edges.samplerate_hz
    return Frames(rises[long], (falls - rises)[long] * (NS_PER_S / float(rate)), rate)
