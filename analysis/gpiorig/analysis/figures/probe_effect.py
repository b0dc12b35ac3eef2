"""The figure of the probe-effect meter: delays of every build minus those without probes or their extrapolation."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis.figures import palette, style
from gpiorig.analysis.number_text import signed_text
from gpiorig.analysis.probe_effect.delays import PINS, ROUND_TRIP
from gpiorig.analysis.probe_effect.effect import VARIANTS, Effect, Meter

_MARKS = {"off": "o", "empty": "s", "normal": "D", "doubled": "^"}
_COLOURS = {
    "off": palette.INK,
    "empty": palette.SERIES[0],
    "normal": palette.SERIES[1],
    "doubled": palette.SERIES[2],
}


def steps(meter: Meter, *, virtual: bool) -> Figure:
    """The medians minus the extrapolation to zero probes, of every delay that is measured without probes."""
    shown = [effect for effect in meter.effects if effect.source != PINS]
    with style.paper():
        figure = style.new_figure(width=8.4, height=1.5 + 0.3 * len(shown), virtual=virtual)
        ax = figure.subplots()
        rows = np.arange(len(shown))[::-1]
        for variant in VARIANTS:
            at = [(effect.medians_ns.get(variant, np.nan) - effect.zero_ns) / 1e3 for effect in shown]
            ax.plot(at, rows, _MARKS[variant], color=_COLOURS[variant], label=variant, markersize=5, alpha=0.85)
        for row, effect in zip(rows, shown, strict=True):
            ends = [(effect.cost_ns - end) / 1e3 for end in (effect.high_ns, effect.low_ns)]
            ax.plot(ends, [row, row], color=palette.FAINT, linewidth=4, alpha=0.5, solid_capstyle="butt")
        ax.axvline(0, color=palette.FAINT, linewidth=0.8)
        ax.set_yticks(rows, [_label(effect) for effect in shown])
        ax.set_xlabel("median minus the extrapolation to zero probes (µs); grey: interval of the extrapolation")
        figure.suptitle(_conclusion(meter), x=0.006, ha="left", fontsize=10.5, fontweight="bold")
        ax.legend(loc="best", frameon=True)
        return figure


def _label(effect: Effect) -> str:
    return f"{effect.name}{f' ({effect.events})' if effect.events > 0 else ''}"


def _conclusion(meter: Meter) -> str:
    rtt = next(effect for effect in meter.effects if effect.name == ROUND_TRIP)
    events = f"{rtt.events} events" if rtt.events > 0 else "Probes"
    text = f"{events} add {rtt.cost_ns / 1e3:.0f} µs to a round trip of {rtt.zero_ns / 1e6:.2f} ms"
    if np.isnan(rtt.error_ns):
        return text
    return f"{text}; the extrapolation is off by {signed_text(rtt.error_ns / 1e3, '.1f')} µs"
