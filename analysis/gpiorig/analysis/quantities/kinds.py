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
    ENERGY = "J"
    POWER = "W"
    BYTES = "B"


class Kind(Enum):
    """The kind of a quantity, by the words that its name begins with: how it is written, and what its value is.

    Attributes
    ----------
    DELAY
        `rtt`, `delay`, `STEP`, `stack`, `*`, …: delays of docs/guide/compare.md; a name of several steps gives a series
        for each, under its full name
    LOGGED_ROUND_TRIP
        `rtt by log`, `… by host`, `… by aggregator`: round trip by the node's own timestamps; by the host's of the
        lines at sending (`announce = true`) and at receiving; by those of IoT-LAB's serial aggregator, a model
    BETWEEN
        `A -> B`: from milestone A to milestone B of a packet
    INTERVAL
        `interval of E`, `interval of E 3`: from an event to the next one at the same node; with the id 3
    INTERVAL_ERROR
        `interval error of E`: such an interval less `interval_us` of the node; ` by log`, ` by host`, ` by aggregator`
        after it: the interval by that clock
    INTERVAL_DEVIATION
        `interval deviation of E`: the magnitude of such an error
    GAP
        `gap of E`: from a packet's event to that of the next packet of its train or pair
    GAP_ERROR
        `gap error of E`: such a gap less `gap_us`
    SPREAD
        `spread of E`: from the earliest to the latest event of a packet over its receivers; ` by log`, ` by host`,
        ` by aggregator`
    LAG
        `lag of E`: from the earliest event of a packet over its receivers to that of each of them; ` by log`, ` by
        host`, ` by aggregator`
    LATENESS
        `lateness of E`: from the instant at which a packet was due, by the node's log, to its event
    TIMESTAMP_ERROR
        `timestamp error of E`: interval of an event by the log less the same interval on the pins
    SPAN
        `span of P`, `span of task.run 6`: from the enter of a point to its exit
    RUN
        `run of O`: each uninterrupted run of an occupant of the processor: `thread 3`, `task 6`, `sleep`, `isr.timer`,
        …
    TIME
        `time of O in A -> B`: how long an occupant had the processor between two milestones of a packet at one node
    SELF_TIME
        `self time of udp tx`: time that a layer itself took for a packet at a node (docs/guide/occupancy.md); without
        `tx` or `rx` both ways
    WAIT
        `wait of task 6`, `wait of queue 3`: from `task.due` to the next `task.run` with that id; from `queue.post` to
        `queue.fetch`, first in, first out. `wait of queue`: of all queues of a node; where its fetches have no id,
        first in, first out over all of them, which leaves the mean as it is in any order
    BLOCKED
        `blocked time of task 6`: from `task.due` to the end of that run, less `worker_a_on_us` (task 7:
        `worker_b_on_us`): what others had of the processor
    LENGTH
        `length of queue 3`, `length of queue`: messages in a queue, in all of a node, each length weighted by the time
        it held. A queue is taken to be empty at its least length; one with priorities has a length but no true wait
    RATE
        `rate of task 6`, `rate of queue 3`, `rate of queue`, `rate of E`: runs of a task, messages put into a queue,
        into any, events, per second
    COUNT
        `count of displaced`: a number that the node counted itself, by its key, from the last answer with that
        key: `report` (or the `done` line), `mac`, `workers`; `count of mac.sent` names the answer too
    SHARE
        `share of O`: share of the time in which an occupant had the processor
    DUTY
        `duty of P`, `duty of radio`: share of the time in which a span is open, or a radio receives or sends.
        Of the radio it needs the spans `slot.rx` and `slot.tx` (`events_slot = true`), or both `radio.set_rx`
        and `radio.set_idle`; otherwise it is refused
    ENERGY
        `energy of packet`, `energy of A -> B`: of a packet at a node, in all of its steps there or between two
        milestones at that node, by the node's power trace (docs/guide/energy.md)
    ENERGY_IN
        `energy in udp`, `energy in run`, `energy in send`, `energy in node`: of a node, in all of the time that a layer
        itself takes, that its processor runs or sleeps, that its radio sends, listens or is off; in all
    POWER
        `power`: of a node, in the mean
    ESTIMATED_ENERGY
        `estimated energy of packet`, `estimated energy of A -> B`: of a packet at a node, in all of its steps there or
        between two milestones at that node, by the states that the pins show and the currents of the boards' files; an
        estimate, not measured (docs/guide/energy.md)
    ESTIMATED_ENERGY_IN
        `estimated energy in udp`: as `energy in`, in the same way
    ESTIMATED_POWER
        `estimated power`: of a node, in the mean, in the same way
    ESTIMATED_POWER_ABOVE
        `estimated power above sleep`: that less the power of a processor that sleeps while the radio is off
    ROM
        `rom of image`, `rom of sixlowpan`: bytes that the image of a node has in flash memory, or those of a part's
        functions and constants (docs/guide/memory.md); of the ELF file, so it needs no recording
    RAM
        `ram of image`, `ram of stack`: bytes that the linker places in RAM, without the heap
    GOODPUT
        `goodput`: payload that reached the application of a node, by origin: of distinct packets (RFC 2647,
        3.17), from the first send call of the origin to the last delivery
    BOUND
        `goodput bound`: payload of a packet over the time of its frames on the air and the space after each, the
        interframe space of IEEE 802.15.4-2006 (7.5.1.3): 640 µs, or 192 µs after an MPDU of at most 18 bytes
    LOSS
        `loss`: packets that were lost: round trips (RFC 6673), or else one way (RFC 2680) on the route that
        most packets took. `loss at NODE` is one way, of the packets that NODE itself sent
    DELIVERY
        `delivery`: packets that arrived, among the packets of `loss`
    DELIVERY_OF_ALL
        `delivery of all`: packets that arrived, one way, of those that all nodes sent, together
    RETRIED
        `retried`: packets of which a frame was sent again: of a round trip in either direction; `retried at
        NODE` only what NODE sent. Without frame timestamp lines what a radio repeats alone, unread, does not
        count
    FOREIGN
        `foreign`: packets whose wait for the radio met a frame of another sender, by the frame timestamp lines
    """

    DELAY = "delay"
    LOGGED_ROUND_TRIP = "rtt by"
    BETWEEN = ARROW
    INTERVAL = "interval of"
    INTERVAL_ERROR = "interval error of"
    INTERVAL_DEVIATION = "interval deviation of"
    GAP = "gap of"
    GAP_ERROR = "gap error of"
    SPREAD = "spread of"
    LAG = "lag of"
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
    ENERGY = "energy of"
    ENERGY_IN = "energy in"
    POWER = "power"
    ESTIMATED_ENERGY = "estimated energy of"
    ESTIMATED_ENERGY_IN = "estimated energy in"
    ESTIMATED_POWER = "estimated power"
    ESTIMATED_POWER_ABOVE = "estimated power above sleep"
    ROM = "rom of"
    RAM = "ram of"
    GOODPUT = "goodput"
    BOUND = "goodput bound"
    LOSS = "loss"
    DELIVERY = "delivery"
    DELIVERY_OF_ALL = "delivery of all"
    RETRIED = "retried"
    FOREIGN = "foreign"

    @property
    def unit(self) -> Unit:
        """The unit of its values."""
        return _UNITS.get(self, Unit.TIME)

    @property
    def is_estimate(self) -> bool:
        """True if it is computed from states and currents, and not measured."""
        return self.value.startswith("estimated")

    @property
    def of_packets(self) -> bool:
        """True for a share of the packets: each of them has the value 0 or 1."""
        return self in _OF_PACKETS

    @property
    def of_image(self) -> bool:
        """True if it is of the image that a node runs, so that it needs no recording."""
        return self in _OF_IMAGES

    @property
    def single(self) -> bool:
        """True if it is one number for a node, or a share of the packets: it has no statistic."""
        return self.of_packets or self in _SINGLE


