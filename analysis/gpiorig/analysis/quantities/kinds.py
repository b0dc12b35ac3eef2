"""Kinds of quantities: the words that a name begins with, and the unit of the values."""

from __future__ import annotations

from enum import Enum

ARROW = "->"


class Unit(Enum):
    """The unit of a value."""

    TIME = "ns"
    COUNT = "1"
    SHARE = "share"
    RATE = "bit/s"
    FREQUENCY = "1/s"


class Kind(Enum):
    """The kind of a quantity, by the words that its name begins with."""

    DELAY = "delay"
    LOGGED_ROUND_TRIP = "rtt by"
    BETWEEN = ARROW
    INTERVAL = "interval of"
    INTERVAL_ERROR = "interval error of"
    GAP = "gap of"
    GAP_ERROR = "gap error of"
    SPREAD = "spread of"
    LATENESS = "lateness of"
    TIMESTAMP_ERROR = "timestamp error of"
    SPAN = "span of"
    RUN = "run of"
    TIME = "time of"
    SELF_TIME = "self time of"
    WAIT = "wait of"
    BLOCKED = "blocked time of"
    LENGTH = "length of"
    RATE = "rate of"
    COUNT = "count of"
    SHARE = "share of"
    DUTY = "duty of"
    GOODPUT = "goodput"
    BOUND = "goodput bound"
    LOSS = "loss"
    DELIVERY = "delivery"
    RETRIED = "retried"
    FOREIGN = "foreign"

    @property
    def unit(self) -> Unit:
        """The unit of its values."""
        return _UNITS.get(self, Unit.TIME)

    @property
    def of_packets(self) -> bool:
        """True for a share of the packets: each of them has the value 0 or 1."""
        return self in _OF_PACKETS

    @property
    def single(self) -> bool:
        """True if it is one number for a node, or a share of the packets: it has no statistic."""
        return self.of_packets or self in _SINGLE


_OF_PACKETS = (Kind.LOSS, Kind.DELIVERY, Kind.RETRIED, Kind.FOREIGN)
_SINGLE = (Kind.SHARE, Kind.DUTY, Kind.GOODPUT, Kind.BOUND, Kind.RATE, Kind.COUNT)
_UNITS = {
    Kind.LENGTH: Unit.COUNT,
    Kind.COUNT: Unit.COUNT,
    Kind.RATE: Unit.FREQUENCY,
    Kind.SHARE: Unit.SHARE,
    Kind.DUTY: Unit.SHARE,
    Kind.GOODPUT: Unit.RATE,
    Kind.BOUND: Unit.RATE,
    **dict.fromkeys(_OF_PACKETS, Unit.SHARE),
}
