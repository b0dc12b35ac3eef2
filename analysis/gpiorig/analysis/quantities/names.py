"""Quantities by name: the names that a user writes, such as ``mac.tx -> mac.rx`` or ``span of udp.checksum``.

A name is parsed without a recording, so that an experiment file with a wrong one is refused before anything runs.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.events.layers import DOWN, INTERRUPT, PACKET_LAYERS, WAYS
from gpiorig.analysis.events.table import EVENT_TYPES, EventType
from gpiorig.analysis.packets.path import DIRECTIONS, POINTS
from gpiorig.analysis.quantities import delay_names
from gpiorig.analysis.quantities.kinds import ARROW, Kind

AT = " at "
IN = " in "
BY = " by "
RADIO, PACKET, NODE, QUEUE = "radio", "packet", "node", "queue"
PROCESSOR, RADIO_STATES = ("sleep", "run"), ("off", "listen", "send")
# Parts of an image, by its source files: the layers of a network stack and what they share, CCN-lite, and the probes.
IMAGE = "image"
_NETWORK = ("ipv6", "sixlowpan")
_STACK = ("sock", "netapi", "buffer", "udp", *_NETWORK, "ccn", "mac")
IMAGE_PARTS = ("app", *_STACK, "driver", "probes")
IMAGE_SUMS = {"stack": _STACK, "network": _NETWORK}
EXAMPLES = (
    "`mac.tx -> mac.rx`, `interval of app.tx`, `span of udp.checksum`, `share of isr.timer`, `goodput`, `rtt` or `loss`"
)
# The sender's side of the end of a transmission, by the milestone's name; None: any event that confirms the end.
TX_ENDS = {
    "irq.tx_end": "tap.irq.enter",
    "isr.tx_end": "isr.radio.enter",
    "driver.tx_end": "driver.isr.enter",
    "radio.tx_end": None,
}
_POINTS = {point.name: point for point in POINTS}
_EVENTS = {event.name: event for event in EVENT_TYPES}
_SPANS = {name.removesuffix(".enter") for name in _EVENTS if name.endswith(".enter")}
_EXITS = {f"{name}.exit" for name, point in _POINTS.items() if point.event.endswith(".enter") and name != "air.start"}
_OF_PACKETS = {
    event.name.removesuffix(".enter")
    for event in EVENT_TYPES
    if event.layer in PACKET_LAYERS and event.has_id and event.direction != "none" and event.name != "mac.sequence"
}
MILESTONES = tuple(dict.fromkeys([*_POINTS, *TX_ENDS, *sorted(_EXITS | _OF_PACKETS)]))
INTERRUPTS = (*sorted(name for name in _SPANS if name.startswith("isr.")), "timer.fire")
OCCUPANTS = ("thread", "task", "sleep", *INTERRUPTS)
CLOCKS = ("log", "host", "aggregator")
# Events whose instants the lines of a log contain.
TIMESTAMPED = ("app.tx", "app.rx", "radio.tx_start")
LAYERS = (*DOWN, INTERRUPT)
_WITH_SUBJECT = (" of", " by", " in")  # ends of kinds
_ALONE = {
    kind.value: kind
    for kind in Kind
    if not kind.value.endswith(_WITH_SUBJECT) and kind not in (Kind.DELAY, Kind.BETWEEN)
}
_NUMBERED = ("thread", "task", QUEUE)
_INTERVALS = (Kind.INTERVAL, Kind.INTERVAL_ERROR, Kind.INTERVAL_DEVIATION)
_BY_CLOCK = (Kind.INTERVAL_ERROR, Kind.INTERVAL_DEVIATION, Kind.SPREAD, Kind.LAG)
_OF_PACKET_EVENTS = (Kind.GAP, Kind.GAP_ERROR, Kind.SPREAD, Kind.LAG, Kind.LATENESS)
_OF_EVENTS = (*_INTERVALS, Kind.SPAN, Kind.RATE)
_POINTS_OF_SPANS = (tuple(sorted(_SPANS)), "point with an enter and an exit")
_PARTS_OF_ENERGY = ((NODE, *PROCESSOR, *RADIO_STATES, *LAYERS), "layer or state")
_SUBJECTS = {
    Kind.SPAN: _POINTS_OF_SPANS,
    Kind.DUTY: ((RADIO, *_POINTS_OF_SPANS[0]), _POINTS_OF_SPANS[1]),
    **dict.fromkeys((Kind.RUN, Kind.TIME, Kind.SHARE), (OCCUPANTS, "occupant of a processor")),
    Kind.WAIT: (("task", "queue"), "subject of a wait"),
    Kind.BLOCKED: (("task",), "subject of a blocked time"),
    Kind.LENGTH: (("queue",), "subject of a length"),
    **dict.fromkeys((Kind.ENERGY, Kind.ESTIMATED_ENERGY), ((PACKET,), "subject of an energy")),
    **dict.fromkeys(
        (Kind.ENERGY_IN, Kind.ESTIMATED_ENERGY_IN), ((NODE, *PROCESSOR, *RADIO_STATES, *LAYERS), "layer or state")
    ),
    **dict.fromkeys((Kind.ROM, Kind.RAM), ((IMAGE, *IMAGE_SUMS, *IMAGE_PARTS), "part of an image")),
    Kind.LOGGED_ROUND_TRIP: (CLOCKS, "clock"),
    Kind.SELF_TIME: ((*LAYERS, *(f"{layer} {way}" for layer in LAYERS for way in WAYS)), "layer"),
}
_KEY = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)?")
_QUALIFIED = re.compile(rf"(?:(?P<direction>{'|'.join(DIRECTIONS)})\.|hop (?P<hop>[1-9]\d*)\.)?(?P<name>\S.*)")


@dataclass(frozen=True, slots=True)
class Milestone:
    """A milestone as a quantity names it.

    Parameters
    ----------
    name
        One of `MILESTONES`.
    direction
        ``request``, ``reply``, or empty: packets of either kind.
    hop
        Number of the hop, from 1; 0: every hop.
    """

    name: str
    direction: str = ""
    hop: int = 0

    @property
    def received(self) -> bool:
        """True if it happens at the receiver of a hop."""
        if self.name in _POINTS:
            return _POINTS[self.name].received
        if self.name in TX_ENDS:
            return False
        point = _POINTS.get(self.name.removesuffix(".exit"))
        return point.received if point is not None else _event(self.name).direction == "rx"

    @property
    def text(self) -> str:
        """Its name with its qualifier."""
        if self.direction:
            return f"{self.direction}.{self.name}"
        return f"hop {self.hop}.{self.name}" if self.hop else self.name


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity, parsed from its name.

    Parameters
    ----------
    text
        The name, with single blanks; without the node.
    kind
        Kind of the quantity.
    start, end
        Milestones of a `Kind.BETWEEN` and a `Kind.TIME`, perhaps of an energy.
    subject
        Subject of the other kinds: an event (`Kind.INTERVAL`), a point (`Kind.SPAN`, `Kind.DUTY`), an
        occupant of the processor, ``task``, ``queue``, `RADIO`, a layer, a key of an answer, a delay; empty of others.
    number
        Id of the thread, task or queue, or of the events of a span or an interval; -1: any.
    node
        The requested node; empty: every node.
    clock
        One of `CLOCKS` whose timestamps count; empty: the pins.
    """

    text: str
    kind: Kind
    start: Milestone | None = None
    end: Milestone | None = None
    subject: str = ""
    number: int = -1
    node: str = ""
    clock: str = ""

    @property
    def name(self) -> str:
        """The complete name, with the node."""
        return f"{self.text}{AT}{self.node}" if self.node else self.text


