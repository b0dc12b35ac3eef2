"""The same packet lines on every clock: the node's timer against the analyzer's, and the host's, which are late."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.inputs import Clock
from gpiorig.analysis.audit.matching import NONE
from gpiorig.analysis.audit.packet_lines import ROUND_US, PacketTimestamps, node_interval_ns
from gpiorig.analysis.clocks import clock_fit as fitting
from gpiorig.analysis.clocks import host_clock
from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.resolution import counted_step
from gpiorig.analysis.clocks.unwrap import unwrap
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import MISSING
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.edges.nanoseconds import nearest_ns

Instants = NDArray[np.int64]

CRYSTALS_PPM = 50.0  # by which an analyzer's and a host's clock may differ; an assumption about ordinary crystals
MIN_VALUES = 8  # timestamps before and after a step
NODE_TICK_HZ = Fraction(10**6)  # of the timestamps in packet lines, by their name


@dataclass(frozen=True, slots=True, eq=False)
class NodeTimes:
    """Timestamps of one node's packet lines, unwrapped and brought to the analyzer's clock.

    Parameters
    ----------
    packets
        The packet lines.
    instants_ns, phase_ns
        int64[m]: analyzer time of every event with a timestamp in the lines, in order, and the node's clock minus the
        analyzer's.
    receptions, boot_periods
        bool[m] and int32[m]: whether each is a reception; resets of the node's clock before it.
    fit
        The node's timer against the analyzer.
    sent_ns, received_ns
        int64[k], the timestamps on the analyzer's clock, by the fit; -1 for none.
    host
        For each of the host's clocks int64[k], the timestamp of each line in ns; -1 for none.
    announced
        The same of the lines that were printed when the packets were sent.
    late
        The host's timestamps of lines against the events they report; None without host.
    samplerate_hz
        Exact samplerate of the analyzer.
    """

    packets: PacketTimestamps
    instants_ns: NDArray[np.int64]
    phase_ns: NDArray[np.int64]
    receptions: NDArray[np.bool_]
    boot_periods: NDArray[np.int32]
    fit: ClockFit
    sent_ns: NDArray[np.int64]
    received_ns: NDArray[np.int64]
    host: dict[Clock, NDArray[np.int64]]
    announced: dict[Clock, NDArray[np.int64]]
    late: Lateness | None
    samplerate_hz: Fraction

    def on_analyzer_ns(self, timestamps_us: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[k]: further timestamps of the lines on the analyzer's clock, by the fit; -1 for none.

        Each is within half a round of the timer of the event that its line reports.
        """
        seen = self.packets.seen
        rows = np.flatnonzero((timestamps_us != MISSING) & (seen != NONE))
        instants_ns = np.full(len(timestamps_us), NONE, dtype=np.int64)
        if not self.fit.segments or not len(rows):
            return instants_ns
        log = self.packets.log
        near_us = np.where(self.packets.sent == seen, log.sent_us, log.received_us)[rows]
        near_ns = np.where(self.packets.sent == seen, self.sent_ns, self.received_ns)[rows]
        place = np.searchsorted(self.instants_ns, nearest_ns(seen[rows], self.samplerate_hz))
        clock_ns = (self.instants_ns + self.phase_ns)[place]
        clock_ns = clock_ns + node_interval_ns(near_us, timestamps_us[rows]).astype(np.int64)
        instants_ns[rows] = self.fit.to_reference(clock_ns, near_ns=near_ns)[0]
        return instants_ns


def times(packets: PacketTimestamps, events: Events, *, reference: str) -> NodeTimes:
    """Bring the timestamps of a node's lines to the analyzer's clock."""
    log, k = packets.log, len(packets.log.lines)
    samples = np.concatenate([packets.sent, packets.received])
    timestamps = np.concatenate([log.sent_us, log.received_us])
    known = np.flatnonzero(samples != NONE)
    order = known[np.argsort(samples[known], kind="stable")]
    instants_ns = nearest_ns(samples[order], events.samplerate_hz)
    epochs = np.concatenate([packets.epochs] * 2)[order]
    boots = tuple((np.flatnonzero(np.diff(epochs)) + 1).tolist())
    continuous = unwrap(timestamps[order], ROUND_US, boots=boots, reference_ns=instants_ns, tick_hz=NODE_TICK_HZ)
    clock_ns = continuous.ns(NODE_TICK_HZ)
    ns_per_tick = float(NS_PER_S / NODE_TICK_HZ)
    step = counted_step(continuous.ticks, instants_ns / ns_per_tick, int(NODE_TICK_HZ))
    fit = fitting.fit(
        clock_ns,
        instants_ns,
        clock=f"node {packets.node}",
        reference=reference,
        resets=continuous.resets,
        backsteps=len(continuous.backsteps),
        quanta_ns=(ns_per_tick * step, float(NS_PER_S / events.samplerate_hz)),
    )
    on_analyzer = np.full(2 * k, NONE, dtype=np.int64)
    if fit.segments and len(order):
        on_analyzer[order] = fit.to_reference(clock_ns, near_ns=instants_ns)[0]
    host, announced, late = _host(packets, events, reference=reference)
    return NodeTimes(
        packets=packets,
        instants_ns=instants_ns,
        phase_ns=clock_ns - instants_ns,
        receptions=order >= k,
        boot_periods=continuous.boot_periods,
        fit=fit,
        sent_ns=on_analyzer[:k],
        received_ns=on_analyzer[k:],
        host=host,
        announced=announced,
        late=late,
        samplerate_hz=events.samplerate_hz,
    )


