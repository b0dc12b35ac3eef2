"""Raw samples: widths that channels and sizes allow."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import raw

RATE = Fraction(24_000_000)


def names(count: int) -> tuple[str, ...]:
    return tuple(f"c{bit}" for bit in range(count))


@pytest.mark.parametrize(("channels", "unitsize"), [(1, 1), (8, 1), (9, 2), (16, 2), (17, 3), (64, 8)])
def test_samples_are_as_wide_as_their_channels_need(tmp_path: Path, channels: int, unitsize: int) -> None:
    """The last channel is the highest bit; with fewer bytes they do not fit, and the width that is named is right."""
    path = tmp_path / "a.bin"
    top = 1 << channels - 1
    levels = [0, top, top | 1 if channels > 1 else 0]
    path.write_bytes(b"".join(level.to_bytes(unitsize, "little") for level in levels))
    edges = raw.read(path, ReadOptions(samplerate_hz=RATE, channels=names(channels))).edges()

    assert levels == edges.levels.tolist()
    assert 3 == edges.end
    if unitsize > 1:
        with pytest.raises(FormatError, match=f"give --unitsize {unitsize},"):
            raw.read(path, ReadOptions(samplerate_hz=RATE, channels=names(channels), unitsize=unitsize - 1))


def test_a_size_that_is_no_number_of_samples(tmp_path: Path) -> None:
    """The widths that fit are named, the least that the channels need first; the line of sigrok-cli does not count."""
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(9))
    with pytest.raises(FormatError, match=r"give --unitsize 3; or"):
        raw.read(path, ReadOptions(samplerate_hz=RATE, channels=names(9)))
    with pytest.raises(FormatError, match=r"give --unitsize 1 \(or 3\); or"):
        raw.read(path, ReadOptions(samplerate_hz=RATE, unitsize=2))
    path.write_bytes(bytes(13))
    with pytest.raises(FormatError, match="cut short: save it again"):
        raw.read(path, ReadOptions(samplerate_hz=RATE, channels=names(9)))
    path.write_bytes(b"META samplerate: 1000\n" + bytes([1, 0, 0, 0]))
    edges = raw.read(path, ReadOptions(unitsize=4)).edges()
    assert (1000, 1, [1]) == (edges.samplerate_hz, edges.end, edges.levels.tolist())
    path.write_bytes(b"META samplerate: 10000\n" + bytes(6))
    assert 2 == raw.read(path, ReadOptions(unitsize=3)).edges().end
    with pytest.raises(FormatError, match=r"6 bytes are not an integer number of samples of 4 bytes"):
        raw.read(path, ReadOptions(unitsize=4))
