"""One virtual board for tests: it gets commands; its pins and its text come back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs import node_log as log
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.buses.symbol_bus import BusDecoder, BusFrames, BusLines, joined
from gpiorig.rig.bench import boards
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

PS_PER_S = 10**12
SAMPLERATE_HZ = 24_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """What was seen of a run.

    `frames` of the bus; `log`, the node's; `printed`, its text; `levels`, of the further pins asked for, one row
    for each change: sample number and levels, the first pin in bit 0.
    """

    frames: BusFrames
    log: NodeLog
    printed: str
    levels: tuple[NDArray[np.int64], NDArray[np.uint64]]


def run(board: str, image: bytes, *commands: str, pins: tuple[str, ...] = ()) -> Run:
    """Give the commands, 200 ms apart, and wait for another 300 ms."""
    facts = boards.load(board)
    lines = ["strobe", *(f"d{line}" for line in range(facts.bus_width))]
    names = [*(facts.pins[line] for line in lines), *pins]
    output = b""
    rows: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
    world = VirtualBoards(seed=1)
    try:
        node = world.add_board(board, image, VirtualNode())
        analyzer = world.add_analyzer(samplerate_hz=SAMPLERATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=0)
        for channel, name in enumerate(names):
            world.probe(analyzer, channel, node, name)
        for command, wait_s in (("", 0.6), *((command, 0.2) for command in commands), ("", 0.3)):
            if command:
                world.uart_feed(node, 0, f"{command}\n".encode())
            world.pass_time(world.now_ps + int(wait_s * PS_PER_S))  # a TelosB takes 0.3 s to tune its clock
            output += world.uart_read(node, 0)[1]
            rows.append(world.analyzer_edges(analyzer))
    finally:
        world.close()
    gap = facts.frame_gap_ns * SAMPLERATE_HZ // 10**9
    decoder = BusDecoder(BusLines(strobe=0, data=tuple(range(1, len(lines))), frame_gap_samples=gap))
    frames = joined([*(decoder.feed(*part) for part in rows), decoder.finish()])
    text = output.decode("ascii")
    samples, levels = (np.concatenate([part[column] for part in rows]) for column in (0, 1))
    return Run(frames, log.parse(text, node="n"), text, (samples, levels >> np.uint64(len(lines))))