def _host(
    packets: PacketTimestamps, events: Events, *, reference: str
) -> tuple[dict[Clock, NDArray[np.int64]], dict[Clock, NDArray[np.int64]], Lateness | None]:
    if packets.host is None:
        return {}, {}, None
    raw = packets.host_ns(packets.host.timestamps_ns)
    rows = np.flatnonzero((packets.reported != NONE) & (raw != NONE))
    near_ns = nearest_ns(packets.reported[rows], events.samplerate_hz)
    late = lateness(raw[rows], near_ns, host=f"host, lines of {packets.node}", reference=reference)
    fitted = np.full(len(raw), NONE, dtype=np.int64)
    if late.fit.segments:
        fitted[rows] = near_ns + late.delays_ns
    clocks: dict[Clock, NDArray[np.int64]] = {
        "host": raw,
        "host, minimum delay": fitted,
        "serial_aggregator": packets.host_ns(packets.host.aggregator_ns),
    }
    announced: dict[Clock, NDArray[np.int64]] = {
        "host": packets.announced_ns(packets.host.timestamps_ns),
        "host, minimum delay": np.full(len(raw), NONE, dtype=np.int64),
        "serial_aggregator": packets.announced_ns(packets.host.aggregator_ns),
    }
    return clocks, announced, late


@dataclass(frozen=True, slots=True, eq=False)
class Lateness:
    """Timestamps of a host's lines against their events or bits.

    Parameters
    ----------
    fit, median
        The minimum-delay fit, and that through the middle of the timestamps; in parts where the clock was set.
    delays_ns
        int64[n], distance of each timestamp from the line through the fastest ones, in the given order.
    evened
        Whether the rate of that line is the fitted one; if not, the lines determine the rate worse than it is known
        without them, and it is that of the analyzer.
    steps
        Instants from which on all timestamps are later (positive) or earlier than all before, and the distances; ns.
    """

    fit: ClockFit
    median: ClockFit
    delays_ns: Instants
    evened: bool
    steps: tuple[tuple[int, int], ...]


def lateness(host_ns: Instants, since_ns: Instants, *, host: str, reference: str) -> Lateness:
    """Fit the fastest lines, between one setting of the host's clock and the next.

    Parameters
    ----------
    host_ns, since_ns
        int64[n], timestamps, and instants on the analyzer's clock that they are later than.
    host, reference
        Names of the clocks.
    """
    order = np.argsort(since_ns, kind="stable")
    timestamps_ns, instants_ns = host_ns[order], since_ns[order]
    late_ns = timestamps_ns - instants_ns
    cuts = [0, *sorted(_steps(late_ns, 0)), len(late_ns)]
    parts = [slice(start, end) for start, end in pairwise(cuts)]
    fits = [host_clock.minimum_delay(timestamps_ns[p], instants_ns[p], host=host, reference=reference) for p in parts]
    evened = all(fit.segments for fit in fits) and all(
        segment.ppm.high - segment.ppm.low < 2 * CRYSTALS_PPM for fit in fits for segment in fit.segments
    )
    delays_ns = np.empty_like(late_ns)
    for part, fit in zip(parts, fits, strict=True):
        below_ns = fit.at(instants_ns[part])[0] if evened else late_ns[part].min(initial=np.iinfo(np.int64).max)
        delays_ns[order[part]] = late_ns[part] - below_ns
    middle = [fitting.fit(timestamps_ns[p], instants_ns[p], clock=host, reference=reference) for p in parts]
    jumps = [
        (int(instants_ns[after.start]), round(float(np.median(late_ns[after]) - np.median(late_ns[before]))))
        for before, after in pairwise(parts)
    ]
    return Lateness(_joined(fits, timestamps_ns), _joined(middle, timestamps_ns), delays_ns, evened, tuple(jumps))


def _joined(fits: list[ClockFit], timestamps_ns: Instants) -> ClockFit:
    """The fits of all parts as one."""
    if len(fits) == 1:
        return fits[0]
    return dataclasses.replace(
        fits[0],
        segments=tuple(segment for fit in fits for segment in fit.segments),
        backsteps=int(np.count_nonzero(np.diff(timestamps_ns) < 0)),
        quantisation_ns=min(fit.quantisation_ns for fit in fits),
        note="; ".join(dict.fromkeys(fit.note for fit in fits if fit.note)),
        skipped=sum(fit.skipped for fit in fits),
    )


def _steps(late_ns: Instants, first: int) -> Iterator[int]:
    """Places from which on all are later, or all earlier, than all before.

    The difference exceeds those among the delays of one side: delays that merely vary, or a rate that is off, do not.
    """
    n = len(late_ns)
    if n < 2 * MIN_VALUES:
        return
    low, high = np.minimum.accumulate(late_ns)[:-1], np.maximum.accumulate(late_ns)[:-1]
    low_after, high_after = (
        extreme[::-1][1:] for extreme in (np.minimum.accumulate(late_ns[::-1]), np.maximum.accumulate(late_ns[::-1]))
    )
    gap = np.maximum(low_after - high, low - high_after)
    excess = (gap - np.minimum(high - low, high_after - low_after))[MIN_VALUES - 1 : n - MIN_VALUES]
    best = int(np.argmax(excess))
    if excess[best] <= 0:
        return
    cut = best + MIN_VALUES
    yield first + cut
    yield from _steps(late_ns[:cut], first)
    yield from _steps(late_ns[cut:], first + cut)
