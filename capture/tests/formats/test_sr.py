"""The .sr reader and writer, against sigrok-cli itself."""

from __future__ import annotations

import itertools
import os
import re
import struct
import subprocess
import threading
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from capture_reference import reference_edges
from depth import by_depth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpiorig.capture.archive import chunk_reader, chunks, sr_session, zip_archive
from gpiorig.capture.archive.sr_session import read_info
from gpiorig.capture.archive.zip_archive import STORED, ArchiveWriter, read_directory
from gpiorig.capture.archive.zip_archive import content as member_content
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import sr
from gpiorig.capture.formats.sr import format_samplerate, read_sr, write_sr
from gpiorig.capture.numbers import parse_samplerate

# A folder of third-party .sr files to compare with sigrok-cli, such as a checkout of sigrok-dumps.
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
    changes: list[tuple[int, int]] = []
    for sample, line in enumerate(line for line in text.splitlines() if line[:1] in "01"):
        level = sum(int(value) << bit for bit, value in zip(bits, line.split(","), strict=True))
        if not changes or changes[-1][1] != level:
            changes.append((sample, level))
    return changes


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


def streamed(edges: Edges, cuts: list[int]) -> Waveform:
    """The edges in blocks that end at these samples."""

    def read() -> Iterator[Block]:
        before = edges.start
        for cut in [*cuts, edges.end]:
            low, high = np.searchsorted(edges.samples, [before, cut])
            inside = edges.gaps[(edges.gaps[:, 0] >= before) & (edges.gaps[:, 0] < cut)]
            yield Block(edges.samples[low:high], edges.levels[low:high], cut, inside)
            before = cut

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read)


