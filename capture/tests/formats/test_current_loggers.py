"""The digital channels of instruments that record currents: RocketLogger, Nordic's PPK2, Joulescope."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import recognise, rld

NS = 10**9


def rocketlogger(
    levels: list[int], *, block: int = 4, lost_after: int = 0, version: int = 4, rate: int = 1000
) -> bytes:
    """A file by the structs of rl_file.h: inputs DI1 to DI6, a range flag, one current of 4 bytes.

    `lost_after`: a block is missing after this number of them.
    """
    names = [*((3, f"DI{n}", 0) for n in range(1, 7)), (4, "I1L_valid", 0), (2, "I1L", 4)]
    channels = b"".join(struct.pack("<IiHH16s", unit, -9, size, 65535, name.encode()) for unit, name, size in names)
    comment = b"by a test\0\0\0"
    length = 56 + len(comment) + len(channels)
    blocks = -(-len(levels) // block)
    head = struct.pack("<4sHHIIQH6s", b"%RLD", version, length, block, blocks, len(levels), rate, b"\1\2\3\4\5\6")
    head += struct.pack("<qqIHH", 1_700_000_000, 250_000_000, len(comment), 7, 1)
    data, period_ns = head + comment + channels, block * NS * 49 * 2_048_000 / (rate * 100_000_000)
    for number in range(blocks):
        at = round((number + (number >= lost_after > 0)) * period_ns) + 7 * NS + number % 2 * 1_000_000
        data += struct.pack("<qqqq", 1_700_000_000, 0, at // NS, at % NS)
        data += b"".join(struct.pack("<Ii", level, -level) for level in levels[block * number : block * (number + 1)])
    return data


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_rocketlogger(tmp_path: Path) -> None:
    """Levels, names, the converter's true rate, a last block that is not full."""
    levels = [0, 1, 1, 3, 3, 2, 0, 64, 65, 0]
    path = write(tmp_path / "a.rld", rocketlogger(levels))

    waveform = rld.read(path, ReadOptions())
    edges = waveform.edges()

    assert "rld" == recognise(path)
    assert tuple(f"DI{n}" for n in range(1, 7)) == waveform.channels
    assert Fraction(1000 * 100_000_000, 49 * 2_048_000) == waveform.samplerate_hz
    assert "2023-11-14T22:13:20.250000000+00:00" == waveform.epoch
    assert ([0, 1, 3, 5, 6, 8, 9], [0, 1, 3, 2, 0, 1, 0]) == (edges.samples.tolist(), edges.levels.tolist())
    assert (10, 0) == (edges.end, len(edges.gaps))
    assert [0, 3, 6] == rld.read(path, ReadOptions(channels=("DI2",))).edges().samples.tolist()


def test_a_lost_buffer_of_rocketlogger_is_a_gap(tmp_path: Path) -> None:
    """The blocks' timestamps show it; jitter of a millisecond does not."""
    path = write(tmp_path / "a.rld", rocketlogger([1] * 400 + [0] * 400, block=100, lost_after=2))

    waveform = rld.read(path, ReadOptions())
    edges = waveform.edges()

    assert ([[200, 300]], 900) == (edges.gaps.tolist(), edges.end)
    assert [(0, 1), (300, 1), (500, 0)] == list(zip(edges.samples.tolist(), edges.levels.tolist(), strict=True))
    assert ["missing by the timestamps of the blocks, of 100 samples each: 1"] == waveform.remarks


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (rocketlogger([0, 1])[:50], "cut short within its header"),
        (rocketlogger([0, 1])[:90], "header whose parts do not add up"),
        (rocketlogger([0, 1], version=9), "of version 9; 1 to 4 are known"),
        (rocketlogger([0, 1], rate=1)[:24] + bytes(2) + rocketlogger([0, 1])[26:], "states 0 Hz"),
        (rocketlogger([0, 1] * 8)[:-3], "cut short: it has 15 of 16 samples"),
        (rocketlogger([0, 1] * 8).replace(struct.pack("<I", 3), struct.pack("<I", 4)), "has no digital inputs"),
    ],
)
def test_damage_of_rocketlogger(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        rld.read(write(tmp_path / "a.rld", content), ReadOptions())


def test_remedies_of_rocketlogger(tmp_path: Path) -> None:
    """What was cut short is read with --recover; a timestamp that is damaged is an error."""
    good = rocketlogger([0, 1] * 8)
    assert 15 == rld.read(write(tmp_path / "a.rld", good[:-3]), ReadOptions(recover=True)).edges().end

    damaged = bytearray(good)
    damaged[-(32 + 32) + 16 + 8 : -(32 + 32) + 16 + 16] = b"\xff" * 8
    with pytest.raises(FormatError, match="block, of sample 12, whose timestamp is not one"):
        rld.read(write(tmp_path / "b.rld", bytes(damaged)), ReadOptions()).edges()
