"""Events of all nodes with their instants, decoded from the edges of the analyzer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.decoder import EventDecoder
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.events.wiring import NodeLines
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture import mapped
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import Waveform, waveform_of

SLICE_EVENTS = 1 << 17  # events: what the caches of a processor hold


def slices(count: int) -> Iterator[slice]:
    """Slices of events, small enough that intermediate arrays need little memory next to the events themselves."""
    for start in range(0, count, SLICE_EVENTS):
        yield slice(start, min(start + SLICE_EVENTS, count))
        mapped.relieve_now_and_then()


@dataclass(frozen=True, slots=True, eq=False)
class DamagedFrames:
    """Bursts on a symbol bus that are not an event: counted, never guessed from.

    Parameters
    ----------
    samples
        int64[m], first strobe edge of each.
    nodes
        uint16[m], index into the node names.
    symbols
        int32[m], number of symbols.
    """

    samples: NDArray[np.int64]
    nodes: NDArray[np.uint16]
    symbols: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.samples)


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """All events of a recording, in time order.

    Parameters
    ----------
    samples
        int64[n], sorted: the instant, as a sample number.
    nodes
        uint16[n], index into `node_names`.
    codes
        uint8[n], codes of the event table.
    ids
        int32[n], the id of the event, -1 for an event without.
    node_names, samplerate_hz
        Names of the nodes; exact samplerate.
    damaged
        Frames that are not events.
    frames_seen
        int64[nodes], frames seen on the symbol bus of each node, the damaged ones too.
    gaps
        int64[k, 2], ranges (from, to) of lost samples.
    start, end
        First sample of the recording, and one past its last.
    """

    samples: NDArray[np.int64]
    nodes: NDArray[np.uint16]
    codes: NDArray[np.uint8]
    ids: NDArray[np.int32]
    node_names: tuple[str, ...]
    samplerate_hz: Fraction
    damaged: DamagedFrames
    frames_seen: NDArray[np.int64]
    gaps: NDArray[np.int64]
    start: int
    end: int

    def __len__(self) -> int:
        return len(self.samples)

    def part(self, positions: slice) -> Events:
        """Some of the events, of the same recording."""
        return replace(
            self,
            samples=self.samples[positions],
            nodes=self.nodes[positions],
            codes=self.codes[positions],
            ids=self.ids[positions],
        )

    def node(self, name: str) -> int:
        """Index of a node; raises `EventError` with the available names."""
        if name not in self.node_names:
            raise EventError(f"unknown node `{name}`; nodes of the recording: {', '.join(self.node_names)}.")
        return self.node_names.index(name)

    def instants(self, point: str, *, node: str) -> NDArray[np.int64]:
        """Samples of all events of one type (such as ``app.tx.enter``) on one node."""
        return self.samples[self.positions(point, node=self.node(node))]

    def positions(self, *points: str, node: int | None = None) -> NDArray[np.int64]:
        """int64[k], positions of all events of some types, on one node or on all, increasing."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._slices_of(points, node)])

    def _slices_of(self, points: tuple[str, ...], node: int | None) -> Iterator[NDArray[np.int64]]:
        """The positions of `positions`, by slices of events."""
        is_named = np.zeros(256, dtype=bool)
        is_named[[BY_NAME[point].code for point in points]] = True
        for part in slices(len(self)):
            chosen = is_named[self.codes[part]]
            if node is not None:
                chosen &= self.nodes[part] == node
            yield part.start + np.flatnonzero(chosen)

    def only(self, *points: str) -> Events:
        """The events of some types: searches among these take no pass over all of the recording."""
        samples, nodes = mapped.Growing(np.int64), mapped.Growing(np.uint16)
        codes, ids = mapped.Growing(np.uint8), mapped.Growing(np.int32)
        for positions in self._slices_of(points, None):
            samples.append(self.samples[positions])
            nodes.append(self.nodes[positions])
            codes.append(self.codes[positions])
            ids.append(self.ids[positions])
        return dataclasses.replace(self, samples=samples.take(), nodes=nodes.take(), codes=codes.take(), ids=ids.take())

    def counts(self) -> NDArray[np.int64]:
        """int64[nodes, 256], events of each node by their codes."""
        counts = np.zeros((len(self.node_names), 256), dtype=np.int64)
        for part in slices(len(self)):
            keys = (self.nodes[part].astype(np.int64) << 8) | self.codes[part]
            counts += np.bincount(keys, minlength=counts.size).reshape(counts.shape)
        return counts

    def frames(self, node: str) -> int:
        """Frames seen on the symbol bus of a node, the damaged ones too: the number in the firmware's `probes`."""
        return int(self.frames_seen[self.node(node)])

    def samples_in(self, ns: int) -> int:
        """The samples in a time, to the nearest."""
        return round(Fraction(ns, NS_PER_S) * self.samplerate_hz)

    def loses(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool[n], True where samples are lost between two instants or at them."""
        begun = np.searchsorted(self.gaps[:, 0], ends, side="right")
        over = np.searchsorted(self.gaps[:, 1], starts, side="right")
        return begun > over


def from_edges(edges: Edges, wiring: Sequence[NodeLines]) -> Events:
    """Decode the symbol buses and the span lines of all nodes, as `from_waveform` does."""
    return from_waveform(waveform_of(edges), wiring)


def from_waveform(waveform: Waveform, wiring: Sequence[NodeLines]) -> Events:
    """Decode the symbol buses and the span lines of all nodes, from edges that may be more than the memory holds.

    A span line gives the enter of its point at a rise, the exit at a fall. Events at the same sample are
    ordered by node, then by their place in the wiring: bus first, then the lines.

    Raises
    ------
    WiringError
        If the wiring names a channel that is not recorded or a point that is not in the event table.
    """
    decoder = EventDecoder(waveform.channels, waveform.samplerate_hz, wiring)
    start: int | None = None
    end = 0
    gaps = [no_gaps()]
    for block in waveform.read():
        if start is None and len(block.samples):
            start = int(block.samples[0])
        decoder.feed(block)
        gaps.append(block.gaps)
        end = block.end
    decoded = decoder.finish()
    return Events(
        samples=decoded.samples,
        nodes=decoded.nodes,
        codes=decoded.codes,
        ids=decoded.ids,
        node_names=tuple(node.name for node in wiring),
        samplerate_hz=waveform.samplerate_hz,
        damaged=DamagedFrames(
            samples=decoded.damaged_samples, nodes=decoded.damaged_nodes, symbols=decoded.damaged_symbols
        ),
        frames_seen=decoded.frames_seen,
        gaps=np.concatenate(gaps),
        start=end if start is None else start,
        end=end,
    )
