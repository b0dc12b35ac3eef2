"""Transmissions: each frame that a node commanded its radio to send, and how that ended; `hops` counts them per hop."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import polled
from gpiorig.analysis.events.completions import LINKS, TX_ENDS, Completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import acknowledgements, sequence_numbers
from gpiorig.analysis.packets.occurrences import NONE, RESET, Latest, Positions, latest_of, owner, values_at
from gpiorig.analysis.packets.sequence_numbers import SequenceNumbers

# What a command to the radio is on a node: the first of these that occurs there.
COMMANDS = ("driver.exec.enter", "radio.tx_start", "driver.tx.enter", "mac.tx.enter")
# What the driver does with a frame before the command.
PREPARATIONS = ("driver.tx.enter", "driver.prepare.enter", "driver.load.enter")
# What makes a new frame of a packet; without one, a frame is repeated as long as nothing else shows that it is another.
FRAME_BEGINS = ("mac.tx.enter", "sixlowpan.fragment.enter")
# The same on a node that shows neither, such as one of lwIP.
SEND_CALLS = ("app.tx.enter", "sock.tx.enter", "udp.tx.enter")

COMPLETE, NO_ACK, BUSY, REPEATED, UNKNOWN, ACKNOWLEDGEMENT = range(6)
OUTCOMES = {
    COMPLETE: "complete",
    NO_ACK: "no acknowledgement",
    BUSY: "channel busy",
    REPEATED: "commanded again before its end was reported",
    UNKNOWN: "its end was not reported",
    ACKNOWLEDGEMENT: "an acknowledgement made by software",
}
_OUTCOME_OF = dict(zip(TX_ENDS, (COMPLETE, NO_ACK, BUSY), strict=True))
# A transmission whose end nothing tells is taken to last no longer than this: four attempts of five waits each of up to
# 7, 15, 31, 31 and 31 periods of 320 us and 128 us of listening, 4.26 ms of frame and 0.86 ms for the acknowledgement
# (IEEE 802.15.4-2006, 7.5.1.4 and table 86, defaults): 168 ms.
LONGEST_NS = 168_000_000
# After this number of frames an 8-bit sequence number is another frame's.
NUMBERS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Transmissions:
    """One row per command to a radio, by node, in time order within a node.

    Parameters
    ----------
    nodes
        int16[t], index into the node names.
    ids
        int32[t], id of the packet; -1 for a frame without one, and for an acknowledgement made by software.
    commands
        int64[t], position of the command in the events.
    prepared
        int64[t], position at which the driver took the frame; that of the command, if it is not reported.
    ends_at
        int64[t], position of the event that reported the end, -1 without one.
    begins, ends
        int64[t], samples: the frame was on the air, if at all, in between. The end is that of the radio's interrupt, if
        it is known, and otherwise when software reported it, or when a command that waits for the frame was over.
    outcomes
        uint8[t], keys of `OUTCOMES`.
    sequences
        int16[t], sequence number of IEEE 802.15.4, -1 unknown.
    frames
        int32[t], number of the frame; equal for those that repeat one.
    waited
        bool[t], the command waited until the frame was out: the end is exact, or not before it by much.
    acknowledges
        int64[t], of an acknowledgement the position at which the frame that it is of had been read; -1 for others.
    """

    nodes: NDArray[np.int16]
    ids: NDArray[np.int32]
    commands: Positions
    prepared: Positions
    ends_at: Positions
    begins: Positions
    ends: Positions
    outcomes: NDArray[np.uint8]
    sequences: NDArray[np.int16]
    frames: NDArray[np.int32]
    waited: NDArray[np.bool_]
    acknowledges: Positions

    def __len__(self) -> int:
        return len(self.nodes)

    def first_on_air(self) -> Positions:
        """int64[t], the first transmission of each one's frame that found a free channel."""
        on_air = np.flatnonzero(self.outcomes != BUSY)
        first_attempts = np.full(int(self.frames.max(initial=0)) + 1, NONE, dtype=np.int64)
        first_attempts[self.frames[on_air[::-1]]] = on_air[::-1]
        attempts = first_attempts[self.frames]
        return np.where(attempts >= 0, np.minimum(attempts, np.arange(len(self))), np.arange(len(self)))

    def on_air_before(self) -> Positions:
        """int64[t], the latest one of the same frame before each that found a free channel; -1 for none."""
        order = np.argsort(self.frames, kind="stable")
        frames = self.frames[order]
        latest = np.maximum.accumulate(np.where(self.outcomes[order] != BUSY, np.arange(len(order)), NONE))
        before = np.append(NONE, latest)[: len(order)]
        on_air = np.empty(len(order), dtype=np.int64)
        on_air[order] = np.where(values_at(frames, before) == frames, values_at(order, before), NONE)
        return on_air

    def numbered_by_readers(self, of: Positions, sequences: NDArray[np.int16]) -> Transmissions:
        """The same, with frames distinguished by the numbers that their readers report where a sender reports none.

        Parameters
        ----------
        of, sequences
            int[r], rows of the transmissions that were read, -1 unknown, and the numbers of those frames, -1 unknown.
        """
        numbers = np.full(len(self), NONE, dtype=np.int64)
        useful = (of >= 0) & (sequences >= 0)
        numbers[of[useful]] = sequences[useful]
        numbers[self.sequences != NONE] = NONE
        if not (numbers >= 0).any():
            return self
        order = np.argsort(self.frames, kind="stable")
        frames, numbers = self.frames[order], numbers[order]
        begins = np.append(True, frames[1:] != frames[:-1])
        numbered = np.maximum.accumulate(np.where(numbers >= 0, np.arange(len(numbers)), NONE))
        before = np.append(NONE, numbered[:-1])
        again = (numbers >= 0) & (before >= 0) & (frames[before] == frames)
        begins |= again & (numbers[before] != numbers)
        distinct = np.empty_like(self.frames)
        distinct[order] = np.cumsum(begins) - 1
        return dataclasses.replace(self, frames=distinct)


