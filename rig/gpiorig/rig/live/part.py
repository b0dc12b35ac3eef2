"""One analyzer of a capture that runs: its segment files, read as they grow, and what their edges are."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.decoder import Decoded, EventDecoder
from gpiorig.analysis.events.wiring import NodeLines
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_format import is_written, paths_in
from gpiorig.capture.recording.segment_reader import SegmentReader
from gpiorig.rig.live.aligned import Lane
from gpiorig.rig.live.packets import Packets

SLOTS = 60  # intervals that the window is counted in


class Part:
    """The recording of one analyzer.

    Parameters
    ----------
    recording
        The recording of the run, or that of one of its analyzers.
    wiring
        Nodes whose channels this analyzer has.
    window_s
        Time over which rates are taken.
    events_to
        What gets its events.

    Attributes
    ----------
    changes, end
        Rows of edges so far, and the first sample that is not known.
    events, damaged
        int64[nodes], so far.
    lost_samples, gaps
        Samples that were lost so far, and in how many intervals.
    last_problem
        The last damaged frame or gap, as text.
    """

    def __init__(
        self, recording: Recording, wiring: Sequence[NodeLines], *, window_s: Fraction, events_to: Packets | Lane
    ) -> None:
        info = recording.info
        self.rate_hz = info.samplerate_hz
        self.nodes = tuple(node.name for node in wiring)
        self._folder = recording.edges_folder
        self._reader = SegmentReader(self._folder)
        self._decoder = EventDecoder(info.channels, self.rate_hz, wiring)
        self._events_to = events_to
        self._window = int(window_s * self.rate_hz)
        self.changes = self.end = self.lost_samples = self.gaps = 0
        self.events, self.damaged = (np.zeros(len(wiring), dtype=np.int64) for _ in range(2))
        self._slots: deque[tuple[int, NDArray[np.int64]]] = deque([(0, self.events)])  # end, events before it
        self.last_problem = ""

    def read(self) -> Iterator[int]:
        """Read what was written since; gives the number of rows of each block."""
        for block in self._reader:
            self.changes, self.end = self.changes + len(block.samples), block.end
            self._decoder.feed(block)
            if isinstance(self._events_to, Lane):
                self._events_to.see(block)
            for start, end in block.gaps.tolist():
                self.gaps, self.lost_samples = self.gaps + 1, self.lost_samples + end - start
                self.last_problem = f"{end - start} samples were lost at {self._time(start)}"
            self._take(self._decoder.take(), block.gaps)
            yield len(block.samples)

    def finish(self) -> None:
        """Decode what is open."""
        self._take(self._decoder.finish(), np.zeros((0, 2), dtype=np.int64))

    @property
    def is_written(self) -> bool:
        """Whether the capture writes to it at this moment."""
        return is_written(self._folder)

    @property
    def has_begun(self) -> bool:
        """Whether there is a segment."""
        return bool(self._folder.is_dir() and paths_in(self._folder))

    @property
    def is_closed(self) -> bool:
        """Whether what was read last is the end of a capture that ended in order."""
        return self._reader.closed

    @property
    def torn(self) -> str:
        """Where the last block is cut short, or empty."""
        return self._reader.torn

    @property
    def age_s(self) -> float | None:
        """Time since the newest samples were written; None before the first."""
        paths = paths_in(self._folder) if self._folder.is_dir() else []
        return max(0.0, time.time() - paths[-1].stat().st_mtime) if paths else None

    @property
    def reached_s(self) -> float:
        """Length of the recording so far."""
        return float(self.end / self.rate_hz)

    def rates(self) -> NDArray[np.float64]:
        """float64[nodes], events per second of the last seconds."""
        if len(self._slots) < 2:
            return np.zeros(len(self.nodes))
        (first, before), (last, now) = self._slots[0], self._slots[-1]
        return (now - before) / float((last - first) / self.rate_hz)

    def _take(self, decoded: Decoded, gaps: NDArray[np.int64]) -> None:
        self.events = self.events + np.bincount(decoded.nodes, minlength=len(self.nodes))
        self.damaged = self.damaged + np.bincount(decoded.damaged_nodes, minlength=len(self.nodes))
        if len(decoded.damaged_samples):
            node, sample = self.nodes[decoded.damaged_nodes[-1]], int(decoded.damaged_samples[-1])
            self.last_problem = (
                f"damaged frame of {int(decoded.damaged_symbols[-1])} symbols on node {node} at {self._time(sample)}"
            )
        if self.end > self._slots[-1][0] + self._window // SLOTS:
            self._slots.append((self.end, self.events))
        while len(self._slots) > 2 and self._slots[1][0] <= self.end - self._window:
            self._slots.popleft()
        self._events_to.feed(decoded, gaps, self.end)

    def _time(self, sample: int) -> str:
        return f"{float(sample / self.rate_hz):.6f} s"
