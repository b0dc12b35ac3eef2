"""The calibration burst of a board: ids, damage, samples per symbol, the shortest pulse, skew of the data lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import msgspec
import numpy as np

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.number_text import signed_text
from gpiorig.rig.bench.finding import Finding, Verdict
from gpiorig.rig.bench.symbols import MIN_SAMPLES
from gpiorig.rig.verify.proof import CALIBRATIONS, Proof, Samples

_NS = 1_000_000_000


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of one board's burst.

    Attributes
    ----------
    width
        Of the bus, as the number of symbols states it.
    ids
        Of the 32 calibration events, how many came once and undamaged.
    damaged
        Damaged frames from the proof to the end of the burst.
    samples_per_symbol
        Least distance of two strobe edges, in samples of its analyzer.
    shortest_pulse_ns
        Of any line of the bus.
    skew_ns
        By data line, the mean distance of its edges from those of the strobe.
    """

    width: int | None
    ids: int
    damaged: int
    samples_per_symbol: int
    shortest_pulse_ns: float
    skew_ns: dict[str, float]


def measure(name: str, proof: Proof, edges: Mapping[str, Samples], events: Events, *, own_rate_hz: int) -> Calibration:
    """The numbers of a board, from the edges of its channels and the events of its bus.

    `own_rate_hz` is that of its analyzer; the edges of several are merged at the highest.
    """
    rate_hz = events.samplerate_hz
    is_node = (events.nodes == events.node(name)) & (events.samples >= proof.start) & (events.samples < proof.end)
    ids = events.ids[is_node & (events.codes == BY_NAME["rig.calibrate"].code)]
    damaged = events.damaged
    is_damaged = (damaged.nodes == events.node(name)) & (damaged.samples >= proof.start) & (damaged.samples < proof.end)
    within = {
        channel: samples[(samples >= proof.start) & (samples < proof.end)]
        for channel, samples in edges.items()
        if channel.startswith(f"{name}.")
    }
    strobe = within[f"{name}.strobe"]
    pulses = [np.diff(samples).min() for samples in within.values() if len(samples) > 1]
    return Calibration(
        width=proof.width,
        ids=len(set(ids.tolist()) & set(range(CALIBRATIONS))),
        damaged=int(is_damaged.sum()),
        samples_per_symbol=round(int(np.diff(strobe).min()) * own_rate_hz / rate_hz) if len(strobe) > 1 else 0,
        shortest_pulse_ns=float(min(pulses, default=0) * Fraction(_NS) / rate_hz),
        skew_ns={
            channel.partition(".")[2]: _skew(strobe, samples, rate_hz)
            for channel, samples in within.items()
            if channel != f"{name}.strobe" and len(samples) and len(strobe) > 1
        },
    )


def findings(name: str, calibration: Calibration, *, width: int, rate_hz: int) -> Iterator[Finding]:
    """The verdicts on a board's burst."""
    about = f"nodes.{name}.calibration"
    if calibration.width not in (None, width):
        what = (
            f"the image was built for {calibration.width} data lines, the bench file has {width}: flash an image with "
            f"WIDTH={width}, or change the bench file"
        )
        yield Finding(f"nodes.{name}.bus_width", "wrong", what)
    is_whole = calibration.ids == CALIBRATIONS and not calibration.damaged
    verdict: Verdict = "right" if is_whole else "wrong"
    what = f"{calibration.ids} of {CALIBRATIONS} events, {calibration.damaged} damaged frames"
    remedy = "" if is_whole else ": threshold, ground, long leads, or a samplerate that is too low"
    yield Finding(about, verdict, what + remedy)
    least = calibration.samples_per_symbol
    what = f"{least} samples in the shortest symbol, {calibration.shortest_pulse_ns:.0f} ns in the shortest pulse"
    if least == MIN_SAMPLES - 1:  # what a symbol of just as many periods also shows, and one of fewer
        yield Finding(about, "unknown", f"{what}; {MIN_SAMPLES} are needed, of which a sample can be missing by chance")
    elif least < MIN_SAMPLES:
        yield Finding(about, "wrong", f"{what}; {MIN_SAMPLES} samples are needed: a higher samplerate or hold")
    else:
        yield Finding(about, "right", what)
    for line, skew_ns in calibration.skew_ns.items():
        limit_ns = _NS / rate_hz
        within: Verdict = "right" if abs(skew_ns) < limit_ns else "wrong"
        what = f"{line} is {signed_text(skew_ns, '.1f')} ns from the strobe; less than {limit_ns:.1f} ns is needed"
        yield Finding(f"nodes.{name}.lines.{line}", within, what)


def _skew(strobe: Samples, data: Samples, rate_hz: Fraction) -> float:
    """Mean distance of a data line's edges from the nearest strobe edge, of those within half a symbol of one."""
    places = np.clip(np.searchsorted(strobe, data), 1, len(strobe) - 1)
    before, after = data - strobe[places - 1], data - strobe[places]
    nearest = np.where(np.abs(before) <= np.abs(after), before, after)
    half = np.diff(strobe).min() / 2
    near = nearest[np.abs(nearest) <= half]
    return float(near.mean() * _NS / rate_hz) if len(near) else 0.0
