"""Synthetic captures of a recorder, printed as programs print times, and how often ± covers the true delays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.formats import csv
from gpiorig.rig.measure import edge_specs, edges
from gpiorig.rig.recordings import time_base
from gpiorig.rig.recordings.time_base import TimeBase

Texts = Callable[[NDArray[np.float64]], list[str]]

SAMPLERATES_HZ: tuple[float, ...] = (
    *(20e3, 25e3, 32768.0, 44100.0, 50e3, 100e3, 115200.0, 200e3, 250e3, 500e3),
    *(1e6, 1.5625e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7.3728e6, 8e6, 10e6),
    *(12e6, 12.5e6, 13.56e6, 16e6, 20e6, 24e6, 25e6, 32e6, 40e6, 48e6),
    *(50e6, 80e6, 84e6, 100e6, 125e6, 200e6, 250e6, 400e6, 500e6, 1e9),
)
APERTURE_S, CLOCK = 2e-9, 100e-6  # limits that the analysis assumes of an unknown recorder
STEPS = 50  # mean distance of two edges, in the coarser of samples and printed steps


def _fixed(digits: int, factor: float = 1.0) -> Texts:
    return lambda times_s: [f"{time_s:.{digits}f}" for time_s in times_s * factor]


def _cut(digits: int) -> Texts:
    return lambda times_s: [text[: len(text) - 4] for text in _fixed(digits + 4)(times_s)]


def _significant(digits: int) -> Texts:
    return lambda times_s: [f"{time_s:.{digits}g}" for time_s in times_s]


# How times are printed, with the unit, and the step in s of a fixed number of digits (of floats: the digits).
ROUNDINGS: dict[str, tuple[Texts, str, float]] = {
    **{f"rounded to {digits} digits": (_fixed(digits), "s", 10.0**-digits) for digits in range(3, 13)},
    **{f"cut to {digits} digits": (_cut(digits), "s", 10.0**-digits) for digits in range(3, 13)},
    **{f"{digits} significant digits": (_significant(digits), "s", 0.0) for digits in range(6, 18)},
    "integer ms": (_fixed(0, 1e3), "ms", 1e-3),
    "ms with 4 digits": (_fixed(4, 1e3), "ms", 1e-7),
    "integer us": (_fixed(0, 1e6), "us", 1e-6),
    "us with 2 digits": (_fixed(2, 1e6), "us", 1e-8),
    "integer ns": (_fixed(0, 1e9), "ns", 1e-9),
    "15 digits": (_fixed(15), "s", 0.0),
    "ms with 2 digits": (_fixed(2, 1e3), "ms", 1e-5),
    "shortest float64": (lambda times_s: [repr(float(time_s)) for time_s in times_s], "s", 0.0),
}


def _sampled(true_s: NDArray[np.float64], rate_hz: float, random: np.random.Generator) -> NDArray[np.float64]:
    """The sample that first shows each edge: of those in its aperture each does or does not."""
    samples = np.ceil((true_s - APERTURE_S) * rate_hz)
    latest = np.ceil((true_s + APERTURE_S) * rate_hz)
    for _ in range(round(2 * APERTURE_S * rate_hz) + 1):
        samples += (samples < latest) & (random.random(len(samples)) < 0.5)
    return samples


def coverage(path: Path, rate_hz: float, rounding: str, *, count: int, seed: int) -> tuple[float, float, TimeBase]:
    """Print a capture into `path`, read it, and compare its periods with the true ones.

    Parameters
    ----------
    path
        A table, which is written.
    rate_hz, rounding
        Of `SAMPLERATES_HZ` and `ROUNDINGS`.
    count
        Edges.
    seed
        Of the edges, and of the recorder: its clock and apertures.

    Returns
    -------
    within
        Share of the periods whose error is within ±.
    largest
        Largest error as a share of ±.
    base
        What is stated of the times.
    """
    texts, unit, step_s = ROUNDINGS[rounding]
    random = np.random.default_rng(seed)
    mean_s = STEPS * max(1 / rate_hz, step_s)
    true_s = np.cumsum(random.uniform(0.4, 1.6, count)) * mean_s
    samples = _sampled(true_s, rate_hz * (1 + random.uniform(-CLOCK, CLOCK)), random)
    rows = texts(samples / rate_hz)
    levels = "01" * (count // 2 + 1)
    path.write_text("t,A\n" + "".join(f"{row},{level}\n" for row, level in zip(rows, levels, strict=False)))
    waveform, base_of = time_base.watch(csv.read(path, ReadOptions(columns={"unit": unit})))
    loaded = edges.load(waveform, [spec := edge_specs.period("A")])
    base = base_of()
    measured = edges.run(loaded, spec, Instruments(base.analyzer), longest_s=None)
    delays_ns = measured.pairs.delays * float(Fraction(10**9) / loaded.samplerate_hz)
    rises_s = true_s[1::2]
    assert len(rises_s) - 1 == len(delays_ns), "edges were merged"
    errors = np.abs(delays_ns - np.diff(rises_s) * 1e9) / measured.uncertainty.expanded_of(delays_ns)
    return float(np.mean(errors <= 1)), float(errors.max()), base
