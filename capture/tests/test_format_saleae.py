from __future__ import annotations

import json
import struct
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ReadOptions, recognise, sal, saleae_bin

RATE = 24_000_000
NAMES = ReadOptions()


def version_0(initial: int, begin: float, end: float, times: list[float]) -> bytes:
    """A file as Saleae describes version 0."""
    head = struct.pack("<8siiIddQ", b"<SALEAE>", 0, 0, initial, begin, end, len(times))
    return head + np.array(times, dtype="<f8").tobytes()


def version_1(*chunks: tuple[int, float, float, list[float]], rate: float = RATE) -> bytes:
    """A file as Saleae describes version 1."""
    data = struct.pack("<8siiQ", b"<SALEAE>", 1, 0, len(chunks))
    for initial, begin, end, times in chunks:
        data += struct.pack("<IdddQ", initial, rate, begin, end, len(times)) + np.array(times, dtype="<f8").tobytes()
    return data


def test_a_folder_of_version_0(tmp_path: Path) -> None:
    """Channels of a folder are in the order of their numbers; the samplerate is derived and the samples are exact."""
    at = [sample / RATE for sample in (-24, 1, 7, 24_000_001, 72_000_000_001)]
    (tmp_path / "digital_10.bin").write_bytes(version_0(1, -1e-5, 3000.1, at))
    (tmp_path / "digital_2.bin").write_bytes(version_0(0, -1e-5, 3000.1, [1 / RATE]))
    assert recognise(tmp_path) == "saleae_bin"
    waveform = saleae_bin.read(tmp_path, NAMES)
    edges = waveform.edges()

    assert waveform.channels == ("Channel 2", "Channel 10")
    assert "derived" in waveform.source
    assert waveform.samplerate_hz == RATE
    assert edges.samples.tolist() == [-240, -24, 1, 7, 24_000_001, 72_000_000_001]
    assert edges.levels.tolist() == [0b10, 0b00, 0b11, 0b01, 0b11, 0b01]
    assert edges.end == round(3000.1 * RATE)


