"""The path of a packet: its milestones from the sender's application to the receiver's, and names of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

REQUEST, REPLY = 0, 1
DIRECTIONS = ("request", "reply")


class Source(Enum):
    """How the event of a milestone is found.

    ID: it carries the packet's id. ATTEMPT: it carries it, and is the first one of an attempt to send, between the
    milestone before it and the command to the radio; none elsewhere. RECEPTION: it carries none, and belongs to the
    reception that ends with ``driver.rx_read.exit``. AIR: computed from the frame timestamp of that reception.
    """

    ID = "id"
    ATTEMPT = "attempt"
    RECEPTION = "reception"
    AIR = "air"


class Kind(Enum):
    """What a step is spent on; the value is its key in files, `text` its name for readers."""

    text: str

    SOFTWARE = "software", "stack software"
    MAC = "mac", "MAC: queue, slot, hand-over"
    DRIVER = "driver", "driver, radio transfer"
    RADIO_WAIT = "radio-wait", "radio wait (backoff, CCA, retries)"
    RETRANSMISSION = "retransmission", "waiting for a retransmission"
    AIR = "air", "on the air"
    UNDIVIDED = "undivided", "radio wait or air, which no tap distinguishes"
    FRAGMENTS = "fragments", "fragments before the last: software, radio, air"
    INTERRUPT = "interrupt", "interrupt, hand-over"
    APPLICATION = "application", "application"

    def __new__(cls, key: str, text: str) -> Kind:
        """A member whose value is its key."""
        member = object.__new__(cls)
        member._value_ = key
        member.text = text
        return member


@dataclass(frozen=True, slots=True)
class Milestone:
    """One instant on the path in one direction.

    Parameters
    ----------
    name
        Such as ``request.udp.tx``.
    event
        The event it is taken from, such as ``udp.tx.enter``.
    direction
        Place of its hop on the path, 0 for the first; of a round trip without relays `REQUEST` or `REPLY`.
    received
        Whether it happens at the receiver of that hop.
    source
        How it is found.
    """

    name: str
    event: str
    direction: int
    received: bool
    source: Source

    @property
    def leg(self) -> int:
        """Position on the path: of a round trip 0 request sent, 1 received, 2 reply sent, 3 received."""
        return 2 * self.direction + int(self.received)

    @property
    def point(self) -> str:
        """Its name without that of the hop, such as ``udp.tx``."""
        return self.name.split(".", 1)[1]


class Point(NamedTuple):
    """A milestone of any hop, in whatever direction; the fields are those of `Milestone`."""

    name: str
    event: str
    received: bool
    source: Source


_PATH = (
    ("app.tx", "app.tx.enter", False, Source.ID),
    ("sock.tx", "sock.tx.enter", False, Source.ID),
    ("udp.tx", "udp.tx.enter", False, Source.ID),
    ("ipv6.tx", "ipv6.tx.enter", False, Source.ID),
    ("sixlowpan.tx", "sixlowpan.tx.enter", False, Source.ID),
    ("sixlowpan.fragment", "sixlowpan.fragment.enter", False, Source.ID),  # the last, of a packet that was cut
    ("mac.tx", "mac.tx.enter", False, Source.ID),
    ("driver.prepare", "driver.prepare.enter", False, Source.ID),
    ("driver.load", "driver.load.enter", False, Source.ID),
    ("mac.backoff", "mac.backoff.enter", False, Source.ATTEMPT),  # of a MAC in software below which the frame is loaded
    ("driver.exec", "driver.exec.enter", False, Source.ID),
    ("driver.exec.exit", "driver.exec.exit", False, Source.ID),
    ("air.start", "tap.frame_timestamp.enter", True, Source.AIR),
    ("irq", "tap.irq.enter", True, Source.RECEPTION),
    ("isr.radio", "isr.radio.enter", True, Source.RECEPTION),
    ("driver.isr", "driver.isr.enter", True, Source.RECEPTION),
    ("driver.rx_read", "driver.rx_read.enter", True, Source.RECEPTION),
    ("driver.rx_read.exit", "driver.rx_read.exit", True, Source.ID),
    ("mac.rx", "mac.rx.enter", True, Source.ID),
    ("sixlowpan.rx", "sixlowpan.rx.enter", True, Source.ID),
    ("ipv6.rx", "ipv6.rx.enter", True, Source.ID),
    ("udp.rx", "udp.rx.enter", True, Source.ID),
    ("sock.rx", "sock.rx.enter", True, Source.ID),
    ("app.rx", "app.rx.enter", True, Source.ID),
)

POINTS = tuple(Point(*row) for row in _PATH)
MILESTONES = tuple(
    Milestone(f"{DIRECTIONS[direction]}.{point.name}", point.event, direction, point.received, point.source)
    for direction in (REQUEST, REPLY)
    for point in POINTS
)
# Points that a packet passes again when it is sent again, by who sends it again. What the radio repeats on its own, and
# what the MAC waits for a free channel, are parts of radio waits. Below IPv6 a packet passes a point once per fragment.
REPEATS = {
    "the application": ("sock.tx", "udp.tx", "ipv6.tx"),
    "the MAC": ("driver.prepare", "driver.load", "mac.backoff", "driver.exec"),
}
REPEATED_BY = {name: who for who, names in REPEATS.items() for name in names}
RETRANSMISSIONS = tuple(f"retransmission by {who}" for who in REPEATS)  # the names of these waits
FIRST = ".first"
FIRSTS = tuple(p._replace(name=f"{p.name}{FIRST}") for p in POINTS if p.name in REPEATED_BY)  # of the first attempt
PATH = tuple(p for point in POINTS for p in (*(f for f in FIRSTS if f.name == f"{point.name}{FIRST}"), point))
BACKOFF = "mac.backoff"
RECEPTION_END = "driver.rx_read.exit"
COMMAND_END = "driver.exec.exit"

STEPS = {
    ("app.tx", "sock.tx"): ("app to sock", Kind.SOFTWARE),
    ("app.tx", "udp.tx"): ("app to udp", Kind.SOFTWARE),
    ("sock.tx", "udp.tx"): ("sock to udp", Kind.SOFTWARE),
    ("udp.tx", "ipv6.tx"): ("udp to ipv6", Kind.SOFTWARE),
    ("ipv6.tx", "sixlowpan.tx"): ("ipv6 to 6lowpan", Kind.SOFTWARE),
    ("sixlowpan.tx", "mac.tx"): ("6lowpan to mac", Kind.SOFTWARE),
    ("sixlowpan.tx", "sixlowpan.fragment"): ("earlier fragments", Kind.FRAGMENTS),
    ("sixlowpan.fragment", "mac.tx"): ("6lowpan to mac", Kind.SOFTWARE),
    ("app.tx", "mac.tx"): ("app to mac", Kind.SOFTWARE),
    ("mac.rx", "app.rx"): ("mac to app", Kind.SOFTWARE),
    ("mac.tx", "driver.prepare"): ("mac to driver", Kind.MAC),
    ("mac.tx", "mac.backoff"): ("mac to backoff", Kind.MAC),
    ("driver.prepare", "driver.load"): ("prepare the radio", Kind.DRIVER),
    ("driver.load", "driver.exec"): ("load the frame", Kind.DRIVER),
    ("driver.load", "mac.backoff"): ("load the frame", Kind.DRIVER),
    ("mac.backoff", "driver.exec"): ("CSMA backoff", Kind.RADIO_WAIT),
    ("driver.exec", "driver.exec.exit"): ("command the transmission", Kind.DRIVER),
    ("driver.exec.exit", "air.start"): ("radio wait: exec done to first bit on air", Kind.RADIO_WAIT),
    ("driver.exec", "air.start"): ("radio wait: exec to first bit on air", Kind.RADIO_WAIT),
    ("mac.backoff", "air.start"): ("radio wait: backoff to first bit on air", Kind.RADIO_WAIT),
    ("air.start", "irq"): ("air: first bit to radio interrupt", Kind.AIR),
    ("irq", "isr.radio"): ("interrupt: line to ISR", Kind.INTERRUPT),
    ("isr.radio", "driver.isr"): ("interrupt: ISR to driver", Kind.INTERRUPT),
    ("driver.isr", "driver.rx_read"): ("status and length", Kind.DRIVER),
    ("driver.rx_read", "driver.rx_read.exit"): ("read the frame", Kind.DRIVER),
    ("driver.rx_read.exit", "mac.rx"): ("driver to mac", Kind.SOFTWARE),
    ("mac.rx", "sixlowpan.rx"): ("mac to 6lowpan", Kind.SOFTWARE),
    ("sixlowpan.rx", "ipv6.rx"): ("6lowpan to ipv6", Kind.SOFTWARE),
    ("ipv6.rx", "udp.rx"): ("ipv6 to udp", Kind.SOFTWARE),
    ("udp.rx", "sock.rx"): ("udp to sock", Kind.SOFTWARE),
    ("udp.rx", "app.rx"): ("udp to app", Kind.SOFTWARE),
    ("sock.rx", "app.rx"): ("sock to app", Kind.SOFTWARE),
    # at a relay, from one hop to the next
    ("sixlowpan.rx", "mac.tx"): ("forward: 6lowpan to mac", Kind.SOFTWARE),
    ("ipv6.rx", "ipv6.tx"): ("forward: ipv6 to ipv6", Kind.SOFTWARE),
    ("ipv6.rx", "sixlowpan.tx"): ("forward: ipv6 to 6lowpan", Kind.SOFTWARE),
    ("mac.rx", "mac.tx"): ("forward: mac to mac", Kind.SOFTWARE),
}
TURN_AROUND = "turn-around"


def milestone(way: str, place: int, point: Point) -> Milestone:
    """A milestone of the hop at a place of a path, 0 for the first; `way` is the name of the hop."""
    return Milestone(f"{way}.{point.name}", point.event, place, point.received, point.source)


def ways(hops: int) -> tuple[str, ...]:
    """Names of the hops of a one-way path."""
    return tuple(f"hop {number}" for number in range(1, hops + 1))


def round_trip_ways(request_hops: int, reply_hops: int) -> tuple[str, ...]:
    """Names of the hops of a round trip, such as ``request`` and ``reply``, or ``request hop 2`` over a relay."""
    counts = zip(DIRECTIONS, (request_hops, reply_hops), strict=True)
    return tuple(name if n == 1 else f"{name} {way}" for name, n in counts for way in ways(n))
