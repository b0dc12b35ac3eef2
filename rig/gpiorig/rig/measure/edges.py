"""Measurements on any capture: which channels, which edges, per node where channels are named after nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gpiorig.analysis.delays.instruments import Instruments, Pin
from gpiorig.analysis.delays.uncertainty import for_delay
from gpiorig.analysis.measure import edges as measure
from gpiorig.analysis.measure import nominal
from gpiorig.analysis.measure.edge_kinds import Kind
from gpiorig.analysis.measure.edges import Between, Instants, PairCounts, Pairs, Samples
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.statistics.summary import of_ordered, quantile
from gpiorig.analysis.statistics.tally import TOGETHER, Tally
from gpiorig.capture import mapped
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure.edge_specs import TOGGLE, Spec
from gpiorig.rig.measure.measurement import Measurement

SKEWS = ("skew", "toggle")  # ways of a `Spec` that pair to both sides
NEARER = 4.0  # times, that edges of the other direction must be for a hint


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """What measurements are made on.

    Attributes
    ----------
    instants
        By channel and kind.
    gaps
        int64[k, 2], lost samples.
    samplerate_hz
        Samples per second.
    """

    instants: dict[tuple[str, Kind], Instants]
    gaps: Samples
    samplerate_hz: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The delays between two kinds of edges by length, where the single ones are not needed.

    Attributes
    ----------
    between
        How they were paired.
    delays
        In samples.
    samplerate_hz
        Samples per second.
    """

    between: Between
    delays: Tally
    samplerate_hz: Fraction


def nodes(spec: Spec, channels: Sequence[str]) -> list[str]:
    """The nodes whose lines a measurement can be made on, by channels named ``node.line``, in their order."""
    lines = [line for line, _ in spec.ends]
    heads = dict.fromkeys(name.removesuffix(f".{lines[0]}") for name in channels if name.endswith(f".{lines[0]}"))
    complete = [node for node in heads if all(f"{node}.{line}" in channels for line in lines)]
    if not complete:
        known = ", ".join(filter(None, channels)) or "none"
        raise RigError(
            f"--per node: no node has the lines {' and '.join(dict.fromkeys(lines))}; channels named NODE.LINE are "
            f"wanted, and there are {known}."
        )
    return complete


def load(waveform: Waveform, specs: Sequence[Spec]) -> Loaded:
    """The edges that are measured."""
    instants, gaps = measure.instants(waveform, _ends(waveform, specs))
    return Loaded(instants, gaps, waveform.samplerate_hz)


def count(waveform: Waveform, specs: Sequence[Spec], *, longest_s: Fraction | None) -> list[Counted]:
    """Pair the edges as they are read, in memory that does not grow with their number; of a skew this is not done."""
    longest = _longest(longest_s, waveform.samplerate_hz)
    counted = []
    for spec in specs:
        (begin, _), (end, _) = spec.ends
        between = Between(same=begin == end, longest=longest)
        counted.append(Counted(between, Tally(), waveform.samplerate_hz))
    for window, gaps in measure.windows(waveform, _ends(waveform, specs)):
        for spec, of_spec in zip(specs, counted, strict=True):
            begins, ends = (window[end].samples for end in spec.ends)
            of_spec.delays.add(of_spec.between.feed(begins, ends, gaps)[1])
    return counted


def _ends(waveform: Waveform, specs: Sequence[Spec]) -> list[tuple[str, Kind]]:
    """Channels and kinds of the edges; raises `RigError` if one is not there."""
    ends = list(dict.fromkeys(end for spec in specs for end in spec.ends))
    names = [name for name in waveform.channels if name]
    for channel, _ in ends:
        if channel not in names:
            alike = [f"{name}:rise" for name in names if name.rpartition(":")[0] == channel]
            hint = f" A name with a colon needs its kind after it: {alike[0]}." if alike else ""
            lines = [name for name in names if name.endswith(f".{channel}")]
            hint = f" Did you mean {' or '.join(lines)}?" if lines else hint
            raise RigError(
                f"no channel `{channel}` in this capture; available channels: {', '.join(names) or 'none'}.{hint}"
            )
    return ends


def _longest(longest_s: Fraction | None, samplerate_hz: Fraction) -> int | None:
    return None if longest_s is None else math.floor(longest_s * samplerate_hz)


