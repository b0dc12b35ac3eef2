"""The probe-effect meter: the cost of the probes themselves, from runs with other probes on the same seeds.

The model is that a delay grows by the same amount with each event in it: zero = 2 normal - doubled. It applies where
the processor limits the delay. A step that waits for the radio absorbs the time of the events before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from gpiorig.analysis.delays.calibration import probe_cost
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.probe_effect.delays import Delay, Delays

VARIANTS = ("off", "empty", "normal", "doubled")
NAN = float("nan")
CONFIDENCE = 0.95
RESAMPLES = 1000
_BLOCK = 1 << 20
_ROUNDING_NS = 1e-3  # of sums of delays that are integer samples


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of the probes on one delay; times float64 in ns, NaN where they are unknown.

    Parameters
    ----------
    name, node, source, events
        As in `Delay`.
    packets
        Number of packets.
    medians_ns
        Median of each variant.
    cost_ns, low_ns, high_ns
        Cost of the events of the normal build, as extrapolated: doubled - normal; and its interval.
    true_cost_ns
        Their cost, from the build without probes: normal - off.
    resolution_ns
        Largest error of a difference of two delays, in either direction.
    """

    name: str
    node: str
    source: str
    events: int
    packets: int
    medians_ns: dict[str, float]
    cost_ns: float
    low_ns: float
    high_ns: float
    true_cost_ns: float
    resolution_ns: float

    @property
    def zero_ns(self) -> float:
        """The delay extrapolated to no probes: 2 normal - doubled."""
        return self.medians_ns.get("normal", NAN) - self.cost_ns

    @property
    def error_ns(self) -> float:
        """Error of the extrapolation against the build without probes."""
        return self.true_cost_ns - self.cost_ns

    @property
    def error_share(self) -> float:
        """The same as a share of the true cost; NaN if that is unknown or not resolved."""
        return self.error_ns / self.true_cost_ns if abs(self.true_cost_ns) > self.resolution_ns else NAN

    @property
    def within(self) -> bool | None:
        """True if the true cost is in the interval; None if it is unknown."""
        if np.isnan(self.error_ns):
            return None
        return bool(self.low_ns - _ROUNDING_NS <= self.true_cost_ns <= self.high_ns + _ROUNDING_NS)


@dataclass(frozen=True, slots=True)
class Meter:
    """Effects of the probes on all delays.

    Parameters
    ----------
    effects
        One per delay.
    event_ns
        Cost of one event with an id, from the calibration burst of each node; NaN where there was none.
    paired
        Whether packets of the same sequence number were compared, or medians.
    """

    effects: tuple[Effect, ...]
    event_ns: dict[str, float]
    paired: bool

    def effect(self, name: str, source: str) -> Effect:
        """The effect on one delay."""
        return next(effect for effect in self.effects if (effect.name, effect.source) == (name, source))


def compare(runs: Mapping[str, tuple[Delay, ...]], *, event_ns: dict[str, float], paired: bool, seed: int = 1) -> Meter:
    """Compare the delays of several builds.

    Parameters
    ----------
    runs
        Delays by variant (`VARIANTS`); ``normal`` and ``doubled`` at least.
    event_ns
        Cost of one event at each node.
    paired
        Packets of the same sequence number had the same random numbers, so the difference is computed packet by packet
        and its median counts; else the difference of the medians.
    seed
        Seed of the resampling.
    """
    random = np.random.default_rng(seed)
    effects = []
    for delay in runs["normal"]:
        same = {
            variant: next(
                (candidate for candidate in delays if (candidate.name, candidate.source) == (delay.name, delay.source)),
                None,
            )
            for variant, delays in runs.items()
        }
        there = {variant: variant_delay for variant, variant_delay in same.items() if variant_delay is not None}
        if "doubled" in there:
            effects.append(_effect(delay, there, paired=paired, random=random))
    return Meter(tuple(effects), event_ns, paired)


def event_cost_ns(events: Events, *, node: str) -> float:
    """Cost of one event at a node, from its calibration burst: the median; NaN if there was none."""
    spacing = probe_cost(events, node=node)
    return float(np.median(spacing)) * NS_PER_S / float(events.samplerate_hz) if len(spacing) else NAN


def table(meter: Meter) -> pa.Table:
    """One row per delay."""
    rows: list[dict[str, Any]] = [
        {
            "delay": effect.name,
            "node": effect.node,
            "source": effect.source,
            "events": effect.events,
            "packets": effect.packets,
            **{f"{variant}_ns": effect.medians_ns.get(variant) for variant in VARIANTS},
            "zero_ns": effect.zero_ns,
            "cost_ns": effect.cost_ns,
            "cost_low_ns": effect.low_ns,
            "cost_high_ns": effect.high_ns,
            "true_cost_ns": _known(effect.true_cost_ns),
            "error_ns": _known(effect.error_ns),
            "error_share": _known(effect.error_share),
            "within": effect.within,
        }
        for effect in meter.effects
    ]
    return pa.Table.from_pylist(rows)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _effect(delay: Delay, there: Mapping[str, Delay], *, paired: bool, random: np.random.Generator) -> Effect:
    ids = delay.ids
    for other in there.values():
        ids = np.intersect1d(ids, other.ids)
    values = {name: delay.ns[np.isin(delay.ids, ids)] if paired else delay.ns for name, delay in there.items()}
    low, high = _interval(values["doubled"], values["normal"], paired=paired, random=random)
    margin = 2 * delay.resolution_ns
    return Effect(
        name=delay.name,
        node=delay.node,
        source=delay.source,
        events=delay.events,
        packets=len(ids) if paired else len(delay.ids),
        medians_ns={name: _median(value) for name, value in values.items()},
        cost_ns=_difference(values["doubled"], values["normal"], paired=paired),
        low_ns=low - margin,
        high_ns=high + margin,
        true_cost_ns=_difference(values["normal"], values["off"], paired=paired) if "off" in values else NAN,
        resolution_ns=margin,
    )


def _difference(more: Delays, less: Delays, *, paired: bool) -> float:
    """Median difference of the two."""
    return _median(more - less) if paired else _median(more) - _median(less)


def _interval(more: Delays, less: Delays, *, paired: bool, random: np.random.Generator) -> tuple[float, float]:
    """Interval of the difference: the percentile bootstrap (Efron and Tibshirani 1993, chapter 13)."""
    if not len(more) or not len(less):
        return NAN, NAN
    resampled = _resampled(more - less, random) if paired else _resampled(more, random) - _resampled(less, random)
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _resampled(values: Delays, random: np.random.Generator) -> Delays:
    """Medians of `RESAMPLES` samples of the same size, drawn with replacement; a block at a time, for the memory."""
    rows = max(1, _BLOCK // len(values))
    sizes = [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
    return np.concatenate([np.median(random.choice(values, (size, len(values))), axis=1) for size in sizes])


def _median(values: Delays) -> float:
    return float(np.median(values)) if len(values) else NAN