def find(events: Events, index: Index, completions: Completions, numbered: SequenceNumbers) -> Transmissions:
    """All transmissions of all nodes.

    The end of a transmission is reported by ``radio.tx_complete``, ``radio.tx_no_ack`` or ``radio.tx_busy`` with the id
    of the latest command before it; a radio sends one frame at a time.
    """
    parts = [_on_node(events, index, completions, node) for node in range(len(events.node_names))]
    nodes, commands, ends_at, outcomes, ends, waited = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    ids = events.ids[commands]
    acknowledges = acknowledgements.acknowledged_readings(events, index, numbered, nodes, ids, commands)
    ids[acknowledges >= 0] = NONE
    outcomes[acknowledges >= 0] = ACKNOWLEDGEMENT
    owners = owner(nodes, ids)
    told_owners = owner(events.nodes[numbered.positions].astype(np.int64), numbered.ids)
    number = sequence_numbers.latest_sent(events, index, numbered, owners, commands, told_owners=told_owners)
    sequences = np.where(ids >= 0, values_at(numbered.numbers.astype(np.int64), number), NONE)
    return Transmissions(
        nodes=nodes.astype(np.int16),
        ids=ids,
        commands=commands,
        prepared=_prepared(events, index, nodes, ids, commands, since=values_at(numbered.since, number)),
        ends_at=ends_at,
        begins=events.samples[commands],
        ends=ends,
        outcomes=outcomes.astype(np.uint8),
        sequences=sequences.astype(np.int16),
        frames=_frames(events, index, nodes, ids, commands, sequences),
        waited=waited,
        acknowledges=acknowledges,
    )