_OF_PACKETS = (Kind.LOSS, Kind.DELIVERY, Kind.DELIVERY_OF_ALL, Kind.RETRIED, Kind.FOREIGN)
_OF_IMAGES = (Kind.ROM, Kind.RAM)
_ENERGIES_IN = (Kind.ENERGY_IN, Kind.ESTIMATED_ENERGY_IN)
_POWERS = (Kind.POWER, Kind.ESTIMATED_POWER, Kind.ESTIMATED_POWER_ABOVE)
_SINGLE = (Kind.SHARE, Kind.DUTY, Kind.GOODPUT, Kind.BOUND, Kind.RATE, Kind.COUNT, *_OF_IMAGES, *_POWERS, *_ENERGIES_IN)
_UNITS = {
    Kind.LENGTH: Unit.COUNT,
    Kind.COUNT: Unit.COUNT,
    Kind.RATE: Unit.FREQUENCY,
    Kind.SHARE: Unit.SHARE,
    Kind.DUTY: Unit.SHARE,
    **dict.fromkeys((Kind.ENERGY, Kind.ESTIMATED_ENERGY, *_ENERGIES_IN), Unit.ENERGY),
    **dict.fromkeys(_POWERS, Unit.POWER),
    **dict.fromkeys(_OF_IMAGES, Unit.BYTES),
    Kind.GOODPUT: Unit.RATE,
    Kind.BOUND: Unit.RATE,
    **dict.fromkeys(_OF_PACKETS, Unit.SHARE),
}
