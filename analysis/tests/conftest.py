"""A synthetic bench: round trips whose every instant is known, as edges of an analyzer or as events."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import reportcases
from locking import contents, locked
from madeevents import events_of_rows
from markupsafe import Markup, escape

from gpiorig.analysis import report
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.analysis.number_text import GAP
from gpiorig.analysis.report import inline_svg, page
from gpiorig.analysis.report.blocks import Picture, Section
from gpiorig.capture.edges.edges import Edges

RATE_HZ = 24_000_000
NODES = ("initiator", "responder")
CHANNELS = tuple(f"{node[0]}_{line}" for node in NODES for line in ("strobe", "d0", "d1", "irq", "dig2"))
WIRING = tuple(
    NodeLines(
        name=node,
        bus=Bus(strobe=f"{node[0]}_strobe", data=(f"{node[0]}_d0", f"{node[0]}_d1"), frame_gap_ns=400),
        lines={"tap.irq": f"{node[0]}_irq", "tap.frame_timestamp": f"{node[0]}_dig2"},
    )
    for node in NODES
)
HEADER = 4608  # 192 us at 24 MHz
BACKOFF = 7680  # 320 us
SYMBOL = 3

TX = ("app.tx", "udp.tx", "ipv6.tx", "sixlowpan.tx", "mac.tx")
RX = ("mac.rx", "sixlowpan.rx", "ipv6.rx", "udp.rx", "app.rx")


def frame(code: int, id_: int | None) -> list[int]:
    """Symbols of one frame on two data lines, from docs/reference/line-code.md."""
    nibbles = [code >> 4 | (8 if id_ is not None else 0), code & 15]
    if id_ is not None:
        nibbles += [id_ >> shift & 15 for shift in (12, 8, 4, 0)]
    check = 9
    for nibble in nibbles:
        check = (check << 1 & 15 | check >> 3) ^ nibble
    return [part for nibble in (*nibbles, check) for part in (nibble >> 2, nibble & 3)]


@dataclass
class Bench:
    """What happens on two nodes: (node, sample, event, id), and the true milestones of every packet."""

    seed: int = 1
    log: list[tuple[int, int, str, int | None]] = field(default_factory=list)
    truth: list[dict[str, int]] = field(default_factory=list)
    damage: set[tuple[int, int]] = field(default_factory=set)
    now: int = 1000

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def pause(self, low: int = 100, high: int = 400) -> None:
        self.now += self.rng.randint(low, high)

    def emit(self, node: int, event: str, id_: int | None = None) -> int:
        """Log an event now; then a little time passes."""
        at = self.now
        self.log.append((node, at, event, id_))
        self.pause()
        return at

    def send(self, node: int, id_: int, marks: dict[str, int]) -> None:
        """The send call of a node, down to the command to the radio, and back up."""
        for layer in TX:
            marks[layer] = self.emit(node, f"{layer}.enter", id_)
            if layer == "udp.tx":
                for detail in ("udp.header", "udp.checksum"):
                    self.emit(node, f"{detail}.enter", id_)
                    self.emit(node, f"{detail}.exit", id_)
            if layer == "mac.tx":
                self.emit(node, "mac.sequence", id_ & 255)
        for part in ("driver.prepare", "driver.load", "driver.exec"):
            marks[part] = self.emit(node, f"{part}.enter", id_)
            marks[f"{part}.exit"] = self.emit(node, f"{part}.exit", id_)
        marks.pop("driver.prepare.exit"), marks.pop("driver.load.exit")

    def unwind(self, node: int, id_: int) -> None:
        for layer in reversed(TX):
            self.emit(node, f"{layer}.exit", id_)

    def end_of_transmission(self, node: int, id_: int, *, outcome: str = "radio.tx_complete") -> None:
        """The interrupt at the end of a transmission: no id before the outcome."""
        self.emit(node, "tap.irq.enter")
        self.emit(node, "isr.radio.enter")
        self.emit(node, "isr.radio.exit")
        self.emit(node, "driver.isr.enter")
        self.emit(node, "tap.irq.exit")
        self.emit(node, outcome, id_)
        self.emit(node, "driver.confirm", id_)
        self.emit(node, "driver.isr.exit")

    def air(self, node: int, marks: dict[str, int], *, backoffs: int, octets: int = 40) -> None:
        """The frame on the air, and the lines of the receiver."""
        marks["air.start"] = self.now + 400 + backoffs * BACKOFF
        self.now = marks["air.start"] + HEADER
        self.emit(node, "tap.frame_timestamp.enter")
        self.now = marks["air.start"] + HEADER + octets * 768
        self.log.append((node, self.now, "tap.frame_timestamp.exit", None))
        self.pause()

    def receive(self, node: int, id_: int, marks: dict[str, int]) -> None:
        """The interrupt at the end of a frame, the driver, and the way up to the application."""
        marks["irq"] = self.emit(node, "tap.irq.enter")
        marks["isr.radio"] = self.emit(node, "isr.radio.enter")
        self.emit(node, "isr.radio.exit")
        marks["driver.isr"] = self.emit(node, "driver.isr.enter")
        self.emit(node, "tap.irq.exit")
        self.emit(node, "radio.rx_complete")
        self.emit(node, "driver.rx_length.enter")
        self.emit(node, "driver.rx_length.exit")
        marks["driver.rx_read"] = self.emit(node, "driver.rx_read.enter")
        marks["driver.rx_read.exit"] = self.emit(node, "driver.rx_read.exit", id_)
        for layer in RX:
            marks[layer] = self.emit(node, f"{layer}.enter", id_)
            if layer == "udp.rx":
                self.emit(node, "udp.checksum.enter", id_)
                self.emit(node, "udp.checksum.exit", id_)

    def leave(self, node: int, id_: int) -> None:
        for layer in reversed(RX):
            self.emit(node, f"{layer}.exit", id_)
        self.emit(node, "driver.isr.exit")

    def one_way(self, sender: int, id_: int, marks: dict[str, int], *, lost: bool = False) -> None:
        """One direction up to the receiver's application, whose calls stay open."""
        self.send(sender, id_, marks)
        self.unwind(sender, id_)
        if sender == 1:
            self.leave(1, id_)
        self.air(1 - sender, marks, backoffs=self.rng.randrange(8))
        if lost:
            self.log.pop(), self.log.pop()
            del marks["air.start"]
            self.end_of_transmission(sender, id_, outcome="radio.tx_no_ack")
            return
        self.receive(1 - sender, id_, marks)

    def round_trip(self, id_: int, *, lost: str = "") -> dict[str, int]:
        """One packet: request, reply, or only as far as it comes. Returns its true milestones."""
        marks: dict[str, int] = {}
        self.emit(0, "isr.timer.enter")
        self.emit(0, "isr.timer.exit")
        for sender, direction in enumerate(("request", "reply")):
            part: dict[str, int] = {}
            self.one_way(sender, id_, part, lost=lost == direction)
            marks |= {f"{direction}.{name}": at for name, at in part.items()}
            if lost == direction:
                break
            if direction == "request":
                self.end_of_transmission(0, id_)
            else:
                self.leave(0, id_)
                self.end_of_transmission(1, id_)
        self.truth.append(marks)
        self.pause(20_000, 40_000)
        return marks

    def damage_frame(self, node: int, event: str, id_: int | None, *, nth: int = -1) -> int:
        """Let one symbol of a frame be lost; returns its instant."""
        rows = sorted(self.log, key=lambda row: row[1])
        found = [at for n, at, name, i in rows if (n, name, i) == (node, event, id_)]
        self.damage.add((node, found[nth]))
        return found[nth]

    def drop(self, *names: str) -> None:
        """Leave points or taps out, as if the firmware or the wiring did not have them."""
        self.log = [row for row in self.log if not row[2].startswith(names)]

    def events(self, *, gaps: list[tuple[int, int]] | None = None) -> Events:
        """The events, without the way over the edges."""
        return events_of_rows(
            ((at, node, name, id_) for node, at, name, id_ in self.log if (node, at) not in self.damage),
            NODES,
            end=self.now + 1000,
            rate_hz=RATE_HZ,
            gaps=gaps or (),
            damaged=[(at, node) for node, at, *_ in self.log if (node, at) in self.damage],
        )

    def edges(self) -> Edges:
        """The edges an analyzer would see."""
        changes: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # sample: channel, mask, value
        strobe = [0, 0]
        for node, at, name, id_ in sorted(self.log, key=lambda row: row[1]):
            code, base = BY_NAME[name].code, 5 * node
            if code >= 128:
                bit = base + (3 if name.startswith("tap.irq") else 4)
                changes[at].append((bit, 1, int(name.endswith("enter"))))
                continue
            symbols = frame(code, id_)
            if (node, at) in self.damage:
                symbols.pop(5)
            for k, symbol in enumerate(symbols):
                strobe[node] ^= 1
                changes[at + SYMBOL * k].append((base, 7, symbol << 1 | strobe[node]))
        samples, levels, level = [0], [0], 0
        for at in sorted(changes):
            before = level
            for bit, mask, value in changes[at]:
                level = level & ~(mask << bit) | value << bit
            if level != before:
                samples.append(at)
                levels.append(level)
        return Edges(
            samples=np.array(samples, dtype=np.int64),
            levels=np.array(levels, dtype=np.uint64),
            samplerate_hz=Fraction(RATE_HZ),
            channels=CHANNELS,
            start=0,
            end=self.now + 1000,
            gaps=np.zeros((0, 2), dtype=np.int64),
        )

    def check_spacing(self) -> None:
        """Frames on one bus must not touch; a mistake in the generator, not in what it tests."""
        for node in (0, 1):
            times = sorted(at for n, at, name, _ in self.log if n == node and BY_NAME[name].code < 128)
            assert all(b - a >= 60 for a, b in pairwise(times))


