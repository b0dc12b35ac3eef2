"""Owners of frames: frames around a radio wait are the packet's own or another node's, by the pins.

A frame timestamp line shows every frame that its radio receives, also those for other nodes. Three sources are used,
and none of them is the length of the wait:

- The lines: first and last bit of each frame.
- ``radio.tx_start`` of the sender, or below a MAC that reports its backoff the command to the radio: where it comes a
  constant time before the first bit, the driver commands every attempt, and all attempts are known, received or not.
- ``radio.tx_complete`` of the other nodes: which frames on a line they sent, and which transmissions the receiver did
  not receive although it receives that node otherwise: these collided, or the receiver was not listening.

Without ``radio.tx_start`` (the radio repeats frames alone) a frame on a line is an earlier attempt if it is as long as
the frame that was read, no other node's transmission ended with it, and other frames on that line have other lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import airtime, covariates
from gpiorig.analysis.attribution.airtime import Flags, Intervals, Samples
from gpiorig.analysis.attribution.frame_lines import REPORTING_NS, FrameLines
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.receptions import APART_NS
from gpiorig.analysis.packets.routes import Route

DISTINCT = 0.01  # share of other frames that may be as long as the packet's own, or the length identifies nothing
RECEIVED = 0.8  # share of a node's transmissions that a line must show for its silence to mean anything
TX_START = "radio.tx_start"
STEADY = 0.9  # share of the packets whose first bit follows the driver's command at the usual time


def for_route(events: Events, route: Route, *, header_ns: Mapping[str, int] | None = None) -> dict[str, Air]:
    """The frames around each wait for the radio, by the name of the step; empty without a line that shows frames.

    Parameters
    ----------
    events
        The entire recording.
    route
        Its waits end with the first bit on the air, which the receiver's frame timestamp line gives.
    header_ns
        By node, from the first bit on the air to the rise of its line; without it, that of the receiver's.
    """
    if not len(route):
        return {}
    recorded = FrameLines(events, header_ns or {})
    if not recorded.show_frames:
        return {}
    steps = route.steps.steps
    columns = [i for i, step in enumerate(steps[:-1]) if step.ends_on_air]
    begun = {i: covariates.begin(route, i) for column in columns for i in (column, column + 1)}
    read = np.sort(np.concatenate([begun[i + 1] for i in columns])) if columns else np.zeros(0, dtype=np.int64)
    senders = tuple(dict.fromkeys(steps[i].node for i in columns))
    finder = _Finder(recorded, read, senders)
    in_software = {step.way for step in steps if step.is_backoff}  # below it a radio repeats nothing alone
    air_by_step = {}
    for i in columns:
        step, receiver = steps[i], steps[i + 1].nodes[-1]
        command = step.start.event if step.way in in_software and not step.is_backoff else TX_START
        air_by_step[step.name] = finder.air(begun[i], begun[i + 1], command, sender=step.node, receiver=receiver)
    return {name: air for name, air in air_by_step.items() if air is not None}


@dataclass(frozen=True, slots=True, eq=False)
class _Waits:
    """Waits of one step for the radio, in samples; lengths are of the frames that were read after them."""

    begins: Samples
    ends: Samples
    lengths: Samples
    sender: str

    def __len__(self) -> int:
        return len(self.begins)

    def around(self, line: Intervals) -> tuple[Samples, Flags]:
        """int64[n], the wait in which each frame of a line begins, -1 for none; bool[n], frames that end in it, too."""
        window = airtime.window_of(line.starts, self.begins, self.ends)
        return window, (window >= 0) & (line.ends <= self.ends[np.maximum(window, 0)])


class _Finder:
    """Finds the frames around the waits of one step after the other."""

    def __init__(self, recorded: FrameLines, read: Samples, senders: tuple[str, ...]) -> None:
        self._recorded, self._read, self._senders = recorded, read, senders
        self._apart, self._byte = recorded.samples(APART_NS), recorded.byte_samples

    def air(self, begins: Samples, ends: Samples, command: str, *, sender: str, receiver: str) -> Air | None:
        """The frames around the waits of one step; None where the receiver has no line."""
        events = self._recorded.events
        rises = self._recorded.pulses[receiver][0]
        if not len(rises):
            return None
        row = np.minimum(np.searchsorted(rises, ends), len(rises) - 1)  # the frame that was read
        lines = self._recorded.lines(receiver, header=int(np.median(rises[row] - ends)))
        waits = _Waits(begins, ends, lines[receiver].ends[row] - lines[receiver].starts[row], sender)
        commands = self._commands(waits, command)
        hidden = np.zeros(len(waits), dtype=np.bool_)
        unreceived, uneven = self._unreceived(lines[receiver], sender, receiver)
        if commands is None:
            del lines[sender]  # a radio that repeats frames without the driver receives nothing meanwhile
            attempts, foreign, unclear = self._by_length(lines, waits)
            alone = unreceived.rows(airtime.count_within(attempts, unreceived.starts, unreceived.ends) == 0)
            window, inside = waits.around(alone)
            hidden[window[inside]] = True
        else:
            attempts, unclear, first_bits = self._commanded(commands, waits, lines)
            placed = lines | {sender: lines[sender].rows(~self._is_displaced(sender, lines))}
            foreign = [
                line.rows(airtime.nearest(line.starts, first_bits, tolerance=self._apart) < 0)
                for line in placed.values()
            ]
        return Air(
            begins=begins,
            ends=ends,
            lengths=waits.lengths,
            attempts=attempts,
            others=airtime.without(airtime.union(*foreign), attempts, tolerance=self._byte),
            unreceived=airtime.union(unreceived),
            hidden=hidden,
            unclear=unclear | (airtime.count_within(uneven, begins, ends) > 0),
            unseen=self._unseen(lines, waits, (sender,)),
            foreign=self._unseen(lines, waits, self._senders),
            commanded=commands is not None,
            samplerate_hz=events.samplerate_hz,
            span=events.end - events.start,
        )

    def _is_displaced(self, sender: str, lines: Mapping[str, Intervals]) -> Flags:
        """bool[n], frames on the line of a sender that another line shows, too, half a byte beside it or more.

        The sender sent them, and its line shows such frames by another constant.
        """
        starts = lines[sender].starts
        elsewhere = np.sort(np.concatenate([line.starts for name, line in lines.items() if name != sender]))
        place = airtime.nearest(starts, elsewhere, tolerance=self._byte)
        beside = np.abs(np.append(elsewhere, 0)[place] - starts)
        displaced: Flags = (place >= 0) & (beside >= self._byte / 2)
        return displaced

    def _commands(self, waits: _Waits, command: str) -> tuple[Samples, int] | None:
        """The driver's commands to send and the time from there to the first bit; None where they do not show it."""
        commands = self._recorded.events.instants(command, node=waits.sender)
        latest = np.searchsorted(commands, waits.ends, side="right") - 1
        if not len(commands) or (latest < 0).any():
            return None
        late = waits.ends - commands[latest]
        usual = int(np.median(late))
        steady = (np.abs(late - usual) <= self._apart) & (commands[latest] >= waits.begins)
        return (commands, usual) if float(np.mean(steady)) >= STEADY else None

    def _commanded(
        self, commands: tuple[Samples, int], waits: _Waits, lines: Mapping[str, Intervals]
    ) -> tuple[Intervals, Flags, Samples]:
        """Attempts before the last command of each wait; waits without the command of their frame; all first bits.

        An attempt lies where a line shows it, the sender's first, else where the command puts it. Half a byte from it,
        the sender's line has another constant for frames that it sends, and does not tell.
        """
        instants, usual = commands
        latest = np.searchsorted(instants, waits.ends, side="right") - 1
        unsteady: Flags = np.abs(waits.ends - instants[latest] - usual) > self._apart
        window = airtime.window_of(instants, waits.begins, waits.ends)
        early = (window >= 0) & (latest[np.maximum(window, 0)] != np.arange(len(instants)))
        starts = instants[early] + usual
        ends = starts + waits.lengths[window[early]]
        expected = starts
        for name in sorted(lines, key=lambda name: name == waits.sender):
            line = lines[name]
            tolerance = min(self._apart, self._byte / 2) if name == waits.sender else self._apart
            place = airtime.nearest(expected, line.starts, tolerance=tolerance)
            starts = np.where(place >= 0, np.append(line.starts, 0)[place], starts)
            ends = np.where(place >= 0, np.append(line.ends, 0)[place], ends)
        return airtime.union(Intervals(starts, ends)), unsteady, np.sort(instants + usual)

    def _by_length(
        self, lines: Mapping[str, Intervals], waits: _Waits
    ) -> tuple[Intervals, list[Intervals], NDArray[np.bool_]]:
        """Attempts that the lines show; by line, the frames that are neither attempts nor read; the unclear waits."""
        read = Intervals(waits.ends, waits.ends + waits.lengths)
        attempts, foreign = [], []
        unclear = np.zeros(len(waits), dtype=np.bool_)
        for name, line in lines.items():
            is_attempt, unclear_on_line = self._attempts_on(name, lines, waits)
            attempts.append(line.rows(is_attempt))
            foreign.append(airtime.without(line.rows(~is_attempt), read, tolerance=self._byte))
            unclear |= unclear_on_line
        return airtime.union(*attempts), foreign, unclear

    def _attempts_on(self, name: str, lines: Mapping[str, Intervals], waits: _Waits) -> tuple[Flags, NDArray[np.bool_]]:
        """bool[n], frames of a line within a wait that are as long as the packet's, and of no other node; bool[k].

        The second are waits that stay unclear: where other frames on the line are as long, those of packets that met
        such a frame; and those in which another sender of the route was sending too, unless it received the frame.
        """
        line, unclear = lines[name], np.zeros(len(waits), dtype=np.bool_)
        is_assigned = self._assigned(line, (waits.sender, name))
        window, inside = waits.around(line)
        latest = np.clip(np.searchsorted(waits.begins, line.starts, side="right") - 1, 0, None)
        is_as_long = np.abs(line.ends - line.starts - waits.lengths[latest]) <= self._byte / 2
        is_outside = ~inside & ~is_assigned
        is_attempt: Flags = inside & is_as_long & ~is_assigned
        for node in self._senders:
            sending = airtime.window_of(line.starts, *self._recorded.transactions.get(node, airtime.NONE)) >= 0
            is_outside &= ~sending
            if node not in (waits.sender, name):
                ambiguous = is_attempt & sending
                if node in lines:
                    ambiguous &= airtime.nearest(line.starts, lines[node].starts, tolerance=self._byte) < 0
                unclear[window[ambiguous]] = True
                is_attempt &= ~ambiguous
        if np.count_nonzero(is_outside & is_as_long) > DISTINCT * max(1, int(np.count_nonzero(is_outside))):
            unclear[window[is_attempt]] = True
            return np.zeros(len(line.starts), dtype=np.bool_), unclear
        return is_attempt, unclear

    def _assigned(self, line: Intervals, not_by: tuple[str, str]) -> Flags:
        """bool[n], frames of a line that a packet's receiver read, or that ended with the transmission of a node."""
        is_assigned = airtime.nearest(line.starts, self._read, tolerance=self._byte / 2) >= 0
        for node, reports in self._recorded.completed.items():
            if node not in not_by:
                frames, _ = self._recorded.frames_of(reports, line.ends)
                if np.mean(frames >= 0) >= RECEIVED:
                    is_assigned[frames[frames >= 0]] = True
        return is_assigned

    def _unseen(self, lines: Mapping[str, Intervals], waits: _Waits, senders: tuple[str, ...]) -> Flags:
        """bool[k], waits during which a node was sending, not one of `senders`, whose frames no line shows."""
        unseen = np.zeros(len(waits), dtype=np.bool_)
        reporting = self._recorded.samples(REPORTING_NS)
        for node, sending in self._recorded.transactions.items():
            reports = self._recorded.completed.get(node, airtime.NONE.starts)
            on_lines = [
                self._recorded.frames_of(reports, line.ends)[0] >= 0 for name, line in lines.items() if name != node
            ]
            if node in senders or any(len(rows) and np.mean(rows) >= RECEIVED for rows in on_lines):
                continue
            busy = Intervals(sending.starts, np.maximum(sending.ends - reporting, sending.starts))
            unseen |= airtime.count_within(airtime.union(busy), waits.begins, waits.ends) > 0
        return unseen

    def _unreceived(self, line: Intervals, sender: str, receiver: str) -> tuple[Intervals, Intervals]:
        """Transmissions of other nodes that are not on the receiver's line: where they were; of unknown length."""
        placed, uneven = [airtime.NONE], [airtime.NONE]
        for node, reports in self._recorded.completed.items():
            if node in (sender, receiver):
                continue
            frames, usual = self._recorded.frames_of(reports, line.ends)
            received = frames[frames >= 0]
            if np.mean(frames >= 0) < RECEIVED:
                continue
            lengths = line.ends[received] - line.starts[received]
            ends = reports[frames < 0] - usual
            missing = Intervals(ends - int(np.median(lengths)), ends)
            (placed if np.ptp(lengths) <= self._byte else uneven).append(missing)
        return _in_order(placed), airtime.union(*uneven)


def _in_order(parts: list[Intervals]) -> Intervals:
    starts = np.concatenate([part.starts for part in parts])
    ends = np.concatenate([part.ends for part in parts])
    return Intervals(starts, ends).rows(np.argsort(starts, kind="stable"))