def test_any_window_of_a_stream_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows and blocks that end at, before and after an edge, a chunk and each other; in chunks of 10 samples."""
    monkeypatch.setattr(sr, "CHUNK_BYTES", 10)
    samples, levels = np.array([3, 4, 17, 23, 24, 40]), np.array([1, 2, 3, 0, 1, 2], dtype=np.uint64)
    edges = Edges.from_blocks([(samples, levels)], samplerate_hz=Fraction(1000), channels=("a", "b"), end=45)
    plain = [int(levels[np.searchsorted(samples, at, side="right") - 1]) for at in range(3, 45)]
    for start, end in [(None, None), (0, 99), (3, 13), (3, 23), (4, 24), (5, 17), (23, 24), (24, None), (41, 45)]:
        first, last = max(start or 3, 3), min(end or 45, 45)
        for cuts in ([], [13], [4, 23], [23, 24, 33], [17, 18, 43, 44]):
            note = sr.write(tmp_path / "x.sr", streamed(edges, cuts), start=start, end=end)
            back = read_sr(tmp_path / "x.sr")
            assert plain[first - 3 : last - 3] == levels_at(back).tolist(), (start, end, cuts)
            assert f"nothing is rounded; sample 0 of the file is sample {first} of the capture" == note
            assert -(-(last - first) // 10) == len(read_info(tmp_path / "x.sr").chunks)


@pytest.mark.parametrize(
    ("start", "end", "is_lost"),
    [(None, 20, False), (None, 21, True), (10, 20, False), (29, None, True), (30, None, False), (30, 31, False)],
)
def test_a_window_next_to_a_gap_is_written(tmp_path: Path, start: int | None, end: int | None, is_lost: bool) -> None:
    """Samples 20 to 30 are lost; the windows that the refusal names are written."""
    edges = Edges.from_blocks(
        [(np.array([0, 5, 30]), np.array([1, 2, 3], dtype=np.uint64))],
        samplerate_hz=Fraction(1000),
        channels=("a", "b"),
        end=40,
        gaps=np.array([[20, 30]]),
    )
    for cuts in ([], [7], [31]):
        content = streamed(edges, cuts)
        if is_lost:
            with pytest.raises(CaptureError, match=r"samples 20 to 30 .* --to 20sa, or after it, --from 30sa"):
                sr.write(tmp_path / "x.sr", content, start=start, end=end)
        else:
            sr.write(tmp_path / "x.sr", content, start=start, end=end)
            assert (end or 40) - (start or 0) == read_sr(tmp_path / "x.sr").end


@pytest.mark.parametrize("start", [0, 7])
@pytest.mark.parametrize("excess", [0, 1])
def test_the_longest_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int, excess: int) -> None:
    """As many chunks as a reader takes; the refusal names the samples and their size in the file."""
    monkeypatch.setattr(sr, "MAX_CHUNKS", 3)
    length = 3 * sr.CHUNK_BYTES + excess
    block = Block(np.array([0]), np.array([1], dtype=np.uint64), start + length)
    content = Waveform(samplerate_hz=Fraction(24_000_000), channels=("a",), read=lambda: iter([block]))
    if not excess:
        sr.write(tmp_path / "x.sr", content, start=start)
        assert length == read_sr(tmp_path / "x.sr").end
        return
    with pytest.raises(CaptureError, match=f"at least {length} samples at 24000000 Hz would be 0 TiB in a .sr file"):
        sr.write(tmp_path / "x.sr", content, start=start)
    block = Block(np.array([0]), np.array([1], dtype=np.uint64), 5 << 40)
    with pytest.raises(CaptureError, match=r"would be 5 TiB in a \.sr file; export a window"):
        sr.write(tmp_path / "x.sr", content)
    assert not (tmp_path / "x.sr").exists()


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


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_through_small_buffers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: int, threads: int
) -> None:
    """As zipfile writes them, with a long extra field; of a few rows and bytes at once, in batches of any size."""
    data = np.repeat(np.random.default_rng(3).integers(0, 256, 300, dtype=np.uint8), 3).tobytes()
    expected = reference_edges(data, unitsize=1)
    with zipfile.ZipFile(tmp_path / "x.sr", "w", method) as archive:
        archive.writestr("version", "2")
        probes = "".join(f"probe{bit + 1}=D{bit}\n" for bit in range(8))
        text = f"[device 1]\ncapturefile=logic-1\ntotal probes=8\nsamplerate=1 MHz\n{probes}unitsize=1\n"
        archive.writestr("metadata", text)
        for number, at in enumerate(range(0, len(data), 150), 1):
            info = zipfile.ZipInfo(f"logic-1-{number}")
            info.compress_type = method
            info.extra = b"\xfe\xca" + struct.pack("<H", 40 * number) + bytes(40 * number)
            archive.writestr(info, data[at : at + 150])
    monkeypatch.setattr(sr, "THREADED_S", 0)
    monkeypatch.setattr(sr, "MAX_THREADS", threads)
    for rows_at_once, input_bytes, slack, batch_bytes, batch_chunks in itertools.product(
        (2, 7), (5, 150), (20, 100), (1, 300), (1, 3)
    ):
        monkeypatch.setattr(chunk_reader, "ROWS", rows_at_once)
        monkeypatch.setattr(chunk_reader, "INPUT_BYTES", input_bytes)
        monkeypatch.setattr(chunk_reader, "HEADER_SLACK", slack)
        monkeypatch.setattr(chunks, "BATCH_BYTES", batch_bytes)
        monkeypatch.setattr(chunks, "BATCH_CHUNKS", batch_chunks)
        edges = read_sr(tmp_path / "x.sr")

        assert (expected, len(data)) == (rows(edges), edges.end)


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
    waveform = sr.read(path, ReadOptions(as_sigrok=True))
    assert (1, RateOrigin.NONE) == (waveform.samplerate_hz, waveform.rate_origin)
    assert rows(edges) == rows(waveform.edges())


def test_channels_as_sigrok_has_them(tmp_path: Path) -> None:
    """One without a name is called by its number, from 0; one that a sample has no bit for is omitted, and named."""
    path = tmp_path / "x.sr"
    write_sr(path, capture())
    with zipfile.ZipFile(path) as archive:
        metadata = archive.read("metadata").decode()
    names = read_sr(path).channels
    lines = [line for line in metadata.splitlines() if not line.startswith("total probes")]
    rewrite(path, metadata="\n".join([*lines, "total probes=20", "probe20=late"]).encode())

    with pytest.raises(FormatError, match="has 20 channels in"):
        read_sr(path)
    waveform = sr.read(path, ReadOptions(as_sigrok=True))
    assert (*(name or str(bit) for bit, name in enumerate(names)), "14", "15") == waveform.channels
    assert ["channels that have no bit in a sample are omitted: 16, 17, 18 and 1 more"] == waveform.remarks


def test_an_indented_line_is_a_key_of_its_own(tmp_path: Path) -> None:
    """As other people's files have it: " trigger1 = 0" after the first name."""
    write_sr(tmp_path / "x.sr", capture())
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        metadata = archive.read("metadata").replace(b"probe1=c1\n", b"probe1=c1\n trigger1 = 0\n")
    rewrite(tmp_path / "x.sr", metadata=metadata)

    assert "c1" == read_info(tmp_path / "x.sr").channels[0]


