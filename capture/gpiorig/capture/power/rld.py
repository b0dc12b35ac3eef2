"""RocketLogger's power, of `.rld` (its layout: `capture.formats.rld`).

A current has two ranges, I1L and I1H, and a flag that the low one is valid; which counts is chosen sample by sample, as
`merge_channels` of script/python/rocketlogger/data.py does. Tried with the project's own example files (cbebb792).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import rld
from gpiorig.capture.formats.rld import CLOCK_SCALE
from gpiorig.capture.power.channels import Named, current, voltage
from gpiorig.capture.power.instruments import ROCKETLOGGER
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

VOLT, AMPERE = 1, 2  # units (enum rl_unit in rl_file.h)
LOW, HIGH = "L", "H"  # ends of the names of a current's ranges


def read(path: Path, named: Named) -> PowerTrace:
    """Read a current, of both of its ranges, and a voltage."""
    header = rld.read_header(path)
    of_unit = {
        unit: {analog.name: place for place, analog in enumerate(header.analog) if analog.unit == unit}
        for unit in (VOLT, AMPERE)
    }
    amperes, factor = current(list(dict.fromkeys(map(_merged, of_unit[AMPERE]))), named, path)
    volts, volts_factor = voltage(list(of_unit[VOLT]), named, path)
    low, high = (
        of_unit[AMPERE].get(name, of_unit[AMPERE].get(amperes, -1)) for name in (amperes + LOW, amperes + HIGH)
    )
    low, high = (high if low < 0 else low), (low if high < 0 else high)
    rows = min(rld.row_count(path, header), header.rows)
    valid_bit = header.analog[low].valid_bit
    if low != high and not 0 <= valid_bit < header.words * rld.WORD_BITS:
        raise FormatError(f"does not show which range of {amperes} is valid", where=path, remedy="record it again")

    def scaled(part: np.ndarray, place: int) -> np.ndarray:
        return np.asarray(part[str(place)] * header.analog[place].scale)

    def read_blocks() -> Iterator[PowerBlock]:
        end = 0
        with path.open("rb") as file:
            for lost, part in rld.rows_of(file, header, rows):
                at_high = scaled(part, high)
                if low != high:
                    is_low = (part["levels"] >> part["levels"].dtype.type(valid_bit)) & 1
                    at_high = np.where(is_low, scaled(part, low), at_high)
                supply = scaled(part, of_unit[VOLT][volts]) if volts else np.ones(len(part))
                end += lost
                yield PowerBlock(end, supply * volts_factor, at_high * factor)
                end += len(part)

    return PowerTrace(
        samplerate_hz=header.rate_hz * CLOCK_SCALE,
        read=read_blocks,
        instrument=ROCKETLOGGER,
        step_a=header.analog[high].scale * abs(factor),
        pins=rld.read(path, ReadOptions()) if header.bits else None,
        source=f"RocketLogger file {path.name}, {amperes}{' and ' + volts if volts else ''}",
    )


def _merged(name: str) -> str:
    """The name of a current whose ranges have names of their own."""
    return name[:-1] if name.endswith((LOW, HIGH)) else name
