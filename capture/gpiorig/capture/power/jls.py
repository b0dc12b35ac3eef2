"""Joulescope's power, of `.jls` version 2, by pyjls (`capture.formats.jls`): the signals current and voltage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import jls
from gpiorig.capture.numbers import samplerate
from gpiorig.capture.power.channels import Named, current, voltage
from gpiorig.capture.power.instruments import JOULESCOPE
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

F32 = 0x2004  # pyjls.DataType.F32
CHUNK = 1 << 17  # samples


def read(path: Path, named: Named) -> PowerTrace:
    """Read a current, and a voltage or that of the supply, of the time that both cover."""
    with jls.opened(path) as reader:
        signals = {
            signal.name: signal
            for signal in reader.signals.values()
            if signal.signal_type == jls.FSR and signal.data_type & 0xFFFF == F32
        }
        names = {unit: [name for name, signal in signals.items() if signal.units == unit] for unit in ("A", "V")}
        amperes, factor = current(names["A"], named, path)
        volts, volts_factor = voltage(names["V"], named, path)
        picked = [signals[name] for name in (amperes, volts) if name]
        has_pins = any(signal.data_type & 0xFFFF == jls.U1 for signal in reader.signals.values())
    pins = jls.read(path, ReadOptions()) if has_pins else None
    rates = {samplerate(signal.sample_rate, where=path) for signal in picked}
    if len(rates) > 1 or (pins is not None and pins.samplerate_hz not in rates):
        raise FormatError("has signals of several samplerates", where=path, remedy="record them with one")
    begin = max(signal.sample_id_offset for signal in picked)
    end = min(signal.sample_id_offset + signal.length for signal in picked)

    def read_blocks() -> Iterator[PowerBlock]:
        with jls.opened(path) as reader:
            for start in range(begin, end, CHUNK):
                parts = [_part(path, reader, signal, start, min(CHUNK, end - start)) for signal in picked]
                supply = parts[-1] * volts_factor if volts else np.full(len(parts[0]), volts_factor)
                yield PowerBlock(start - begin, supply, parts[0] * factor)

    return PowerTrace(
        samplerate_hz=rates.pop(),
        read=read_blocks,
        instrument=JOULESCOPE,
        pins=pins,
        source=f"Joulescope file {path.name}, {amperes}{' and ' + volts if volts else ''}",
    )


def _part(path: Path, reader: Any, signal: Any, start: int, count: int) -> Any:
    values = jls.called(path, reader.fsr, signal.signal_id, start - signal.sample_id_offset, count)
    return np.asarray(values, dtype=np.float64)
