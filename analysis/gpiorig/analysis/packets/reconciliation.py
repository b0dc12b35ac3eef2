"""Accounting: every packet that the firmware says it sent is in the timelines, or counted with the reason why not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.packets.timelines import LOST, PARTIAL, STATUS, Timelines

NOT_ON_PINS = "no send call was seen on the pins"
NO_REPLY_ON_PINS = "the firmware has its reply, the pins do not show it"
NOT_LOGGED = "the firmware counted it, its log line is missing"
NOT_SEEN = 255  # the status of a packet that the pins do not show
REASONS = STATUS | {LOST: NO_REPLY_ON_PINS, NOT_SEEN: NOT_ON_PINS}


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What became of every packet that the firmware sent: timelined, lost, or `unaccounted`.

    Parameters
    ----------
    sent
        Packets the firmware says it sent.
    timelined
        Packets with a round-trip time from the pins.
    lost
        Packets the firmware gave up and whose reply never came, per reason.
    not_timelined
        Packets that the firmware has, and the timelines not, per reason.
    late
        Of those timelined, packets that the firmware had given up: their reply reached the application after all.
    extra
        Packets on the pins that the firmware's log does not mention; not part of the sum.
    """

    sent: int
    timelined: int
    lost: dict[str, int]
    not_timelined: dict[str, int]
    late: int
    extra: int

    @property
    def unaccounted(self) -> int:
        """Packets that are neither timelined nor lost; 0 when every packet is accounted for."""
        return self.sent - self.timelined - sum(self.lost.values())


def reconcile(timelines: Timelines, log: NodeLog) -> Reconciliation:
    """Compare the initiator's log with the timelines, packet by packet.

    Both are in the order of sending, so that equal sequence numbers are matched in order and a wrap of the 16-bit
    number merges nothing.
    """
    rows = _match(log.sequences, timelines.ids)
    given_up = np.asarray(log.lost, dtype=bool)
    status = np.full(len(rows), NOT_SEEN, dtype=np.uint8)
    status[rows >= 0] = timelines.status[rows[rows >= 0]]
    arrived = status <= PARTIAL
    lost = Counter(log.outcomes[row] for row in np.flatnonzero(~arrived & given_up).tolist())
    not_timelined: Counter[str] = Counter()
    for key, count in zip(*np.unique(status[~arrived & ~given_up], return_counts=True), strict=True):
        not_timelined[REASONS[int(key)]] = int(count)
    missing = log.sent - len(rows)
    if missing > 0:
        not_timelined[NOT_LOGGED] = missing
    return Reconciliation(
        sent=log.sent,
        timelined=int(np.count_nonzero(arrived)),
        lost=dict(sorted(lost.items())),
        not_timelined=dict(sorted(not_timelined.items())),
        late=int(np.count_nonzero(arrived & given_up)),
        extra=len(timelines) - int(np.count_nonzero(rows >= 0)),
    )


def _match(logged: NDArray[np.int32], seen: NDArray[np.int32]) -> NDArray[np.int64]:
    """Row of each logged packet, -1 if none: the next row with its number, unless it is half a round away.

    Runs of equal numbers are matched at once, what lies between them one by one.
    """
    rows = np.full(len(logged), -1, dtype=np.int64)
    done, at = 0, 0
    while done < len(logged):
        equal = _equal(logged[done:], seen[at:])
        rows[done : done + equal] = np.arange(at, at + equal)
        done, at = done + equal, at + equal
        if done < len(logged):
            number = int(logged[done])
            while at < len(seen) and (number - int(seen[at])) & 0x8000 == 0 and seen[at] != number:
                at += 1
            if at < len(seen) and seen[at] == number:
                rows[done] = at
                at += 1
            done += 1
    return rows


def _equal(one: NDArray[np.int32], other: NDArray[np.int32]) -> int:
    """How many numbers at the beginning are equal; looks ahead farther and farther, so that short runs are cheap."""
    equal, stride = 0, 16
    both = min(len(one), len(other))
    while equal < both:
        end = min(equal + stride, both)
        differ = np.flatnonzero(one[equal:end] != other[equal:end])
        if len(differ):
            return equal + int(differ[0])
        equal, stride = end, 2 * stride
    return equal