def run(
    loaded: Loaded | Counted,
    spec: Spec,
    instruments: Instruments,
    *,
    longest_s: Fraction | None,
    nominal_s: Fraction | None = None,
) -> Measurement:
    """Make one measurement.

    Parameters
    ----------
    loaded
        From `load`, or from `count`, which has no single delays for `nominal_s`.
    spec
        What to measure.
    instruments
        What the capture was made with.
    longest_s
        Longest delay that is a pair.
    nominal_s
        What the mean is compared with.
    """
    if isinstance(loaded, Counted):
        pairs: PairCounts = loaded.between.counts(_name(spec))
        edge_counts = loaded.between.begins, loaded.between.ends
        summary, hint = of_ordered(loaded.delays, samplerate_hz=loaded.samplerate_hz), ""
    else:
        pairs, hint = _pairs(loaded, spec, _longest(longest_s, loaded.samplerate_hz))
        begins, ends = (len(loaded.instants[end].samples) for end in spec.ends)
        edge_counts = begins, ends
        summary = of_ordered(_tally(pairs.delays), samplerate_hz=loaded.samplerate_hz)
    start, stop = (Pin(channel, "" if kind == "edge" else kind) for channel, kind in spec.ends)
    uncertainty = for_delay(pairs.name, summary.median_ns, start=start, end=stop, instruments=instruments)
    compared = None
    if nominal_s is not None:
        assert isinstance(pairs, Pairs), "a mean is compared by its single delays"
        compared = nominal.deviation(
            pairs.starts,
            pairs.delays,
            unit_ns=float(NS_PER_S / loaded.samplerate_hz),
            nominal_ns=float(nominal_s * NS_PER_S),
            ends_ns=float(uncertainty.expanded_of(np.zeros(()))),
            clock_ppm=instruments.reference.clock_ppm,
        )
    return Measurement(
        pairs=pairs,
        edges=edge_counts,
        summary=summary,
        uncertainty=uncertainty,
        hint=hint,
        deviation=compared,
    )


def _pairs(loaded: Loaded, spec: Spec, longest: int | None) -> tuple[Pairs, str]:
    """Single delays, and what to try where they are hardly what was meant."""
    begin, end = (loaded.instants[end] for end in spec.ends)
    if spec.way not in SKEWS:
        return measure.between(begin, end, gaps=loaded.gaps, longest=longest, name=_name(spec)), ""
    pairs = measure.skew(begin, end, gaps=loaded.gaps, longest=longest, toggling=spec.way == "toggle")
    return pairs, _toggles(loaded, spec, pairs) if spec.way == "skew" else ""


def _toggles(loaded: Loaded, spec: Spec, pairs: Pairs) -> str:
    """What to do where edges of the other direction are much nearer, as of pins that toggle and began differently."""
    begin, end = (loaded.instants[end] for end in spec.ends)
    if begin.kind != "edge" or not len(begin.samples) or not len(end.samples):
        return ""
    other = measure.skew(begin, end, gaps=loaded.gaps, toggling=True)
    if not len(other.delays):
        return ""
    nearer = _median_length(other)
    if len(pairs.delays) and _median_length(pairs) <= NEARER * max(nearer, 1.0):
        return ""
    return (
        "edges of the opposite direction are much nearer: if both pins toggle with each event, "
        f"measure --skew {begin.channel}:{TOGGLE} {end.channel}:{TOGGLE}; --max-gap bounds a pair"
    )


def _median_length(pairs: Pairs) -> float:
    return float(quantile(_tally(pairs.delays, magnitude=True), Fraction(1, 2)))


def _tally(delays: Samples, *, magnitude: bool = False) -> Tally:
    """Count delays, which may be mapped, part after part."""
    tally = Tally()
    for at in range(0, len(delays), TOGETHER):
        part = delays[at : at + TOGETHER]
        tally.add(np.abs(part) if magnitude else part)
        mapped.relieve()
    return tally


def _name(spec: Spec) -> str:
    (begin, begin_kind), (end, end_kind) = spec.ends
    if spec.way == "period":
        return f"period of {begin} {begin_kind}"
    if spec.way == "width":
        return f"{begin} {'high' if begin_kind == 'rise' else 'low'}"
    return f"{begin} {begin_kind} to {end} {end_kind}"