@pytest.fixture(scope="session")
def new_bench() -> type[Bench]:
    """The class, for tests that build their own."""
    return Bench


@pytest.fixture(scope="session")
def wiring() -> tuple[NodeLines, ...]:
    return WIRING


@pytest.fixture
def bench() -> Bench:
    """Twenty good round trips."""
    bench = Bench()
    for id_ in range(1, 21):
        bench.round_trip(id_)
    return bench


@pytest.fixture(scope="session")
def report_data() -> report.ReportData:
    """Twenty round trips, with everything that an evaluation can say."""
    bench = Bench()
    for id_ in range(1, 21):
        bench.round_trip(id_)
    return locked(reportcases.evaluated(bench))


@pytest.fixture(scope="session")
def report_sections(report_data: report.ReportData) -> list[Section]:
    """The sections of its page; their figures are drawn when a test looks at them."""
    return page.run_sections(report_data)


@pytest.fixture(scope="session")
def report_folder(report_data: report.ReportData, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Page, figures and tables that `report.write` makes of it; a test that changes them copies them first."""
    formats = {"figure_formats": ("svg", "png"), "table_formats": tuple(report.TABLE_FORMATS)}
    folder = report.write(tmp_path_factory.mktemp("report"), report_data, **formats)[0].parent
    written = contents(folder)
    yield folder
    assert written == contents(folder), "a test has changed the report that others read"


@pytest.fixture(scope="session")
def report_page(report_folder: Path) -> str:
    """The text of its page, with plain spaces."""
    return (report_folder / report.PAGE).read_text().replace(GAP, " ")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages whose figures are named but not drawn, for tests that look at the words around them."""

    def named(picture: Picture, _heading: str = "") -> Markup:
        return Markup(f'<svg id="{escape(picture.name)}-svg" aria-label="{escape(picture.title)}"></svg>')

    monkeypatch.setattr(inline_svg, "svg", named)