def test_channels_of_one_name_stay_two(small: tuple[Path, Edges]) -> None:
    """A channel is its number in sigrok, and its name here: the second one gets its number after the name."""
    path, expected = small
    with zipfile.ZipFile(path) as archive:
        metadata = archive.read("metadata").replace(b"probe5=c5", b"probe5=c2")
    rewrite(path, metadata=metadata)
    edges = read_sr(path)

    assert ("c1", "c2", "c3", "c4", "c2#5") == edges.channels[:5]
    assert np.array_equal(expected.levels, edges.levels)


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        ("samplerate=1 MHz", "samplerate=" + "9" * 400 + " Hz", "is not a samplerate"),
        ("samplerate=1 MHz", "samplerate=0." + "0" * 400 + "1 Hz", "is not a samplerate"),
        ("samplerate=1 MHz", "samplerate=" + "9" * 5000, "is not a samplerate"),
        ("samplerate=1 MHz", "samplerate=999999999999 GHz", "a samplerate of 1e.21 Hz is out of range"),
        ("total probes=8", "total probes=" + "9" * 5000, "'total probes' is not an integer"),
        ("unitsize=1", "unitsize=-1", "'unitsize' is not an integer"),
        ("unitsize=1", "unitsize=0", "has 8 channels in 0 bytes per sample"),
        ("unitsize=1", "unitsize=9", "has 8 channels in 9 bytes per sample"),
        ("unitsize=1", "unitsize=1_0", "'unitsize' is not an integer"),
        ("total probes=8", "total probes=20\nprobe20=late", "has 20 channels in 1 bytes per sample"),
        ("probe8=c8", "probe9=c9", "has 8 channels in 1 bytes per sample"),
    ],
)
def test_numbers_in_the_metadata_are_bounded(small: tuple[Path, Edges], line: str, value: str, expected: str) -> None:
    path, _ = small
    with zipfile.ZipFile(path) as archive:
        metadata = archive.read("metadata").decode()
    assert line in metadata
    rewrite(path, metadata=metadata.replace(line, value).encode())
    with pytest.raises(FormatError, match=expected) as caught:
        read_sr(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_channels_that_were_disabled_need_no_bytes(small: tuple[Path, Edges]) -> None:
    """An analyzer of 16 channels of which the lower eight are in use has samples of one byte."""
    path, edges = small
    with zipfile.ZipFile(path) as archive:
        metadata = archive.read("metadata").replace(b"total probes=8", b"total probes=16")
    rewrite(path, metadata=metadata)
    assert rows(edges) == rows(read_sr(path))


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    write_sr(tmp_path / "x.sr", capture())
    content = (tmp_path / "x.sr").read_bytes()
    cut = tmp_path / "cut.sr"
    for size in range(0, len(content), 97):
        cut.write_bytes(content[:size])
        with pytest.raises(FormatError, match=r"cut\.sr: is cut short, damaged, or no sigrok session"):
            read_sr(cut)


def test_no_flipped_bit_is_taken_for_samples(tmp_path: Path) -> None:
    """sigrok-cli would read such a file and exit with status 0."""
    edges = capture()
    write_sr(tmp_path / "x.sr", edges)
    content = (tmp_path / "x.sr").read_bytes()
    for place in range(0, len(content), 41):
        data = bytearray(content)
        data[place] ^= 4
        (tmp_path / "flip.sr").write_bytes(data)
        try:
            back = read_sr(tmp_path / "flip.sr")
        except CaptureError:
            continue
        assert rows(edges) == rows(back)  # an unused bit, such as of a date


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
    with pytest.raises(CaptureError, match=r"samples 4000 to 5000 are not known.*--to 4000sa, or after it"):
        write_sr(tmp_path / "x.sr", edges)


def test_sigrok_knows_whole_hertz_only(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="3/2 Hz cannot be written"):
        format_samplerate(Fraction(3, 2))


FIELDS = {"packed": 20, "size": 24, "name": 46}  # in an entry of the directory (APPNOTE.TXT 6.3.10, 4.3.12)
LOCAL_FIELDS = {"crc": 14, "packed": 18, "size": 22}  # in a local header (4.3.7)


def entry(data: bytes, name: bytes, field: str) -> int:
    """Offset of a field of a member's entry in the directory."""
    places = [match.start() - FIELDS["name"] for match in re.finditer(re.escape(name), data)]
    (place,) = (at for at in places if data[at:].startswith(b"PK\1\2") and data[at + 28] == len(name))
    return place + FIELDS[field]


def levels_at(edges: Edges) -> NDArray[np.uint64]:
    """The levels of each sample."""
    return edges.levels[np.searchsorted(edges.samples, np.arange(edges.end), side="right") - 1]


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Edges]:
    """A file of ten chunks of 30 samples on eight channels, nearly each of them an edge, and one of 17."""
    path = tmp_path / "small.sr"
    data = [bytes((at * 7 + number) % 251 for at in range(30 if number < 10 else 17)) for number in range(11)]
    names = "".join(f"probe{bit}=c{bit}\n" for bit in range(1, 9))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version", "2")
        archive.writestr(
            "metadata",
            f"[device 1]\ncapturefile=logic-1\ntotal probes=8\nsamplerate=1 MHz\n{names}unitsize=1\n",
        )
        for number, chunk in enumerate(data, start=1):
            archive.writestr(f"logic-1-{number}", chunk)
    return path, read_sr(path)


