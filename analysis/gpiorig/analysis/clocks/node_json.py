"""The clock of a node in JSON's types: units in the names, null for unknown values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpiorig.analysis.clocks.node_clock import BootPeriod, NodeClock
from gpiorig.analysis.clocks.segment import PPM, Segment
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.statistics.intervals import Interval

AGREE = 1.5  # of the half of its interval: by how much the rate of a segment may be off the mean if they agree
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
LINE = ("start_s", "end_s", "rate", "ppm", "ppm_interval", "offset_s", "residual_std_s", "bands_s", "outliers")


def as_json(clock: NodeClock) -> dict[str, Any]:
    """The clock, with its boot periods."""
    return {
        "n": clock.n,
        "resets": clock.resets,
        "wraps": clock.wraps,
        "wrap_ticks": clock.modulus,
        "backsteps": clock.backsteps,
        "tick_hz": float(clock.tick_hz),
        "quantisation_s": clock.quantisation_ns / NS_PER_S,
        "reference": clock.reference,
        "reference_quantisation_s": clock.reference_quantisation_ns / NS_PER_S,
        "reference_backsteps": clock.reference_backsteps,
        "note": clock.note,
        "boot_periods": [boot_period_json(period) for period in clock.boot_periods],
    }


def boot_period_json(period: BootPeriod) -> dict[str, Any]:
    """A boot period and its lines.

    Of several segments `ppm` is their mean (`_mean`), in which a step of either clock is not a rate; `residual_std_s`
    is the residual of all of them.
    """
    segments = period.segments
    lines = [_line(segment) for segment in segments]
    drift = segments[0].drift_ppm_per_s if len(segments) == 1 else None
    return {
        "n": period.n,
        "backsteps": period.backsteps,
        "note": "; ".join(period.notes),
        **(_together(lines, segments) if lines else dict.fromkeys(LINE)),
        "segments": [line | {"n": segment.n} for line, segment in zip(lines, segments, strict=True)]
        if len(lines) > 1
        else [],
        "drift_ppm_per_s": None if drift is None else drift.value,
        "minimum_delay": _minimum(period),
    }


def _line(segment: Segment) -> dict[str, Any]:
    return {
        "start_s": segment.start_ns / NS_PER_S,
        "end_s": segment.end_ns / NS_PER_S,
        "rate": 1 + segment.ppm.value / PPM,
        "ppm": segment.ppm.value,
        "ppm_interval": _ends(segment.ppm),
        "offset_s": _offset_ns(segment) / NS_PER_S,
        "residual_std_s": segment.residual_std_ns / NS_PER_S,
        "bands_s": [level / NS_PER_S for level in segment.bands_ns],
        "outliers": segment.outliers,
    }


def _together(lines: Sequence[dict[str, Any]], segments: Sequence[Segment]) -> dict[str, Any]:
    """One line of several."""
    if len(lines) == 1:
        return dict(lines[0])
    ppm, interval = _mean([(segment.ppm.value, _ends(segment.ppm)) for segment in segments], segments)
    freedom = np.array([max(segment.n - 2, 1) for segment in segments])
    variances = np.array([segment.residual_std_ns**2 for segment in segments])
    return {
        "start_s": lines[0]["start_s"],
        "end_s": lines[-1]["end_s"],
        "rate": 1 + ppm / PPM,
        "ppm": ppm,
        "ppm_interval": interval,
        "offset_s": lines[0]["offset_s"],
        "residual_std_s": math.sqrt(float(freedom @ variances) / int(freedom.sum())) / NS_PER_S,
        "bands_s": max((line["bands_s"] for line in lines), key=len),
        "outliers": sum(segment.outliers for segment in segments),
    }


def _mean(rates: Sequence[tuple[float, list[float] | None]], segments: Sequence[Segment]) -> tuple[float, Any]:
    """The mean of the rates of segments, and its interval; None if one of them has none.

    If they agree each is weighted by its inverse variance, so that a short segment counts little; else, as the rate
    changed, by its duration.
    """
    values = np.array([rate for rate, _ in rates])
    spans = np.array([segment.end_ns - segment.start_ns for segment in segments], dtype=np.float64)
    halves = np.array([(ends[1] - ends[0]) / 2 if ends else np.nan for _, ends in rates])
    share = spans / spans.sum()
    if (halves > 0).all():
        weight = halves**-2 / (halves**-2).sum()
        if (np.abs(values - weight @ values) <= AGREE * halves).all():
            share = weight
    ppm, half = float(share @ values), float(np.sqrt(((share * halves) ** 2).sum()))
    return ppm, None if math.isnan(half) else [ppm - half, ppm + half]


def _minimum(period: BootPeriod) -> dict[str, Any] | None:
    """The node against the host by the smallest delays: the inverse of the fit of the host against the node."""
    lines = period.fastest
    if not lines or any(
        line.ppm.value < -PPM / 2 for line in lines
    ):  # the reference stood still while the node continued
        return None
    rates = [(_inverse_ppm(line.ppm.value), _inverse_ends(line.ppm)) for line in lines]
    ppm, interval = rates[0] if len(lines) == 1 else _mean(rates, lines)
    delays = period.delays_ns()
    return {
        "ppm": ppm,
        "ppm_interval": interval,
        "offset_s": -_offset_ns(lines[0]) / NS_PER_S,
        "delay_s": {name: float(np.quantile(delays, p)) / NS_PER_S for name, p in QUANTILES.items()},
    }


def _offset_ns(segment: Segment) -> int:
    """Clock minus reference where the segment begins."""
    return int(segment.at(np.array([segment.start_ns], dtype=np.int64))[0][0])


def _inverse_ppm(ppm: float) -> float:
    """Skew of the reference against the clock, from that of the clock against the reference."""
    return -ppm / (1 + ppm / PPM) + 0.0


def _inverse_ends(interval: Interval) -> list[float] | None:
    ends = _ends(interval)
    return None if ends is None or ends[0] <= -PPM else [_inverse_ppm(ends[1]), _inverse_ppm(ends[0])]


def _ends(interval: Interval) -> list[float] | None:
    return None if math.isnan(interval.low) else [interval.low, interval.high]
