"""Runs an image with probes on one virtual board, and decodes its pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from decoded_bus import decode

from gpiorig.analysis.events.table import BY_CODE
from gpiorig.capture.buses.symbol_bus import BusLines
from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench import boards
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

SAMPLERATE_HZ = 24_000_000
PS_PER_S = 10**12
STEP_PS = PS_PER_S // 10


@dataclass(frozen=True, slots=True)
class Seen:
    """An event on the pins: its name in the event table, its id (-1 without one), and its sample."""

    name: str
    id: int
    sample: int


@dataclass(frozen=True, slots=True)
class Ran:
    """The text of an image, the events on its pins, damaged frames, and the log of the models."""

    printed: list[str]
    events: list[Seen]
    damaged: int
    log: str

    def ids(self, name: str) -> list[int]:
        """Ids of the events of one name, in order."""
        return [event.id for event in self.events if event.name == name]


def run(
    kind: str, image: bytes, *, virtual_s: float, slower: int = 1, width: int | None = None, lines: Sequence[str] = ()
) -> Ran:
    """Run an image; `slower`: how many times slower than its port's clock the core runs; `lines` for the console.

    The lines are sent one every 0.1 s from the first 0.1 s on. `width` is that of its bus, where it is not the board's.
    """
    board = boards.load(kind)
    channels = ["strobe", *(f"d{line}" for line in range(width or board.bus_width))]
    virtual = VirtualBoards(seed=1)
    blocks, output = [], bytearray()
    try:
        node = virtual.add_board(kind, image, VirtualNode())
        analyzer = virtual.add_analyzer(samplerate_hz=SAMPLERATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=1)
        for channel, line in enumerate(channels):
            virtual.probe(analyzer, channel, node, board.pins[line])
        end_ps = round(virtual_s * PS_PER_S)
        while virtual.now_ps < end_ps:
            virtual.pass_time(min(end_ps, virtual.now_ps + STEP_PS))
            output += virtual.uart_read(node, 0)[1]
            if (number := virtual.now_ps // STEP_PS) <= len(lines):
                virtual.uart_feed(node, 0, f"{lines[number - 1]}\n".encode())
            blocks.append(virtual.analyzer_edges(analyzer))
        log, end = virtual.log, virtual.handed_out(analyzer)
    finally:
        virtual.close()
    edges = Edges.from_blocks(blocks, samplerate_hz=Fraction(SAMPLERATE_HZ), channels=channels, end=end)
    gap_samples = board.bus(width or board.bus_width).frame_gap_ns * slower * SAMPLERATE_HZ // 10**9
    frames = decode(edges, BusLines(strobe=0, data=tuple(range(1, len(channels))), frame_gap_samples=gap_samples))
    events = [
        Seen(BY_CODE[code].name, id_, sample)
        for code, id_, sample in zip(frames.codes.tolist(), frames.ids.tolist(), frames.samples.tolist(), strict=True)
    ]
    is_cut = max(frames.damaged_samples, default=-1) > max(frames.samples, default=0) and (
        edges.end - edges.samples[-1] <= gap_samples
    )  # the last frame, by the end
    return Ran(output.decode().splitlines(), events, len(frames.damaged_samples) - is_cut, log)