def _on_node(
    events: Events, index: Index, completions: Completions, node: int
) -> tuple[Positions, Positions, Positions, Positions, Positions, NDArray[np.bool_]]:
    commands = index.positions(index.highest(COMMANDS, node=node), node=node)
    ends_at = np.full(len(commands), NONE, dtype=np.int64)
    if len(commands):
        reported = np.sort(np.concatenate([index.positions(name, node=node) for name in TX_ENDS]), kind="stable")
        command = np.searchsorted(commands, reported) - 1
        own = (command >= 0) & (events.ids[commands[np.maximum(command, 0)]] == events.ids[reported])
        # Written backwards, so that the first of several stays.
        ends_at[command[own][::-1]] = reported[own][::-1]
    following = np.append(commands[1:], NONE)[: len(commands)]
    again = (
        (following >= 0) & (events.ids[commands] >= 0) & (events.ids[np.maximum(following, 0)] == events.ids[commands])
    )
    outcomes = np.where(again, REPEATED, UNKNOWN)
    for name, outcome in _OUTCOME_OF.items():
        outcomes[(ends_at >= 0) & (events.codes[np.maximum(ends_at, 0)] == BY_NAME[name].code)] = outcome
    longest = int(Fraction(LONGEST_NS, 1_000_000_000) * events.samplerate_hz)
    # At the latest with the next command, or when the node is reset.
    over = np.sort(np.concatenate([commands, index.positions(RESET, node=node)]), kind="stable")
    over_at = np.append(events.samples[over], events.end)
    latest = over_at[np.searchsorted(over, commands, side="right")]
    latest = np.minimum(latest, events.samples[commands] + longest)
    ends = np.where(ends_at >= 0, events.samples[np.maximum(ends_at, 0)], latest)
    for name in LINKS:
        traces = index.positions(name, node=node)
        trace = latest_of(ends_at, traces, of=completions.of[traces])
        ends = np.where((ends_at >= 0) & (trace > commands), events.samples[np.maximum(trace, 0)], ends)
    waited = np.zeros(len(commands), dtype=bool)
    if index.waits(node):
        begun, over = polled.waiting_commands(events, partial(index.positions, node=node))
        rises = index.positions("tap.irq.enter", node=node)
        rise = values_at(rises, np.searchsorted(rises, over) - 1)
        waited = np.isin(commands, begun)
        ends[waited] = events.samples[np.where(rise > begun, rise, over)][np.isin(begun, commands)]
    return np.full(len(commands), node, dtype=np.int64), commands, ends_at, outcomes, ends, waited


def _prepared(
    events: Events, index: Index, nodes: Positions, ids: NDArray[np.int32], commands: Positions, *, since: Positions
) -> Positions:
    """int64[t], position of the first trace of each frame, its number included, since the command before it."""
    before = acknowledgements.previous(nodes, commands)
    owners = owner(nodes, ids)
    prepared = np.where(since > before, np.minimum(since, commands), commands)
    for name in PREPARATIONS:
        for node in range(len(events.node_names)):
            at = index.positions(name, node=node)
            traces = values_at(at, Latest.of(owner(node, events.ids[at]), at).before(owners, commands))
            prepared = np.where(traces > before, np.minimum(prepared, traces), prepared)
    return prepared


def _frames(
    events: Events, index: Index, nodes: Positions, ids: NDArray[np.int32], commands: Positions, sequences: Positions
) -> NDArray[np.int32]:
    """int32[t], number of the frame of each transmission.

    Two transmissions of a node with the same id, one after the other, are of one frame if no call that makes a frame
    lies between them and their sequence numbers are equal. Frames that no call made and no number distinguishes, such
    as TSCH's beacons, repeat nothing on a node that shows such calls.
    """
    owners = owner(nodes, ids)
    begun = np.full(len(nodes), NONE, dtype=np.int64)
    calling = np.zeros(len(events.node_names), dtype=bool)
    for node in range(len(events.node_names)):
        names = next(
            (names for names in (FRAME_BEGINS, SEND_CALLS) if any(index.occurs(name, node=node) for name in names)), ()
        )
        calling[node] = len(names) > 0
        for calls in (index.positions(name, node=node) for name in names):
            latest_calls = Latest.of(owner(node, events.ids[calls]), calls).before(owners, commands, included=True)
            begun = np.maximum(begun, values_at(calls, latest_calls))
    single = calling[nodes] & (begun == NONE) & (sequences == NONE)
    order = np.lexsort((commands, owners))
    first = np.ones(len(order), dtype=bool)
    before, here = order[:-1], order[1:]
    first[1:] = (
        (owners[before] != owners[here])
        | (begun[before] != begun[here])
        | (sequences[before] != sequences[here])
        | (here - before >= NUMBERS)
        | single[here]
        | (ids[here] < 0)
    )
    frames = np.empty(len(order), dtype=np.int32)
    frames[order] = np.cumsum(first) - 1
    return frames
