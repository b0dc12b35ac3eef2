"""A capture that runs, watched: an update every few seconds, until the recording is finished or interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from gpiorig.analysis.packets.routes import Route
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.live.aligned import Aligned, Lane
from gpiorig.rig.live.distribution import DelayFigures
from gpiorig.rig.live.packets import DELIVERED, LOST, OTHER, SENT, UNATTRIBUTED, Packets
from gpiorig.rig.live.part import Part
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings.merge import PARTS
from gpiorig.rig.recordings.opened import Opened, open_recording

POLL_S = 0.2
START_S = 30.0  # until the first samples of a capture
CONCLUDE_S = 120.0  # from the end of the samples until the description is finished

State = Literal["waiting", "capturing", "concluding", "complete", "incomplete", "interrupted"]


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """Counts of one node since the start of the recording; `events_per_s` is of the window."""

    events: int
    events_per_s: float
    damaged: int
    sent: int
    delivered: int
    lost: int
    other: int
    unattributed: int


class Update(Result, frozen=True, kw_only=True):
    """The results so far: the object of `--json`.

    Attributes
    ----------
    state, reason
        State of the recording; `concluding`: all samples are there, the recording is being checked or merged.
    virtual
        Whether a virtual bench makes it; None: that is not known.
    reached_s
        Length of the recording; of several analyzers, of the shortest.
    age_s
        Time since the newest samples were written; None before the first.
    changes, lost_samples
        Rows of edges, and samples that were lost.
    nodes
        By name.
    window_s, settle_s
        As asked for.
    delays
        By name: those of the window, and all.
    sentence
        Where the time of the packets so far goes; empty without one.
    last_problem
        The last damage, as text.
    analyzers
        Number of analyzers.
    not_aligned
        Why packets of several analyzers are not counted yet; empty if they are.
    busy_s
        Processor time that this update took.
    remarks
        As `view.remarks` has them.
    """

    state: State
    reason: str
    virtual: bool | None
    reached_s: float
    age_s: float | None
    changes: int
    lost_samples: int
    nodes: dict[str, NodeCounts]
    window_s: float
    settle_s: float
    delays: dict[str, DelayFigures]
    sentence: str
    last_problem: str
    analyzers: int
    not_aligned: str
    busy_s: float
    remarks: tuple[str, ...] = ()

    @property
    def is_last(self) -> bool:
        """Whether the capture has ended."""
        return self.state in ("complete", "incomplete", "interrupted")


class Watch:
    """Reads a recording that grows.

    Parameters
    ----------
    recording
        The recording, or its folder.
    window_s, settle_s, routes_to
        As in `Packets`.

    Raises
    ------
    RigError
        The recording has no bench: nothing states what its channels carry.
    """

    def __init__(
        self,
        recording: Recording | Path,
        *,
        window_s: Fraction,
        settle_s: Fraction,
        routes_to: Callable[[Route], object] | None = None,
    ) -> None:
        opened = open_recording(recording)
        self._folder, self._window_s, self._settle_s = opened.recording.folder, window_s, settle_s
        if not opened.wiring:
            raise RigError(
                f"{self._folder}: the recording has no bench, so its channels have no meaning; `gpiorig info` shows "
                "what it holds, and `gpiorig capture --bench` records with one."
            )
        self._virtual = opened.recording.info.virtual
        self._packets: Packets | Aligned = Packets(opened, settle_s=settle_s, window_s=window_s, routes_to=routes_to)
        self._parts = self._opened_parts(opened, self._packets)
        self._since_s = time.monotonic()
        self._busy_s = time.process_time()

    def _opened_parts(self, opened: Opened, packets: Packets) -> list[Part]:
        """The analyzers that are recorded: one, or several in folders of their own."""
        recording = opened.recording
        folders = sorted(path for path in (recording.folder / PARTS).glob("*") if path.is_dir())
        if not folders:
            return [Part(recording, opened.wiring, window_s=self._window_s, events_to=packets)]
        parts, lanes = [], []
        for folder in folders:
            part = Recording.open(folder)
            wiring = [
                node
                for node in opened.wiring
                if {*((node.bus.strobe, *node.bus.data) if node.bus else ()), *node.lines.values()}
                <= {*part.info.channels}
            ]
            lanes.append(Lane(part, wiring, [node.name for node in opened.wiring]))
            parts.append(Part(part, wiring, window_s=self._window_s, events_to=lanes[-1]))
        by_frames = opened.bench is not None and any(one.sync_frames for one in opened.bench.analyzers.values())
        self._packets = Aligned(lanes, packets, by_frames=by_frames)
        return parts

    def updates(self, interval_s: float) -> Iterator[Update]:
        """An update per interval, the last one when the capture has ended."""
        due_s = time.monotonic() + interval_s
        while True:
            before = Recording.open(self._folder).info  # asked before the last look at the files
            self._virtual = before.virtual
            written = any(part.is_written for part in self._parts)
            for _ in (rows for part in self._parts for rows in part.read()):
                if time.monotonic() >= due_s:
                    yield self._update("capturing", "")
                    due_s = time.monotonic() + interval_s
            state: State = before.state
            reason = before.reason
            if before.state == "capturing" and not written:
                state, reason = self._without_writer()
            else:
                self._since_s = time.monotonic()
            if state in ("complete", "incomplete", "interrupted"):
                for part in self._parts:
                    part.finish()
                self._packets.count(all_of_them=True)
                yield self._update(state, reason)
                return
            if time.monotonic() >= due_s:
                yield self._update(state, reason)
                due_s = time.monotonic() + interval_s
            time.sleep(min(POLL_S, max(0.0, due_s - time.monotonic())))

    def _without_writer(self) -> tuple[State, str]:
        """State of a recording that is not finished, and that no program writes to."""
        waited_s = time.monotonic() - self._since_s
        if not any(part.has_begun for part in self._parts):
            if waited_s < START_S:
                return "waiting", ""
            return "interrupted", "the program that records it ended before the first sample"
        if all(part.is_closed for part in self._parts):
            if waited_s < CONCLUDE_S:
                return "concluding", ""
            return (
                "interrupted",
                "all samples are there; the program that recorded them ended before it finished the description",
            )
        torn = next((f"; {part.torn}: the last block is cut short" for part in self._parts if part.torn), "")
        return "interrupted", f"the program that recorded it ended; what came after its last sample is lost{torn}"

    def _update(self, state: State, reason: str) -> Update:
        nodes: dict[str, NodeCounts] = {}
        self._packets.count()
        counts = self._packets.counts
        delays = {
            name: DelayFigures(window=values.recent(), all=values.all())
            for name, values in self._packets.delays.items()
        }
        for part in self._parts:
            for number, (name, rate) in enumerate(zip(part.nodes, part.rates().tolist(), strict=True)):
                fates = [counts[name, fate] for fate in (SENT, DELIVERED, LOST, OTHER, UNATTRIBUTED)]
                nodes[name] = NodeCounts(int(part.events[number]), rate, int(part.damaged[number]), *fates)
        ages_s = [age_s for part in self._parts if (age_s := part.age_s) is not None]
        busy_s, self._busy_s = time.process_time() - self._busy_s, time.process_time()
        return Update(
            state=state,
            reason=reason,
            virtual=self._virtual,
            reached_s=min(part.reached_s for part in self._parts),
            age_s=max(ages_s) if ages_s else None,
            changes=sum(part.changes for part in self._parts),
            lost_samples=sum(part.lost_samples for part in self._parts),
            nodes=nodes,
            window_s=float(self._window_s),
            settle_s=float(self._settle_s),
            delays=delays,
            sentence=self._packets.steps.sentence,
            last_problem=next((part.last_problem for part in self._parts if part.last_problem), ""),
            analyzers=len(self._parts),
            not_aligned=self._packets.reason if isinstance(self._packets, Aligned) else "",
            busy_s=busy_s,
        )
