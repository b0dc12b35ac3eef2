"""What the showings of rows state: a value for each row, with its uncertainty."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpiorig.rig.certify.pulses import Showing
from gpiorig.rig.certify.rows import ROWS, Row

COVERAGE = 3.0  # of the standard error of a mean: 99.7 %, since a bench has a hundred rows (JCGM 100:2008, 6.3.3)
NEAR_SAMPLES = 2
DCO_PPM = {"telosb": 2500}  # half of the 0.5 % to which the firmware sets it (reference/boards/telosb/timer.c)
POLLED_CYCLES = {"dma.words": 10}  # a turn of the loop that waits until no word is left
POLLED_US = 1.5  # a turn of the loop that waits for an oscillator: 12 cycles of a HSI of 8 MHz
CLOCK, CRYSTAL, SQUARE = "clock", "crystal", "square"

# The clocks that cycles are counted in, by machine: clock.h in firmware-gpio-probes/reference/boards, and the slow one
# of reference/certify.
CLOCKS_HZ = {
    "iotlab-m3": (72e6, 16e6),
    "nucleo-l476rg": (80e6, 16e6),
    "nrf52840dk": (64e6, 64e6),
    "telosb": (4e6, 4e6),
}
FORMS = {row.code: row for row in ROWS}


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A row's value.

    Attributes
    ----------
    value, uncertainty
        In the row's unit; half the width of an interval of 99.7 %: the resolution of the samples, the spread of the
        repeats, and the clock's error where the value is not in cycles.
    repeats, spread
        How many single values, and their standard deviation.
    """

    value: float
    uncertainty: float
    repeats: int
    spread: float

    def scaled(self, factor: float, *, more: float = 0.0) -> Value:
        """In another unit; with more uncertainty in that."""
        return Value(
            value=self.value * factor,
            uncertainty=self.uncertainty * factor + more,
            repeats=self.repeats,
            spread=self.spread * factor,
        )


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Why a row has no value."""

    reason: str


def values(showings: Sequence[Showing], machine: str, *, samplerate_hz: float) -> dict[str, Value | Missing]:
    """The value of each row of a board.

    Parameters
    ----------
    showings
        Of its line.
    machine
        Of the board (`Board.machine`); it has rows.
    samplerate_hz
        Of the analyzer that the line is on, which limits how exactly it sees an edge.
    """
    by_code = defaultdict(list)
    for showing in showings:
        by_code[showing.code].append(showing)
    raw = {row.key: _of_row(row, by_code[row.code], samplerate_hz) for row in ROWS if machine in row.boards}
    clock = raw[CLOCK]
    if isinstance(clock, Missing):
        return raw
    return {row.key: _in_unit(row, raw, clock, machine) for row in ROWS if row.key in raw}


def resolved(samples: NDArray[np.float64], *, resolution: float) -> Value:
    """The mean of single values, each of which is known to `resolution`."""
    count = len(samples)
    spread = float(samples.std(ddof=1)) if count > 1 else 0.0
    error = COVERAGE * spread / math.sqrt(count)
    return Value(value=float(samples.mean()), uncertainty=max(resolution, error), repeats=count, spread=spread)


def _of_row(row: Row, showings: Sequence[Showing], samplerate_hz: float) -> Value | Missing:
    """Seconds per turn or per pulse; of the square wave, how much longer it is high than low."""
    if not showings:
        return Missing(reason="its code was not seen on the line")
    complete = [showing for showing in showings if len(showing.rises) == _pulses(row)]
    if not complete:
        counts = sorted({len(showing.rises) for showing in showings})
        return Missing(reason=f"{' or '.join(map(str, counts))} pulses after its code, {_pulses(row)} are due")
    period_s = 1 / samplerate_hz
    if row.unit == "ns":
        samples = np.array([_asymmetry(showing) for showing in complete]) * period_s
        return resolved(samples, resolution=2 * period_s / math.sqrt(row.repeats * len(complete)))
    samples = np.concatenate([_spans(row, showing) for showing in complete]) * period_s
    if len(row.turns) > 1:
        turns = row.turns[1] - row.turns[0]
        difference_s = period_s * max(1.0, 2 / math.sqrt(len(samples)))  # each of the two pulses is known to a sample
        return resolved(samples / turns, resolution=difference_s / turns)
    return resolved(samples, resolution=period_s / math.sqrt(min(len(samples), row.repeats)))


def _pulses(row: Row) -> int:
    """How many pulses a showing has."""
    return row.repeats * ((row.turns[0] + 1) // 2 if row.unit == "ns" else len(row.turns))


def _spans(row: Row, showing: Showing) -> NDArray[np.float64]:
    """Samples of each pulse, or by how many the second of each pair is longer; the first fills caches."""
    widths = (showing.falls - showing.rises).astype(float)
    return widths[1:] if len(row.turns) == 1 else (widths[1::2] - widths[::2])[1:]


def _asymmetry(showing: Showing) -> float:
    """By how many samples a square wave is longer high than low, on average; without the ends of its bursts."""
    return _inner(showing.falls - showing.rises) - _inner(showing.rises[1:] - showing.falls[:-1])


def _inner(widths: NDArray[np.int64]) -> float:
    """Mean of the widths that are within a sample or two of the median."""
    return float(widths[np.abs(widths - np.median(widths)) <= NEAR_SAMPLES].mean())


def _in_unit(row: Row, raw: Mapping[str, Value | Missing], clock: Value, machine: str) -> Value | Missing:
    value = raw[row.key]
    if isinstance(value, Missing):
        return value
    ratio = clock.value * 1e6 / _form(CLOCK).tick_us  # how much longer the analyzer finds a period of this clock
    if row.unit == "cycles":
        scale = CLOCKS_HZ[machine][row.slow] / ratio
        wander = max(clock.uncertainty, COVERAGE * clock.spread)  # the row was not shown when the clock was
        polled = POLLED_CYCLES[row.key] / (row.turns[1] - row.turns[0]) if row.key in POLLED_CYCLES else 0.0
        return value.scaled(scale, more=value.value * scale * wander / clock.value + polled)
    if row.unit == "ppm":  # how much faster the clock is: its period is shorter
        period_s, set_ppm = row.tick_us * 1e-6, DCO_PPM.get(machine, 0) if row.key == CLOCK else 0
        return Value(
            value=(period_s / value.value - 1) * 1e6,
            uncertainty=max(value.uncertainty, COVERAGE * value.spread) / period_s * 1e6 + set_ppm,  # it wanders
            repeats=value.repeats,
            spread=value.spread / period_s * 1e6,
        )
    if row.unit == "ns":
        return value.scaled(1e9)
    reference = raw.get(CRYSTAL, clock)
    error = 0.0
    if isinstance(reference, Value):
        tick_us = _form(CRYSTAL if CRYSTAL in raw else CLOCK).tick_us
        error = abs(reference.value * 1e6 / tick_us - 1)
    polled_us = POLLED_US if row.key.startswith("start.") else 0.0
    value, span_s = _by_thresholds(value, raw), value.value
    return value.scaled(1e6, more=span_s * 1e6 * error + polled_us)


def _by_thresholds(value: Value, raw: Mapping[str, Value | Missing]) -> Value:
    """A pulse as if rising edges were seen as late as falling ones, where the square wave shows otherwise."""
    square = raw.get(SQUARE)
    if not isinstance(square, Value) or abs(square.value) <= square.uncertainty:
        return value
    return Value(
        value=value.value - square.value / 2,  # a high is shorter by the delay, and a low longer
        uncertainty=value.uncertainty + square.uncertainty / 2,
        repeats=value.repeats,
        spread=value.spread,
    )


def _form(key: str) -> Row:
    return next(row for row in ROWS if row.key == key)
