"""Radios that software polls, as below TSCH: no driver reports an end, and acknowledgements are frames."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from depth import by_depth
from madeevents import events_of_rows

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import accounting, hop_routes, hops, receptions
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.transmissions import ACKNOWLEDGEMENT, COMPLETE
from gpiorig.analysis.packets.unattributed import NO_ID, REASONS

MS = 24_000
US = 24
BYTE = 768
SLOT = 10 * MS
NODES = "abc"
BEACON_ID = 0x1B00  # the last bytes of a beacon of the minimal schedule
START = 220 * US  # from the command to the start of the frame's own bytes: 16 us and 6 bytes of 32 us
Row = tuple[int, str, str, int | None]


@dataclass
class Slots:
    """Slots of TSCH on three nodes: what happened in the events, and of each event the slot that it is of."""

    seed: int
    log: list[Row] = field(default_factory=list)
    slot_of: dict[tuple[int, str, str], int] = field(default_factory=dict)
    sent: list[tuple[int, str, tuple[str, ...], bool]] = field(
        default_factory=list
    )  # id, sender, readers, acknowledged
    numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def emit(self, at: int, node: str, event: str, id_: int | None = None) -> int:
        """Log an event of the slot at hand; gives the instant of the next one."""
        self.log.append((at, node, event, id_))
        self.slot_of[at, node, event] = len(self.sent)
        return at + self.rng.randint(60, 120)

    def transmit(self, at: int, node: str, id_: int, length: int) -> tuple[int, int]:
        """A command that waits; gives when the frame's bytes began and ended. Its interrupt is answered afterwards."""
        self.emit(at, node, "driver.exec.enter", id_)
        began, over = at + START, at + START + length * BYTE
        self.emit(over, node, "tap.irq.enter")
        left = self.emit(over + 400, node, "driver.exec.exit", id_)
        self.emit(self.emit(left + 300, node, "isr.radio.enter"), node, "isr.radio.exit")
        self.emit(left + 20 * US, node, "tap.irq.exit")
        return began, over

    def read(self, began: int, over: int, node: str, id_: int | None, number: int | None) -> int:
        """The line rises at the start of the frame; the routine runs when it has been read."""
        self.emit(began, node, "tap.irq.enter")
        now = self.emit(self.emit(over + self.rng.randint(0, 400), node, "radio.set_idle"), node, "tap.irq.exit")
        now = self.emit(self.emit(now, node, "driver.rx_read.enter"), node, "driver.rx_read.exit", id_)
        now = self.emit(now, node, "mac.sequence", number) if number is not None else now
        return self.emit(self.emit(now + 600, node, "isr.radio.enter"), node, "isr.radio.exit")

    def slot(self, at: int, sender: str, id_: int, readers: Sequence[str], *, acknowledger: str = "") -> None:
        """One frame: a beacon, which has no number, or a packet; its acknowledgement has arbitrary last bytes."""
        number = None
        if id_ != BEACON_ID:
            number = self.numbers[sender] = self.numbers.get(sender, 252) + 1 & 255  # 0 follows 255
            now = at - 30 * MS
            for layer in ("app.tx", "mac.tx"):
                now = self.emit(now, sender, f"{layer}.enter", id_)
            for layer in ("mac.tx", "app.tx"):
                now = self.emit(now, sender, f"{layer}.exit", id_)
        for reader in readers:
            self.emit(at + MS, reader, "radio.set_rx")
        now = self.emit(self.emit(at, sender, "driver.load.enter", id_), sender, "driver.load.exit", id_)
        if number is not None:
            self.emit(now, sender, "mac.sequence", number)
        began, over = self.transmit(at + 2 * MS, sender, id_, self.rng.randint(20, 110))
        done = {reader: self.read(began, over, reader, id_, number) for reader in readers}
        if number is not None and not readers:  # the sender listens for an acknowledgement, and reads nothing
            self.emit(over + 300 * US, sender, "radio.set_rx")
            now = self.emit(over + 1200 * US, sender, "driver.rx_read.enter")
            self.emit(now, sender, "driver.rx_read.exit")
        if acknowledger:
            bytes_ = self.rng.choice([0, 7936, self.rng.randrange(1 << 16)])
            here = done[acknowledger]
            here = self.emit(
                self.emit(here, acknowledger, "driver.load.enter", bytes_), acknowledger, "driver.load.exit", bytes_
            )
            self.emit(here, acknowledger, "mac.sequence", number)
            self.emit(over + 300 * US, sender, "radio.set_rx")
            began, over = self.transmit(max(here + 500, over + 900 * US), acknowledger, bytes_, 19)
            self.read(began, over, sender, bytes_ or None, number)
        for reader in readers:
            if id_ != BEACON_ID:
                now = self.emit(over + 2 * MS, reader, "app.rx.enter", id_)
                self.emit(now, reader, "app.rx.exit", id_)
        self.sent.append((id_, sender, tuple(readers), bool(acknowledger)))


def schedule(seed: int, slots: int = 40) -> Slots:
    """Beacons of all nodes, with equal ids a few slots apart; packets to one node, some lost; broadcasts."""
    run = Slots(seed)
    for number in range(slots):
        sender, *others = run.rng.sample(NODES, 3)
        at = (4 + number * run.rng.choice([4, 4])) * SLOT
        kind = run.rng.random()
        if kind < 0.4:
            run.slot(at, sender, BEACON_ID, [node for node in others if run.rng.random() < 0.8])
        elif kind < 0.8:
            to = [others[0]] if run.rng.random() < 0.8 else []
            run.slot(at, sender, 100 + number, to, acknowledger=to[0] if to else "")
        else:
            run.slot(at, sender, 100 + number, others)
    return run


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
