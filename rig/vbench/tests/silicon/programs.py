"""Cycles of a sequence of programs.S on the virtual IoT-LAB M3, whose pins are the only witness."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

HERE = Path(__file__).parent
CYCLE_PS = 125_000  # HSI, 8 MHz: any number of wait states is legal
PA3 = 3
SHORT, LONG = 100, 300  # passes of programs.S
OFFSETS = (0, 2, 4, 6)  # of a first instruction in a line of the flash
EDGES_AT = (20, 120)  # that are measured, of a sequence that changes the pin itself
PREFETCH = 0x10  # FLASH_ACR.PRFTBE


@functools.cache
def image(program: str, offset: int, wait_states: int, *, ram: bool = False, rounds: int = 1) -> bytes:
    """The image that runs a sequence, as ELF."""
    values = {"PROGRAM": program, "OFFSET": offset, "ACR": PREFETCH | wait_states, "ROUNDS": rounds}
    defines = [f"-D{name}={value}" for name, value in values.items()] + ["-DIN_RAM"] * ram
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "image.elf"
        words = ("-mcpu=cortex-m3", "-mthumb", "-nostdlib", *defines, "-T", HERE / "image.ld", "-Wl,-ereset")
        subprocess.run(("arm-none-eabi-gcc", *words, HERE / "programs.S", "-o", elf), check=True)
        return elf.read_bytes()


def edges(elf: bytes, timing: Mapping[str, int], *, count: int) -> NDArray[np.int64]:
    """The first edges of PA3, in cycles."""
    with closing(VirtualBoards(seed=1)) as boards:
        boards.change_timing(timing)
        boards.add_board("iotlab-m3", elf, VirtualNode())
        boards.keep_edges()
        instants: list[int] = []
        for ms in (1, 4, 20, 100, 500):
            boards.run(ms * 10**9)
            while len(block := boards.edges()[0]):
                instants += [int(t_ps) for t_ps in block]
            if len(instants) >= count:
                return np.array(instants[:count], dtype=np.int64) // CYCLE_PS
    raise AssertionError(f"{len(instants)} of {count} edges")


def of_a_pass(elf: bytes, timing: Mapping[str, int]) -> float:
    """Cycles of one pass of a sequence that ends."""
    start, end, again, finish = edges(elf, timing, count=4)
    return float((finish - again) - (end - start)) / (LONG - SHORT)


def of_an_edge(elf: bytes, timing: Mapping[str, int]) -> float:
    """Mean cycles from edge to edge of a sequence that changes the pin."""
    t = edges(elf, timing, count=EDGES_AT[1] + 1)
    return float(t[EDGES_AT[1]] - t[EDGES_AT[0]]) / (EDGES_AT[1] - EDGES_AT[0])
