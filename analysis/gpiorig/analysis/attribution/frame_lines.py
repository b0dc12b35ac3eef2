"""Frame timestamp lines and transmissions of a recording, by node: the frames on a line, and who sent them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np

from gpiorig.analysis.attribution.airtime import Intervals, Samples
from gpiorig.analysis.events.completions import ACK_WAIT_NS, FRAME_TIMESTAMP, TX_ENDS
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.receptions import APART_NS
from gpiorig.analysis.radio.air_frames import BYTE_NS, pulses

TAP = FRAME_TIMESTAMP.removesuffix(".enter")
REPORTING_NS = 200_000  # interrupt and driver, from the end of a transmission until software reports it
REPORTED_WITHIN_NS = ACK_WAIT_NS + REPORTING_NS  # from the end of a frame, acknowledgement included


class FrameLines:
    """The lines and transmissions of a recording.

    Attributes
    ----------
    byte_samples
        Samples of one byte on the air.
    pulses
        By node, samples of the rises and falls of its line.
    """

    def __init__(self, events: Events, header_ns: Mapping[str, int]) -> None:
        self._recording, self._header_ns = events, header_ns
        self.byte_samples = float(Fraction(BYTE_NS, NS_PER_S) * events.samplerate_hz)
        self._apart, self._reported = self.samples(APART_NS), self.samples(REPORTED_WITHIN_NS)
        none = np.zeros(0, dtype=np.int64)
        self.pulses = dict.fromkeys(events.node_names, (none, none))
        if len(events.positions(f"{TAP}.exit")):
            edges = {name: pulses(self.events, TAP, node=name) for name in events.node_names}
            self.pulses = {name: (rises[falls >= 0], falls[falls >= 0]) for name, (rises, falls) in edges.items()}

    @cached_property
    def events(self) -> Events:
        """Those of the recording that lines and transmissions are made of."""
        commands = ("driver.exec.enter", "driver.exec.exit", "radio.tx_start")
        names = (FRAME_TIMESTAMP, f"{TAP}.exit", *commands, *TX_ENDS)
        return self._recording.only(*names)

    @cached_property
    def completed(self) -> dict[str, Samples]:
        """By node that has any, samples at which it reported the end of a transmission."""
        completed = {name: self.events.instants("radio.tx_complete", node=name) for name in self.events.node_names}
        return {name: ends for name, ends in completed.items() if len(ends)}

    @cached_property
    def transactions(self) -> dict[str, Intervals]:
        """By node that has any, its transmissions from each command to send to the report of its end."""
        transactions = {name: self._transactions_of(name) for name in self.events.node_names}
        return {name: intervals for name, intervals in transactions.items() if len(intervals.starts)}

    @property
    def show_frames(self) -> bool:
        """Whether there is any frame on any line."""
        return any(len(rises) for rises, _ in self.pulses.values())

    def samples(self, ns: int) -> int:
        """The samples in a time, rounded down."""
        return int(Fraction(ns, NS_PER_S) * self._recording.samplerate_hz)

    def lines(self, receiver: str, *, header: int) -> dict[str, Intervals]:
        """Frames by line, from the first bit on the air to the last; nodes without a line have none.

        From the first bit to the rise of the line pass `header` samples at the receiver, and elsewhere if unknown: some
        bytes and a delay. A frame is an integer number of bytes, so a line that falls in time, or late by as much as it
        rises late, shows its end exactly: half of the delay is off by less than half a byte.
        """
        lines = {}
        for name, (rises, falls) in self.pulses.items():
            has_header = name != receiver and name in self._header_ns
            until_rise = self.samples(self._header_ns[name]) if has_header else header
            starts = rises - until_rise
            byte_counts = np.rint((falls - starts - until_rise % self.byte_samples / 2) / self.byte_samples)
            lines[name] = Intervals(starts, starts + np.rint(byte_counts * self.byte_samples).astype(np.int64))
        return lines

    def frames_of(self, reports: Samples, ends: Samples) -> tuple[Samples, int]:
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

    def _transactions_of(self, node: str) -> Intervals:
        """Transmissions from each command to send to the report of its end."""
        commands = self.events.instants("driver.exec.enter", node=node)
        reports = np.sort(np.concatenate([self.events.instants(name, node=node) for name in TX_ENDS]))
        place = np.searchsorted(reports, commands)
        reported = place < len(reports)
        return Intervals(commands[reported], reports[place[reported]])
