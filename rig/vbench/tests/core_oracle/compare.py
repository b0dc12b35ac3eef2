"""Runs batches through both machines and tells where they differ."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core_oracle.machines import AROUND, Oracle, run_ours
from core_oracle.rows import Mask
from core_oracle.vectors import FLASH_BYTES, NO_ROW, RAM, RAM_BYTES, ROWS, Batch, flash, rows_with

FLAGS = {"m3": 0xF800_0000, "m4": 0xF80F_0000, "m4f": 0xF80F_0000}
# CONTROL.FPCA and SFPA are set up differently; an STM32 has the four high bits of BASEPRI (PM0056 section 2.1.3).
MASKS = 0x0301_F001
USAGE_FAULTS = 0xFFFF_0000
UNALIGNED = 1 << 24
PRECISERR = 1 << 9
IBUSERR = 1 << 8


@dataclass
class Tally:
    """What was compared, row by row, and every difference."""

    compared: int = 0
    excluded: int = 0
    faults: int = 0
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(NO_ROW + 1, dtype=np.int64))
    differences: list[str] = field(default_factory=list)


def elsewhere(accessed: npt.NDArray[np.int64]) -> Mask:
    """Accesses that nothing answers in Unicorn, but something in a Cortex-M on an STM32.

    The alias of the flash at 0 (RM0008 section 3.4), bit-band aliases (DDI 0403E, B3.1 and DDI 0337, 4.6), the private
    peripheral bus (B3.1.1). And a branch into RAM, where data would run: Unicorn has it not executable.
    """
    region = accessed >> 24
    alias = (accessed >= 0) & (accessed < FLASH_BYTES)
    alias |= (accessed >= RAM) & (accessed < RAM + RAM_BYTES)
    return alias | (region == 0x22) | (region == 0x23) | (region == 0x42) | (region == 0x43) | (region == 0xE0)


def around_flash(ours: npt.NDArray[np.void], expected: npt.NDArray[np.void]) -> Mask:
    """Accesses that one of the two answers only because of how Unicorn is set up.

    What it has around the flash is there for branches, as a branch to nothing faults in it at once, not at the next
    instruction. Ours then reports IBUSERR if an IT block continues there, or PRECISERR if data is read there.
    """
    there = (ours["bfar"] >= AROUND[0]) & (ours["bfar"] < sum(AROUND)) & (ours["cfsr"] & PRECISERR != 0)
    extra = (expected["fault"] == 0) & (there | (ours["cfsr"] & IBUSERR != 0))
    target = ours["r"][:, 15]
    nowhere = (ours["fault"] == 0) & (expected["fault"] == 1) & ((target < AROUND[0]) | (target >= sum(AROUND)))
    return extra | nowhere


def differences(core: str, ours: npt.NDArray[np.void], expected: npt.NDArray[np.void]) -> Mask:
    """Which answers differ; the state after a fault is not compared, as the two stop at different points of it."""
    differs = (ours["r"] != expected["r"]).any(axis=1) | (ours["window"] != expected["window"]).any(axis=1)
    differs |= (ours["psr"] ^ expected["psr"]) & FLAGS[core] != 0
    differs |= (ours["masks"] ^ expected["masks"]) & MASKS != 0
    if core == "m4f":
        differs |= (ours["s"] != expected["s"]).any(axis=1) | (ours["fpscr"] != expected["fpscr"])
    return (ours["fault"] != expected["fault"]) | (ours["fault"] == 0) & differs


def describe(core: str, batch: Batch, i: int, ours: npt.NDArray[np.void], expected: npt.NDArray[np.void]) -> str:
    """One difference: the vector and the fields that differ."""
    vector = batch.vectors[i]
    name = ROWS[batch.rows[i]].name if batch.rows[i] != NO_ROW else "no row"
    text = [f"{name}: {vector['address']:08x} {' '.join(f'{half:04x}' for half in vector['code'])}"]
    for key in ("fault", "psr", "masks", "fpscr") if core == "m4f" else ("fault", "psr", "masks"):
        if ours[key][i] != expected[key][i]:
            text.append(f"{key} ours {ours[key][i]:x} theirs {expected[key][i]:x}")
    for key in ("r", "s", "window") if core == "m4f" else ("r", "window"):
        for j in np.flatnonzero(ours[key][i] != expected[key][i])[:3]:
            before = f" was {vector[key][j]:x}" if key != "r" or j < 15 else ""
            text.append(f"{key}{j} ours {ours[key][i][j]:x} theirs {expected[key][i][j]:x}{before}")
    text.append("R " + " ".join(f"{r:x}" for r in vector["r"]) + f" xPSR {vector['psr']:x} FPSCR {vector['fpscr']:x}")
    if name[0] == "V":
        text.append("S " + " ".join(f"{s:x}" for s in vector["s"]))
    return "; ".join(text)


class Comparison:
    """Both machines with one flash."""

    def __init__(self, core: str, seed: int = 1) -> None:
        self.core = core
        self.flash = flash(seed)
        self.oracle = Oracle(core, self.flash)
        self.tally = Tally()

    def run(self, batch: Batch) -> None:
        """Compares a batch and adds to the tally."""
        predictable = Batch(batch.vectors[~batch.unpredictable], batch.rows[~batch.unpredictable], batch.unpredictable)
        ours = run_ours(self.core, self.flash, predictable.vectors)
        expected, accessed = self.oracle.run(predictable.vectors)
        if self.core == "m3":
            # UNDEFINED (chapter A7.7: "ARMv7-M: if DSP extension"); QEMU decodes most of them all the same.
            expected["fault"] |= rows_with(predictable.rows, "dsp")
        # Accesses of several words fault where they are not aligned (A3.2.1; nothing else gives UNALIGNED without
        # UNALIGN_TRP); QEMU does not check. Single instructions are made aligned, so this omits some IT blocks.
        unaligned = (predictable.vectors["end"] != 0) & (ours["cfsr"] & USAGE_FAULTS == UNALIGNED)
        # Nonzero bits 1..0 of SP are UNPREDICTABLE (section A5.1.3); ours clears them.
        comparable = ~elsewhere(accessed) & ~unaligned & ~around_flash(ours, expected) & (expected["r"][:, 13] & 3 == 0)
        tally = self.tally
        tally.excluded += int(batch.unpredictable.sum() + (~comparable).sum())
        tally.compared += int(comparable.sum())
        tally.faults += int((comparable & (expected["fault"] == 1)).sum())
        np.add.at(tally.rows, predictable.rows[comparable & (expected["fault"] == 0)], 1)
        different = np.flatnonzero(differences(self.core, ours, expected) & comparable)
        tally.differences += [describe(self.core, predictable, int(i), ours, expected) for i in different]
