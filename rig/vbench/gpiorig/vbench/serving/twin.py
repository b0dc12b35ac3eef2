"""The edges of a virtual bench for `gpiorig bench certify`: the part `twin` (gpiorig.rig.certify.twin)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.certify.twin import Tried
from gpiorig.rig.recordings.merge import Source
from gpiorig.rig.run import captures
from gpiorig.vbench.boards.world import World
from gpiorig.vbench.description import timing
from gpiorig.vbench.description.timing import Range

SLICE_PS = 10**12
BEYOND = 3  # cycles from the model that a fit tries, where silicon is not expected to be farther


def settings(board: str) -> dict[str, Tried]:
    """The settings of a board's timing model; none of a board without one."""
    return {name: _tried(number) for name, number in timing.of(board).items()}


def edges(bench: Bench, *, firmware: Mapping[str, Path], duration_s: float) -> dict[str, Edges]:
    """What each analyzer of a virtual bench sees from power-on, its channels named ``node.line``."""
    sources = {name: _source(bench, name) for name in bench.analyzers}
    world = World(bench, firmware=dict(firmware), modelled_reader=True)
    try:
        numbers = {
            name: world.start_analyzer(name, samplerate_hz=source.samplerate_hz, unitsize=2)
            for name, source in sources.items()
        }
        blocks: dict[str, list[tuple[NDArray[np.int64], NDArray[np.uint64]]]] = {name: [] for name in sources}
        end_ps = int(duration_s * 1e12)
        for at_ps in [*range(SLICE_PS, end_ps, SLICE_PS), end_ps]:
            world.boards.run(at_ps)
            for name, number in numbers.items():
                samples, levels = world.boards.analyzer_edges(number)
                if len(samples):
                    blocks[name].append((samples.copy(), levels.copy()))
        ends = {name: world.boards.handed_out(number) for name, number in numbers.items()}
    finally:
        world.boards.close()
    return {
        name: Edges.from_blocks(
            blocks[name], samplerate_hz=Fraction(source.samplerate), channels=source.channels, end=ends[name]
        )
        for name, source in sources.items()
    }


def _tried(number: Range) -> Tried:
    lowest, highest = max(min(number.lowest, number.model - BEYOND), 0), max(number.highest, number.model + BEYOND)
    return Tried(model=number.model, values=range(lowest, highest + 1))


def _source(bench: Bench, name: str) -> Source:
    return captures.source(bench, name, Analyzer(f"twin:{name}", "virtual analyzer", BEAGLELOGIC_CHANNELS))
