"""Synthetic power: a load whose energy is known exactly, as an instrument with a clock of its own would record it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import clock_fit
from gpiorig.analysis.energy import trace_clock
from gpiorig.analysis.energy.trace_clock import TraceClock
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.power.instruments import Instrument
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

ANALYZER_HZ = Fraction(24_000_000)
VOLTS = 3.0
IDEAL = Instrument(name="ideal", gain=0.0, offset_a=0.0, lag_samples=0.0, source="made for a test")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """Power that changes at instants only: `watts[i]` from `times_s[i]` on."""

    times_s: Floats
    watts: Floats

    def joules(self, until_s: Floats) -> Floats:
        """Energy from the first instant on, exact."""
        before = np.concatenate([[0.0], np.cumsum(np.diff(self.times_s) * self.watts[:-1])])
        place = np.clip(np.searchsorted(self.times_s, until_s, side="right") - 1, 0, None)
        return np.asarray(before[place] + (until_s - self.times_s[place]) * self.watts[place])


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A load, the steps of its packets, and what instrument and analyzer recorded of it.

    `starts_s` and `ends_s` are those of the steps, float64[packets, steps].
    """

    load: Load
    starts_s: Floats
    ends_s: Floats
    trace: PowerTrace
    trace_pins: Edges
    analyzer: Edges

    def clock(self) -> TraceClock:
        return trace_clock.by_pins(self.trace_pins, "pin", self.analyzer, "node.line", instrument=self.trace.instrument)

    @property
    def joules(self) -> Floats:
        """The true energy of each step."""
        return self.load.joules(self.ends_s) - self.load.joules(self.starts_s)


def samples_of(times_s: Floats) -> NDArray[np.int64]:
    """The analyzer's samples that show edges at these instants first."""
    return np.ceil(times_s * float(ANALYZER_HZ)).astype(np.int64)


def record(
    rng: np.random.Generator,
    *,
    rate_hz: int,
    packets: int,
    step_s: float,
    offset_s: float = 0.3,
    ppm: float = 40.0,
    noise_w: float = 0.0,
    instrument: Instrument = IDEAL,
    error: tuple[float, float] = (0.0, 0.0),
    block: int = 4096,
) -> Recorded:
    """Record packets of three steps each, with quiet times of irregular length between them.

    The power changes at the edges of steps, as that of a radio does, and once within each step. `error` is the
    instrument's true gain and offset (in W).
    """
    lengths = step_s * rng.uniform(0.6, 1.6, (packets, 6))
    quiet = step_s * rng.uniform(3.0, 25.0, packets)
    begins = np.cumsum(quiet) + np.concatenate([[0.0], np.cumsum(lengths.sum(axis=1))[:-1]])
    changes = begins[:, None] + np.concatenate([np.zeros((packets, 1)), np.cumsum(lengths, axis=1)], axis=1)
    watts = np.concatenate([rng.uniform(0.02, 0.12, (packets, 6)), np.full((packets, 1), 0.003)], axis=1)
    load = Load(np.append(0.0, changes.ravel()), np.append(0.003, watts.ravel()))
    end_s = float(changes[-1, -1]) + 10 * step_s

    rate = rate_hz * (1 + ppm * 1e-6)
    first = int(np.ceil(offset_s * rate))  # the trace begins before the analyzer does
    bounds_s = (np.arange(first + int(end_s * rate) + 1) - first) / rate
    energy = np.where(bounds_s < 0, bounds_s * load.watts[0], load.joules(np.maximum(bounds_s, 0)))
    samples = np.diff(energy) * rate * (1 + error[0]) + error[1] + noise_w * rng.standard_normal(len(bounds_s) - 1)

    def read() -> Iterator[PowerBlock]:
        for start in range(0, len(samples), block):
            part = samples[start : start + block]
            yield PowerBlock(start, np.full(len(part), VOLTS), part / VOLTS)

    trace = PowerTrace(samplerate_hz=Fraction(rate_hz), read=read, instrument=instrument)
    rises, falls = changes[:, 0], changes[:, -1]
    toggles = np.sort(np.concatenate([rises, falls]))
    pin = np.ceil(toggles * rate).astype(np.int64) + first
    return Recorded(
        load=load,
        starts_s=changes[:, 0:6:2],
        ends_s=changes[:, 2::2],
        trace=trace,
        trace_pins=_levels(pin, "pin", Fraction(rate_hz), len(samples)),
        analyzer=_levels(samples_of(toggles), "node.line", ANALYZER_HZ, int(end_s * ANALYZER_HZ)),
    )


def with_instrument(recorded: Recorded, instrument: Instrument) -> Recorded:
    return replace(recorded, trace=replace(recorded.trace, instrument=instrument))


def _levels(toggles: NDArray[np.int64], name: str, rate_hz: Fraction, end: int) -> Edges:
    """A channel that is low at sample 0 and changes at each of these samples."""
    return Edges.from_blocks(
        [(np.append(0, toggles), (np.arange(len(toggles) + 1) % 2).astype(np.uint64))],
        samplerate_hz=rate_hz,
        channels=(name,),
        end=max(end, int(toggles[-1]) + 1),
    )


def sampled(load: Load, *, rate_hz: int, first: int, end_s: float, ppm: float = 0.0) -> PowerTrace:
    """The trace of a load by an ideal instrument, whose sample `first` begins with the load's second 0."""
    rate = rate_hz * (1 + ppm * 1e-6)
    bounds_s = (np.arange(first + int(end_s * rate) + 2) - first) / rate
    energy = np.where(bounds_s < 0, bounds_s * load.watts[0], load.joules(np.maximum(bounds_s, 0)))
    amperes = np.diff(energy) * rate / VOLTS
    blocks = [PowerBlock(0, np.full(len(amperes), VOLTS), amperes)]
    return PowerTrace(samplerate_hz=Fraction(rate_hz), read=lambda: iter(blocks), instrument=IDEAL)


def clock_of(*, rate_hz: int, first: int, end_s: float, ppm: float = 0.0) -> TraceClock:
    """The clock of such a trace, from instants that are known exactly."""
    analyzer_ns = np.linspace(0, end_s * 1e9, 64).astype(np.int64)
    trace_ns = np.rint(analyzer_ns * (1 + ppm * 1e-6) + first * 1e9 / rate_hz).astype(np.int64)
    fit = clock_fit.fit(trace_ns, analyzer_ns, clock="trace", reference="analyzer", quanta_ns=(1.0, 1.0))
    return TraceClock(fit, Fraction(rate_hz), ANALYZER_HZ, 0.0, 64)