@pytest.mark.slow
def test_no_bit_of_the_directory_costs_samples_unsaid(small: tuple[Path, Edges]) -> None:
    path, edges = small
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    errors = 0
    for place in range(directory, len(content)):
        for bit in range(8):
            data = bytearray(content)
            data[place] ^= 1 << bit
            path.write_bytes(data)
            try:
                back = read_sr(path)
            except FormatError:
                errors += 1
                continue
            assert (rows(edges), edges.end) == (rows(back), back.end), (place - directory, bit)
    assert 3000 < errors < 8 * (len(content) - directory)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"logic-1-05", "members that are not of a session: logic-1-05"),
        (b"xogic-1-10", "members that are not of a session: xogic-1-10"),
        (b"logic-1-00", "members that are not of a session: logic-1-00"),
        (b"logic-1-11", "logic-1-10 is missing: the samples from 270 on are lost"),
        (b"logic-1-12", "logic-1-10 is missing: the samples from 270 on are lost"),
    ],
)
def test_a_chunk_of_another_name_is_an_error_or_a_remark(small: tuple[Path, Edges], name: bytes, expected: str) -> None:
    """Its CRC is right, so that only names show that it replaces another; its samples are a gap."""
    path, edges = small
    data = bytearray(path.read_bytes())
    place = entry(data, b"logic-1-10", "name")
    data[place : place + len(name)] = name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=expected):
        read_sr(path)

    waveform = sr.read(path, ReadOptions(recover=True))
    back = waveform.edges()
    assert (without(edges, 270, 300), [[270, 300]], 317) == (rows(back), back.gaps.tolist(), back.end)
    assert f"are omitted: {name.decode()}" in waveform.remarks[0]
    assert "the numbers of the samples after chunk 10 are a guess" in waveform.remarks[1]


def test_a_number_that_comes_twice_is_an_error(small: tuple[Path, Edges]) -> None:
    path, edges = small
    data = bytearray(path.read_bytes())
    data[entry(data, b"logic-1-5", "name") + 8] = ord("4")
    path.write_bytes(data)
    with pytest.raises(FormatError, match="logic-1-4 comes twice: the samples from 120 on are lost"):
        read_sr(path)
    assert (without(edges, 120, 150), [[120, 150]], 317) == recovered(path)


