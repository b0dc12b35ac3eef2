"""The analog channels of a sigrok session, `.sr`, as current and voltage.

As libsigrok 0.5.2 writes them (src/output/srzip.c; tried with what its driver `demo` records): a channel of the number
N has the key `analogN` with its name, and float32 samples, little endian, in the members `analog-1-N-1`,
`analog-1-N-2`, …. The file has no units.
"""

from __future__ import annotations

import configparser
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ppk2, sr
from gpiorig.capture.numbers import parse_samplerate
from gpiorig.capture.power.channels import Named, current, voltage
from gpiorig.capture.power.instruments import SIGROK
from gpiorig.capture.power.trace import Floats, PowerBlock, PowerTrace

SAMPLE = np.dtype("<f4")
CHUNK = 1 << 16  # samples
METADATA_BYTES = 1 << 16
MEMBER = re.compile(r"analog-1-([1-9][0-9]{0,3})-([1-9][0-9]{0,6})")


def read(path: Path, named: Named) -> PowerTrace:
    """Read a current, and a voltage or that of the supply; logic channels of the session are its pins."""
    rate, numbers, has_logic = _metadata(path)
    amperes, factor = current(list(numbers), named, path)
    volts, volts_factor = voltage([name for name in numbers if name != amperes], named, path)

    def read_blocks() -> Iterator[PowerBlock]:
        start = 0
        streams = [_samples(path, numbers[name]) for name in (amperes, volts) if name]
        for parts in zip(*streams, strict=False):
            count = min(map(len, parts))
            supply = parts[-1][:count] * volts_factor if volts else np.full(count, volts_factor)
            yield PowerBlock(start, supply, parts[0][:count] * factor)
            start += count

    return PowerTrace(
        samplerate_hz=rate,
        read=read_blocks,
        instrument=SIGROK,
        pins=sr.read(path, ReadOptions()) if has_logic else None,
        source=f"sigrok session {path.name}, {amperes}{' and ' + volts if volts else ''}",
    )


def _metadata(path: Path) -> tuple[Fraction, dict[str, int], bool]:
    """Samplerate, numbers of the analog channels by name, and whether there are logic channels."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo("metadata").file_size > METADATA_BYTES:
                raise FormatError("has metadata that are too large", where=path, remedy="save it again")
            parser.read_string(archive.read("metadata").decode(errors="replace"))
        device = parser["device 1"]
        rate = parse_samplerate(device.get("samplerate", "0"), where=path)
    except (*ppk2.UNREADABLE, *ppk2.UNREADABLE_TOO, configparser.Error) as error:
        raise ppk2.damaged(path, error) from error
    numbers = {name: int(key[6:]) for key, name in device.items() if re.fullmatch(r"analog[1-9][0-9]{0,3}", key)}
    if not numbers or not rate:
        problem = "has no analog channels" if not numbers else "has no samplerate"
        raise FormatError(problem, where=path, remedy="record the current as an analog channel")
    return rate, numbers, "unitsize" in device


def _samples(path: Path, number: int) -> Iterator[Floats]:
    """The samples of a channel, in blocks that are full but for the last one."""
    held = b""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in _members(path, archive, number):
                with archive.open(name) as file:
                    while data := file.read(CHUNK * SAMPLE.itemsize - len(held)):
                        held += data
                        if len(held) == CHUNK * SAMPLE.itemsize:
                            yield np.frombuffer(held, dtype=SAMPLE).astype(np.float64)
                            held = b""
    except (*ppk2.UNREADABLE, *ppk2.UNREADABLE_TOO) as error:
        raise ppk2.damaged(path, error) from error
    if len(held) % SAMPLE.itemsize:
        raise FormatError("ends within a sample", where=path, remedy="it is damaged: save it again")
    if held:
        yield np.frombuffer(held, dtype=SAMPLE).astype(np.float64)


def _members(path: Path, archive: zipfile.ZipFile, number: int) -> list[str]:
    by_channel: dict[int, dict[int, str]] = defaultdict(dict)
    for name in archive.namelist():
        if match := MEMBER.fullmatch(name):
            by_channel[int(match[1])][int(match[2])] = name
    chunks = by_channel[number]
    if missing := set(range(1, len(chunks) + 1)) - chunks.keys():
        problem = f"lacks the chunk analog-1-{number}-{min(missing)}"
        raise FormatError(problem, where=path, remedy="it is damaged: save it again")
    return [chunks[place] for place in sorted(chunks)]
