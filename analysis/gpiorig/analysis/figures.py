"""Figures: what a reader looks at. Each function draws on the axes it is given."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from gpiorig.analysis import lattice
from gpiorig.analysis.path import Kind, Step
from gpiorig.analysis.quantity import NS_PER_S, digits_for, round_time_text, share_text, time_text
from gpiorig.analysis.statistics import RESOLUTION_SAMPLES, resolved, summarize, variance_shares
from gpiorig.analysis.style import FAINT, INK, KIND_COLOURS
from gpiorig.analysis.timelines import Steps

MAX_BARS = 240
HEADROOM = 1.26  # above the tallest bar, for the names of the marks
_WIDTHS_US = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def rtt_distribution(ax: Axes, rtt: NDArray[np.int64], *, samplerate_hz: Fraction, lost: int = 0) -> None:
    """Histogram of the round-trip times, and on a second scale their empirical distribution function.

    Parameters
    ----------
    ax
        Where to draw.
    rtt
        int64[n], in samples, of the timelined packets.
    samplerate_hz
        Exact samplerate.
    lost
        Packets without a round-trip time; they are named, not drawn.
    """
    period_ms = 1000 / float(samplerate_hz)
    ms = rtt * period_ms
    summary = summarize(rtt, samplerate_hz=samplerate_hz, lost=lost)
    width, bins = _bins(rtt, period_ms)
    counts, _ = np.histogram(ms, bins)
    ax.bar(bins[:-1], counts, width=width, align="edge", color=KIND_COLOURS[Kind.SOFTWARE], linewidth=0)
    ax.set_ylim(0, HEADROOM * max(1, counts.max()))
    margin = max(0.02 * (bins[-1] - bins[0]), 4 * width)
    ax.set_xlim(bins[0] - margin, bins[-1] + margin)
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.set_xlabel("round-trip time (ms)")
    ax.set_ylabel(f"packets per {time_text(width * 1e6).replace('.0 ', ' ')}")
    right = ax.twinx()
    right.spines["right"].set_visible(True)
    right.step(np.sort(ms), np.arange(1, len(ms) + 1) / max(1, len(ms)), where="post", color=INK, linewidth=1)
    right.set_ylim(0, HEADROOM)
    right.set_yticks([0, 0.25, 0.5, 0.75, 1])
    right.set_ylabel("share of packets at or below")
    marks = (("median", summary.median_ns, 1.05), ("p95", summary.p95_ns, 1.05), ("p99", summary.p99_ns, 1.13))
    for name, value, top in marks:
        right.plot([value / 1e6] * 2, [0, top + 0.06], color=FAINT, linewidth=0.8, linestyle=(0, (4, 2)))
        place: dict[str, Any] = {"xytext": (-3, 0), "textcoords": "offset points", "ha": "right", "va": "bottom"}
        right.annotate(name, (value / 1e6, top), fontsize=8, color=INK, **place)
    n = f"{summary.n} packets" + (f", {lost} lost" if lost else "")
    ax.set_title(f"{_rtt_conclusion(rtt, samplerate_hz)} ({n})")


def _bins(rtt: NDArray[np.int64], period_ms: float) -> tuple[float, NDArray[np.float64]]:
    """Width and edges of the bars in ms: one sample each for few different delays, else a round width."""
    if not len(rtt):
        return 1.0, np.array([0.0, 1.0])
    low, high = int(rtt.min()), int(rtt.max())
    if high - low < MAX_BARS // 2:
        return period_ms, (np.arange(low, high + 2, dtype=np.float64) - 0.5) * period_ms
    spread = (high - low) * period_ms
    width = next((us / 1000 for us in _WIDTHS_US if spread <= us / 1000 * MAX_BARS), spread / MAX_BARS)
    first = float(np.floor(low * period_ms / width - 1)) * width
    return width, first + width * np.arange(int(spread / width) + 4, dtype=np.float64)


def _rtt_conclusion(rtt: NDArray[np.int64], samplerate_hz: Fraction) -> str:
    if not len(rtt):
        return "No packet has a round-trip time"
    period_ns = float(NS_PER_S / samplerate_hz)
    summary = summarize(rtt, samplerate_hz=samplerate_hz)
    digits = digits_for(summary.median_ns, spread_ns=summary.peak_to_peak_ns, resolution_ns=period_ns)
    text = (
        f"Median RTT {time_text(summary.median_ns, digits=digits)}, peak to peak {time_text(summary.peak_to_peak_ns)}"
    )
    found = lattice.find(rtt)
    if found is not None:
        text += f",\non {found.levels} levels {time_text(found.spacing_samples * period_ns)} apart"
    return text


def step_distributions(
    ax: Axes, steps: Steps, *, columns: Sequence[int | None], names: Sequence[str], title: str = ""
) -> None:
    """One row per step, in the order of the path: range, 5 to 95 %, quartiles, median, on a logarithmic scale.

    Parameters
    ----------
    ax
        Where to draw.
    steps
        The durations.
    columns
        Which step each row shows; None leaves the row empty.
    names
        Names of the rows, at the left; empty for none.
    title
        Title of the axes.
    """
    drawn = [(y, column) for y, column in enumerate(columns) if column is not None]
    for y, column in drawn:
        _draw_step(ax, steps, column, y=y)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(10))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(us * 1000)))
    ax.set_ylim(len(columns) - 0.4, -0.6)
    ax.set_yticks(range(len(columns)), names or [""] * len(columns))
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("duration (logarithmic)")
    ax.set_title(title)
    _beside(ax, -0.75, "median (range)", color=FAINT)


def _draw_step(ax: Axes, steps: Steps, column: int, *, y: int) -> None:
    summary = summarize(steps.samples[:, column], samplerate_hz=steps.samplerate_hz)
    colour = KIND_COLOURS[steps.steps[column].kind]
    names = ("min", "p5", "p25", "median", "p75", "p95", "max")
    # A duration of no sample has no place on a logarithmic axis: it is drawn at half a sample.
    least = 0.5e6 / float(steps.samplerate_hz)
    us = {name: max(getattr(summary, f"{name}_ns") / 1000, least) for name in names}
    ax.plot([us["min"], us["max"]], [y, y], color=INK, linewidth=0.8, solid_capstyle="butt", zorder=2)
    ax.plot([us["min"], us["max"]], [y, y], "|", color=INK, markersize=4, markeredgewidth=0.8, zorder=2)
    for low, high, thick in (("p5", "p95", 3.2), ("p25", "p75", 7.5)):
        ax.plot([us[low], us[high]], [y, y], color=colour, linewidth=thick, solid_capstyle="butt", zorder=3)
    ax.plot(us["median"], y, "|", color=colour, markersize=7.5, markeredgewidth=3.4, zorder=3)
    ax.plot(us["median"], y, "|", color=INK, markersize=9, markeredgewidth=1.3, zorder=4)
    _beside(ax, y, f"{time_text(summary.median_ns)} ({time_text(summary.peak_to_peak_ns)})", color=INK)


def _beside(ax: Axes, y: float, text: str, *, color: str) -> None:
    """Text to the right of a row."""
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    ax.annotate(text, (1.015, y), fontsize=7.5, color=color, **place)


def where_time_goes(ax: Axes, steps: Steps) -> None:
    """Two stacked bars: shares of the kinds of steps in the mean round-trip time, and in its variance.

    The share in the variance is cov(step, RTT) / var(RTT), see `gpiorig.analysis.statistics.variance_shares`.
    """
    kinds = kinds_of(steps)
    period_ns = float(NS_PER_S / steps.samplerate_hz)
    means = steps.samples.mean(axis=0) * period_ns if len(steps.samples) else np.zeros(len(steps.steps))
    shares = resolved_shares(steps)
    total = float(means.sum())
    jitter = float(np.std(steps.samples.sum(axis=1), ddof=1)) * period_ns if len(steps.samples) > 1 else float("nan")
    bars = (
        (f"mean time\n{time_text(total)}", means / (total or 1)),
        (f"variance\n(std {time_text(jitter)})", shares),
    )
    for y, (_, values) in enumerate(bars):
        left = 0.0
        for kind in kinds:
            share = sum(float(v) for v, step in zip(values, steps.steps, strict=True) if step.kind is kind)
            if not np.isfinite(share):
                continue
            colour = KIND_COLOURS[kind]
            ax.barh(y, max(share, 0), left=left, height=0.62, color=colour, edgecolor="white", linewidth=0.8)
            if share > 0.05:
                dark = kind in {Kind.AIR, Kind.DRIVER, Kind.INTERRUPT}
                text = share_text(share) + (f"\n{time_text(share * total)}" if y == 0 else "")
                ink = INK if dark else "white"
                ax.text(left + share / 2, y, text, ha="center", va="center", fontsize=8.5, color=ink)
            left += max(share, 0)
    if not np.isfinite(shares).all():
        text = f"not resolved: all round trips are equal within {_resolution_text(steps)}"
        ax.text(0.5, 1, text, ha="center", va="center", fontsize=8.5, color=INK)
    ax.set_yticks([0, 1], [label for label, *_ in bars])
    ax.set_ylim(1.5, -0.5)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    ax.set_xlabel("share of the round trip's mean and variance")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_title(where_conclusion(steps))


def kinds_of(steps: Steps) -> list[Kind]:
    """The kinds of steps that occur."""
    return [kind for kind in Kind if any(step.kind is kind for step in steps.steps)]


def where_conclusion(steps: Steps) -> str:
    """What takes most of the time, and what most of the jitter, in a sentence."""
    if not len(steps.samples):
        return "No packet has all its steps"
    means, shares = steps.samples.mean(axis=0), resolved_shares(steps)
    most, share = largest_kind(steps, means / means.sum())
    text = f"Most of the time ({share_text(share)}): {most.value}"
    if not np.isfinite(shares).all():
        return f"{text}; no jitter above the resolution ({_resolution_text(steps)})"
    worst, share = largest_kind(steps, shares)
    return f"{text}; most of the RTT's variance ({share_text(share)}): {worst.value}"


def largest_kind(steps: Steps, values: NDArray[np.float64]) -> tuple[Kind, float]:
    """The kind of steps with the largest sum of values, and that sum."""
    sums = {
        kind: sum(float(value) for value, step in zip(values, steps.steps, strict=True) if step.kind is kind)
        for kind in kinds_of(steps)
    }
    largest = max(sums, key=lambda kind: sums[kind])
    return largest, sums[largest]


def resolved_shares(steps: Steps) -> NDArray[np.float64]:
    """Shares in the variance; NaN where the round trips do not vary by more than the resolution."""
    if not resolved(steps.samples.sum(axis=1)):
        return np.full(len(steps.steps), np.nan)
    return variance_shares(steps.samples)


def _resolution_text(steps: Steps) -> str:
    return time_text(RESOLUTION_SAMPLES * float(NS_PER_S / steps.samplerate_hz))


def steps_conclusion(steps: Steps) -> str:
    """Which steps vary most, in a sentence."""
    if not len(steps.samples):
        return "No packet has all its steps"
    if not any(resolved(steps.samples[:, column]) for column in range(len(steps.steps))):
        return f"No step varies by more than the resolution ({_resolution_text(steps)})"
    ranges = np.ptp(steps.samples, axis=0) * float(NS_PER_S / steps.samplerate_hz)
    first, second = np.argsort(-ranges, kind="stable")[:2]
    names = [f"{short_name(steps.steps[i])} ({time_text(ranges[i])})" for i in (first, second)]
    rest = time_text(float(np.sort(ranges)[:-2].max(initial=0)))
    return f"Widest ranges: {names[0]} and {names[1]}; every other step stays within {rest}"


def short_name(step: Step) -> str:
    """Name of a step without its explanation: ``request radio wait``."""
    direction, _, rest = step.name.partition(": ")
    explained = step.kind in {Kind.RADIO_WAIT, Kind.AIR} and ": " in rest
    return f"{direction} {rest.partition(': ')[0] if explained else rest}"