def is_quantity(text: str) -> bool:
    """Tell whether a text is meant as one of these names, and not as the name of a delay, or the loss of all."""
    name, _, node = text.partition(AT)
    alone = name.strip() in _ALONE and (bool(node) or name.strip() != delay_names.LOSS)
    return ARROW in text or alone or _keyword(text) is not None


def parse(text: str) -> Quantity:
    """The quantity of a name.

    Raises
    ------
    QuantityError
        The name is not understood; the message names the part and the valid ones.
    """
    name, _, node = " ".join(text.split()).partition(AT)
    kind = _ALONE.get(name) or _keyword(name) or (Kind.BETWEEN if ARROW in name else None)
    if kind is None and delay_names.is_delay(name):
        return Quantity(name, Kind.DELAY, subject=name, node=node)
    if kind is None:
        raise QuantityError(f"quantity `{text}`: not understood; {_hint(name)}")
    try:
        if kind is Kind.BETWEEN:
            return _between(name, node)
        return _about(kind, name.removeprefix(kind.value).strip(), node)
    except QuantityError as error:
        raise QuantityError(f"quantity `{text}`: {error}") from error


def parse_all(texts: Iterable[str]) -> tuple[Quantity, ...]:
    """The quantities of several names, without repetitions."""
    return tuple(dict.fromkeys(parse(text) for text in texts))


def milestone(text: str) -> Milestone:
    """A milestone with its qualifier: ``mac.tx``, ``request.mac.tx``, ``hop 2.mac.tx``; raises `QuantityError`."""
    match = _QUALIFIED.fullmatch(text)
    if not match:
        raise QuantityError("a milestone is missing at an end of the arrow.")
    name = match["name"].removesuffix(".enter")
    if name not in MILESTONES and f"{name}.enter" in _EVENTS and _EVENTS[f"{name}.enter"].direction == "none":
        raise QuantityError(f"`{name}` is at the sender and at the receiver; ask for `span of {name}`.")
    _check(name, MILESTONES, "milestone")
    return Milestone(name, match["direction"] or "", int(match["hop"] or 0))


