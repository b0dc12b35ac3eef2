"""The edges of a board's lines in its wiring proof and its burst, made up as the ports send them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.rig.verify import proof

Samples = NDArray[np.int64]
FRAME_GAP = 7.0
# Samples at 24 MS/s: a pulse, the rest between lines, a symbol, between frames (IoT-LAB M3).
PULSE, REST, SYMBOL, PAUSE = 15, 154, 4, 16


def shown(width: int, start: int = 1000) -> dict[str, Samples]:
    """The edges of a board's lines in its proof and burst."""
    times: dict[str, list[int]] = {"strobe": [], **{f"d{line}": [] for line in range(width)}}
    at = start
    for line in range(width):
        for _ in range(line + 1):
            times[f"d{line}"] += [at, at + PULSE]
            at += 2 * PULSE
        at += REST
    check = 8 if width == 8 else 4
    noise = np.random.default_rng(1)
    for symbols in [(8 + check) // width] + proof.CALIBRATIONS * [(24 + check) // width]:
        for _ in range(symbols):
            times["strobe"].append(at)
            for line in range(width):
                if noise.random() < 0.4:
                    times[f"d{line}"].append(at)
            at += SYMBOL
        at += PAUSE
    return {line: np.array(edges, dtype=np.int64) for line, edges in times.items()}
