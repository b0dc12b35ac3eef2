"""The sequences of instructions of `gpiorig bench certify` on both simulators, beside the manual's cycles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

import numpy as np

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.rig.certify import pulses
from gpiorig.rig.certify.rows import ROWS
from second_simulator.runs import Change

LINE = "P6.6"
_HZ = 10**9
# Cycles of a turn by hand from SLAU049F 3.4.4: kernels are in firmware-gpio-probes/reference/certify/msp430/kernels.S.
BY_MANUAL = {
    "clock": 2 + 1331 * (1 + 2) + 2 + 1 + 2,
    "msp.register": 16 * 1 + 1 + 2,
    "msp.branch": 1 + 2,
    "msp.store": 16 * 4 + 1 + 2,
    "msp.load": 16 * 3 + 1 + 2,
    "msp.modify": 8 * 4 + 1 + 2,
    "msp.call": 5 + 3 + 3 + 2 + 1 + 2,
    "msp.interrupt": 5 + 2 + 6 + 4 + 5 + 5 + 1 + 2,
}


@dataclass(frozen=True, slots=True)
class Sequence:
    """Cycles of a turn of a row, or the time of one, on the virtual board and on MSPSim."""

    key: str
    ours: float
    theirs: float
    unit: str


def pulses_equal(ours: Iterable[Change], theirs: Iterable[Change]) -> tuple[int, int]:
    """How many intervals between edges of the line take the same cycles, of how many that both have shown."""
    spans = [np.diff([change.cycles for change in changes if change.subject == LINE]) for changes in (ours, theirs)]
    count = min(len(span) for span in spans)
    return int((spans[0][:count] == spans[1][:count]).sum()), count


def sequences(ours: Iterable[Change], theirs: Iterable[Change]) -> list[Sequence]:
    """Every row that both have shown, with the manual's cycles where there are such."""
    left, right = _rows(ours), _rows(theirs)
    return [Sequence(key, left[key][0], right[key][0], left[key][1]) for key in left if key in right]


def _rows(changes: Iterable[Change]) -> dict[str, tuple[float, str]]:
    line = [change for change in changes if change.subject == LINE]
    samples = np.array([change.ps * _HZ // 10**12 for change in line])
    cycles = dict(zip(samples.tolist(), (change.cycles for change in line), strict=True))
    edges = Edges(
        samples=np.concatenate([[0], samples]),
        levels=np.array([0, *(change.level for change in line)], dtype=np.uint64),
        samplerate_hz=Fraction(_HZ),
        channels=(LINE,),
        start=0,
        end=int(samples[-1]) + 1,
        gaps=no_gaps(),
    )
    shown = pulses.read(edges, LINE).showings
    rows = {row.code: row for row in ROWS if "telosb" in row.boards}
    result: dict[str, tuple[float, str]] = {}
    for showing in shown:
        row = rows[showing.code]
        in_cycles = row.unit == "cycles" or row.key == "clock"
        widths = [
            float(cycles[fall] - cycles[rise]) if in_cycles else (fall - rise) / 1000
            for rise, fall in zip(showing.rises.tolist(), showing.falls.tolist(), strict=True)
        ]
        unit = "cycles" if in_cycles else "us"
        if len(row.turns) == 1:
            result.setdefault(row.key, (median(widths[1:]), unit))
        else:
            few, many = row.turns
            result.setdefault(row.key, ((median(widths[1::2]) - median(widths[::2])) / (many - few), unit))
    return result
