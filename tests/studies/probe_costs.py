"""The cost of an event on the virtual boards, and the tables of docs/guide/probe-cost.md: `make costs`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import evidence
import numpy as np
from commandline import ROOT
from numpy.typing import NDArray

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

PAGE = ROOT / "docs" / "guide" / "probe-cost.md"
FRAMES = ("processor", "data lines", "event", "event with id", "symbol held", "samples at 24 MS/s, at least")
BUILDS = ("processor", "build", "event", "event with id", "event masked at run time", "change of a span line")
BURST = 16  # events in a burst of reference/costs/main.c
RUN_PS = 500 * 10**9  # a TelosB takes 0.3 s to tune its clock
BURSTS = ("empty", "event", "event_id", "masked", "masked_id", "line")
LOG = "-DGPIORIG_LOG=256"
VARIANTS = {
    "normal": (),
    "doubled": ("-DGPIORIG_VARIANT_DOUBLED",),
    "empty": ("-DGPIORIG_VARIANT_EMPTY",),
    "log": (LOG,),
    "log only": (LOG, "-DGPIORIG_WIDTH=0"),
}


@dataclass(frozen=True, slots=True)
class Board:
    """A board, its processor, and lines that are free on it."""

    name: str
    processor: str
    cpu_hz: int
    line: tuple[str, str]  # macro and pin
    span: str
    strobe: str
    widths: tuple[int, ...]
    default: int  # of `widths`, the board's own
    samples: int = 1  # per cycle: more where the clock is not the analyzer's, as a DCO is not
    strobe_option: dict[int, tuple[str, ...]] = field(default_factory=dict)
    strobes: dict[int, str] = field(default_factory=dict)


BOARDS = (
    Board(
        *("iotlab-m3", "STM32F103, Cortex-M3, 72 MHz", 72_000_000, ("GPIORIG_PIN_A(3)", "PA3"), "GPIORIG_PIN_C(11)"),
        *("PB9", (1, 2, 4, 8), 1),
        # Wider than the open node's three lines: for a bare processor.
        strobe_option={n: ("-DGPIORIG_STROBE='GPIORIG_PIN_B(1)'", "-DGPIORIG_ANY_PIN") for n in (4, 8)},
        strobes={4: "PB1", 8: "PB1"},
    ),
    Board(
        *("nucleo-l476rg", "STM32L476, Cortex-M4, 80 MHz", 80_000_000, ("GPIORIG_PIN_A(8)", "PA8")),
        *("GPIORIG_PIN_B(10)", "PC8", (1, 2, 4, 8), 1),
        strobe_option={8: ("-DGPIORIG_D0='GPIORIG_PIN_C(0)'",)},
    ),
    Board(
        *("nrf52840dk", "nRF52840, Cortex-M4F, 64 MHz", 64_000_000, ("GPIORIG_PIN_P0(26)", "P0.26")),
        *("GPIORIG_PIN_P0(27)", "P1.10", (1, 2, 4, 8), 1),
    ),
    Board(
        *("telosb", "MSP430F1611, 4 MHz", 4_000_000, ("GPIORIG_PIN_P6(7)", "P6.7"), "GPIORIG_PIN_P2(3)"),
        *("P6.6", (1, 2, 4), 2, 8),
    ),
)


@dataclass(frozen=True, slots=True)
class Costs:
    """Cycles of one event of each kind, and the shortest and the longest time that a symbol is held, in cycles."""

    cycles: dict[str, float]
    held: tuple[int, int] | None


def build(board: Board, folder: Path, *, width: int, options: tuple[str, ...]) -> bytes:
    """The image of reference/costs/main.c."""
    defines = [f"-DCOSTS_LINE='{board.line[0]}'", f"-DGPIORIG_SPAN_ISR_OTHER='{board.span}'"]
    defines += [*board.strobe_option.get(width, ()), *options]
    make = ["make", "-s", "-C", ROOT / "firmware-gpio-probes", f"BOARD={board.name}", f"BUILD={folder}"]
    make += [f"WIDTH={width}", "PROGRAM=costs", f"DEFINES={' '.join(defines)}"]
    subprocess.run(make, check=True, capture_output=True)
    return (folder / f"{board.name}-costs-w{width}" / "costs.elf").read_bytes()


def pins(board: Board, image: bytes, names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Samples of the levels of the pins, bit i the pin i."""
    boards = VirtualBoards(seed=1)
    try:
        node = boards.add_board(board.name, image, VirtualNode())
        analyzer = boards.add_analyzer(
            samplerate_hz=board.samples * board.cpu_hz, unitsize=1, config=VirtualAnalyzer(), key=0
        )
        for channel, name in enumerate(names):
            boards.probe(analyzer, channel, node, name)
        blocks, block = [], bytearray(1 << 20)
        at_ps = 0
        while at_ps < RUN_PS:
            at_ps += RUN_PS // 50
            boards.run(at_ps)
            while count := boards.samples(analyzer, block):
                blocks.append(bytes(block[:count]))
        return np.frombuffer(b"".join(blocks), np.uint8)
    finally:
        boards.close()


