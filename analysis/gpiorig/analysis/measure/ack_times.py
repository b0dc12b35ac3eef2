"""When an acknowledgement follows its frame, by the standard, and how far the timestamps of a capture are from that.

An acknowledgement begins aTurnaroundTime, 12 symbols, after the last symbol of its frame (IEEE Std 802.15.4-2006,
7.5.6.4.2; in a superframe up to a backoff period later), and its sender waits for macAckWaitDuration, 54 symbols at
2450 MHz (7.4.2). Which instant of a frame a timestamp is of, first or last bit, a capture does not state: frames on one
channel cannot overlap, which rules one of the two out, or shows how rough the timestamps are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gpiorig.capture.frames import ieee802154
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frame_clock import BYTE_S, air_bytes

NS_PER_S = 10**9
SYMBOL_NS = 16_000  # O-QPSK at 2450 MHz (IEEE Std 802.15.4-2006, 6.5)
TURNAROUND_NS = 12 * SYMBOL_NS  # aTurnaroundTime (6.4.1)
WAIT_NS = 54 * SYMBOL_NS  # macAckWaitDuration: 20 + 12 + 10 + 6 * 2 symbols (7.4.2)
OQPSK_CHANNELS = range(11, 27)  # of page 0 (6.1.2)
# Of other PHYs, whose symbols are longer, and of enhanced acknowledgements, which begin when the timeslot template has
# them (in Contiki-NG's of 15 ms after 4 ms, arch/dev/cc2420/cc2420-tsch-15ms.c), no time is known: a bound by custom.
LONGEST_ACK_NS = 10_000_000


class Pair(NamedTuple):
    """A frame that asked for an acknowledgement, and one of its number.

    Attributes
    ----------
    delay_ns
        From the timestamp of the frame to that of the acknowledgement.
    frame_ns, ack_ns
        How long each is on the air.
    is_timed
        The standard has a time for it: an immediate acknowledgement at 2450 MHz.
    """

    delay_ns: int
    frame_ns: int
    ack_ns: int
    is_timed: bool


def pair_of(frame: Frame, ack: Frame, delay_ns: int) -> Pair:
    """Return what decides whether an acknowledgement is that of a frame."""
    header = ieee802154.parse(ack.mpdu)
    is_enhanced = header is not None and header.version >= ieee802154.VERSION_2015
    return Pair(delay_ns, _air_ns(frame), _air_ns(ack), _is_oqpsk(frame) and not is_enhanced)


def _air_ns(frame: Frame) -> int:
    return int(air_bytes(frame) * BYTE_S * NS_PER_S)


def _is_oqpsk(frame: Frame) -> bool:
    return not frame.page and (frame.channel is None or frame.channel in OQPSK_CHANNELS)


@dataclass(slots=True)
class Overlap:
    """By how much frames of one view would overlap on the air, were their timestamps of first or of last bits.

    Attributes
    ----------
    first_ns, last_ns
        The longest overlap with either meaning.
    """

    first_ns: int = 0
    last_ns: int = 0
    _before: tuple[int, Frame] | None = None

    def add(self, frame: Frame, at_ns: int) -> None:
        """Take the next frame in the order of the file."""
        before, self._before = self._before, (at_ns, frame)
        if before is None or before[1].channel != frame.channel:
            return
        delay_ns = at_ns - before[0]
        is_duplicate = not delay_ns and before[1].mpdu == frame.mpdu
        if _is_oqpsk(frame) and not is_duplicate:
            self.first_ns = max(self.first_ns, _air_ns(before[1]) - delay_ns)
            self.last_ns = max(self.last_ns, _air_ns(frame) - delay_ns)

    def allows(self, pair: Pair, *, step_ns: float) -> bool:
        """Whether the delay is that of an acknowledgement, as far as these timestamps, in such steps, can tell."""
        if not pair.is_timed:
            return True
        rough_ns = min(self.first_ns, self.last_ns) + step_ns
        meanings = ((self.first_ns, pair.frame_ns), (self.last_ns, pair.ack_ns))
        return any(
            TURNAROUND_NS - rough_ns <= pair.delay_ns - air_ns <= WAIT_NS + rough_ns
            for overlap_ns, air_ns in meanings
            if overlap_ns <= rough_ns
        )
