"""Numbers of a node: events per second, what it counted itself, bytes of its image, the bound of its goodput."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.events.completions import FRAME_TIMESTAMP
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.quantities.events import chosen, shown
from gpiorig.analysis.quantities.image_memory import Images
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import Quantity, event_of, unknown
from gpiorig.analysis.quantities.series import NONE, Recorded, Samples, Series, number_of, single
from gpiorig.analysis.quantities.shares import active
from gpiorig.analysis.radio.air_frames import BYTE_NS, pulses

# Interframe spaces of IEEE 802.15.4-2006, table 85 and 7.5.1.3, in symbols of 16 us; short ones after MPDUs of at most
# aMaxSIFSFrameSize bytes (table 85).
LONG_SPACE_NS, SHORT_SPACE_NS, SHORT_MPDU_BYTES = 40 * 16_000, 12 * 16_000, 18
PHY_BYTES = 6  # preamble, start-of-frame delimiter, length (6.3)
_EVENT_OF = {"task": "task.run.enter", "queue": "queue.post"}


def rates_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Runs of a task, messages put into a queue, or events, per second of the node's activity without lost samples."""
    event = _EVENT_OF.get(quantity.subject) or event_of(quantity.subject)
    by_node = []
    for node in recorded.nodes(quantity):
        at = chosen(recorded, event, quantity.number, node)
        if len(at):
            start, end, lost = active(recorded, node)
            count = int(np.count_nonzero(recorded.events.samples[at] >= start))
            scale = recorded.events.samplerate_hz / (end - start - lost)
            by_node.append(single(recorded.events.node_names[node], quantity, count, scale, start))
    of_id = event if quantity.subject in _EVENT_OF else ""
    return shown(by_node, quantity, recorded, f"an event `{event}`", event=of_id)


def counts_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """A number that a node counted itself, by its key in its answers; ``mac.sent`` is that of the answer ``mac``."""
    answer, _, key = quantity.subject.rpartition(".")
    by_node, known = [], dict[str, None]()
    for node in recorded.nodes(quantity):
        name = recorded.events.node_names[node]
        log = recorded.analysis.logs.get(name)
        answers = dict(log.answers) if log is not None else {}
        known |= dict.fromkeys(key for numbers in answers.values() for key in numbers)
        numbers = [given[key] for word, given in answers.items() if answer in ("", word) and key in given]
        if numbers:
            by_node.append(single(name, quantity, numbers[-1], Fraction(1), recorded.events.start))
    if by_node:
        return tuple(by_node)
    raise unknown(quantity.subject, known, "number that a node reported as")


def of_images(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Bytes of the images that ran on the nodes of a recording."""
    return image_bytes(quantity, recorded.images)


def image_bytes(quantity: Quantity, images: Images) -> tuple[Series, ...]:
    """Bytes in flash memory or in RAM of the images of nodes, or of a part of each; no recording is needed for them.

    Raises
    ------
    QuantityError
        An image is not known, cannot be read, or does not name its source files.
    """
    nodes = [node for node in images if quantity.node in ("", node)]
    if not nodes:
        raise QuantityError(f"the image of {quantity.node or 'the nodes'} is not known.")
    by_node = []
    for node in nodes:
        memory = images[node]()
        in_memory = memory.flash if quantity.kind is Kind.ROM else memory.ram
        by_node.append(single(node, quantity, in_memory.part(quantity.subject), Fraction(1), 0))
    return tuple(by_node)


def bounds(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Payload bits of a packet over the time of its frames on the air with the interframe space after each, by origin.

    The lengths of the frames are those on the line of a receiver; of several packets the usual time.

    Raises
    ------
    QuantityError
        No line shows all frames of a packet on the air.
    """
    hops = recorded.packets()
    names, packets = recorded.events.node_names, hops.packets
    rows, times_ns = _times_on_air(recorded, hops)
    by_origin = []
    for origin in recorded.nodes(quantity):
        of_origin = packets.accounted[rows] & (packets.origins[rows] == origin)
        if of_origin.any():
            bits = 8 * number_of(recorded, names[origin], "payload")
            start = int(packets.starts[rows[of_origin]].min())
            scale = Fraction(NS_PER_S, int(np.median(times_ns[of_origin])))
            by_origin.append(single(names[origin], quantity, bits, scale, start))
    if not by_origin:
        raise QuantityError("no line shows a frame of a packet on the air; its receiver needs `tap.frame_timestamp`.")
    return tuple(by_origin)


def _times_on_air(recorded: Recorded, hops: Hops) -> tuple[Samples, Samples]:
    """int64[k] each: packets of which a node next to the origin read all frames, and their times with the spaces."""
    stays, lengths_ns = hops.visits, _lengths_ns(recorded, hops)
    visits = stays.of_reception.astype(np.int64)
    good = (lengths_ns != NONE) & (visits >= 0) & ~stays.repeated & (stays.hops[visits] == 1)
    mpdu_bytes = lengths_ns // BYTE_NS - PHY_BYTES
    spaces_ns = np.where(mpdu_bytes <= SHORT_MPDU_BYTES, SHORT_SPACE_NS, LONG_SPACE_NS)
    times_ns = np.zeros(len(stays), dtype=np.int64)
    np.add.at(times_ns, visits[good], (lengths_ns + spaces_ns)[good])
    frames = np.bincount(visits[good], minlength=len(stays))
    complete = np.flatnonzero((frames > 0) & (frames == hops.packets.fragments[stays.packets]))
    return stays.packets[complete].astype(np.int64), times_ns[complete]


def _lengths_ns(recorded: Recorded, hops: Hops) -> Samples:
    """int64[r], time on the air of the frame of each reception, a multiple of a byte; -1 unknown."""
    events = recorded.events
    lengths = np.full(len(hops.receptions), NONE, dtype=np.int64)
    first_bits = hops.receptions.air_starts
    for node, name in enumerate(events.node_names):
        rises, falls = pulses(events, FRAME_TIMESTAMP.removesuffix(".enter"), node=name)
        rows = np.flatnonzero((hops.receptions.nodes == node) & (first_bits != NONE))
        place = np.searchsorted(rises, first_bits[rows])
        good = falls[place] >= 0
        samples = falls[place[good]] - first_bits[rows[good]]
        byte_counts = np.rint(samples * float(recorded.period_ns) / BYTE_NS).astype(np.int64)
        lengths[rows[good]] = byte_counts * BYTE_NS
    return lengths
