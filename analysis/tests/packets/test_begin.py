"""The first of everything: what a recording begins with is found as it is in the middle of a longer one.

Whatever is the first event, transmission, reading, visit or packet has the index 0, next to the -1 of what is not
there. With another recording of other nodes before it, no index is 0 any more, and all else must be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, fields
from functools import cache
from typing import Any

import numpy as np
import pytest
from madeevents import events_of_rows
from network import HEADER_NS, Network
from tschslots import schedule

from gpiorig.analysis.packets import accounting, hop_routes, hops, round_trips
from gpiorig.analysis.packets.hops import Hops

MS = 24_000
BEFORE = {"a": "x", "b": "y", "c": "z"}
LATER = 20_000 * MS
Row = tuple[int, str, str, int | None]
# What a column counts; the others are plain numbers.
KINDS = {
    "nodes": "node",
    "senders": "node",
    "receivers": "node",
    "origins": "node",
    **dict.fromkeys(("positions", "commands", "prepared", "ends_at", "exits", "starts", "deliveries"), "event"),
    **dict.fromkeys(("again_at", "acknowledges", "acknowledgements", "last_events"), "event"),
    **dict.fromkeys(("begins", "ends", "air_starts", "samples"), "time"),
    **dict.fromkeys(("parents", "visits", "visits_from", "visits_to", "firsts", "again_of", "visit_of"), "visit"),
    **dict.fromkeys(("of_transmission", "of_reception", "visit_of"), "visit"),
    **dict.fromkeys(("packets", "packet_rows"), "packet"),
    **dict.fromkeys(("transmissions", "sent", "sendings", "acknowledged"), "transmission"),
    **dict.fromkeys(("read", "readings"), "reception"),
    "frames": "frame",
}
PLAIN = {("packets", "starts"): "time", ("packets", "deliveries"): "", ("packets", "origins"): "node"}
PLAIN |= {("receptions", "origins"): "", ("hops", "readings"): "", ("hops", "frames"): ""}
OMITTED = {"of_start", "destinations", "without_id", "hops", "events"}


def network(seed: int, *, begun: bool, numbered: bool) -> list[Row]:
    """Packets that are delivered, relayed, read twice, repeated, dropped, lost, heard, and sent without a call."""
    made = Network("abc", seed, numbered=numbered, begun=begun)
    at = 0
    for id_ in range(1, 3):
        for sender, readers, options in (
            ("a", {"b": "relay"}, {}),
            ("b", {"c": "deliver"}, {"by": "relay", "twice": "c", "read_again": "deliver"}),
            ("c", {"a": "deliver", "b": "hear"}, {}),
            ("a", {}, {"outcome": "no_ack"}),
            ("a", {"b": "drop"}, {"by": "retry"}),
            ("b", {"a": "deliver"}, {"by": "bare", "outcome": None}),
        ):
            number = id_ + 100 * "abc".index(sender) if options.get("by") != "relay" else id_
            at = made.frame(at + MS, sender, number, readers, **options).end
    return made.log


@cache
def recording(kind: str, seed: int) -> tuple[Row, ...]:
    """Rows by time; the first are cut off to begin with others."""
    if kind == "again":
        made = Network("abc", seed)
        at = 0
        for id_, by in ((1, "call"), (1, "again"), (2, "call"), (2, "again")):
            at = made.frame(at + MS, "a", id_, {} if by == "call" else {"b": "deliver"}, by=by).end
        return tuple(sorted(made.log, key=lambda row: row[0]))
    if kind == "trips":
        made = Network("abc", seed)
        at = 0
        for id_, (sender, reader), options in (
            (1, "ab", {}),
            (1, "ba", {"twice": "a", "read_again": "deliver"}),
            (2, "ab", {}),
            (2, "ba", {"outcome": "no_ack"}),
            (3, "ab", {"twice": "b", "read_again": "deliver"}),
            (3, "ba", {}),
        ):
            at = made.frame(at + MS, sender, id_, {reader: "deliver"}, **options).end
        return tuple(sorted(made.log, key=lambda row: row[0]))
    if kind == "slots":
        log = schedule(seed, 6).log
        return tuple(sorted((at - min(log)[0], *row) for at, *row in log))
    return tuple(sorted(network(seed, begun=kind == "begun", numbered=kind == "numbered"), key=lambda row: row[0]))


def analysed(rows: Iterator[Row] | list[Row], names: str) -> Hops:
    numbered = [(at, names.index(node), event, id_) for at, node, event, id_ in rows]
    events = events_of_rows(numbered, tuple(names), end=max(row[0] for row in numbered) + 2000 * MS)
    return hops.build(
        events, header_ns=dict.fromkeys(names, HEADER_NS), destinations={"c": ("a",)} if "c" in names else {}
    )


def stages(analysis: Hops) -> dict[str, Any]:
    return {
        "transmissions": analysis.transmissions,
        "receptions": analysis.receptions,
        "overheard": analysis.overheard,
        "visits": analysis.visits,
        "packets": analysis.packets,
        "hops": analysis,
        "strange": analysis.strange,
        "further": analysis.further.passages,
        "unattributed": analysis.unattributed,
    }


def columns(analysis: Hops, before: Hops | None) -> dict[tuple[str, str], list[Any]]:
    """All columns, without the rows of what was before, and less what that adds to each index and time."""
    added = dict.fromkeys(("node", "event", "time", "visit", "packet", "transmission", "reception"), 0)
    if before is not None:
        lengths = [len(part) for part in (before.events, before.visits, before.packets)]
        added |= dict(zip(("event", "visit", "packet"), lengths, strict=True))
        added |= {"node": len(before.events.node_names), "time": LATER}
        added |= {"transmission": len(before.transmissions), "reception": len(before.receptions)}
    plain = {}
    for name, stage in stages(analysis).items():
        skipped = 0 if before is None else _length(stages(before)[name])
        for field in fields(stage):
            if field.name in OMITTED or hasattr(getattr(stage, field.name), "__dataclass_fields__"):
                continue
            kind = PLAIN.get((name, field.name), KINDS.get(field.name, ""))
            parts = getattr(stage, field.name)
            for number, values in enumerate(parts if isinstance(parts, tuple) else (parts,)):
                skip = skipped if _length(stage) == len(values) else len(values) - _own(stage, field.name, before, name)
                if name == "further":  # by hops of the way back first, so that those of before are not together
                    values = values[stage.visits >= added["visit"]].astype(np.int64)
                else:
                    values = values[skip:].astype(np.int64)
                if kind == "frame":
                    values = np.unique(values, return_inverse=True)[1]
                else:
                    values = np.where(values >= 0, values - added.get(kind, 0), values)
                plain[name, f"{field.name} {number}"] = values.tolist()
    return plain


def _length(stage: Any) -> int:
    return len(stage.visits) if hasattr(stage, "sendings") else len(stage)


def _own(stage: Any, name: str, before: Hops | None, of: str) -> int:
    """Rows of a column with another length than its stage, that are not of what was before."""
    skipped = 0 if before is None else len(np.atleast_1d(getattr(stages(before)[of], name)))
    return len(getattr(stage, name)) - skipped


def counts(analysis: Hops) -> Counter[str]:
    """All that is counted."""
    plain: Counter[str] = Counter()
    for field, value in asdict(accounting.account(analysis)).items():
        plain.update({f"{field} {key}": n for key, n in (value.items() if isinstance(value, dict) else [("", value)])})
    plain.update(dict(zip(("retried", "repeated", "unheard"), accounting.repetitions(analysis), strict=True)))
    for route in hop_routes.routes(analysis):
        plain.update({route.name: len(route), f"{route.name} lost": route.lost, f"{route.name} partial": route.partial})
    return plain


def trips(analysis: Hops, before: Hops | None) -> dict[str, Any]:
    """Round trips from a to b: requests and replies without those packets that were before."""
    packets, later = (0, 0) if before is None else (len(before.packets), LATER)
    found = round_trips.find(analysis, initiator="a", responder="b", header_ns=dict.fromkeys("ab", HEADER_NS))
    lines = found.timelines
    plain = {name: getattr(found, name).tolist() for name in ("fragments", "frames", "deliveries", "no_ack", "busy")}
    plain |= {name: getattr(found, name).tolist() for name in ("transmissions", "receptions")}
    plain |= {"directions": found.directions[packets:].tolist(), "status": lines.status.tolist()}
    rows = {"requests": found.requests, "replies": found.replies, "of": found.request_of[packets:]}
    plain |= {name: np.where(values < 0, values, values - packets).tolist() for name, values in rows.items()}
    plain |= {"samples": np.where(lines.samples < 0, lines.samples, lines.samples - later).tolist()}
    return plain | {"milestones": [milestone.name for milestone in lines.milestones], "nodes": lines.nodes}


RARE = ("mac.sequence", "radio.rx_start", "driver.rx_read.enter", "driver.rx_read.exit", "tap.irq.enter")
OF_CALLS = ("app.tx.enter", "udp.tx.enter", "ipv6.tx.enter", "sixlowpan.tx.enter", "mac.tx.enter")
OF_TRIPS = ("app.tx.enter", "driver.exec.enter", "radio.tx_complete", "driver.rx_read.exit", "app.rx.enter")


def begins_one(kind: str, event: str) -> bool:
    """Whether a recording of this kind is cut off before such an event: ends of calls are all alike."""
    if event.endswith(".exit") and not event.startswith(("driver.", "tap.")):
        return False
    return event in {"begun": RARE, "numbered": RARE, "trips": OF_TRIPS, "again": OF_CALLS}.get(kind, (event,))


@pytest.mark.parametrize("kind", ["plain", "begun", "numbered", "slots", "trips", "again"])
def test_what_is_first_is_found(kind: str) -> None:
    """With every kind of event as the first one: those before it are cut off."""
    earlier = [(at, BEFORE[node], event, id_) for at, node, event, id_ in recording(kind, 2)]
    before = analysed(earlier, "xyz")
    rows = recording(kind, 1)
    firsts = {event: len(rows) - place for place, (*_, event, _) in enumerate(reversed(rows), 1)}
    for event, cut in firsts.items():
        if not begins_one(kind, event):
            continue
        rest = list(rows[cut:])
        alone = analysed(rest, "abc")
        both = analysed([*earlier, *((at + LATER, *row) for at, *row in rest)], "xyzabc")
        expected, found = columns(alone, None), columns(both, before)
        assert expected == {key: found[key] for key in expected}, event
        assert accounting.account(alone).adds_up
        assert counts(alone) + counts(before) == +counts(both), event
        if kind == "trips":
            assert trips(alone, None) == trips(both, before), event


BEGINS = {"transmissions": "commands", "receptions": "ends_at", "visits": "positions", "packets": "starts"}


def later_rows(stage: Any, name: str, positions: int) -> np.ndarray:
    """bool[k], rows of a stage that are not of the events before some position."""
    if name == "overheard":
        return np.maximum(stage.positions, stage.starts) >= positions
    return getattr(stage, BEGINS[name]) >= (LATER if name == "packets" else positions)


@pytest.mark.parametrize("kind", ["plain", "begun", "numbered"])
def test_what_the_same_nodes_did_before_changes_nothing(kind: str) -> None:
    """Packets of other ids, 20 s before: fates, outcomes and counts of the later ones are what they are alone."""
    rest = list(recording(kind, 1))
    earlier = [
        (at, node, event, id_ if id_ is None or event == "mac.sequence" else id_ + 1000)
        for at, node, event, id_ in recording(kind, 2)
    ]
    alone = analysed(rest, "abc")
    both = analysed([*earlier, *((at + LATER, *row) for at, *row in rest)], "abc")
    positions = len(earlier)
    for name, columns_ in (
        ("transmissions", ("nodes", "ids", "outcomes", "sequences", "waited")),
        ("receptions", ("nodes", "ids", "lines_seen", "sequences", "origins")),
        ("overheard", ("nodes", "whose")),
        ("visits", ("nodes", "hops", "unclear")),
        ("packets", ("ids", "kinds", "origins", "deliveries", "fragments", "status", "in_gap")),
    ):
        expected, stage = getattr(alone, name), getattr(both, name)
        rows = later_rows(stage, name, positions)
        for column in columns_:
            assert getattr(expected, column).tolist() == getattr(stage, column)[rows].tolist(), (name, column)
    later = both.packets.starts[both.packet_rows] >= LATER
    for column in ("numbers", "senders", "receivers", "status", "attempts", "frames", "no_ack", "busy", "readings"):
        assert getattr(alone, column).tolist() == getattr(both, column)[later].tolist(), column
    for number, instants in enumerate(alone.samples):
        moved = both.samples[number][later]
        assert instants.tolist() == np.where(moved >= 0, moved - LATER, moved).tolist(), number
    assert np.array_equal(alone.ways, both.ways[positions:])
    assert np.array_equal(alone.visit_of >= 0, both.visit_of[positions:] >= 0)
