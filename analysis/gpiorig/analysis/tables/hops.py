"""Tables of hops: transmissions, receptions, packets, hops, and events without a packet."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.columns import names, nullable, table
from gpiorig.analysis.events.events import slices
from gpiorig.analysis.packets import delivery, hops, receptions, transmissions
from gpiorig.analysis.packets.holders import KINDS
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE
from gpiorig.analysis.packets.path import POINTS
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.unattributed import REASONS
from gpiorig.analysis.tables.stages import ALL, EVENT_NAMES, node_names
from gpiorig.capture import mapped


def hops_table(stage: Hops, part: slice = ALL) -> pa.Table:
    """One row per packet and hop, one column of samples per milestone."""
    columns: dict[str, Any] = {
        "packet_row": stage.packet_rows[part],
        "id": stage.packets.ids[stage.packet_rows[part]],
        "hop": stage.numbers[part],
        "from": node_names(stage.events, stage.senders[part]),
        "to": node_names(stage.events, stage.receivers[part]),
        "status": names(stage.status[part], hops.STATUS),
        "transmission_row": nullable(stage.sent[part]),
        "reception_row": nullable(stage.read[part]),
    }
    for count in ("attempts", "frames", "no_ack", "busy", "readings", "duplicates"):
        columns[count] = getattr(stage, count)[part]
    for column, point in enumerate(POINTS):
        columns[f"{point.name}_sample"] = nullable(stage.samples[column][part])
    return table(columns, stage.events.samplerate_hz)


def readings_of(stage: Hops) -> NDArray[np.int32]:
    """int32[t], frames read of each transmission."""
    counts = mapped.zeros(len(stage.transmissions), np.int32)
    for part in slices(len(stage.receptions)):
        rows = stage.receptions.transmissions[part]
        rows = rows[rows != NONE]
        least = rows.min(initial=len(counts))
        here = np.bincount(rows - least)
        counts[least : least + len(here)] += here
    return counts


def transmissions_table(stage: Hops, readings: NDArray[np.int32], part: slice = ALL) -> pa.Table:
    """One row per command to a radio; `readings` are those of `readings_of`."""
    sent = stage.transmissions
    columns = {
        "transmission_row": _rows(sent, part),
        "packet_row": nullable(hops.packets_of(stage.visits.of_transmission[part], stage.visits)),
        "node": node_names(stage.events, sent.nodes[part]),
        "id": nullable(sent.ids[part]),
        "sequence": nullable(sent.sequences[part]),
        "frame": sent.frames[part],
        "begin_sample": sent.begins[part],
        "end_sample": sent.ends[part],
        "outcome": names(sent.outcomes[part], transmissions.OUTCOMES),
        "readings": readings[part],
    }
    return table(columns, stage.events.samplerate_hz)


def receptions_table(stage: Hops, part: slice = ALL) -> pa.Table:
    """One row per frame read."""
    read = stage.receptions
    columns = {
        "reception_row": _rows(read, part),
        "packet_row": nullable(hops.packets_of(stage.visits.of_reception[part], stage.visits)),
        "node": node_names(stage.events, read.nodes[part]),
        "id": read.ids[part],
        "sequence": nullable(read.sequences[part]),
        "air_start_sample": nullable(read.air_starts[part]),
        "end_sample": read.ends[part],
        "transmission_row": nullable(read.transmissions[part]),
        "origin": names(read.origins[part], receptions.ORIGINS),
        "repeated": stage.visits.repeated[part],
    }
    return table(columns, stage.events.samplerate_hz)


def packets_table(stage: Hops, round_trips: RoundTrips | None = None, *, part: slice = ALL) -> pa.Table:
    """One row per packet: where it was last seen, and the packet that answered it."""
    packets, events = stage.packets, stage.events
    start, stop, _ = part.indices(len(packets))
    answers = np.full(stop - start, NONE, dtype=np.int32)
    if round_trips is not None:
        requests = slice(*np.searchsorted(round_trips.requests, (start, stop)))
        answers[round_trips.requests[requests] - start] = round_trips.replies[requests]
    last = np.maximum(packets.last_events[part], 0)
    columns = {
        "packet_row": _rows(packets, part),
        "id": packets.ids[part],
        "origin": node_names(events, packets.origins[part]),
        "start_sample": packets.starts[part],
        "began": names(packets.kinds[part], KINDS),
        "status": names(packets.status[part], delivery.STATUS),
        "deliveries": packets.deliveries[part],
        "fragments": packets.fragments[part],
        "last_node": node_names(events, events.nodes[last]),
        "last_event": names(events.codes[last], EVENT_NAMES),
        "last_sample": events.samples[last],
        "answer_row": nullable(answers),
    }
    return table(columns, events.samplerate_hz)


def unattributed_table(stage: Hops, part: slice = ALL) -> pa.Table:
    """Events that could not be given to a packet, with the reason."""
    at, events = stage.unattributed.positions[part], stage.events
    columns = {
        "sample": events.samples[at],
        "node": node_names(events, events.nodes[at]),
        "event": names(events.codes[at], EVENT_NAMES),
        "id": nullable(events.ids[at]),
        "reason": names(stage.unattributed.reasons[part], REASONS),
    }
    return table(columns, events.samplerate_hz)


def _rows(stage: Sized, part: slice) -> NDArray[np.int32]:
    return np.arange(*part.indices(len(stage)), dtype=np.int32)