def measure(board: Board, *, width: int, variant: str, again: bool = True) -> Costs:
    """Costs of events in one build; `again`: of the second time, when an instruction cache knows the code."""
    with tempfile.TemporaryDirectory() as folder:
        image = build(board, Path(folder), width=width, options=VARIANTS[variant])
    levels = pins(board, image, (board.line[1], board.strobes.get(width, board.strobe)))
    edges = np.flatnonzero(np.diff(levels & 1)) + 1
    assert 2 * 2 * len(BURSTS) == len(edges), f"{board.name}, {width} lines, {variant}: {len(edges)} edges"
    spans = (edges[1::2] - edges[::2])[len(BURSTS) * again :][: len(BURSTS)]
    cycles = {
        name: (int(span) - int(spans[0])) / BURST / board.samples for name, span in zip(BURSTS, spans, strict=True)
    }
    return Costs(cycles, held(board, levels >> 1, edges, again=again) if width and variant == "normal" else None)


def held(board: Board, strobe: NDArray[np.uint8], edges: NDArray[np.int64], *, again: bool) -> tuple[int, int]:
    """Shortest and longest symbol of both kinds of frames, in cycles; the last of a frame is held longer."""
    spacings = []
    for burst in (1, 2):
        start, end = edges[2 * (burst + len(BURSTS) * again) :][:2]
        toggles = np.flatnonzero(np.diff(strobe[start - 1 : end])) + 1
        symbols = len(toggles) // BURST
        spacings.append(np.diff(toggles.reshape(BURST, symbols)).ravel())
    shortest, longest = (int(pick(map(pick, spacings))) for pick in (min, max))
    return round(shortest / board.samples), round(longest / board.samples)


def frame_row(board: Board, width: int) -> list[str]:
    """The row of one bus width."""
    costs = measure(board, width=width, variant="normal")
    assert costs.held is not None
    shortest_ns, longest_ns = (cycles * 1e9 / board.cpu_hz for cycles in costs.held)
    cells = [board.processor, str(width), *(duration(board, costs.cycles[name]) for name in ("event", "event_id"))]
    cells += [f"{shortest_ns:.0f}..{longest_ns:.0f} ns", f"{shortest_ns * 24e-3:.1f}"]
    return cells


def variant_row(board: Board, variant: str) -> list[str]:
    """The row of one variant, on the board's own bus."""
    costs = measure(board, width=0 if variant == "log only" else board.widths[board.default], variant=variant)
    names = ("event", "event_id", "masked", "line")
    return [board.processor, variant, *(duration(board, costs.cycles[name]) for name in names)]


def duration(board: Board, cycles: float) -> str:
    """Cycles to the half, since each edge of the burst is seen up to one late, and microseconds."""
    halves = round(2 * cycles) / 2
    return f"{halves:g}, {halves * 1e6 / board.cpu_hz:.2f} µs"


def main() -> int:
    """Write both tables of the page."""
    frames = [frame_row(board, width) for board in BOARDS for width in board.widths]
    variants = [variant_row(board, variant) for board in BOARDS for variant in VARIANTS]
    evidence.write_table(PAGE, "frames", evidence.table(FRAMES, frames))
    evidence.write_table(PAGE, "variants", evidence.table(BUILDS, variants))
    return 0


if __name__ == "__main__":
    sys.exit(main())
