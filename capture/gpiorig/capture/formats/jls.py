"""Joulescope's file, `.jls` version 2: the digital inputs, by Joulescope's own library, pyjls.

pyjls (Apache-2.0, wheels of Jetperch; tried with 0.17.0) comes with `pip install gpiorig[joulescope]`. It checks
the checksums of a file, and repairs one that was not closed in place, without asking: the length in the header (bytes
16 to 23) shows such a file, which is refused before the library opens it.
"""

from __future__ import annotations

import datetime
import struct
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.sample_blocks import SampleBlocks
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.numbers import samplerate

SUMMARY = "Joulescope file (version 2), digital inputs"
SUFFIXES = (".jls",)
MAGIC = b"jlsfmt\r\n \n \x1a  \xb2\x1c"
HEADER = struct.Struct("<16sQ")  # magic, length of the file; 0 while it is written
FSR, U1 = 0, 259  # pyjls.SignalType.FSR: samples at a fixed rate; pyjls.DataType.U1: of one bit
CHUNK = 1 << 20  # samples
EPOCH = datetime.datetime(2018, 1, 1, tzinfo=datetime.UTC)  # of pyjls.time64, in units of 2^-30 s
TIME_BITS = 30


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the signals of one bit as a waveform of the time that all of them cover."""
    with opened(path) as reader:
        signals = _signals(reader, path)
        channels = chosen(list(signals), options.channels, path)
        picked = [signals[name] for name in channels]
        rates = {samplerate(signal.sample_rate, where=path) for signal in picked}
        if len(rates) > 1:
            raise FormatError(
                "has inputs of several samplerates", where=path, remedy="choose those of one with --channels"
            )
        begin = max(signal.sample_id_offset for signal in picked)
        end = max(begin, min(signal.sample_id_offset + signal.length for signal in picked))
        epoch = _epoch(reader, picked[0], begin)
    longest = max(signal.sample_id_offset + signal.length for signal in picked)
    cut = longest - end + begin - min(signal.sample_id_offset for signal in picked)

    def read_blocks() -> Iterator[Block]:
        samples = SampleBlocks()
        with opened(path) as reader:
            for first in range(begin, end, CHUNK):
                count = min(CHUNK, end - first)
                levels = np.zeros(count, dtype=np.uint64)
                for place, signal in enumerate(picked):
                    packed = called(path, reader.fsr, signal.signal_id, first - signal.sample_id_offset, count)
                    bits = np.unpackbits(packed, count=count, bitorder="little").astype(np.uint64)
                    levels |= bits << np.uint64(place)
                yield samples.feed(levels)

    return Waveform(
        samplerate_hz=options.samplerate_hz or rates.pop(),
        channels=channels,
        read=read_blocks,
        epoch=epoch,
        source=f"Joulescope file {path.name}; samples that the host lost are not marked in it",
        remarks=[f"samples that not all of the inputs cover are omitted: {cut}"] if cut else [],
    )


def opened(path: Path) -> closing[Any]:
    """The library's reader of a file that is complete."""
    with path.open("rb") as file:
        header = file.read(HEADER.size)
    length = HEADER.unpack(header)[1] if len(header) == HEADER.size else 0
    if length != path.stat().st_size:
        raise FormatError(
            "was not closed, or is cut short",
            where=path,
            remedy="`python -m pyjls info COPY` repairs a copy of it, where it can",
        )
    try:
        from pyjls import Reader
    except ImportError as error:
        raise FormatError(
            "needs the package pyjls", where=path, remedy="install it: pip install 'gpiorig[joulescope]'"
        ) from error
    return closing(called(path, Reader, str(path)))


def called(path: Path, function: Any, *arguments: Any) -> Any:
    """What a call of the library returns; its errors are `FormatError`."""
    try:
        return function(*arguments)
    except (RuntimeError, ValueError, OverflowError, MemoryError) as error:
        raise FormatError(f"is damaged ({str(error)[:80]})", where=path, remedy="copy it again") from error


def _signals(reader: Any, path: Path) -> dict[str, Any]:
    """The signals of one bit by name, with the name of the instrument where several have some."""
    bits = [
        signal for signal in reader.signals.values() if signal.signal_type == FSR and signal.data_type & 0xFFFF == U1
    ]
    if not bits:
        raise FormatError("has no digital inputs", where=path, remedy="record gpi in the Joulescope UI")
    names = [signal.name for signal in bits]
    if len(set(names)) < len(names):
        sources = {number: source.name for number, source in reader.sources.items()}
        names = [f"{sources.get(signal.source_id, signal.source_id)}.{signal.name}" for signal in bits]
    if len(set(names)) < len(names):
        raise FormatError("has two inputs of one name", where=path, remedy="record them with different names")
    return dict(zip(names, bits, strict=True))


def _epoch(reader: Any, signal: Any, sample: int) -> str:
    """The wall-clock time of a sample; "" where the file states none."""
    ticks = reader.sample_id_to_timestamp(signal.signal_id, sample - signal.sample_id_offset)
    begin = reader.sample_id_to_timestamp(signal.signal_id, 0)
    if begin <= 0:
        return ""
    ns = round(Fraction(ticks * 10**9, 1 << TIME_BITS))
    second = EPOCH + datetime.timedelta(seconds=ns // 10**9)
    return f"{second:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09}+00:00"
