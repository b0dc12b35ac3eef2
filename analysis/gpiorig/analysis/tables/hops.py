"""Tables of hops: transmissions, receptions, packets, hops, and events without a packet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.columns import names, nullable, table
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import hops, journeys, receptions, transmissions
from gpiorig.analysis.packets.holders import KINDS
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE, taken
from gpiorig.analysis.packets.path import POINTS
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.unattributed import REASONS

_EVENTS = {code: event.name for code, event in BY_CODE.items()}


def hops_table(stage: Hops) -> pa.Table:
    """One row per packet and hop, one column of samples per milestone."""
    columns: dict[str, Any] = {
        "packet_row": stage.packets,
        "id": stage.journeys.ids[stage.packets],
        "hop": stage.numbers,
        "from": _nodes(stage.events, stage.senders),
        "to": _nodes(stage.events, stage.receivers),
        "status": names(stage.status, hops.STATUS),
        "transmission_row": nullable(stage.sent),
        "reception_row": nullable(stage.read),
    }
    for count in ("attempts", "frames", "no_ack", "busy", "readings", "duplicates"):
        columns[count] = getattr(stage, count)
    for column, point in enumerate(POINTS):
        columns[f"{point.name}_sample"] = nullable(stage.samples[:, column])
    return table(columns, stage.events.samplerate_hz)


def transmissions_table(stage: Hops) -> pa.Table:
    """One row per command to a radio."""
    sent = stage.transmissions
    readers = np.bincount(stage.receptions.transmissions[stage.receptions.transmissions >= 0], minlength=len(sent))
    columns = {
        "transmission_row": np.arange(len(sent), dtype=np.int32),
        "packet_row": nullable(_packets(stage, stage.visits.of_transmission)),
        "node": _nodes(stage.events, sent.nodes),
        "id": nullable(sent.ids),
        "sequence": nullable(sent.sequences),
        "frame": sent.frames,
        "begin_sample": sent.begins,
        "end_sample": sent.ends,
        "outcome": names(sent.outcomes, transmissions.OUTCOMES),
        "readings": readers.astype(np.int32),
    }
    return table(columns, stage.events.samplerate_hz)


def receptions_table(stage: Hops) -> pa.Table:
    """One row per frame read."""
    read = stage.receptions
    columns = {
        "reception_row": np.arange(len(read), dtype=np.int32),
        "packet_row": nullable(_packets(stage, stage.visits.of_reception)),
        "node": _nodes(stage.events, read.nodes),
        "id": read.ids,
        "sequence": nullable(read.sequences),
        "air_start_sample": nullable(read.air_starts),
        "end_sample": read.ends,
        "transmission_row": nullable(read.transmissions),
        "origin": names(read.origins, receptions.ORIGINS),
        "repeated": stage.visits.repeated,
    }
    return table(columns, stage.events.samplerate_hz)


def packets_table(stage: Hops, round_trips: RoundTrips | None = None) -> pa.Table:
    """One row per packet: where it was last seen, and the packet that answered it."""
    answers = np.full(len(stage.journeys), NONE, dtype=np.int32)
    if round_trips is not None:
        answers[round_trips.requests] = round_trips.replies
    travels, events = stage.journeys, stage.events
    last = np.maximum(travels.last_events, 0)
    columns = {
        "packet_row": np.arange(len(travels), dtype=np.int32),
        "id": travels.ids,
        "origin": _nodes(events, travels.origins),
        "start_sample": travels.starts,
        "began": names(travels.kinds, KINDS),
        "status": names(travels.status, journeys.STATUS),
        "deliveries": travels.deliveries,
        "fragments": travels.fragments,
        "last_node": _nodes(events, events.nodes[last]),
        "last_event": names(events.codes[last], _EVENTS),
        "last_sample": events.samples[last],
        "answer_row": nullable(answers),
    }
    return table(columns, events.samplerate_hz)


def unattributed_table(stage: Hops) -> pa.Table:
    """Events that could not be given to a packet, with the reason."""
    at, events = stage.unattributed.positions, stage.events
    columns = {
        "sample": events.samples[at],
        "node": _nodes(events, events.nodes[at]),
        "event": names(events.codes[at], _EVENTS),
        "id": nullable(events.ids[at]),
        "reason": names(stage.unattributed.reasons, REASONS),
    }
    return table(columns, events.samplerate_hz)


def _nodes(events: Events, indices: NDArray[Any]) -> pa.Array:
    return names(indices, dict(enumerate(events.node_names)))


def _packets(stage: Hops, visits: NDArray[np.int32]) -> NDArray[np.int32]:
    rows: NDArray[np.int32] = taken(stage.visits.packets, visits.astype(np.int64)).astype(np.int32)
    return rows
