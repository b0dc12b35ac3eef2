"""Several analyzers of a capture that runs: their events in the time of the first, by the sync line of all of them.

The alignment is that of `gpiorig merge` on the pulses of the last minute, so that an update does not grow with the
recording; the merge at the end uses all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.decoder import Decoded
from gpiorig.analysis.events.wiring import NodeLines
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import Block
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sync import alignment, sync_line
from gpiorig.capture.sync.alignment import Alignment
from gpiorig.capture.sync.sync_line import SyncPulses
from gpiorig.rig.live.packets import Packets
from gpiorig.rig.recordings import alignments
from gpiorig.rig.run.conclusion import SYNC

Samples = NDArray[np.int64]
PULSES_S = Fraction(60)  # pulses that an alignment is made of
OPEN_S = Fraction(1, 50)  # before the newest sample: frames that are not over, pulses that are still to come


class Lane:
    """The events of one analyzer that wait for the others, and its sync pulses.

    Parameters
    ----------
    recording
        The recording of the analyzer.
    wiring, nodes
        Nodes whose channels it has, and the names of all nodes in their order.
    """

    def __init__(self, recording: Recording, wiring: Sequence[NodeLines], nodes: Sequence[str]) -> None:
        self.info, self.folder = recording.info, recording.folder
        self._numbers = np.array([nodes.index(node.name) for node in wiring], dtype=np.uint16)
        self._bit = self.info.channels.index(SYNC) if SYNC in self.info.channels else None
        self._changes, self._levels = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        self._parts: list[Decoded] = []
        self._gaps = no_gaps()
        self.end = 0

    def see(self, edges: Block) -> None:
        """Take the changes of the sync line from the next edges."""
        if self._bit is None:
            return
        samples = np.append(self._changes, edges.samples)
        levels = np.append(self._levels, edges.levels >> np.uint64(self._bit) & np.uint64(1))
        changed = np.append(True, levels[1:] != levels[:-1])[: len(levels)]
        changed &= samples >= edges.end - int(PULSES_S * self.info.samplerate_hz)
        self._changes, self._levels = samples[changed], levels[changed]

    def feed(self, decoded: Decoded, gaps: Samples, end: int) -> None:
        """Take the next events; all samples before `end` are known."""
        self._parts.append(decoded)
        self._gaps = np.concatenate([self._gaps, gaps])
        self.end = end

    def forget(self) -> None:
        """Forget what is older than the pulses that a later alignment has: it counts as lost samples then."""
        before = self.end - int(PULSES_S * self.info.samplerate_hz)
        events = _joined(self._parts)
        if before <= 0:
            return
        self._parts = [_chosen(events, events.samples >= before)]
        self._gaps = np.concatenate([[[0, before]], self._gaps[self._gaps[:, 1] > before]])

    @property
    def pulses(self) -> SyncPulses:
        """The pulses of the last minute; raises `CaptureError` without any."""
        if self._bit is None:
            raise CaptureError(f"{self.folder.name} has no sync line", remedy="put it on a channel of each analyzer")
        if not len(self._changes):
            raise CaptureError(f"{self.folder.name} has no samples yet")
        edges = Edges(
            samples=self._changes.copy(),
            levels=self._levels.copy(),
            start=int(self._changes[0]),
            channels=(SYNC,),
            samplerate_hz=self.info.samplerate_hz,
            end=self.end,
            gaps=no_gaps(),
        )
        return sync_line.read(edges, SYNC)

    def take(self, fit: Alignment | None, *, begin: int, end: int) -> tuple[Decoded, Samples]:
        """The events before `end`, and the gaps, in the time of the reference."""
        events = _joined(self._parts)
        placed = _aligned(events.samples, fit)
        self._parts = [_chosen(events, placed >= end)]
        own = _chosen(events, placed < end)
        gaps, self._gaps = _aligned(self._gaps.ravel(), fit).reshape(-1, 2), no_gaps()
        samples = np.maximum(placed[placed < end], begin)  # an alignment moves by fractions of a sample
        return _events(samples, self._numbers[own.nodes], own.codes, own.ids), gaps


class Aligned:
    """Packets over several analyzers.

    Parameters
    ----------
    lanes
        The analyzers; the first is the reference.
    packets
        What counts their packets, with all nodes.
    by_frames
        Whether the bench aligns them by frames on the air, for which the complete recordings are needed.

    Attributes
    ----------
    reason
        Why they are not aligned, as a sentence; empty if they are.
    """

    def __init__(self, lanes: Sequence[Lane], packets: Packets, *, by_frames: bool = False) -> None:
        self._lanes, self._packets, self._by_frames = lanes, packets, by_frames
        self.counts, self.delays, self.steps = packets.counts, packets.delays, packets.steps
        self._end = 0
        self.reason = ""

    def count(self, *, all_of_them: bool = False) -> None:
        """Count the packets that have had time to arrive at all analyzers, at the end all of them."""
        try:
            fits = self._fits()
        except CaptureError as error:
            remedy = f"; {error.remedy}" if error.remedy else ""
            self.reason = (
                f"Packets and delays are not counted, for the analyzers are not aligned: {error.what}{remedy}."
            )
            for lane in self._lanes:
                lane.forget()
            return
        self.reason = ""
        ends = [int(_aligned(np.array([lane.end]), fit)[0]) for lane, fit in zip(self._lanes, fits, strict=True)]
        end = min(ends) - (0 if all_of_them else int(OPEN_S * self._lanes[0].info.samplerate_hz))
        if end <= self._end:
            return
        parts = [lane.take(fit, begin=self._end, end=end) for lane, fit in zip(self._lanes, fits, strict=True)]
        events = _joined([events for events, _ in parts])
        gaps = np.concatenate([gaps for _, gaps in parts])
        in_order = np.argsort(events.samples, kind="stable")
        self._packets.feed(_chosen(events, in_order), gaps[np.argsort(gaps[:, 0], kind="stable")], end)
        self._packets.count(all_of_them=all_of_them)
        self._end = end

    def _fits(self) -> list[Alignment | None]:
        """The alignment of each analyzer to the first; None for that one itself."""
        if self._by_frames:
            raise CaptureError(
                "`sync_frames` aligns them by frames of the complete recordings, when the capture has ended",
                remedy="for results before that, put a sync line on a channel of each analyzer, with `sync`",
            )
        reference, *others = self._lanes
        pulses = reference.pulses
        return [
            None,
            *(
                alignment.align(
                    pulses,
                    lane.pulses,
                    reference_hz=reference.info.samplerate_hz,
                    aligned_hz=lane.info.samplerate_hz,
                    epochs=(reference.info.epoch.wall, lane.info.epoch.wall),
                    **alignments.later(lane.info, reference.info),
                )
                for lane in others
            ),
        ]


def _aligned(samples: Samples, fit: Alignment | None) -> Samples:
    return samples if fit is None or not len(samples) else fit.renumber(samples)


def _joined(parts: Sequence[Decoded]) -> Decoded:
    """The events of several parts, one after the other."""
    return _events(
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.samples for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.uint16), *(part.nodes for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.uint8), *(part.codes for part in parts)]),
        np.concatenate([np.zeros(0, dtype=np.int32), *(part.ids for part in parts)]),
    )


def _chosen(events: Decoded, rows: NDArray[np.bool_] | Samples) -> Decoded:
    return _events(events.samples[rows], events.nodes[rows], events.codes[rows], events.ids[rows])


def _events(samples: Samples, nodes: NDArray[np.uint16], codes: NDArray[np.uint8], ids: NDArray[np.int32]) -> Decoded:
    """Events without damaged frames, which each analyzer has counted."""
    none = np.zeros(0, dtype=np.int64)
    return Decoded(samples, nodes, codes, ids, none, none.astype(np.uint16), none.astype(np.int32), none)
