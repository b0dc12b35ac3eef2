"""Packets of a capture that runs: each is counted once, when it has had time to arrive.

Every update analyses the events since the last one and those shortly before them, so that its work does not grow with
the recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.decoder import Decoded
from gpiorig.analysis.events.events import DamagedFrames, Events
from gpiorig.analysis.packets import delivery
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.quantities import values
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.rig.live.distribution import Delays
from gpiorig.rig.live.step_sums import StepSums
from gpiorig.rig.recordings.opened import Opened

RTT = "rtt"
# One-way delays: the first of these that the packets show.
ONE_WAY = tuple(parse(text) for text in ("app.tx -> app.rx", "mac.tx -> mac.rx"))
MAX_NEW = 1 << 18  # events, after which packets are counted without an update
SENT, DELIVERED, LOST, OTHER = "sent", "delivered", "lost", "other"
UNATTRIBUTED = "unattributed"  # events of no packet although they should be


class Packets:
    """The packets of one analyzer's nodes.

    Parameters
    ----------
    opened
        The recording.
    settle_s, window_s
        When a packet is counted, after it was sent; how long exact delays are kept. Both in time of the recording.
    routes_to
        Gets the packets with all steps that were counted at once: those of the main route.

    Attributes
    ----------
    counts
        By node and fate, of all packets that were counted; and unattributed events.
    delays
        By name.
    steps
        Of the packets with all steps.
    counted_until
        Packets that were sent before this sample are counted.
    """

    def __init__(
        self,
        opened: Opened,
        *,
        settle_s: Fraction,
        window_s: Fraction,
        routes_to: Callable[[Route], object] | None = None,
    ) -> None:
        self._opened, self._routes_to = opened, routes_to
        self._rate_hz = opened.recording.info.samplerate_hz
        self._settle, self._window = int(settle_s * self._rate_hz), int(window_s * self._rate_hz)
        self._nodes = tuple(node.name for node in opened.wiring)
        self._parts: list[Decoded] = []
        self._gaps = no_gaps()
        self._end = self._first = self._new = 0
        self._called = False
        self.counted_until = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        self.delays: dict[str, Delays] = {}
        self.steps = StepSums()

    def feed(self, decoded: Decoded, gaps: NDArray[np.int64], end: int) -> None:
        """Take the next events; all samples before `end` are known."""
        if len(decoded.samples):
            self._parts.append(decoded)
            self._new += len(decoded.samples)
        self._gaps = np.concatenate([self._gaps, gaps])
        self._end = end
        if self._new > MAX_NEW:
            self.count()

    def count(self, *, all_of_them: bool = False) -> None:
        """Count the packets that have had time to arrive, at the end all of them."""
        until = self._end if all_of_them else self._end - self._settle
        if until <= self.counted_until:
            return
        results = self._analysis()
        if results.hops is not None:
            self._count_fates(results.hops, until)
            self._add_delays(results, until)
            self._give_route(results, until)
        self._forget(until)

    def _analysis(self) -> Analysis:
        """The analysis of the events that are kept."""
        none = np.zeros(0, dtype=np.int64)
        samples, nodes, codes, ids = (
            np.concatenate([np.zeros(0, dtype=kind), *(getattr(part, name) for part in self._parts)])
            for name, kind in (("samples", np.int64), ("nodes", np.uint16), ("codes", np.uint8), ("ids", np.int32))
        )
        events = Events(
            samples=samples,
            nodes=nodes,
            codes=codes,
            ids=ids,
            node_names=self._nodes,
            samplerate_hz=self._rate_hz,
            damaged=DamagedFrames(none, none.astype(np.uint16), none.astype(np.int32)),
            frames_seen=np.zeros(len(self._nodes), dtype=np.int64),
            gaps=self._gaps,
            start=self._first,
            end=self._end,
        )
        return analysis.analyse(
            events,
            {},
            header_ns=self._opened.header_ns,
            destinations=self._opened.destinations,
            ends=self._opened.ends,
            sent=False,
        )

    def _count_fates(self, hops: Hops, until: int) -> None:
        packets = hops.packets
        self._called = self._called or bool(packets.called.any())
        chosen = packets.accounted if packets.called.any() or not self._called else packets.called
        chosen = chosen & (packets.starts >= self.counted_until) & (packets.starts < until)
        delivered, lost = packets.status == delivery.DELIVERED, packets.lost
        for number, node in enumerate(self._nodes):
            own = chosen & (packets.origins == number)
            fates = {SENT: own, DELIVERED: own & delivered, LOST: own & lost, OTHER: own & ~delivered & ~lost}
            for fate, rows in fates.items():
                self.counts[node, fate] += int(np.count_nonzero(rows))
        left = hops.unattributed.positions
        left = left[(hops.events.samples[left] >= self.counted_until) & (hops.events.samples[left] < until)]
        for number, count in enumerate(np.bincount(hops.events.nodes[left], minlength=len(self._nodes)).tolist()):
            self.counts[self._nodes[number], UNATTRIBUTED] += count

    def _add_delays(self, results: Analysis, until: int) -> None:
        if results.timelines is not None:
            self._add(RTT, results.timelines.samples[:, 0], results.timelines.rtt, until)
        recorded = Recorded(results, self._opened.recording.info.parameters)
        for quantity in ONE_WAY:
            try:
                series = values.series(quantity, recorded)
            except QuantityError:
                continue
            for one in series:
                self._add(f"{quantity.name}, {one.node}", one.starts, one.values, until)
            return

    def _give_route(self, results: Analysis, until: int) -> None:
        if not results.routes:
            return
        route = results.routes[0]
        counted = route.select(np.flatnonzero((route.starts >= self.counted_until) & (route.starts < until)))
        self.steps.add(counted)
        if self._routes_to is not None and len(counted):
            self._routes_to(counted)

    def _add(self, name: str, starts: NDArray[np.int64], delays: NDArray[np.int64], until: int) -> None:
        chosen = (starts >= self.counted_until) & (starts < until) & (delays >= 0)
        if chosen.any():
            self.delays.setdefault(name, Delays(self._rate_hz)).add(delays[chosen], starts=starts[chosen])

    def _forget(self, until: int) -> None:
        """Keep the events from shortly before the packets that are not counted, and the delays of the window."""
        self._new = 0
        self.counted_until, self._first = until, max(0, until - self._settle)
        self._parts = [
            part if part.samples[0] >= self._first else _from(part, int(np.searchsorted(part.samples, self._first)))
            for part in self._parts
            if part.samples[-1] >= self._first
        ]
        self._gaps = self._gaps[self._gaps[:, 1] > self._first]
        for delays in self.delays.values():
            delays.forget(until - self._window)


def _from(part: Decoded, place: int) -> Decoded:
    """The events of a part from one of them on."""
    columns = {name: getattr(part, name)[place:].copy() for name in ("samples", "nodes", "codes", "ids")}
    return Decoded(
        **columns,
        damaged_samples=part.damaged_samples,
        damaged_nodes=part.damaged_nodes,
        damaged_symbols=part.damaged_symbols,
        frames_seen=part.frames_seen,
    )
