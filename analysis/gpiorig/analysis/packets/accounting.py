"""Accounting of hops: transmissions, receptions, overheard frames and events are of packets, or counted with reason.

And doubts: what makes all numbers of a recording questionable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import belongs_by_order, carries_packet_id, needs_packet_id
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.packets import delivery, overheard, receptions, transmissions
from gpiorig.analysis.packets.holders import KINDS
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.turned_round import CALLS
from gpiorig.analysis.packets.unattributed import OF_FRAMES, REASONS
from gpiorig.analysis.packets.visits import DELIVERIES

APPLICATION = DELIVERIES[0]


@dataclass(frozen=True, slots=True)
class Accounting:
    """How many there are, and what they are; the parts of each add up to all.

    Parameters
    ----------
    transmissions, receptions, overheard, packets, events
        All of each; of the events those that should be of a packet.
    outcomes
        Transmissions by how they ended.
    read
        Transmissions that at least one node read.
    without_id, readings_without_id
        Transmissions, and readings of a frame or of nothing, without a packet's id: they are in no packet.
    acknowledgements_read
        Acknowledgements that software read as frames; those that it sent are an outcome.
    origins
        Receptions by whether they are of one transmission.
    whose
        Overheard frames, by their owner.
    kinds
        Packets by how they began.
    attributed
        Events that are of a packet.
    unattributed
        The others, by the reason.
    """

    transmissions: int
    outcomes: dict[str, int]
    read: int
    without_id: int
    readings_without_id: int
    acknowledgements_read: int
    receptions: int
    origins: dict[str, int]
    overheard: int
    whose: dict[str, int]
    packets: int
    kinds: dict[str, int]
    events: int
    attributed: int
    unattributed: dict[str, int]

    @property
    def adds_up(self) -> bool:
        """Whether nothing is lost and nothing counted twice."""
        return (
            self.transmissions == sum(self.outcomes.values())
            and self.receptions == sum(self.origins.values())
            and self.overheard == sum(self.whose.values())
            and self.packets == sum(self.kinds.values())
            and self.events == self.attributed + sum(self.unattributed.values())
        )


def account(hops: Hops) -> Accounting:
    """Count them all."""
    events, sent, read = hops.events, hops.transmissions, hops.receptions
    wanted = carries_packet_id(events) | belongs_by_order(events) | needs_packet_id(events)
    return Accounting(
        transmissions=len(sent),
        outcomes=_counts(sent.outcomes, transmissions.OUTCOMES),
        read=len(np.unique(read.transmissions[read.transmissions >= 0])),
        without_id=_without_id(hops),
        readings_without_id=read.without_id,
        acknowledgements_read=len(read.acknowledgements),
        receptions=len(read),
        origins=_counts(read.origins, receptions.ORIGINS),
        overheard=len(hops.overheard),
        whose=_counts(hops.overheard.whose, overheard.WHOSE),
        packets=len(hops.packets),
        kinds=_counts(hops.packets.kinds, KINDS),
        events=int(np.count_nonzero(wanted)),
        attributed=int(np.count_nonzero(wanted & (hops.visit_of >= 0))),
        unattributed=hops.unattributed.counts(),
    )


def _counts(keys: NDArray[np.uint8], names: Mapping[int, str]) -> dict[str, int]:
    counted = np.bincount(keys, minlength=len(names))
    return {name: n for key, name in names.items() if (n := int(counted[key]))}


def _without_id(hops: Hops) -> int:
    sent = hops.transmissions
    return int(np.count_nonzero((sent.ids < 0) & (sent.outcomes != transmissions.ACKNOWLEDGEMENT)))


def indistinct(hops: Hops) -> list[str]:
    """Packets that their ids do not distinguish, a sentence each; empty when they all do."""
    packets = hops.packets
    sentences = []
    for node, name in enumerate(hops.events.node_names):
        sentences += equal_ids(name, packets.ids[packets.called & (packets.origins == node)])
    return sentences


def _delivered_beneath(hops: Hops) -> str:
    """The event that delivers packets where it is not the application's; "" where it is, or none was delivered."""
    at = hops.visits.deliveries
    names = {BY_CODE[code].name for code in np.unique(hops.events.codes[at[at >= 0]]).tolist()}
    return "" if APPLICATION in names else " or ".join(sorted(names))


