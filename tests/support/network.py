"""A synthetic network: frames between any number of nodes, whose every instant and fate is known, as events."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from madeevents import events_of_rows

from gpiorig.analysis.events.events import Events

RATE_HZ = 24_000_000
HEADER_NS = 192_000
HEADER = 4608  # samples
BYTE = 768  # 32 us
ACKNOWLEDGE = 544 * 24  # 12 symbols and 11 bytes

CALLS = {
    "call": ("app.tx", "udp.tx", "ipv6.tx", "sixlowpan.tx", "mac.tx"),
    "fragment": ("sixlowpan.fragment", "mac.tx"),
    "relay": ("mac.tx",),
    "again": ("udp.tx", "ipv6.tx", "sixlowpan.tx", "mac.tx"),
    "bare": (),
    "retry": (),
}
READINGS = {
    "deliver": ("mac.rx", "sixlowpan.rx", "ipv6.rx", "udp.rx", "app.rx"),
    "relay": ("mac.rx", "sixlowpan.rx"),
    "drop": ("mac.rx",),
    "hear": (),
}


@dataclass
class Network:
    """Events of nodes, by name; each frame begins at its given time."""

    names: Sequence[str]
    seed: int = 1
    numbered: bool = False  # receivers log the sequence number, as RIOT's do
    begun: bool = False  # radios interrupt at the start of a frame, too, as the AT86RF2xx does below RIOT
    log: list[tuple[int, str, str, int | None]] = field(default_factory=list)
    starts: list[tuple[str, int, list[int]]] = field(default_factory=list)  # reader, id, rows of `log`
    sequences: dict[str, int] = field(default_factory=dict)
    end: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def _emit(self, at: int, node: str, event: str, id_: int | None = None) -> int:
        """Log an event; gives the instant of the next one."""
        self.log.append((at, node, event, id_))
        self.end = max(self.end, at)
        return at + self.rng.randint(100, 400)

    def frame(
        self,
        at: int,
        sender: str,
        id_: int,
        readers: Mapping[str, str],
        *,
        by: str = "call",
        outcome: str | None = "complete",
        backoff: int = 1000,
        mac_backoff: int | None = None,
        length: int = 40,
        twice: Sequence[str] = (),
        read_again: str = "drop",
    ) -> Frame:
        """One frame: how it came about (a key of `CALLS`), and its readers (each with a key of `READINGS`).

        The radio waits `backoff` samples; before the command to it the MAC backs off for `mac_backoff`, if given.
        Readers in `twice` read it again, as `read_again` states (a key of `READINGS`): the radio repeats the frame,
        because it received no acknowledgement.
        """
        now, marks = at, {}
        for layer in CALLS[by]:
            marks[layer] = now
            now = self._emit(now, sender, f"{layer}.enter", id_)
        if by != "retry":
            self.sequences[sender] = self.sequences.get(sender, 0) + 1 & 255
            now = self._emit(now, sender, "mac.sequence", self.sequences[sender])
            for part in ("driver.prepare", "driver.load"):
                marks[part] = now
                now = self._emit(self._emit(now, sender, f"{part}.enter", id_), sender, f"{part}.exit", id_)
        if mac_backoff is not None:
            marks["mac.backoff"] = now
            over = self._emit(now, sender, "mac.backoff.enter", id_) + mac_backoff
            now = self._emit(over, sender, "mac.backoff.exit", id_)
        marks["driver.exec"] = now
        marks["driver.exec.exit"] = now = self._emit(now, sender, "driver.exec.enter", id_)
        now = self._emit(now, sender, "driver.exec.exit", id_)
        for layer in reversed(CALLS[by]):
            now = self._emit(now, sender, f"{layer}.exit", id_)
        arrivals, arrivals_again, read_until = {}, {}, now
        tries = 2 if twice else 1
        for attempt in range(tries):
            air_start = now + backoff
            over = air_start + HEADER + length * BYTE
            for reader, how in readers.items():
                if attempt and reader not in twice:
                    continue
                arrival, until = self._read(air_start, over, reader, id_, read_again if attempt else how, sender)
                (arrivals_again if attempt else arrivals)[reader] = arrival
                read_until = max(read_until, until)
            now = over + (ACKNOWLEDGE if outcome == "complete" else 0)
        if outcome is not None:
            now = self._emit(now, sender, "tap.irq.enter")
            now = self._emit(self._emit(now, sender, "isr.radio.enter"), sender, "isr.radio.exit")
            now = self._emit(self._emit(now, sender, "driver.isr.enter"), sender, "tap.irq.exit")
            now = self._emit(now, sender, f"radio.tx_{outcome}", id_)
            now = self._emit(self._emit(now, sender, "driver.confirm", id_), sender, "driver.isr.exit")
        return Frame(sender, id_, marks, arrivals, arrivals_again, end=max(now, read_until))

    def _read(
        self, air_start: int, over: int, reader: str, id_: int, how: str, sender: str
    ) -> tuple[dict[str, int], int]:
        self._emit(air_start + HEADER, reader, "tap.frame_timestamp.enter")
        self._emit(over, reader, "tap.frame_timestamp.exit")
        marks = {"air.start": air_start, "irq": over}
        if self.begun:
            self.begin(air_start + HEADER, reader, id_)
        if how == "hear":
            return marks, over
        now = marks["isr.radio"] = self._emit(over, reader, "tap.irq.enter")
        now = self._emit(self._emit(now, reader, "isr.radio.enter"), reader, "isr.radio.exit")
        marks["driver.isr"] = now
        now = self._emit(self._emit(now, reader, "driver.isr.enter"), reader, "tap.irq.exit")
        marks["driver.rx_read"] = now
        marks["driver.rx_read.exit"] = now = self._emit(now, reader, "driver.rx_read.enter")
        now = self._emit(now, reader, "driver.rx_read.exit", id_)
        if self.numbered:
            now = self._emit(now, reader, "mac.sequence", self.sequences[sender])
        for layer in READINGS[how]:
            marks[layer] = now
            now = self._emit(now, reader, f"{layer}.enter", id_)
        for layer in reversed(READINGS[how]):
            now = self._emit(now, reader, f"{layer}.exit", id_)
        return marks, self._emit(now, reader, "driver.isr.exit")

    def begin(self, at: int, reader: str, id_: int) -> None:
        """The interrupt at the start of a frame, in a turn of the driver of its own."""
        first = len(self.log)
        now = self._emit(at, reader, "tap.irq.enter")
        now = self._emit(self._emit(now, reader, "isr.radio.enter"), reader, "isr.radio.exit")
        now = self._emit(self._emit(now, reader, "driver.isr.enter"), reader, "tap.irq.exit")
        self._emit(self._emit(now, reader, "radio.rx_start"), reader, "driver.isr.exit")
        self.starts.append((reader, id_, list(range(first, len(self.log)))))

    def drop(self, *names: str, node: str | None = None) -> None:
        """Leave points or taps out, of all nodes or of one, as if firmware or wiring did not have them."""
        self.log = [row for row in self.log if not (row[2].startswith(names) and node in (None, row[1]))]

    def events(
        self,
        *,
        names: Sequence[str] | None = None,
        later: int = 0,
        gaps: Sequence[tuple[int, int]] = (),
    ) -> Events:
        """The events, with the nodes in some order, and all of it some samples later."""
        names = tuple(names or self.names)
        return events_of_rows(
            ((at + later, names.index(node), event, id_) for at, node, event, id_ in self.log),
            names,
            end=self.end + 1000 + later,
            rate_hz=RATE_HZ,
            gaps=[(first + later, last + later) for first, last in gaps],
        )

    def headers(self) -> dict[str, int]:
        """For `hops.build`."""
        return dict.fromkeys(self.names, HEADER_NS)


@dataclass(frozen=True)
class Frame:
    """What a frame did: the sender's milestones, each reader's (and when read again), and when all of it was over."""

    sender: str
    id: int
    marks: dict[str, int]
    arrivals: dict[str, dict[str, int]]
    again: dict[str, dict[str, int]]
    end: int

    def milestones(self, reader: str) -> dict[str, int]:
        """All milestones of the hop to a reader, by the names of `path.POINTS`."""
        return self.marks | self.arrivals[reader]


def rows_of(hops: Any, **wanted: Any) -> list[int]:
    """Rows of the hops with these names of sender and receiver, id or number."""
    names = [*hops.events.node_names, None]
    return [
        row
        for row in range(len(hops))
        if wanted.items()
        <= {
            "sender": names[hops.senders[row]],
            "receiver": names[hops.receivers[row]],
            "id": int(hops.packets.ids[hops.packet_rows[row]]),
            "number": int(hops.numbers[row]),
        }.items()
    ]
