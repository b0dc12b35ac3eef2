"""Accounting: every packet that the firmware says it sent is in the timelines, or counted with the reason why not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gpiorig.analysis.log import NodeLog
from gpiorig.analysis.timelines import LOST, STATUS, Timelines

NOT_ON_PINS = "no send call was seen on the pins"
NO_REPLY_ON_PINS = "the firmware has its reply, the pins do not show it"
NOT_LOGGED = "the firmware counted it, its log line is missing"


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
    timelined, late = 0, 0
    lost: Counter[str] = Counter()
    not_timelined: Counter[str] = Counter()
    for row, outcome, is_lost in zip(rows, log.outcomes, log.lost, strict=True):
        status = int(timelines.status[row]) if row >= 0 else None
        arrived = row >= 0 and bool(timelines.timelined[row])
        if arrived:
            timelined += 1
            late += bool(is_lost)
        elif is_lost:
            lost[outcome] += 1
        elif status is None:
            not_timelined[NOT_ON_PINS] += 1
        else:
            not_timelined[NO_REPLY_ON_PINS if status == LOST else STATUS[status]] += 1
    missing = log.sent - len(rows)
    if missing > 0:
        not_timelined[NOT_LOGGED] = missing
    return Reconciliation(
        sent=log.sent,
        timelined=timelined,
        lost=dict(sorted(lost.items())),
        not_timelined=dict(sorted(not_timelined.items())),
        late=late,
        extra=len(timelines) - int(np.count_nonzero(np.array(rows) >= 0)),
    )


def _match(logged: np.typing.NDArray[np.int32], seen: np.typing.NDArray[np.int32]) -> list[int]:
    """Row of each logged packet, -1 if none: the next row with its number, unless it is half a round away."""
    rows, at = [], 0
    seen_list = seen.tolist()
    for number in logged.tolist():
        ahead = at
        while ahead < len(seen_list) and (number - seen_list[ahead]) & 0x8000 == 0 and seen_list[ahead] != number:
            ahead += 1
        found = ahead < len(seen_list) and seen_list[ahead] == number
        rows.append(ahead if found else -1)
        at = ahead + found
    return rows