@pytest.mark.parametrize("damage", ["none", "content"])
def test_levels_outside_of_gaps_are_right_or_said_to_be_a_guess(small: tuple[Path, Edges], damage: str) -> None:
    """Each bit of each field of length, in both headers; where the content is complete, no sample is lost at all."""
    path, edges = small
    original = bytearray(path.read_bytes())
    expected = levels_at(edges)
    with zipfile.ZipFile(path) as archive:
        headers = {number: archive.getinfo(f"logic-1-{number}").header_offset for number in (1, 5, 11)}
    for number, header in headers.items():
        name = f"logic-1-{number}".encode()
        content = header + 30 + len(name) + 20
        places = [entry(original, name, "packed"), entry(original, name, "size")]
        places += [header + LOCAL_FIELDS["packed"], header + LOCAL_FIELDS["size"]]
        for place, bit in itertools.product(places, by_depth([0, 4, 7, 16, 31], range(32))):
            data = bytearray(original)
            data[place + bit // 8] ^= 1 << bit % 8
            data[content] ^= 0x55 if damage == "content" else 0
            path.write_bytes(data)
            waveform = sr.read(path, ReadOptions(recover=True))
            back = waveform.edges()
            if damage == "none":
                assert (rows(edges), [], edges.end) == (rows(back), back.gaps.tolist(), back.end)
                continue
            known = np.ones(back.end, dtype=bool)
            for start, end in back.gaps.tolist():
                known[start:end] = False
            known[: int(back.samples[0])] = False
            same = known.size <= expected.size and np.array_equal(expected[: known.size][known], levels_at(back)[known])
            assert same or any("are a guess" in remark for remark in waveform.remarks), (number, place, bit)


def test_a_size_that_is_wrong_shifts_nothing(small: tuple[Path, Edges]) -> None:
    path, edges = small
    for size in (0, 14, 46, 2**32 - 2):
        data = bytearray(path.read_bytes())
        struct.pack_into("<I", data, entry(data, b"logic-1-5", "size"), size)
        path.write_bytes(data)
        with pytest.raises(FormatError, match="logic-1-5"):
            read_sr(path)
        assert (rows(edges), [], edges.end) == recovered(path)


def test_a_chunk_of_an_unknown_method_is_an_error_or_a_gap(small: tuple[Path, Edges]) -> None:
    path, edges = small
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        header = archive.getinfo("logic-1-5").header_offset
    for place in (entry(data, b"logic-1-5", "name") - 36, header + 8):
        data[place] = 12  # bzip2: APPNOTE.TXT 4.4.5
    path.write_bytes(data)
    with pytest.raises(FormatError, match="logic-1-5 is compressed by method 12"):
        read_sr(path)
    assert (without(edges, 120, 150), [[120, 150]], 317) == recovered(path)


def test_names_in_an_error_are_short_and_printable(small: tuple[Path, Edges]) -> None:
    path, _ = small
    rewrite(path, **{"\x1b[2J" + "x" * 900 + "\n": b"1"})
    with pytest.raises(FormatError, match=r"not of a session: \?\[2Jx{36}; the file is damaged") as caught:
        read_sr(path)
    assert "\x1b" not in str(caught.value)


def test_a_chunk_with_a_number_beyond_is_read_at_once(small: tuple[Path, Edges]) -> None:
    """A million chunks that are missing are one gap, and one object."""
    path, _ = small
    with zipfile.ZipFile(path) as archive:
        chunk = archive.read("logic-1-1")
    rewrite(path, **{f"logic-1-{number}": None for number in range(1, 12)}, **{"logic-1-1048000": chunk})
    assert 2 == len(read_info(path, recover=True).chunks)
    rewrite(path, **{"logic-1-1048000": None, "logic-1-1048577": chunk})
    with pytest.raises(FormatError, match="no chunk with samples that is left"):
        read_info(path, recover=True)


@pytest.mark.parametrize(
    ("name", "field", "format", "value", "expected"),
    [
        (b"metadata", "packed", "<I", 0xFF0001AB, "its member metadata is beyond its end"),
        (b"logic-1-5", "packed", "<I", 0x7FFFFFFF, "its member logic-1-5 is beyond its end"),
        (b"version", "size", "<I", 1 << 21, "its member version has 2097152 bytes, more than 1048576"),
    ],
)
def test_an_entry_beyond_the_file_is_refused_before_it_is_read(
    small: tuple[Path, Edges], name: bytes, field: str, format: str, value: int, expected: str
) -> None:
    path, _ = small
    data = bytearray(path.read_bytes())
    struct.pack_into(format, data, entry(data, name, field), value)
    path.write_bytes(data)
    with pytest.raises(FormatError, match=expected):
        read_sr(path)


def test_metadata_that_inflate_without_end_are_refused(tmp_path: Path) -> None:
    """64 MB of zeros declared as few: inflating stops at the limit, whatever the directory states."""
    path = tmp_path / "x.sr"
    zeros = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(64)) + zeros.flush()
    with path.open("wb") as file:
        archive = ArchiveWriter(file)
        archive.add("version", b"2", method=STORED, crc=zlib.crc32(b"2"), size=1)
        archive.add("metadata", packed, method=8, crc=0, size=100)
        archive.close()
    tracemalloc.start()
    with pytest.raises(FormatError, match="its member metadata is damaged"):
        read_sr(path)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_fields_of_zip64_beyond_64_bits_are_refused(small: tuple[Path, Edges]) -> None:
    path, _ = small
    content = path.read_bytes()
    end = content.rindex(zip_archive.END_MAGIC)
    locator = zip_archive.LOCATOR64.pack(zip_archive.LOCATOR64_MAGIC, 0, 2**64 - 1, 1)
    path.write_bytes(content[:end] + locator + content[end:])
    with pytest.raises(FormatError, match="its zip64 directory is damaged"):
        read_sr(path)


