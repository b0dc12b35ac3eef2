"""The finding that delays lie on a lattice: its sentence, its numbers and its share of the variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.lattice import MAX_LEVELS, MIN_LEVELS, WINDOW, Flags, Lattice, fit, shortest
from gpiorig.analysis.attribution.shares import within
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics.interval_text import share_interval
from gpiorig.analysis.statistics.intervals import CONFIDENCE, Interval


def test(delays: NDArray[np.int64], *, period_ns: float, among: Flags | None = None) -> Finding | None:
    """Test delays for a lattice.

    Parameters
    ----------
    delays
        int64[n], samples.
    period_ns
        Nanoseconds per sample.
    among
        bool[n], delays of packets that met nothing else; None if unknown.

    Returns
    -------
    Finding or None
        Its share is that of the variance of all delays. Of a grid of more than `MAX_LEVELS` levels the chance is 1, and
        the number `grid_p_value` is its chance as a grid.
    """
    lattice = shortest(delays) if among is None else fit(delays[among])
    if lattice is None:
        return None
    if lattice.levels > MAX_LEVELS:
        period = time_text(lattice.period * period_ns)
        text = (
            f"The delays lie on {lattice.levels} levels {period} apart; more than {MAX_LEVELS} show the "
            "resolution of a clock, not why delays differ."
        )
        return Finding("lattice", text, 1.0, 0.0, {"levels": lattice.levels, "grid_p_value": lattice.p_value})
    z = float(ndtri(0.5 + CONFIDENCE / 2))
    named = {"period_ns": (lattice.period, lattice.period_se), "phase_ns": (lattice.origin, lattice.origin_se)}
    numbers: dict[str, Interval | float | int | str] = {
        name: Interval(
            value=value * period_ns,
            low=(value - z * se) * period_ns,
            high=(value + z * se) * period_ns,
            method="least squares over the delays on levels",
            note="in the analyzer's time",
        )
        for name, (value, se) in named.items()
    }
    on_levels = lattice.on_levels(delays)
    share = _share(delays, on_levels, lattice)
    numbers |= {
        "levels": lattice.levels,
        "on_lattice": float(on_levels.mean()),
        "width_ns": lattice.width * period_ns,
        "packets": len(delays),
        "share": share,
    }
    period = time_text(lattice.period * period_ns, digits=_digits(lattice.period, z * lattice.period_se))
    error, on = _short(z * lattice.period_se * period_ns), share_text(float(on_levels.mean()))
    return Finding(
        kind="lattice",
        sentence=(
            f"The delays lie on {count_text(lattice.levels, 'level')} {time_text(lattice.period * period_ns)} apart"
            f" ({period} ± {error}; {on} of {count_text(len(delays), 'packet')} on one),"
            f" which makes {share_interval(share)} of the variance."
        ),
        p_value=lattice.p_value if lattice.levels >= MIN_LEVELS else 1.0,
        share=share.value,
        numbers=numbers,
    )


def _share(delays: NDArray[np.int64], on_levels: Flags, lattice: Lattice) -> Interval:
    """The share of the sum of squares of all delays between the levels, minus that of delays there by chance."""
    levels = lattice.origin + lattice.period * np.rint((delays - lattice.origin) / lattice.period)
    off_levels = np.count_nonzero(~on_levels & (delays > lattice.origin - lattice.period) & (delays < lattice.beyond))
    by_chance = min(1.0, off_levels * 2 * WINDOW / (1 - 2 * WINDOW) / max(1, int(np.count_nonzero(on_levels))))
    return within(delays.astype(np.float64), on_levels, levels, worth=1 - by_chance)


def _digits(value: float, error: float) -> int:
    """Digits of a value that its error leaves."""
    return max(3, min(9, int(np.floor(np.log10(value))) - int(np.floor(np.log10(max(error, 1e-9)))) + 1))


def _short(ns: float) -> str:
    return time_text(ns, digits=1) if ns >= 1 else f"{ns:.1g} ns"
