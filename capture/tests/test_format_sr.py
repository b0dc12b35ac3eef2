"""The .sr reader and writer, against sigrok-cli itself."""

from __future__ import annotations

import os
import subprocess
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from capture_reference import reference_edges
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpiorig.capture.edges import Edges
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import sr
from gpiorig.capture.formats.sr import format_samplerate, parse_samplerate, read_info, read_sr, write_sr
from gpiorig.capture.samples import EdgeExtractor

# A folder of .sr files of others to compare with sigrok-cli, such as a checkout of sigrok-dumps.
CAPTURES = sorted(Path(os.environ["GPIORIG_SR_FILES"]).rglob("*.sr")) if "GPIORIG_SR_FILES" in os.environ else []


def capture(*, channels: int = 14, samples: int = 5000, rate_hz: int = 24_000_000) -> Edges:
    """Random runs on channels c1, c2, ...; every third one is not in use."""
    random = np.random.default_rng(channels)
    names = tuple("" if bit % 3 == 2 else f"c{bit + 1}" for bit in range(channels))
    used = sum(1 << bit for bit, name in enumerate(names) if name)
    at = np.unique(np.append(random.integers(0, samples, samples // 10), 0)).astype(np.int64)
    levels = random.integers(0, 1 << min(channels, 63), at.size).astype(np.uint64) & np.uint64(used)
    keep = np.append(True, levels[1:] != levels[:-1])
    block = (at[keep], levels[keep])
    return Edges.from_blocks([block], samplerate_hz=Fraction(rate_hz), channels=names, end=samples)


def rows(edges: Edges) -> list[tuple[int, int]]:
    return list(zip(edges.samples.tolist(), edges.levels.tolist(), strict=True))


def sigrok(*arguments: str) -> bytes:
    done = subprocess.run(["sigrok-cli", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (0, b"") == (done.returncode, done.stderr)
    return done.stdout


def sigrok_rows(path: Path) -> list[tuple[int, int]]:
    """The edges of a file, according to sigrok-cli's CSV output."""
    info = read_info(path)
    bits = [bit for bit, name in enumerate(info.channels) if name]
    text = sigrok("-i", str(path), "-O", "csv:time=false:header=false:label=off").decode()
    found: list[tuple[int, int]] = []
    for sample, line in enumerate(line for line in text.splitlines() if line[:1] in "01"):
        level = sum(int(value) << bit for bit, value in zip(bits, line.split(","), strict=True))
        if not found or found[-1][1] != level:
            found.append((sample, level))
    return found


def rewrite(path: Path, **members: bytes | None) -> None:
    """Replace members of a .sr file, or leave them out."""
    with zipfile.ZipFile(path) as archive:
        content: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
    content |= members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            if data is not None:
                archive.writestr(name, data)


@pytest.mark.parametrize("channels", [1, 8, 9, 14, 16, 17, 34, 64])
def test_what_is_written_is_read(tmp_path: Path, channels: int) -> None:
    edges = capture(channels=channels)
    write_sr(tmp_path / "x.sr", edges)
    back = read_sr(tmp_path / "x.sr")

    assert rows(edges) == rows(back)
    assert (edges.samplerate_hz, edges.channels, edges.end) == (back.samplerate_hz, back.channels, back.end)


@pytest.mark.parametrize("channels", [3, 14, 34])
def test_sigrok_reads_what_is_written(tmp_path: Path, channels: int) -> None:
    edges = capture(channels=channels)
    write_sr(tmp_path / "x.sr", edges)

    assert rows(edges) == sigrok_rows(tmp_path / "x.sr")
    assert b"Samplerate: 24000000" in sigrok("-i", str(tmp_path / "x.sr"), "--show")


def test_a_file_by_sigrok_is_read(tmp_path: Path) -> None:
    """sigrok-cli makes the file from raw samples: 16 channels, three of them kept and renamed."""
    raw = b"".join(level.to_bytes(2, "little") * count for level, count in [(0, 9), (0x8001, 3), (5, 70), (4, 1)])
    (tmp_path / "x.bin").write_bytes(raw)
    source = ["-i", str(tmp_path / "x.bin"), "-I", "binary:numchannels=16:samplerate=1515151"]
    sigrok(*source, "-C", "0=strobe,2=irq,15=pps", "-o", str(tmp_path / "x.sr"))
    edges = read_sr(tmp_path / "x.sr")

    assert ("strobe", "", "irq", *[""] * 12, "pps") == edges.channels
    assert Fraction(1_515_151) == edges.samplerate_hz
    assert reference_edges(raw, unitsize=2, used=0x8005) == rows(edges)


def test_a_window_is_written_from_its_start(tmp_path: Path) -> None:
    edges = capture().window(1000, 2000)
    write_sr(tmp_path / "x.sr", edges)
    back = read_sr(tmp_path / "x.sr")

    assert [(sample - 1000, level) for sample, level in rows(edges)] == rows(back)
    assert 1000 == back.end


def test_chunks_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than ten chunks, whose names do not sort as text; and chunks cut inside a sample."""
    monkeypatch.setattr(sr, "CHUNK_BYTES", 700)
    edges = capture()
    write_sr(tmp_path / "x.sr", edges)
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        first, second = archive.read("logic-1-1"), archive.read("logic-1-2")

    assert 15 == len(read_info(tmp_path / "x.sr").chunks)
    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))
    rewrite(tmp_path / "x.sr", **{"logic-1-1": first[:333], "logic-1-2": first[333:] + second})
    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))


@given(
    runs=st.lists(st.tuples(st.integers(0, 2**10 - 1), st.integers(1, 400)), min_size=1, max_size=30),
    chunk=st.integers(2, 500),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_any_edges_survive_the_way_through_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[tuple[int, int]], chunk: int
) -> None:
    monkeypatch.setattr(sr, "CHUNK_BYTES", chunk)
    extractor = EdgeExtractor(unitsize=2)
    block = extractor.feed(b"".join(level.to_bytes(2, "little") * count for level, count in runs))
    names = tuple(f"c{bit}" for bit in range(10))
    end = extractor.samples_seen
    edges = Edges.from_blocks([block], samplerate_hz=Fraction(1), channels=names, end=end)
    write_sr(tmp_path / "x.sr", edges)

    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))


if CAPTURES:

    @pytest.mark.parametrize("path", CAPTURES, ids=[path.stem for path in CAPTURES])
    def test_captures_of_others_agree_with_sigrok(path: Path) -> None:
        """Sigrok-cli and we see the same edges in other people's files."""
        edges = read_sr(path, samplerate_hz=None if read_info(path).samplerate_hz else Fraction(1))
        raw = sigrok("-i", str(path), "-O", "binary")
        info = read_info(path)
        extractor = EdgeExtractor(
            unitsize=info.unitsize, used=sum(1 << bit for bit, name in enumerate(info.channels) if name)
        )
        expected = extractor.feed(raw)

        assert extractor.samples_seen == edges.end
        assert np.array_equal(expected[0], edges.samples)
        assert np.array_equal(expected[1], edges.levels)


@pytest.mark.parametrize(
    ("text", "expected_hz"),
    [
        ("24 MHz", 24_000_000),
        ("1MHz", 1_000_000),
        ("1.515151 MHz", 1_515_151),
        ("2 mHz", 2_000_000),
        ("24 Hz", 24),
        ("500 kHz", 500_000),
        ("1 GHz", 10**9),
        ("24000000", 24_000_000),
    ],
)
def test_samplerates_are_read_as_sigrok_writes_them(text: str, expected_hz: int) -> None:
    assert expected_hz == parse_samplerate(text)


@pytest.mark.parametrize("rate_hz", [1, 24, 12_500, 1_515_151, 24_000_000, 5 * 10**9])
def test_a_samplerate_survives_both_ways(rate_hz: int) -> None:
    assert rate_hz == parse_samplerate(format_samplerate(Fraction(rate_hz)))


@pytest.mark.parametrize("text", ["fast", "-1 MHz", "1 THz", ""])
def test_what_is_no_samplerate_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="not a samplerate"):
        parse_samplerate(text)


@pytest.mark.parametrize("line", [b"", b"samplerate=0 Hz"])
def test_a_file_without_a_samplerate_asks_for_it(tmp_path: Path, line: bytes) -> None:
    edges = capture()
    path = tmp_path / "x.sr"
    write_sr(path, edges)
    with zipfile.ZipFile(path) as archive:
        metadata = archive.read("metadata").replace(b"samplerate=24 MHz", line)
    rewrite(path, metadata=metadata)

    with pytest.raises(FormatError, match=r"x\.sr: has no samplerate; give it, for instance --samplerate 24MHz"):
        read_sr(path)
    assert rows(edges) == rows(read_sr(path, samplerate_hz=Fraction(24_000_000)))


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    write_sr(tmp_path / "x.sr", capture())
    whole = (tmp_path / "x.sr").read_bytes()
    cut = tmp_path / "cut.sr"
    for size in range(0, len(whole), 97):
        cut.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"cut\.sr: is cut short, damaged, or no sigrok session"):
            read_sr(cut)


def test_no_flipped_bit_is_taken_for_samples(tmp_path: Path) -> None:
    """sigrok-cli would read such a file and exit with status 0."""
    edges = capture()
    write_sr(tmp_path / "x.sr", edges)
    whole = (tmp_path / "x.sr").read_bytes()
    for place in range(0, len(whole), 41):
        data = bytearray(whole)
        data[place] ^= 4
        (tmp_path / "flip.sr").write_bytes(data)
        try:
            back = read_sr(tmp_path / "flip.sr")
        except CaptureError:
            continue
        assert rows(edges) == rows(back)  # a bit nobody uses, such as a date


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"logic-1-2": None}, "the chunk logic-1-2 is missing"),
        ({f"logic-1-{n}": None for n in range(1, 16)}, "the chunk logic-1-1 is missing"),
        ({"metadata": None}, "no sigrok session"),
        ({"version": b"3"}, "session format '3'"),
        ({"metadata": b"[global]\n"}, "no logic channels"),
        ({"metadata": b"[device 1]\ncapturefile=logic-1\ntotal probes=2\nprobe1=a\n"}, "no logic channels.*unitsize"),
        ({"metadata": b"[device 1]\ncapturefile=logic-1\ntotal probes=80\nprobe80=a\nunitsize=10"}, "at most 64"),
        ({"logic-1-15": b"\0"}, "ends with 1 bytes of a 2-byte sample"),
    ],
)
def test_a_file_that_must_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, bytes | None], expected: str
) -> None:
    monkeypatch.setattr(sr, "CHUNK_BYTES", 700)
    write_sr(tmp_path / "x.sr", capture())
    rewrite(tmp_path / "x.sr", **members)
    with pytest.raises(FormatError, match=expected):
        read_sr(tmp_path / "x.sr")


def test_lost_samples_cannot_be_written(tmp_path: Path) -> None:
    gaps = np.array([[4000, 5000]], dtype=np.int64)
    edges = capture().window(0, 4000)
    edges = Edges.from_blocks(
        [(edges.samples, edges.levels)],
        samplerate_hz=edges.samplerate_hz,
        channels=edges.channels,
        end=5000,
        gaps=gaps,
    )
    with pytest.raises(CaptureError, match="samples 4000 to 5000 are lost"):
        write_sr(tmp_path / "x.sr", edges)


def test_sigrok_knows_whole_hertz_only(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="3/2 Hz cannot be written"):
        format_samplerate(Fraction(3, 2))
