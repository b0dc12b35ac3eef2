"""Decoder of events: blocks of edges in, the events of all nodes out, in order, for any size of blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import WiringError
from gpiorig.analysis.events.table import BY_CODE, BY_NAME
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture import mapped
from gpiorig.capture.buses import symbol_bus
from gpiorig.capture.edges.waveform import Block

Samples = NDArray[np.int64]
Symbols = tuple[Samples, NDArray[np.uint8], NDArray[np.int32]]  # instants, codes, ids

KNOWN_CODES = tuple(code for code in BY_CODE if code < 128)
SLICE_EDGES = 1 << 18  # edges


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """Decoded buses and lines; the fields are those of `Events` and its `DamagedFrames`."""

    samples: Samples
    nodes: NDArray[np.uint16]
    codes: NDArray[np.uint8]
    ids: NDArray[np.int32]
    damaged_samples: Samples
    damaged_nodes: NDArray[np.uint16]
    damaged_symbols: NDArray[np.int32]
    frames_seen: NDArray[np.int64]


class EventDecoder:
    """Decodes the buses and span lines of all nodes.

    An event's instant is the first edge of its frame, but it is known when the frame has ended. So after each slice of
    edges those events are put in order that are older than every open frame; the others wait.

    Parameters
    ----------
    channels
        Names of the recorded channels, bit 0 first.
    samplerate_hz
        Samples per second, exact.
    wiring
        Lines of the nodes.

    Raises
    ------
    WiringError
        If the wiring names a channel that is not recorded or a point that is not in the event table.
    """

    def __init__(self, channels: tuple[str, ...], samplerate_hz: Fraction, wiring: Sequence[NodeLines]) -> None:
        self._node_count = len(wiring)
        self._sources: list[tuple[int, _BusSource | _LineSource]] = []
        for node, lines in enumerate(wiring):
            if lines.bus is not None:
                self._sources.append((node, _BusSource(channels, samplerate_hz, lines.bus, node=lines.name)))
            for point, channel in lines.lines.items():
                self._sources.append((node, _LineSource(channels, channel, point=point, node=lines.name)))
        self._node_of = np.array([node for node, _ in self._sources], dtype=np.uint16)
        self._waiting: list[tuple[NDArray[np.int32], *Symbols]] = []
        self._nodes, self._samples = mapped.Growing(np.uint16), mapped.Growing(np.int64)
        self._codes, self._ids = mapped.Growing(np.uint8), mapped.Growing(np.int32)

    def feed(self, block: Block) -> None:
        """Decode the next block."""
        cuts = np.searchsorted(block.samples, block.gaps[:, 1]).tolist()
        bounds = sorted({0, *cuts, *range(0, len(block.samples), SLICE_EDGES), len(block.samples)})
        lost = set(cuts)
        if 0 in lost:
            self._lose()
        for begin, end in pairwise(bounds):
            for rank, (_, source) in enumerate(self._sources):
                self._wait_with(rank, source.feed(block.samples[begin:end], block.levels[begin:end]))
            if end in lost:
                self._lose()
            self._put_in_order(int(block.samples[end]) if end < len(block.samples) else block.end)

    @property
    def waiting(self) -> int:
        """Number of events that an open frame may precede."""
        return sum(len(samples) for _, samples, *_ in self._waiting)

    def finish(self) -> Decoded:
        """Decode the open frames, and return all events that `take` has not returned."""
        self._lose()
        self._put_in_order(None)
        return self.take()

    def take(self) -> Decoded:
        """The events that are in order since the last call, and release them; `frames_seen` is of all blocks."""
        damaged = [(node, *source.damaged()) for node, source in self._sources if isinstance(source, _BusSource)]
        bad_samples = np.concatenate([_no_samples(), *(samples for _, samples, _ in damaged)])
        bad_nodes = np.repeat([node for node, *_ in damaged], [len(samples) for _, samples, _ in damaged])
        bad_symbols = np.concatenate([_no_samples(), *(symbols for *_, symbols in damaged)])
        order = np.argsort(bad_samples, kind="stable")
        frames_seen = np.zeros(self._node_count, dtype=np.int64)
        for node, source in self._sources:
            if isinstance(source, _BusSource):
                frames_seen[node] = source.frames_seen
        return Decoded(
            nodes=self._nodes.take(),
            samples=self._samples.take(),
            codes=self._codes.take(),
            ids=self._ids.take(),
            damaged_samples=bad_samples[order],
            damaged_nodes=bad_nodes.astype(np.uint16)[order],
            damaged_symbols=bad_symbols.astype(np.int32)[order],
            frames_seen=frames_seen,
        )

    def _lose(self) -> None:
        """Samples are missing from here on."""
        for rank, (_, source) in enumerate(self._sources):
            self._wait_with(rank, source.lose())

    def _wait_with(self, rank: int, symbols: Symbols) -> None:
        if len(symbols[0]):
            self._waiting.append((np.full(len(symbols[0]), rank, dtype=np.int32), *symbols))

    def _put_in_order(self, fed_until: int | None) -> None:
        """Put events in order that no frame can precede any more; samples before `fed_until` were fed, None: all."""
        horizon = fed_until
        for rank, (_, source) in enumerate(self._sources):
            if isinstance(source, _BusSource) and fed_until is not None and horizon is not None:
                self._wait_with(rank, source.settle(fed_until))
                horizon = min(horizon, source.open_since(fed_until))
        if not self._waiting:
            return
        ranks, samples, codes, ids = (np.concatenate(column) for column in zip(*self._waiting, strict=True))
        order = np.lexsort((ranks, samples))
        count = len(order) if horizon is None else int(np.searchsorted(samples[order], horizon))
        ready, rest = order[:count], order[count:]
        self._nodes.append(self._node_of[ranks[ready]])
        self._samples.append(samples[ready])
        self._codes.append(codes[ready])
        self._ids.append(ids[ready])
        mapped.relieve()
        self._waiting = [(ranks[rest], samples[rest], codes[rest], ids[rest])]


class _BusSource:
    """One symbol bus."""

    def __init__(self, channels: tuple[str, ...], samplerate_hz: Fraction, bus: Bus, *, node: str) -> None:
        line_text = f"the symbol bus of node `{node}`"
        lines = symbol_bus.BusLines(
            strobe=_bit(channels, bus.strobe, line_text=line_text),
            data=tuple(_bit(channels, channel, line_text=line_text) for channel in bus.data),
            frame_gap_samples=math.ceil(bus.frame_gap_ns * samplerate_hz / NS_PER_S),
            settle_samples=max(1, math.ceil(bus.settle_ns * samplerate_hz / NS_PER_S)),
        )
        self._decoder = symbol_bus.BusDecoder(lines, codes=KNOWN_CODES)
        self._damaged: list[tuple[Samples, Samples]] = []
        self.frames_seen = 0

    def feed(self, samples: Samples, levels: NDArray[np.uint64]) -> Symbols:
        return self._counted(self._decoder.feed(samples, levels))

    def lose(self) -> Symbols:
        return self._counted(self._decoder.finish())

    def settle(self, fed_until: int) -> Symbols:
        return self._counted(self._decoder.settle(fed_until))

    def open_since(self, fed_until: int) -> int:
        """First edge of the frame that is still open, `fed_until` if there is none."""
        since = self._decoder.open_since
        return fed_until if since is None else since

    def damaged(self) -> tuple[Samples, Samples]:
        """Instants and numbers of symbols; they are released."""
        samples = [sample for sample, _ in self._damaged]
        symbols = [reason for _, reason in self._damaged]
        self._damaged = []
        return np.concatenate([_no_samples(), *samples]), np.concatenate([_no_samples(), *symbols])

    def _counted(self, frames: symbol_bus.BusFrames) -> Symbols:
        self.frames_seen += len(frames.samples) + len(frames.damaged_samples)
        if len(frames.damaged_samples):
            self._damaged.append((frames.damaged_samples, frames.damaged_symbols))
        return frames.samples, frames.codes, frames.ids


class _LineSource:
    """One span line."""

    def __init__(self, channels: tuple[str, ...], channel: str, *, point: str, node: str) -> None:
        line_text = f"the span line `{point}` of node `{node}`"
        self._mask = np.uint64(1 << _bit(channels, channel, line_text=line_text))
        if f"{point}.enter" not in BY_NAME:
            raise WiringError(
                f"{line_text}: the event table (firmware-gpio-probes/events.toml) has no span of that name."
            )
        self._codes = np.array([BY_NAME[f"{point}.exit"].code, BY_NAME[f"{point}.enter"].code], dtype=np.uint8)
        self._level: np.bool_ | None = None

    def feed(self, samples: Samples, levels: NDArray[np.uint64]) -> Symbols:
        if not len(samples):
            return _nothing()
        high = (levels & self._mask) != 0
        # A change seen at the end of a gap happened somewhere inside it: it has no instant, so it is not an event.
        before = high[0] if self._level is None else self._level
        changed = np.flatnonzero(high[1:] != high[:-1]) + 1
        if high[0] != before:
            changed = np.concatenate([[0], changed])
        self._level = high[-1]
        return samples[changed], self._codes[high[changed].astype(np.intp)], np.full(len(changed), -1, dtype=np.int32)

    def lose(self) -> Symbols:
        self._level = None
        return _nothing()


def _bit(channels: tuple[str, ...], channel: str, *, line_text: str) -> int:
    if channel not in channels:
        available = ", ".join(name for name in channels if name)
        raise WiringError(f"{line_text}: channel `{channel}` was not recorded; available channels: {available}.")
    return channels.index(channel)


def _nothing() -> Symbols:
    return _no_samples(), np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int32)


def _no_samples() -> Samples:
    return np.zeros(0, dtype=np.int64)