def test_a_rate_that_is_given(tmp_path: Path) -> None:
    """Times that no usual rate explains need the rate, and say so; then they are put on its samples."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_0(0, 0.0, 1.0, [n / 7_654_321 for n in (1, 1000, 7_000_001)]))
    with pytest.raises(FormatError, match="--samplerate"):
        saleae_bin.read(path, NAMES)
    edges = saleae_bin.read(path, ReadOptions(samplerate_hz=Fraction(7_654_321), channels=("clk",))).edges()

    assert edges.samples.tolist() == [0, 1, 1000, 7_000_001]


def test_chunks_of_version_1_with_a_gap(tmp_path: Path) -> None:
    """Between chunks nothing is known; the level after the gap is the next chunk's first."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_1((1, 0.0, 100 / RATE, [10 / RATE]), (1, 200 / RATE, 300 / RATE, [250 / RATE])))
    edges = saleae_bin.read(path, NAMES).edges()

    assert edges.samplerate_hz == RATE
    assert edges.samples.tolist() == [0, 10, 200, 250]
    assert edges.levels.tolist() == [1, 0, 1, 0]
    assert edges.gaps.tolist() == [[100, 200]]
    assert edges.end == 300


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (version_0(0, 0.0, 1.0, [0.5])[:-3], "cut short"),
        (version_0(0, 0.0, 1.0, [0.5])[:30], "cut short"),
        (version_0(2, 0.0, 1.0, [0.5]), "damaged"),
        (version_0(0, 0.0, 1.0, [0.5, 0.25]), "back in time"),
        (version_0(0, 0.0, 1.0, [float("nan")]), "."),
        (version_1((0, 0.0, 1.0, []), rate=-5.0), "damaged"),
        (struct.pack("<8sii", b"<SALEAE>", 7, 0), "version 7"),
        (struct.pack("<8sii", b"<SALEAE>", 0, 1), "voltages"),
        (struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 2**60), "chunks"),
    ],
)
def test_damage_is_one_error(tmp_path: Path, data: bytes, says: str) -> None:
    """What cannot be read is one error that says what."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=says):
        saleae_bin.read(path, ReadOptions(samplerate_hz=Fraction(RATE))).edges()


def code(run: int) -> bytes:
    """A run length as docs/formats.md describes it."""
    value, groups = run - 1, []
    while True:
        groups.insert(0, value & 0x7F)
        value >>= 7
        if not value:
            break
    if len(groups) == 1 and groups[0] < 0x40:
        return bytes(groups)
    if groups[0] >= 0x40 or len(groups) == 1:
        groups.insert(0, 0)
    return bytes([groups[0] | 0x40, *(group | 0x80 for group in groups[1:-1]), groups[-1]])


def channel(level: int, chunks: list[list[int]], version: int = 3) -> bytes:
    """A `digital-N.bin` of runs; each chunk ends with a transition."""
    data, at = struct.pack("<8sII", b"<SALEAE>", version, 100).ljust(51, b"\0"), 0
    for runs in chunks:
        body = b"".join(map(code, runs))
        data += struct.pack("<QQHQ", at, at + sum(runs), level, len(body)) + body
        at += sum(runs)
        level ^= len(runs) & 1
    return data


def session(path: Path, *blobs: bytes) -> Path:
    """A `.sal` file of these channels."""
    meta = {
        "version": 22,
        "data": {
            "legacySettings": {"sampleRate": {"digital": 50_000_000}},
            "captureStartTime": {"unixTimeMilliseconds": 1624995793493, "fractionalMilliseconds": 0.7435},
            "rowsSettings": [{"name": "CS", "channel": {"type": "Digital", "deviceChannel": 1}}],
        },
        "binData": [{"type": "Digital", "deviceChannel": n, "file": f"./digital-{n}.bin"} for n in range(len(blobs))],
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", json.dumps(meta))
        for number, blob in enumerate(blobs):
            archive.writestr(f"digital-{number}.bin", blob)
    return path


def test_a_capture_of_logic_2(tmp_path: Path) -> None:
    """Runs of all lengths, chunks, names, samplerate and epoch."""
    runs = [[1, 63, 64, 65, 66], [8191, 8192, 8193], [128, 1 << 20, 7]]
    flat = np.cumsum(sum(runs, []))
    path = session(tmp_path / "a.sal", channel(1, runs), channel(0, [[int(flat[-1])]], version=2))
    assert recognise(path) == "sal"
    waveform = sal.read(path, NAMES)
    edges = waveform.edges()

    assert waveform.channels == ("Channel 0", "CS")
    assert waveform.samplerate_hz == 50_000_000
    assert waveform.epoch == "2021-06-29T19:43:13.493744+00:00"
    assert edges.samples.tolist() == [0, *flat[:-1].tolist()]
    assert edges.channel("Channel 0")[1].tolist() == [index & 1 for index in range(len(flat) - 1)]
    assert edges.end == flat[-1]


@settings(max_examples=50, deadline=None)
@given(
    chunks=st.lists(st.lists(st.integers(1, 2**40), min_size=1, max_size=6), min_size=1, max_size=4),
    level=st.integers(0, 1),
)
def test_any_runs(tmp_path_factory: pytest.TempPathFactory, chunks: list[list[int]], level: int) -> None:
    """Transitions of a channel are the ends of its runs."""
    path = session(tmp_path_factory.getbasetemp() / "runs.sal", channel(level, chunks))
    edges = sal.read(path, NAMES).edges()
    ends = np.cumsum(sum(chunks, [])).tolist()

    assert edges.samples.tolist() == [0, *ends[:-1]]
    assert edges.end == ends[-1]


@pytest.mark.parametrize(
    ("blob", "says"),
    [
        (channel(0, [[5]], version=4), "version 4"),
        (channel(0, [[5, 900]])[:-1], "cut short"),
        (channel(0, [[5]])[:-1] + b"\x06", "do not fill"),
        (channel(0, [[5]])[:-1] + b"\x90", "run lengths"),
        (b"<SALEAE>", "no Saleae channel"),
    ],
)
def test_what_is_not_known_of_logic_2_is_refused(tmp_path: Path, blob: bytes, says: str) -> None:
    """An encoding that does not add up is an error that tells how to export, never wrong edges."""
    path = session(tmp_path / "a.sal", blob)
    with pytest.raises(FormatError, match=f"{says}.*export"):
        sal.read(path, NAMES).edges()