def recovered(path: Path, *, threads: int = 1) -> tuple[list[tuple[int, int]], list[list[int]], int]:
    """Edges, gaps and end of a file that is read on past its damage."""
    edges = sr.read(path, ReadOptions(recover=True), threads=threads).edges()
    return rows(edges), edges.gaps.tolist(), edges.end


@pytest.fixture
def chunked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Edges]:
    """A file of 15 chunks of 350 samples, the last one shorter."""
    monkeypatch.setattr(sr, "CHUNK_BYTES", 700)
    edges = capture()
    write_sr(tmp_path / "x.sr", edges)
    return tmp_path / "x.sr", edges


def without(edges: Edges, start: int, end: int) -> list[tuple[int, int]]:
    """The edges outside a range, and the levels at its end."""
    level = int(edges.levels[np.searchsorted(edges.samples, end, side="right") - 1])
    before = [row for row in rows(edges) if row[0] < start]
    return [*before, (end, level), *(row for row in rows(edges) if row[0] > end)]


def test_a_missing_chunk_is_an_error_or_a_gap(chunked: tuple[Path, Edges]) -> None:
    path, edges = chunked
    rewrite(path, **{"logic-1-4": None})

    with pytest.raises(FormatError, match="logic-1-4 is missing: the samples from 1050 on are lost"):
        read_sr(path)
    assert (without(edges, 1050, 1400), [[1050, 1400]], 5000) == recovered(path)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_damaged_chunk_is_an_error_or_a_gap(
    chunked: tuple[Path, Edges], monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(sr, "THREADED_S", 0)
    path, edges = chunked
    with zipfile.ZipFile(path) as archive:
        offset = archive.getinfo("logic-1-4").header_offset
    data = bytearray(path.read_bytes())
    data[offset + 30 + len("logic-1-4") + 60] ^= 0x10
    path.write_bytes(data)

    with pytest.raises(FormatError, match=r"the chunk logic-1-4 .*: samples 1050 to 1400 are lost"):
        sr.read(path, ReadOptions(), threads=threads).edges()
    assert (without(edges, 1050, 1400), [[1050, 1400]], 5000) == recovered(path, threads=threads)


def test_a_wrong_crc_is_an_error(chunked: tuple[Path, Edges]) -> None:
    path, _ = chunked
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"logic-1-4") - 46  # in the directory; the CRC is 16 bytes into an entry
    data[entry + 16] ^= 1
    path.write_bytes(data)

    with pytest.raises(FormatError, match=r"logic-1-4 is damaged \(its CRC is wrong\): samples 1050 to 1400 are lost"):
        read_sr(path)


def test_a_file_that_was_cut_short_is_read_as_far_as_it_goes(chunked: tuple[Path, Edges]) -> None:
    path, edges = chunked
    with zipfile.ZipFile(path) as archive:
        infos = [archive.getinfo(f"logic-1-{number}") for number in range(1, 16)]
    content = path.read_bytes()
    for info in infos[1:]:
        path.write_bytes(content[: info.header_offset])
        whole_chunks = infos.index(info)
        assert [row for row in rows(edges) if row[0] < 350 * whole_chunks] == recovered(path)[0]
    path.write_bytes(content[: infos[3].header_offset + 100])
    left, gaps, end = recovered(path)
    cut = gaps[0][0]

    assert 1050 < cut < 1400
    assert ([[cut, 1400]], 1400) == (gaps, end)
    assert [row for row in rows(edges) if row[0] < cut] == left


def test_a_chunk_that_is_cut_before_its_first_sample_joins_the_gap_before(chunked: tuple[Path, Edges]) -> None:
    path, edges = chunked
    with zipfile.ZipFile(path) as archive:
        third, fourth = archive.getinfo("logic-1-3").header_offset, archive.getinfo("logic-1-4").header_offset
    data = bytearray(path.read_bytes()[: fourth + 30 + len("logic-1-4")])
    data[third + 30 + len("logic-1-3") + 60] ^= 0x10
    path.write_bytes(data)

    assert ([row for row in rows(edges) if row[0] < 700], [[700, 1400]], 1400) == recovered(path)


