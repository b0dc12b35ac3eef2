"""Radios that software polls, as below TSCH: no driver reports an end, and acknowledgements are frames."""

from __future__ import annotations

import pytest
from depth import by_depth
from madeevents import events_of_rows
from tschslots import BEACON_ID, NODES, SLOT, Slots, schedule

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import accounting, hop_routes, hops, receptions
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.transmissions import ACKNOWLEDGEMENT, COMPLETE
from gpiorig.analysis.packets.unattributed import NO_ID, REASONS


def events_of(run: Slots, without: tuple[str, ...]) -> Events:
    rows = [row for row in run.log if not row[2].startswith(without or ("-",))]
    return events_of_rows(((at, NODES.index(node), event, id_) for at, node, event, id_ in rows), NODES, end=10**8)


def slots_of_transmissions(analysis: Hops, run: Slots) -> list[int]:
    """The slot of each transmission, by when it began."""
    names, sent = analysis.events.node_names, analysis.transmissions
    return [
        run.slot_of[int(begin), names[node], "driver.exec.enter"]
        for begin, node in zip(sent.begins.tolist(), sent.nodes.tolist(), strict=True)
    ]


@pytest.mark.parametrize("without", [(), ("tap.",), ("tap.", "isr.")], ids=["line", "bus", "neither"])
@pytest.mark.parametrize("seed", range(by_depth(2, 20)))
def test_every_reading_is_of_its_transmission(seed: int, without: tuple[str, ...]) -> None:
    """Without an end that a driver reports, equal ids of several nodes, and interrupts that are answered late."""
    run = schedule(seed)
    analysis = hops.build(events_of(run, without), header_ns={})
    sent, read, slots = analysis.transmissions, analysis.receptions, slots_of_transmissions(analysis, run)
    answered = [slot for slot, outcome in zip(slots, sent.outcomes.tolist(), strict=True) if outcome == ACKNOWLEDGEMENT]
    assert [at for at, (*_, acknowledged) in enumerate(run.sent) if acknowledged] == sorted(answered)
    assert len(answered) == accounting.account(analysis).acknowledgements_read
    assert sorted(answered) == [slots[row] for row in read.acknowledged]
    assert {receptions.FROM_ONE} == set(read.origins.tolist())
    actual = sorted(
        (slots[row], analysis.events.node_names[node])
        for row, node in zip(read.transmissions.tolist(), read.nodes.tolist(), strict=True)
    )
    assert sorted((at, reader) for at, (_, _, readers, _) in enumerate(run.sent) for reader in readers) == actual
    assert accounting.account(analysis).adds_up


@pytest.mark.parametrize("seed", range(by_depth(2, 20)))
def test_every_event_is_of_the_packet_of_its_slot(seed: int) -> None:
    """Those of acknowledgements are of the packet that is acknowledged; each beacon is a packet of its own."""
    run = schedule(seed)
    analysis = hops.build(events_of(run, ()), header_ns={})
    events, packet_of = analysis.events, analysis.packet_of
    slots: dict[int, set[int]] = {}
    names = {event.code: name for name, event in BY_NAME.items()}
    for position, packet in enumerate(packet_of.tolist()):
        name = names[int(events.codes[position])]
        slot = run.slot_of[int(events.samples[position]), events.node_names[events.nodes[position]], name]
        is_empty = name.startswith("driver.rx_read") and not run.sent[slot][2]
        if not is_empty and not name.startswith(("radio.set", "sched")):
            slots.setdefault(slot, set()).add(packet)
    assert all(len(packets) == 1 for packets in slots.values())
    assert len(run.sent) == len({packet for packets in slots.values() for packet in packets} - {-1})
    empty = sum(not readers and id_ != BEACON_ID for id_, _, readers, _ in run.sent)
    assert 0 < empty and {REASONS[NO_ID]: empty} == analysis.unattributed.counts()
    acknowledged = {at for at, (*_, acknowledged) in enumerate(run.sent) if acknowledged}
    outcomes = dict(zip(slots_of_transmissions(analysis, run), analysis.transmissions.outcomes.tolist(), strict=False))
    assert acknowledged <= set(outcomes)
    assert 0 == int(analysis.retries.sum()) == int(analysis.duplicates.sum())
    for route in hop_routes.routes(analysis):
        assert route.partial == 0 and (route.steps.samples >= 0).all()


def test_a_reply_in_lockstep_is_not_an_acknowledgement() -> None:
    """Its sequence number is that of the request, since both nodes count from the same number."""
    run = Slots(1)
    for number in range(1, 5):
        run.slot(20 * number * SLOT, "a", number, ["b"])
        run.slot(20 * number * SLOT + SLOT // 2, "b", number, ["a"])
    analysis = hops.build(events_of(run, ()), header_ns={})
    assert 0 == accounting.account(analysis).acknowledgements_read
    assert 8 == len(analysis.receptions)
    assert ACKNOWLEDGEMENT not in analysis.transmissions.outcomes


def test_a_transmission_whose_acknowledgement_was_read_is_complete() -> None:
    run = Slots(1)
    run.slot(4 * SLOT, "a", 5, ["b"], acknowledger="b")
    run.slot(8 * SLOT, "a", 5, ["b"])  # its id comes again
    run.slot(12 * SLOT, "a", 6, ["b"])
    analysis = hops.build(events_of(run, ()), header_ns={})
    of_packets = analysis.transmissions.outcomes[analysis.transmissions.ids >= 0]
    assert [True, False, False] == [outcome == COMPLETE for outcome in of_packets.tolist()]
