"""Owners of frames: frames around a radio wait are the packet's own or another node's, by the pins.

A frame timestamp line shows every frame that its radio receives, also those for other nodes. Three sources are used,
and none of them is the length of the wait:

- The lines: first and last bit of each frame.
- ``radio.tx_start`` of the sender: where it comes a constant time before the first bit, the driver commands every
  attempt, and all attempts are known, received or not.
- ``radio.tx_complete`` of the other nodes: which frames on a line they sent, and which transmissions the receiver did
  not receive although it receives that node otherwise: these collided, or the receiver was not listening.

Without ``radio.tx_start`` (the radio repeats frames alone) a frame on a line is an earlier attempt if it is as long as
the frame that was read, no other node's transmission ended with it, and other frames on that line have other lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from gpiorig.analysis.attribution import airtime
from gpiorig.analysis.attribution.airtime import Flags, Intervals, Samples
from gpiorig.analysis.attribution.covariates import begins
from gpiorig.analysis.attribution.on_air import Air
from gpiorig.analysis.events.completions import FRAME_TIMESTAMP, TX_ENDS
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.receptions import APART_NS
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.radio.air_frames import BYTE_NS, pulses

TAP = FRAME_TIMESTAMP.removesuffix(".enter")
ACK_WAIT_NS = 54 * 16_000  # macAckWaitDuration: 54 symbols of 16 us (IEEE 802.15.4-2006, table 86, 2450 MHz)
REPORTING_NS = 200_000  # interrupt and driver, from the end of a transmission until software reports it
REPORTED_WITHIN_NS = ACK_WAIT_NS + REPORTING_NS  # from the end of a frame, acknowledgement included
DISTINCT = 0.01  # share of other frames that may be as long as the packet's own, or the length identifies nothing
RECEIVED = 0.8  # share of a node's transmissions that a line must show for its silence to mean anything
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
    begun = begins(route)
    steps = route.steps.steps
    columns = [i for i, step in enumerate(steps[:-1]) if step.kind is Kind.RADIO_WAIT]
    read = np.sort(np.concatenate([begun[:, i + 1] for i in columns])) if columns else np.zeros(0, dtype=np.int64)
    senders = tuple(dict.fromkeys(steps[i].node for i in columns))
    finder = _Finder(events, read, senders, header_ns or {})
    return {
        steps[i].name: air
        for i in columns
        for receiver in [steps[i + 1].nodes[-1]]
        if (air := finder.air(begun[:, i], begun[:, i + 1], sender=steps[i].node, receiver=receiver)) is not None
    }


class _Finder:
    """The lines and transmissions of a recording, asked for the waits of one step after the other."""

    def __init__(self, events: Events, read: Samples, senders: tuple[str, ...], header_ns: Mapping[str, int]) -> None:
        events = _only(events, (FRAME_TIMESTAMP, f"{TAP}.exit", "driver.exec.enter", "radio.tx_start", *TX_ENDS))
        self._events, self._read, self._header_ns = events, read, header_ns
        self._byte = float(Fraction(BYTE_NS, NS_PER_S) * events.samplerate_hz)
        self._apart, self._reported, self._reporting = (
            self._samples(ns) for ns in (APART_NS, REPORTED_WITHIN_NS, REPORTING_NS)
        )
        shown = {name: pulses(events, TAP, node=name) for name in events.node_names}
        self._pulses = {name: (rises[falls >= 0], falls[falls >= 0]) for name, (rises, falls) in shown.items()}
        completed = {name: events.instants("radio.tx_complete", node=name) for name in events.node_names}
        self._completed = {name: ends for name, ends in completed.items() if len(ends)}
        self._senders = senders
        transactions = {name: self._transactions_of(name) for name in events.node_names}
        self._transactions = {name: intervals for name, intervals in transactions.items() if len(intervals.starts)}

    def _samples(self, ns: int) -> int:
        return int(Fraction(ns, NS_PER_S) * self._events.samplerate_hz)

    def _transactions_of(self, node: str) -> Intervals:
        """Transmissions from each command to send to the report of its end."""
        commands = self._events.instants("driver.exec.enter", node=node)
        reports = np.sort(np.concatenate([self._events.instants(name, node=node) for name in TX_ENDS]))
        place = np.searchsorted(reports, commands)
        reported = place < len(reports)
        return Intervals(commands[reported], reports[place[reported]])

    def air(self, begin: Samples, end: Samples, *, sender: str, receiver: str) -> Air | None:
        """The frames around the waits of one step; None where the receiver has no line."""
        rises = self._pulses[receiver][0]
        if not len(rises):
            return None
        row = np.minimum(np.searchsorted(rises, end), len(rises) - 1)  # the frame that was read
        header = int(np.median(rises[row] - end))
        lines = self._lines(header, receiver)
        lengths = lines[receiver].ends[row] - lines[receiver].starts[row]
        commands = self._commands(begin, end, sender)
        unclear = np.zeros(len(begin), dtype=np.bool_)
        if commands is None:
            del lines[sender]  # a radio that repeats frames without the driver receives nothing meanwhile
            own = {name: self._alike(lines, name, begin, end, lengths, sender, unclear) for name in lines}
            attempts = airtime.union(*(line.rows(own[name]) for name, line in lines.items()))
            others = [self._not_own(line.rows(~own[name]), end, lengths) for name, line in lines.items()]
        else:
            attempts, steady, first_bits = self._commanded(commands, begin, end, lengths, lines, sender)
            unclear |= ~steady
            others = [
                line.rows(airtime.nearest(line.starts, first_bits, tolerance=self._apart) < 0)
                for line in lines.values()
            ]
        merged = airtime.without(airtime.union(*others), attempts, tolerance=self._byte)
        unreceived, uneven = self._unreceived(lines[receiver], sender, receiver)
        hidden = np.zeros(len(begin), dtype=np.bool_)
        if commands is None:
            alone = unreceived.rows(airtime.count_within(attempts, unreceived.starts, unreceived.ends) == 0)
            window = airtime.window_of(alone.starts, begin, end)
            inside = (window >= 0) & (alone.ends <= end[np.maximum(window, 0)])
            hidden[window[inside]] = True
        unclear |= airtime.count_within(uneven, begin, end) > 0
        return Air(
            begins=begin,
            ends=end,
            lengths=lengths,
            attempts=attempts,
            others=merged,
            unreceived=airtime.union(unreceived),
            hidden=hidden,
            unclear=unclear,
            unseen=self._unseen(lines, begin, end, (sender,)),
            foreign=self._unseen(lines, begin, end, self._senders),
            commanded=commands is not None,
            samplerate_hz=self._events.samplerate_hz,
            span=self._events.end - self._events.start,
        )

    def _lines(self, header: int, receiver: str) -> dict[str, Intervals]:
        """Frames by line, from the first bit on the air to the last; nodes without a line have none.

        A frame is an integer number of bytes, so a line that falls late by less than half a byte shows its end exactly.
        """
        lines = {}
        for name, (rises, falls) in self._pulses.items():
            known = name != receiver and name in self._header_ns
            starts = rises - (self._samples(self._header_ns[name]) if known else header)
            byte_counts = np.rint((falls - starts) / self._byte)
            lines[name] = Intervals(starts, starts + np.rint(byte_counts * self._byte).astype(np.int64))
        return lines

    def _not_own(self, line: Intervals, end: Samples, lengths: Samples) -> Intervals:
        """The frames of a line except those that were read."""
        own = Intervals(end, end + lengths)
        return airtime.without(line, own, tolerance=self._byte)

    def _commands(self, begin: Samples, end: Samples, sender: str) -> tuple[Samples, int] | None:
        """The driver's commands to send and the time from there to the first bit; None where they do not show it."""
        commands = self._events.instants("radio.tx_start", node=sender)
        last = np.searchsorted(commands, end, side="right") - 1
        if not len(commands) or (last < 0).any():
            return None
        late = end - commands[last]
        usual = int(np.median(late))
        steady = (np.abs(late - usual) <= self._apart) & (commands[last] >= begin)
        return (commands, usual) if float(np.mean(steady)) >= STEADY else None

    def _commanded(
        self,
        commands: tuple[Samples, int],
        begin: Samples,
        end: Samples,
        lengths: Samples,
        lines: Mapping[str, Intervals],
        sender: str,
    ) -> tuple[Intervals, Flags, Samples]:
        """Attempts before the last command of each wait; where that is the command of the frame; all first bits.

        An attempt lies where a line shows it, the sender's first, else where the command puts it.
        """
        instants, usual = commands
        last = np.searchsorted(instants, end, side="right") - 1
        steady: Flags = np.abs(end - instants[last] - usual) <= self._apart
        window = airtime.window_of(instants, begin, end)
        early = (window >= 0) & (last[np.maximum(window, 0)] != np.arange(len(instants)))
        starts = instants[early] + usual
        ends = starts + lengths[window[early]]
        expected = starts
        for name in sorted(lines, key=lambda name: name == sender):
            line = lines[name]
            place = airtime.nearest(expected, line.starts, tolerance=self._apart)
            starts = np.where(place >= 0, np.append(line.starts, 0)[place], starts)
            ends = np.where(place >= 0, np.append(line.ends, 0)[place], ends)
        return airtime.union(Intervals(starts, ends)), steady, np.sort(instants + usual)

    def _alike(
        self,
        lines: Mapping[str, Intervals],
        name: str,
        begin: Samples,
        end: Samples,
        lengths: Samples,
        sender: str,
        unclear: Flags,
    ) -> Flags:
        """bool[n], frames of a line within a wait that are as long as the packet's, and of no other node.

        Where other frames on the line are as long, the packets that met such a frame become `unclear`; and where
        another sender of the route was sending too, unless it received the frame.
        """
        line = lines[name]
        ours = airtime.nearest(line.starts, self._read, tolerance=self._byte / 2) >= 0
        for node, ends in self._completed.items():
            if node not in (sender, name):
                frames, _ = self._frames_of(ends, line.ends)
                if np.mean(frames >= 0) >= RECEIVED:
                    ours[frames[frames >= 0]] = True
        window = airtime.window_of(line.starts, begin, end)
        inside = (window >= 0) & (line.ends <= end[np.maximum(window, 0)])
        latest = np.clip(np.searchsorted(begin, line.starts, side="right") - 1, 0, None)
        alike = np.abs(line.ends - line.starts - lengths[latest]) <= self._byte / 2
        elsewhere = ~inside & ~ours
        own: Flags = inside & alike & ~ours
        for node in self._senders:
            sending = airtime.window_of(line.starts, *self._transactions.get(node, airtime.NONE)) >= 0
            elsewhere &= ~sending
            if node not in (sender, name):
                doubtful = own & sending
                if node in lines:
                    doubtful &= airtime.nearest(line.starts, lines[node].starts, tolerance=self._byte) < 0
                unclear[window[doubtful]] = True
                own &= ~doubtful
        if np.count_nonzero(elsewhere & alike) > DISTINCT * max(1, int(np.count_nonzero(elsewhere))):
            unclear[window[own]] = True
            return np.zeros(len(own), dtype=np.bool_)
        return own

    def _frames_of(self, reports: Samples, ends: Samples) -> tuple[Samples, int]:
        """int64[e], the frame of each transmission that ended, -1 where the line has none; the usual time between.

        A frame ends a certain time before its sender reports it, always the same to the tolerance.
        """
        place = np.searchsorted(ends, reports, side="right") - 1
        late = reports - np.append(ends, 0)[place]
        near = (place >= 0) & (late <= self._reported)
        if not near.any():
            return np.full(len(reports), -1, dtype=np.int64), 0
        usual = int(np.median(late[near]))
        return np.where(near & (np.abs(late - usual) <= self._apart), place, -1), usual

    def _unseen(self, lines: Mapping[str, Intervals], begin: Samples, end: Samples, senders: tuple[str, ...]) -> Flags:
        """bool[k], waits during which a node was sending, not one of `senders`, whose frames no line shows."""
        unseen = np.zeros(len(begin), dtype=np.bool_)
        for node, sending in self._transactions.items():
            reports = self._completed.get(node, airtime.NONE.starts)
            shown = [self._frames_of(reports, line.ends)[0] >= 0 for name, line in lines.items() if name != node]
            if node in senders or any(len(rows) and np.mean(rows) >= RECEIVED for rows in shown):
                continue
            busy = Intervals(sending.starts, np.maximum(sending.ends - self._reporting, sending.starts))
            unseen |= airtime.count_within(airtime.union(busy), begin, end) > 0
        return unseen

    def _unreceived(self, line: Intervals, sender: str, receiver: str) -> tuple[Intervals, Intervals]:
        """Transmissions of other nodes that are not on the receiver's line: where they were; of unknown length."""
        placed, uneven = [airtime.NONE], [airtime.NONE]
        for node, reports in self._completed.items():
            if node in (sender, receiver):
                continue
            frames, usual = self._frames_of(reports, line.ends)
            received = frames[frames >= 0]
            if np.mean(frames >= 0) < RECEIVED:
                continue
            lengths = line.ends[received] - line.starts[received]
            ends = reports[frames < 0] - usual
            missing = Intervals(ends - int(np.median(lengths)), ends)
            (placed if np.ptp(lengths) <= self._byte else uneven).append(missing)
        return _in_order(placed), airtime.union(*uneven)


def _only(events: Events, names: tuple[str, ...]) -> Events:
    """The events of these types: a search among all of them takes a pass over the recording for each."""
    wanted = np.zeros(256, dtype=np.bool_)
    wanted[[BY_NAME[name].code for name in names]] = True
    rows = np.flatnonzero(wanted[events.codes])
    columns = {name: getattr(events, name)[rows] for name in ("samples", "nodes", "codes", "ids")}
    return replace(events, **columns)


def _in_order(parts: list[Intervals]) -> Intervals:
    starts = np.concatenate([part.starts for part in parts])
    ends = np.concatenate([part.ends for part in parts])
    return Intervals(starts, ends).rows(np.argsort(starts, kind="stable"))