def test_a_file_that_lost_its_first_chunk_begins_later(chunked: tuple[Path, Edges]) -> None:
    path, edges = chunked
    rewrite(path, **{"logic-1-1": None, "logic-1-2": None})

    left, gaps, end = recovered(path)
    assert (without(edges, 0, 700), [], 5000) == (left, gaps, end)


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_give_the_edges_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Batches of one chunk, blocks of three edges; chunks that are cut within a sample are read by one thread."""
    monkeypatch.setattr(sr, "THREADED_S", 0)
    monkeypatch.setattr(sr, "CHUNK_BYTES", 70)
    monkeypatch.setattr(chunks, "BATCH_CHUNKS", 1)
    monkeypatch.setattr(chunk_reader, "ROWS", 3)
    edges = capture()
    write_sr(tmp_path / "x.sr", edges)
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        first, second = archive.read("logic-1-1"), archive.read("logic-1-2")
    rewrite(tmp_path / "x.sr", **{"logic-1-1": first[:33], "logic-1-2": first[33:] + second})
    waveform = sr.read(tmp_path / "x.sr", ReadOptions(), threads=threads)
    before = threading.active_count()

    assert rows(edges) == rows(waveform.edges())
    blocks = waveform.read()
    next(blocks)
    assert threading.active_count() == before + threads
    blocks.close()  # type: ignore[attr-defined]  # the threads end though much is left to read
    assert threading.active_count() == before


def test_where_there_is_little_to_read_no_thread_is_started(
    chunked: tuple[Path, Edges], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second thread costs more than it saves: a sparse file of 10 s took 5.2 ms in place of 3.1."""
    monkeypatch.setattr(chunk_reader, "ROWS", 3)
    path, edges = chunked
    before = threading.active_count()
    blocks = sr.read(path, ReadOptions(), threads=2).read()
    next(blocks)

    assert threading.active_count() == before
    assert edges.end == [block.end for block in blocks][-1]


@pytest.mark.slow
def test_format_1_has_a_single_member(tmp_path: Path) -> None:
    edges = capture(samples=3_000_000)
    write_sr(tmp_path / "x.sr", edges)
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        samples = archive.read("logic-1-1") + archive.read("logic-1-2")
    rewrite(tmp_path / "x.sr", **{"version": b"1", "logic-1": samples, "logic-1-1": None, "logic-1-2": None})

    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))


def test_a_member_in_pieces_and_a_stored_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_reader, "INPUT_BYTES", 1000)
    edges = capture(samples=200_000)
    write_sr(tmp_path / "x.sr", edges)
    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(tmp_path / "stored.sr", "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    assert rows(edges) == rows(read_sr(tmp_path / "stored.sr"))


def test_more_members_than_a_plain_zip_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zip64, written by us, read by us, by zipfile and by sigrok-cli; that it begins at 65 535 members is PKWARE's."""
    assert 65_535 == zip_archive.FEWEST_ZIP64
    members = by_depth(3000, 70_000)
    monkeypatch.setattr(sr, "CHUNK_BYTES", 2)
    monkeypatch.setattr(zip_archive, "FEWEST_ZIP64", by_depth(1000, 65_535))
    edges = capture(samples=members)
    write_sr(tmp_path / "x.sr", edges)
    assert zip_archive.END64_MAGIC in (tmp_path / "x.sr").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.sr") as archive:
        assert members + 2 == len(archive.namelist())
        assert b"[device 1]" in archive.read("metadata")
    assert rows(edges) == rows(read_sr(tmp_path / "x.sr"))
    assert 2 * members == len(sigrok("-i", str(tmp_path / "x.sr"), "-O", "binary"))


def test_offsets_beyond_4_gib(tmp_path: Path) -> None:
    """The archive of a sparse file whose first member is 4 GiB of nothing."""
    path = tmp_path / "x.zip"
    with path.open("wb") as file:
        archive = ArchiveWriter(file)
        archive._at = file.seek(5 << 30)
        archive.add("late", b"data", method=STORED, crc=zlib.crc32(b"data"), size=4)
        archive.close()
    with path.open("rb") as file:
        (member,) = read_directory(file)
        assert (5 << 30, b"data") == (member.offset, member_content(file, member))
    with zipfile.ZipFile(path) as read:
        assert b"data" == read.read("late")


@pytest.mark.slow
def test_a_long_quiet_capture_is_written_from_its_blocks(tmp_path: Path) -> None:
    """Ten minutes at 24 MHz; blocks that end inside and between edges."""
    end = 14_400_000_000
    blocks = [
        Block(np.array([0, 5], dtype=np.int64), np.array([1, 2], dtype=np.uint64), 6),
        Block(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64), 7_000_000_000),
        Block(np.array([7_000_000_000, end - 1], dtype=np.int64), np.array([3, 0], dtype=np.uint64), end),
    ]
    waveform = Waveform(samplerate_hz=Fraction(24_000_000), channels=("a", "b"), read=lambda: iter(blocks))
    note = sr.write(tmp_path / "x.sr", waveform)
    back = read_sr(tmp_path / "x.sr")

    assert ([(0, 1), (5, 2), (7_000_000_000, 3), (end - 1, 0)], end) == (rows(back), back.end)
    assert "nothing is rounded" in note
    sr.write(tmp_path / "w.sr", waveform, start=6_999_999_999, end=7_000_000_010)
    window = read_sr(tmp_path / "w.sr")
    assert ([(0, 2), (1, 3)], 11) == (rows(window), window.end)
    assert rows(window) == sigrok_rows(tmp_path / "w.sr")


