"""Events: what happened on every node, and when; decoded from the edges of the analyzer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError, WiringError
from gpiorig.analysis.event_table import BY_CODE, BY_NAME
from gpiorig.analysis.quantity import NS_PER_S
from gpiorig.analysis.wiring import Bus, NodeLines
from gpiorig.capture import linecode
from gpiorig.capture.edges import Edges

T = TypeVar("T", bound=np.generic)

KNOWN_CODES = tuple(code for code in BY_CODE if code < 128)


@dataclass(frozen=True, slots=True, eq=False)
class DamagedFrames:
    """Bursts on a symbol bus that are no event: counted, never guessed from.

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
        int32[n], the id that came with the event, -1 if none did.
    node_names, samplerate_hz
        Names of the nodes; exact samplerate.
    damaged
        What was no event.
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

    def node(self, name: str) -> int:
        """Index of a node; raises `EventError` with the names there are."""
        if name not in self.node_names:
            raise EventError(f"no node `{name}`; the recording has {', '.join(self.node_names)}.")
        return self.node_names.index(name)

    def of(self, point: str, *, node: str) -> NDArray[np.int64]:
        """Samples of all events of one type (such as ``app.tx.enter``) on one node."""
        mask = (self.codes == BY_NAME[point].code) & (self.nodes == self.node(node))
        found: NDArray[np.int64] = self.samples[mask]
        return found

    def frames(self, node: str) -> int:
        """Frames seen on the symbol bus of a node, the damaged ones too: what the firmware's `probes` counts."""
        return int(self.frames_seen[self.node(node)])


def from_edges(edges: Edges, wiring: Sequence[NodeLines]) -> Events:
    """Decode the symbol buses and the span lines of all nodes.

    A span line gives the enter of its point at a rise, the exit at a fall. Events at the same sample are
    ordered by node, then by their place in the wiring: bus first, then the lines.

    Raises
    ------
    WiringError
        If the wiring names a channel that is not recorded or a point that is not in the event table.
    """
    parts: list[tuple[NDArray[np.int64], int, NDArray[np.uint8], NDArray[np.int32]]] = []
    damaged: list[tuple[NDArray[np.int64], int, NDArray[np.int64]]] = []
    frames_seen = np.zeros(len(wiring), dtype=np.int64)
    for index, node in enumerate(wiring):
        if node.bus is not None:
            frames = _bus_frames(edges, node.bus, node=node.name)
            parts.append((frames.samples, index, frames.codes, frames.ids))
            damaged.append((frames.damaged_samples, index, frames.damaged_symbols))
            frames_seen[index] = len(frames.samples) + len(frames.damaged_samples)
        for point, channel in node.lines.items():
            samples, codes = _line_events(edges, channel, point=point, node=node.name)
            parts.append((samples, index, codes, np.full(len(samples), -1, dtype=np.int32)))
    samples = _joined([part[0] for part in parts], np.int64)
    order = np.argsort(samples, kind="stable")
    bad_samples = _joined([part[0] for part in damaged], np.int64)
    bad_order = np.argsort(bad_samples, kind="stable")
    bad_nodes = _joined([np.full(len(part[0]), part[1]) for part in damaged], np.uint16)
    return Events(
        samples=samples[order],
        nodes=_joined([np.full(len(part[0]), part[1]) for part in parts], np.uint16)[order],
        codes=_joined([part[2] for part in parts], np.uint8)[order],
        ids=_joined([part[3] for part in parts], np.int32)[order],
        node_names=tuple(node.name for node in wiring),
        samplerate_hz=edges.samplerate_hz,
        damaged=DamagedFrames(
            samples=bad_samples[bad_order],
            nodes=bad_nodes[bad_order],
            symbols=_joined([part[2] for part in damaged], np.int32)[bad_order],
        ),
        frames_seen=frames_seen,
        gaps=edges.gaps,
        start=edges.start,
        end=edges.end,
    )


def _bus_frames(edges: Edges, bus: Bus, *, node: str) -> linecode.BusFrames:
    for channel in (bus.strobe, *bus.data):
        _check_channel(edges, channel, what=f"the symbol bus of node `{node}`")
    lines = linecode.BusLines(
        strobe=edges.index(bus.strobe),
        data=tuple(edges.index(channel) for channel in bus.data),
        frame_gap_samples=math.ceil(bus.frame_gap_ns * edges.samplerate_hz / NS_PER_S),
    )
    return linecode.decode(edges, lines, codes=KNOWN_CODES)


def _line_events(edges: Edges, channel: str, *, point: str, node: str) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    what = f"the span line `{point}` of node `{node}`"
    _check_channel(edges, channel, what=what)
    if f"{point}.enter" not in BY_NAME:
        raise WiringError(f"{what}: the event table (docs/events.md) has no span of that name.")
    enter, leave = BY_NAME[f"{point}.enter"].code, BY_NAME[f"{point}.exit"].code
    samples, levels = edges.channel(channel)
    # A change seen at the end of a gap happened somewhere inside it: it has no instant, so it is no event.
    seen = ~np.isin(samples, edges.gaps[:, 1])
    return samples[seen], np.where(levels[seen] != 0, enter, leave).astype(np.uint8)


def _check_channel(edges: Edges, channel: str, *, what: str) -> None:
    if channel not in edges.channels:
        known = ", ".join(name for name in edges.channels if name)
        raise WiringError(f"{what}: no channel `{channel}` was recorded; there are {known}.")


def _joined(parts: list[NDArray[Any]], dtype: type[T]) -> NDArray[T]:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype=dtype)
