"""Slots of TSCH below which software polls the radio: frames, beacons and acknowledgements, as events."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

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