def test_how_long_a_session_is_and_what_no_session_is(small: tuple[Path, Edges]) -> None:
    """Its samples by its chunks; a zip that was cut can be recovered, another file cannot."""
    path, _ = small
    assert 317 == read_info(path).samples
    metadata = zipfile.ZipFile(path).read("metadata")
    rewrite(path, metadata=re.sub(rb"\nprobe[^\n]*", b"", metadata))
    with pytest.raises(FormatError, match="has 8 channels in 1 bytes per sample"):
        read_sr(path)
    data = path.read_bytes()
    path.write_bytes(data[:-30])
    with pytest.raises(FormatError, match=r"save it again; --recover reads it as far as it goes"):
        read_sr(path)
    path.write_bytes(b"X" + data[1:-30])
    with pytest.raises(FormatError, match=r"no sigrok session \(there is no directory at its end\)") as refusal:
        read_sr(path)
    assert "--recover" not in str(refusal.value)


@pytest.mark.parametrize("excess", [0, 1])
def test_the_last_number_of_a_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    monkeypatch.setattr(sr_session, "MAX_CHUNKS", 15 - excess)
    monkeypatch.setattr(sr, "CHUNK_BYTES", 700)
    write_sr(tmp_path / "x.sr", capture())
    if excess:
        with pytest.raises(FormatError, match="members that are not of a session: logic-1-15"):
            read_sr(tmp_path / "x.sr")
    else:
        assert 5000 == read_sr(tmp_path / "x.sr").end


def test_a_chunk_whose_length_is_another_than_its_header_states(small: tuple[Path, Edges]) -> None:
    """Compressed bytes that are missing are damage, also where those that follow would complete them."""
    path, edges = small
    data = path.read_bytes()
    for field, by, problem in (("packed", -1, "logic-1-3 is damaged"), ("size", -1, "logic-1-3 is longer than its")):
        at = entry(data, b"logic-1-3", field)
        (value,) = struct.unpack_from("<I", data, at)
        path.write_bytes(data[:at] + struct.pack("<I", value + by) + data[at + 4 :])
        with pytest.raises(FormatError, match=f"{problem}.*: samples 60 to .* are lost; .*--recover"):
            read_sr(path)
    path.write_bytes(data)
    assert rows(edges) == rows(read_sr(path))


def test_a_missing_chunk_counts_as_most_do(small: tuple[Path, Edges]) -> None:
    """The last one, which is shorter and whose length is sure, keeps it."""
    path, edges = small
    rewrite(path, **{"logic-1-3": None})
    waveform = sr.read(path, ReadOptions(recover=True))
    back = waveform.edges()

    assert ([[60, 90]], 317) == (back.gaps.tolist(), back.end)
    assert [row for row in rows(edges) if not 60 <= row[0] <= 90] == [row for row in rows(back) if row[0] != 90]
    (remark,) = waveform.remarks
    assert "how long the chunks 3 were" in remark and "each counts as 30 samples, as most have" in remark
