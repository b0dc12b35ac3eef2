"""The clock of a node for `--json`: units in the names, null for unknown values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import structs

from gpiorig.analysis.clocks.node_clock import BootPeriod, NodeClock
from gpiorig.analysis.clocks.segment import PPM, Segment
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.statistics.intervals import Interval

AGREE = 1.5  # of the half of its interval: by how much the rate of a segment may be off the mean if they agree
QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


class ClockLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a clock against its reference, from `start_s` to `end_s` of the reference.

    `rate` is node seconds per second, `offset_s` node minus reference at `start_s`, `residual_std_s` within `bands_s`.
    """

    start_s: float
    end_s: float
    rate: float
    ppm: float
    ppm_interval: tuple[float, float] | None
    offset_s: float
    residual_std_s: float
    bands_s: list[float]
    outliers: int


class SegmentLine(ClockLine, frozen=True, kw_only=True):
    """The line of one of several segments, with its number of timestamps."""

    n: int


class MinimumDelay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clock by the smallest delays, `offset_s` at its first timestamp; how much later the other lines are."""

    ppm: float
    ppm_interval: tuple[float, float] | None
    offset_s: float
    delay_s: dict[str, float]


class BootPeriodNumbers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A boot period and its line, whose numbers are null without one; of several segments `ppm` is their mean.

    `offset_s` is then that of the first segment.
    """

    n: int
    backsteps: int
    note: str
    start_s: float | None = None
    end_s: float | None = None
    rate: float | None = None
    ppm: float | None = None
    ppm_interval: tuple[float, float] | None = None
    offset_s: float | None = None
    residual_std_s: float | None = None
    bands_s: list[float] | None = None
    outliers: int | None = None
    segments: tuple[SegmentLine, ...]
    drift_ppm_per_s: float | None
    minimum_delay: MinimumDelay | None


class ClockOfNode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clock of a node: counts, steps of both clocks, and its boot periods."""

    n: int
    resets: int
    wraps: int
    wrap_ticks: int | None
    backsteps: int
    tick_hz: float
    quantisation_s: float
    reference: str
    reference_quantisation_s: float
    reference_backsteps: int
    note: str
    boot_periods: tuple[BootPeriodNumbers, ...]


def of_clock(clock: NodeClock) -> ClockOfNode:
    """The clock, with its boot periods."""
    return ClockOfNode(
        n=clock.n,
        resets=clock.resets,
        wraps=clock.wraps,
        wrap_ticks=clock.modulus,
        backsteps=clock.backsteps,
        tick_hz=float(clock.tick_hz),
        quantisation_s=clock.quantisation_ns / NS_PER_S,
        reference=clock.reference,
        reference_quantisation_s=clock.reference_quantisation_ns / NS_PER_S,
        reference_backsteps=clock.reference_backsteps,
        note=clock.note,
        boot_periods=tuple(map(of_boot_period, clock.boot_periods)),
    )


def of_boot_period(period: BootPeriod) -> BootPeriodNumbers:
    """A boot period and its lines."""
    segments, complete = period.segments, line(period)
    drift = segments[0].drift_ppm_per_s if len(segments) == 1 else None
    parts = zip(map(_line, segments), segments, strict=True)
    return BootPeriodNumbers(
        n=period.n,
        backsteps=period.backsteps,
        note="; ".join(period.notes),
        **(structs.asdict(complete) if complete else {}),
        segments=tuple(SegmentLine(**structs.asdict(part), n=segment.n) for part, segment in parts)
        if len(segments) > 1
        else (),
        drift_ppm_per_s=None if drift is None else drift.value,
        minimum_delay=_minimum(period),
    )


def line(period: BootPeriod) -> ClockLine | None:
    """One line of all segments of a boot period; None without any.

    Of several segments `ppm` is their mean (`_mean`), in which a step of either clock is not a rate; `residual_std_s`
    is the residual of all of them.
    """
    segments, lines = period.segments, [_line(segment) for segment in period.segments]
    if len(lines) < 2:
        return lines[0] if lines else None
    ppm, interval = _mean([(segment.ppm.value, _ends(segment.ppm)) for segment in segments], segments)
    freedom = np.array([max(segment.n - 2, 1) for segment in segments])
    variances = np.array([segment.residual_std_ns**2 for segment in segments])
    return ClockLine(
        start_s=lines[0].start_s,
        end_s=lines[-1].end_s,
        rate=1 + ppm / PPM,
        ppm=ppm,
        ppm_interval=interval,
        offset_s=lines[0].offset_s,
        residual_std_s=math.sqrt(float(freedom @ variances) / int(freedom.sum())) / NS_PER_S,
        bands_s=max((part.bands_s for part in lines), key=len),
        outliers=sum(segment.outliers for segment in segments),
    )


def _line(segment: Segment) -> ClockLine:
    return ClockLine(
        start_s=segment.start_ns / NS_PER_S,
        end_s=segment.end_ns / NS_PER_S,
        rate=1 + segment.ppm.value / PPM,
        ppm=segment.ppm.value,
        ppm_interval=_ends(segment.ppm),
        offset_s=_offset_ns(segment) / NS_PER_S,
        residual_std_s=segment.residual_std_ns / NS_PER_S,
        bands_s=[level / NS_PER_S for level in segment.bands_ns],
        outliers=segment.outliers,
    )


def _mean(
    rates: Sequence[tuple[float, tuple[float, float] | None]], segments: Sequence[Segment]
) -> tuple[float, tuple[float, float] | None]:
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
    return ppm, None if math.isnan(half) else (ppm - half, ppm + half)


def _minimum(period: BootPeriod) -> MinimumDelay | None:
    """The node against the host by the smallest delays: the inverse of the fit of the host against the node."""
    lines = period.fastest
    if not lines or any(
        line.ppm.value < -PPM / 2 for line in lines
    ):  # the reference stood still while the node continued
        return None
    rates = [(_inverse_ppm(line.ppm.value), _inverse_ends(line.ppm)) for line in lines]
    ppm, interval = rates[0] if len(lines) == 1 else _mean(rates, lines)
    delays = period.delays_ns()
    return MinimumDelay(
        ppm=ppm,
        ppm_interval=interval,
        offset_s=-_offset_ns(lines[0]) / NS_PER_S,
        delay_s={name: float(np.quantile(delays, p)) / NS_PER_S for name, p in QUANTILES.items()},
    )


def _offset_ns(segment: Segment) -> int:
    """Clock minus reference where the segment begins."""
    return int(segment.at(np.array([segment.start_ns], dtype=np.int64))[0][0])


def _inverse_ppm(ppm: float) -> float:
    """Skew of the reference against the clock, from that of the clock against the reference."""
    return -ppm / (1 + ppm / PPM) + 0.0


def _inverse_ends(interval: Interval) -> tuple[float, float] | None:
    ends = _ends(interval)
    return None if ends is None or ends[0] <= -PPM else (_inverse_ppm(ends[1]), _inverse_ppm(ends[0]))


def _ends(interval: Interval) -> tuple[float, float] | None:
    return None if math.isnan(interval.low) else (interval.low, interval.high)