def notes(hops: Hops) -> list[str]:
    """Sentences about what the pins do not determine; empty if there is nothing."""
    read, unread = hops.receptions, hops.overheard
    sentences = []
    if not hops.packets.called.any():
        sentences.append(
            f"No send call was seen ({', '.join(CALLS)}), only "
            f"{count_text(len(hops.packets), 'packet')} without one: a route is from the node that sends a frame "
            "to the node that reads it."
        )
    beneath = _delivered_beneath(hops)
    if beneath:
        sentences.append(
            f"No application was seen to receive ({APPLICATION}): delivered means that {beneath} was reached, "
            "whether an application takes the packet there or not."
        )
    for origin, what in (
        (receptions.NOT_SENT, "while no node was sending a frame with their id"),
        (receptions.OTHER_NUMBER, "while no node was sending a frame with their id and sequence number"),
        (receptions.AMBIGUOUS, "while several nodes were sending a frame with their id"),
    ):
        if number := int(np.count_nonzero(read.origins == origin)):
            sentences.append(f"{number} of {len(read)} frames were read {what}: they are given to no transmission.")
    if unclear := int(np.count_nonzero(hops.packets.status == delivery.UNCLEAR)):
        sentences.append(
            f"{unclear} packets were in the hand of a node together with another of the same id: "
            "it is unknown which of them it sent on."
        )
    for node, name in enumerate(hops.events.node_names):
        if again := int(hops.visits.again[hops.visits.nodes == node].sum()):
            reader = f"Node {name}" if beneath else f"The application of {name}"
            sentences.append(
                f"{reader} read {count_text(again, 'packet')} again that it had read before: sent "
                "again by the MAC or the application, or another packet with that id."
            )
    unknown = int(np.count_nonzero(unread.transmissions < 0))
    if unknown:
        sentences.append(
            f"{unknown} of {len(unread)} frames that were received, not read, are of no known transmission."
        )
    answers = int(np.count_nonzero(hops.transmissions.outcomes == transmissions.ACKNOWLEDGEMENT))
    if answers or len(read.acknowledgements):
        both = f"{answers} seen to be sent, {len(read.acknowledgements)} read"
        sentences.append(f"Acknowledgements that software sends or reads as frames: {both}.")
    sent = _without_id(hops)
    if sent or read.without_id:
        counted = f"{count_text(sent, 'frame')} sent, {count_text(read.without_id, 'reading')}"
        sentences.append(f"Without an id: {counted}; they are in no packet.")
    lost = hops.unattributed.counts()
    of_frames = {REASONS[key]: lost.pop(REASONS[key]) for key in OF_FRAMES if REASONS[key] in lost}
    for counts, what in ((of_frames, "are of frames in no packet"), (lost, "are of no packet although they should be")):
        if counts:
            reasons = "; ".join(f"{number}: {reason}" for reason, number in counts.items())
            sentences.append(f"{sum(counts.values())} events {what} ({reasons}).")
    return sentences


def repetitions(hops: Hops) -> tuple[int, int, int]:
    """Transmissions that repeat a frame, frames read twice, and transmissions read but not acknowledged."""
    sent, stays = hops.transmissions, hops.visits
    with_id = sent.ids >= 0
    retried = int(np.count_nonzero(with_id)) - len(np.unique(sent.frames[with_id]))
    read = np.zeros(len(sent), dtype=bool)
    read[hops.receptions.transmissions[hops.receptions.transmissions >= 0]] = True
    unheard = int(np.count_nonzero(read & (sent.outcomes == transmissions.NO_ACK)))
    return retried, int(np.count_nonzero(stays.repeated)), unheard


def silent_nodes(events: Events, *, among: Sequence[str] | None = None) -> list[str]:
    """A sentence for each node whose symbol bus shows nothing; `among`: the nodes that have one, without it all."""
    return [
        f"Node {name} is silent: its symbol bus shows no frame, so what it sent and read is not known; "
        "is it wired as in the bench file, and does its firmware have probes?"
        for name, frames in zip(events.node_names, events.frames_seen.tolist(), strict=True)
        if not frames and (among is None or name in among)
    ]


def equal_ids(node: str, ids: NDArray[np.int32]) -> list[str]:
    """A sentence if all packets of a node have one id: int32[p], those that it sent by a call."""
    if len(ids) < 2 or (ids != ids[0]).any():
        return []
    return [
        f"All {len(ids)} packets of node {node} have the id {ids[0]}: only time distinguishes them; "
        "does the firmware count its packets?"
    ]
