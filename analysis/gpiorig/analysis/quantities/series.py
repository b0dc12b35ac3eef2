"""Values of quantities: one exact series per node or pair of nodes, with the number of lacking values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit import auditor
from gpiorig.analysis.audit.inputs import NodeRecord
from gpiorig.analysis.audit.node_times import NodeTimes
from gpiorig.analysis.energy.node_energy import Supply
from gpiorig.analysis.energy.powered import Traces
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events import completions
from gpiorig.analysis.events.completions import Completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.path import REPLY
from gpiorig.analysis.quantities.image_memory import Images
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.statistics import estimators, intervals, statistic_names
from gpiorig.analysis.statistics.intervals import NAN, Interval

NONE = -1
Samples = NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # no slots: they leave no room for cached properties
class Recorded:
    """The data that quantities are computed from.

    Parameters
    ----------
    analysis
        Analysis of the complete recording.
    parameters
        Those of the recording, such as ``payload`` and ``initiator.payload``.
    header_ns
        By node, from the first bit on the air to the rise of its frame timestamp line.
    host_records
        Reads the serial records; None of a recording without. Called once, if a quantity needs the host's timestamps.
    supplies
        By node, what its board draws in each state; none of a board whose file does not state it.
    traces
        By node, what reads and aligns its power trace; none of a node without.
    images
        By node, what reads the bytes of the image that ran on it; none of an image that is not known.
    begin
        First sample that counts for shares, duties, rates and the goodput: the end of the warm-up.
    """

    analysis: Analysis
    parameters: Mapping[str, Any] = field(default_factory=dict)
    header_ns: Mapping[str, int] = field(default_factory=dict)
    host_records: Callable[[], Sequence[NodeRecord] | None] = lambda: None
    supplies: Mapping[str, Supply] = field(default_factory=dict)
    traces: Traces = field(default_factory=dict)
    images: Images = field(default_factory=dict)
    begin: int = 0

    @property
    def events(self) -> Events:
        """All events of the recording."""
        return self.analysis.events

    @cached_property
    def index(self) -> Index:
        """Positions of the events by code and node."""
        return Index(self.events)

    @cached_property
    def completions(self) -> Completions:
        """The interrupts of the ends of transmissions and receptions."""
        return completions.find(self.events, self.index)

    @cached_property
    def log_times(self) -> dict[str, NodeTimes]:
        """The nodes' own timestamps of their packet lines, by node."""
        return self._times([NodeRecord(log) for log in self.analysis.logs.values()])

    @cached_property
    def host_times(self) -> dict[str, NodeTimes]:
        """The same with the host's timestamps of the lines."""
        records = self.host_records()
        return self._times([record for record in records or () if record.host is not None])

    def _times(self, records: Sequence[NodeRecord]) -> dict[str, NodeTimes]:
        return auditor.times_of(self.events, records, round_trips=self.analysis.in_round_trips)

    @property
    def request_of(self) -> Samples:
        """int64[packets], row of the request that each packet answers, -1 for a packet that is not a reply."""
        trips = self.analysis.round_trips
        if trips is None:
            return np.full(len(self.packets().packets), NONE, dtype=np.int64)
        return np.where(trips.directions == REPLY, trips.request_of, NONE)

    @property
    def period_ns(self) -> Fraction:
        """One sample in ns."""
        return NS_PER_S / self.events.samplerate_hz

    def packets(self) -> Hops:
        """All packets, hop by hop; `QuantityError` without packets."""
        if self.analysis.hops is None:
            raise QuantityError(self.analysis.no_packets)
        return self.analysis.hops

    def nodes(self, quantity: Quantity) -> list[int]:
        """Indices of the nodes that a quantity is asked of; `QuantityError` for a node that is not recorded."""
        names = self.events.node_names
        if quantity.node and quantity.node not in names:
            raise QuantityError(f"no node `{quantity.node}`; the recording has {', '.join(names)}.")
        return [number for number, name in enumerate(names) if quantity.node in ("", name)]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The values of a quantity at one node, or from one node to another, in the order of time.

    Parameters
    ----------
    node
        The node, or ``initiator > responder``.
    quantity
        Quantity of the values.
    values
        int64[n]; times `scale` they are in the unit of the quantity (ns, 1, a share, bit/s).
    scale
        Exact.
    starts
        int64[n], sample at which each begins.
    packets
        int32[n], row of the packet in `Hops.packets`, -1 for none.
    lacking
        Number of further values if the pins showed both ends: lost packets, missing milestones, spans
        without an exit, lost samples.
    lacking_packets
        int32[m], rows of the packets among them, as far as they are of packets.
    weights
        int64[n], samples for which each value held; None where every value counts once.
    uncertainties
        float64[n], expanded uncertainty of each value (k = 2), in the unit of `values`; None where they have none.
    """

    node: str
    quantity: Quantity
    values: Samples
    scale: Fraction
    starts: Samples
    packets: NDArray[np.int32]
    lacking: int = 0
    lacking_packets: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    weights: Samples | None = None
    uncertainties: NDArray[np.float64] | None = None

    @property
    def doubt(self) -> float:
        """Expanded uncertainty (k = 2) of a level such as the mean, in the unit of the quantity; 0 without.

        It is the mean of those of the values: their errors are taken to be alike.
        """
        if self.uncertainties is None or not len(self.uncertainties):
            return 0.0
        return float(self.uncertainties.mean() * float(self.scale))

    @property
    def name(self) -> str:
        """Such as ``initiator > responder: mac.tx -> mac.rx``."""
        return f"{self.node}: {self.quantity.name}"

    def interval(self, statistic: str) -> Interval:
        """A statistic with its interval, in the unit of the quantity; of a single value, that value."""
        note = f"{self.lacking} more lack it" if self.lacking else ""
        if self.quantity.kind.of_packets:
            return intervals.for_share(int(self.values.sum()), len(self.values), what="packets").with_note(note)
        if self.quantity.kind.single:
            value = float(int(self.values[0]) * self.scale)
            if self.doubt:
                return Interval(value, value - self.doubt, value + self.doubt, "expanded uncertainty, k = 2", note)
            return Interval(value, NAN, NAN, "none", note=note)
        if not len(self.values):
            return Interval(NAN, NAN, NAN, "none", note=note)
        if self.weights is not None:
            value = weighted(self.values, self.weights, statistic) * float(self.scale)
            return Interval(value, NAN, NAN, "none", note="weighted by time")
        estimate = intervals.for_statistic(self.values, statistic, unit=float(self.scale))
        if self.doubt and statistic not in statistic_names.SPREADS:
            estimate = estimate.widened(self.doubt)
        return estimate.with_note(note) if note else estimate


def plain(
    node: str,
    quantity: Quantity,
    recorded: Recorded,
    values: Samples,
    starts: Samples,
    *,
    packets: NDArray[np.int32] | None = None,
    lacking: int = 0,
) -> Series:
    """A series of durations in samples."""
    rows = np.full(len(values), NONE, dtype=np.int32) if packets is None else packets
    return Series(node, quantity, values.astype(np.int64), recorded.period_ns, starts, rows, lacking)


def single(
    node: str,
    quantity: Quantity,
    value: int,
    scale: Fraction,
    start: int,
    *,
    lacking: int = 0,
    uncertainty: float | None = None,
) -> Series:
    """A series of one value, perhaps with its expanded uncertainty, in the unit of the value."""
    return Series(
        node=node,
        quantity=quantity,
        values=np.array([value], dtype=np.int64),
        scale=scale,
        starts=np.array([start], dtype=np.int64),
        packets=np.array([NONE], dtype=np.int32),
        lacking=lacking,
        uncertainties=None if uncertainty is None else np.array([uncertainty]),
    )


def weighted(values: Samples, weights: Samples, statistic: str) -> float:
    """A statistic of values that held for unequal times: mean, std, extremes, quantiles of the time."""
    if statistic in statistic_names.EXTREMES:
        return estimators.extreme(values[weights > 0], statistic)
    total = int(weights.sum())
    mean = Fraction(int((values * weights).sum()), total)
    if statistic == "mean":
        return float(mean)
    if statistic == "std":
        squares = Fraction(int((values * values * weights).sum()), total)
        return math.sqrt(squares - mean * mean)
    if statistic == "iqr":
        return _quantile(values, weights, 0.75) - _quantile(values, weights, 0.25)
    return _quantile(values, weights, statistic_names.probability(statistic))


def _quantile(values: Samples, weights: Samples, p: float) -> float:
    """The least value at or below which the share p of the time lies."""
    order = np.argsort(values, kind="stable")
    passed = np.cumsum(weights[order])
    target = Fraction(p).limit_denominator(1_000_000) * int(passed[-1])
    return float(values[order][np.searchsorted(passed, -(-target.numerator // target.denominator))])


def number_of(recorded: Recorded, node: str, key: str) -> int:
    """A setting of a node, its own or that of all; `QuantityError` where the experiment does not set it."""
    value = recorded.parameters.get(f"{node}.{key}", recorded.parameters.get(key))
    if not isinstance(value, int):
        raise QuantityError(f"the recording does not contain `{key}` of {node}; set it in the experiment.")
    return value