def event_of(name: str) -> str:
    """The event that a milestone or a point is taken from, such as ``mac.tx.enter`` for ``mac.tx``."""
    if name in TX_ENDS or name == "air.start":
        raise QuantityError(f"`{name}` is computed from a packet's hop; it is not an event of a node.")
    return _POINTS[name].event if name in _POINTS else _event(name).name


def unknown(name: str, known: Iterable[str], what: str) -> QuantityError:
    """The error for a name that is not among the known ones."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"available: {', '.join(known) or 'none'}."
    return QuantityError(f"no {what} `{name}`; {hint}")


def _between(name: str, node: str) -> Quantity:
    ends = [part.strip() for part in name.split(ARROW)]
    if len(ends) != 2:
        raise QuantityError(f"one `{ARROW}` has a milestone at either end.")
    start, end = (milestone(part) for part in ends)
    if start == end:
        raise QuantityError(
            f"both ends are `{start.text}`; from one to the next it is `{Kind.INTERVAL.value} {start.text}`."
        )
    return Quantity(f"{start.text} {ARROW} {end.text}", Kind.BETWEEN, start=start, end=end, node=node)


def _about(kind: Kind, rest: str, node: str) -> Quantity:
    """A quantity about an event, a point, an occupant or a queue, perhaps with a number."""
    start = end = None
    window = ""
    if kind in (Kind.ENERGY, Kind.ESTIMATED_ENERGY) and ARROW in rest:
        within = _between(rest, node)
        return Quantity(f"{kind.value} {within.text}", kind, start=within.start, end=within.end, node=node)
    if kind is Kind.TIME:
        rest, _, window = rest.partition(IN)
        within = _between(window, node)
        start, end, window = within.start, within.end, f"{IN}{within.text}"
    clock = next((clock for clock in CLOCKS if kind in _BY_CLOCK and rest.endswith(f"{BY}{clock}")), "")
    rest = rest.removesuffix(f"{BY}{clock}") if clock else rest
    subject, _, last = rest.rpartition(" ")
    subject, number = (subject, int(last)) if subject and last.isdecimal() else (rest, -1)
    _check_subject(kind, subject, clock)
    numbered = subject in _NUMBERED
    if numbered != (number >= 0) and subject != QUEUE and (numbered or kind not in _OF_EVENTS):
        raise QuantityError(
            f"`{subject}` needs its id, as in `{subject} 3`." if number < 0 else f"`{subject}` has no id."
        )
    parts = [kind.value, subject, str(number) if number >= 0 else ""]
    text = " ".join(part for part in parts if part) + window + (f"{BY}{clock}" if clock else "")
    return Quantity(text, kind, start=start, end=end, subject=subject, number=number, node=node, clock=clock)


def _check_subject(kind: Kind, subject: str, clock: str) -> None:
    if clock or kind is Kind.TIMESTAMP_ERROR:
        _check(subject, TIMESTAMPED, "event with a timestamp in the log")
    elif kind in _OF_PACKET_EVENTS:
        _check(subject, sorted(_OF_PACKETS), "event of a packet")
    elif kind in _INTERVALS or (kind is Kind.RATE and subject not in ("task", "queue")):
        _check(subject, [*MILESTONES, *_EVENTS, *_SPANS], "event")
        event_of(subject)
    elif kind is Kind.COUNT and not _KEY.fullmatch(subject):
        raise QuantityError(f"`{subject}` is not a key of an answer; write it like `count of displaced at relay`.")
    elif kind in _SUBJECTS:
        _check(subject, *_SUBJECTS[kind])


def _keyword(text: str) -> Kind | None:
    return next(
        (kind for kind in Kind if kind.value.endswith(_WITH_SUBJECT) and f"{text} ".startswith(f"{kind.value} ")), None
    )


def _hint(name: str) -> str:
    """What the name may be meant to be."""
    known = [*_ALONE, delay_names.RTT, delay_names.ONE_WAY, *delay_names.KINDS, *delay_names.SHORT]
    near = difflib.get_close_matches(name.partition(": ")[2] or name, known, n=1, cutoff=0.8)
    return f"did you mean `{near[0]}`?" if near else f"write it like {EXAMPLES}."


def _event(name: str) -> EventType:
    return _EVENTS[name] if name in _EVENTS else _EVENTS[f"{name}.enter"]


def _check(name: str, known: Iterable[str], what: str) -> None:
    known = list(known)
    if name not in known:
        raise unknown(name, known, what)
