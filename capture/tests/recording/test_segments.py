from __future__ import annotations

import itertools
import os
import re
import struct
import threading
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gpiorig.capture.edges.losses import Loss, disjoint, put_in
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError, RecordingError
from gpiorig.capture.recording.segment_format import BODY, HEADER_SIZE, is_written
from gpiorig.capture.recording.segment_reader import SegmentReader, Segments, read_segments
from gpiorig.capture.recording.segment_writer import SegmentWriter, write_waveform

Rows = list[tuple[int, int]]


def append(writer: SegmentWriter, rows: Rows, *, watermark: int) -> None:
    samples = np.array([row[0] for row in rows], dtype=np.int64)
    writer.append(samples, np.array([row[1] for row in rows], dtype=np.uint64), watermark=watermark)


def rows(segments: Segments) -> Rows:
    edges = segments.edges(samplerate_hz=Fraction(1000), channels=("a",))
    return list(zip(edges.samples.tolist(), edges.levels.tolist(), strict=True))


def write_example(folder: Path, **options: int) -> Path:
    """Three blocks of edges, a quiet second, the end; returns the first file."""
    writer = SegmentWriter(folder, **options)
    append(writer, [(0, 1), (5, 0)], watermark=10)
    append(writer, [(10, 1)], watermark=20)
    append(writer, [], watermark=30)
    append(writer, [(31, 0), (32, 1), (33, 0)], watermark=40)
    writer.close()
    return folder / "000001.seg"


EXAMPLE: Rows = [(0, 1), (5, 0), (10, 1), (31, 0), (32, 1), (33, 0)]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_example(tmp_path)
    segments = read_segments(tmp_path)

    assert EXAMPLE == rows(segments)
    assert (40, True, "") == (segments.watermark, segments.closed, segments.torn)


@pytest.mark.parametrize("channels", [1, 8, 9, 24, 25, 64])
@pytest.mark.parametrize("quiet", [0, 5, 40])
def test_a_capture_that_changes_in_almost_every_sample(channels: int, quiet: int, tmp_path: Path) -> None:
    """It takes 1.1 times its samples at most, whatever the width; what is quiet takes 16 bytes an edge, as before."""
    random = np.random.default_rng(channels)
    writer, at, before = SegmentWriter(tmp_path), -7, 0
    expected: Rows = []
    for _ in range(6):
        samples = at + np.cumsum(random.integers(1, quiet + 2, 3000))
        levels = random.integers(0, 2**64 - 1, samples.size, dtype=np.uint64) >> np.uint64(64 - channels)
        keep = np.append(levels[:1] != before, levels[1:] != levels[:-1])
        samples, levels = samples[keep], levels[keep]
        at, before = int(samples[-1]) + 3, int(levels[-1])
        writer.append(samples, levels, watermark=at)
        expected += zip(samples.tolist(), levels.tolist(), strict=True)
    writer.close()
    size = sum(path.stat().st_size for path in tmp_path.glob("*.seg"))

    blocks = [(block.samples.tolist(), block.levels.tolist()) for block in SegmentReader(tmp_path)]
    assert expected == [row for block in blocks for row in zip(*block, strict=True)]
    raw_bytes = (at + 7) * -(-channels // 8)
    assert size <= max(1.1 * raw_bytes, 0 if quiet == 0 else 16 * len(expected) + 1000)


def test_levels_that_repeat_stay(tmp_path: Path) -> None:
    """Rows that change nothing are kept as they are."""
    changes: Rows = [(sample, sample // 2 % 2) for sample in range(4000)]
    writer = SegmentWriter(tmp_path)
    append(writer, changes, watermark=4000)
    writer.close()

    blocks = [(block.samples.tolist(), block.levels.tolist()) for block in SegmentReader(tmp_path)]
    assert changes == [row for block in blocks for row in zip(*block, strict=True)]


@pytest.mark.parametrize("count", [0, (1 << 22) + 1])
def test_a_dense_block_of_an_impossible_length(count: int, tmp_path: Path) -> None:
    """The header of a dense block with no samples, or with more than a writer makes."""
    body = BODY.pack(b"gpe1", 17, 1, count, count, zlib.crc32(bytes(count)))
    (tmp_path / "000001.seg").write_bytes(body + struct.pack("<I", zlib.crc32(body)) + bytes(count))

    with pytest.raises(FormatError, match="block 1 of kind 17 is where block 1 should be"):
        read_segments(tmp_path)


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    write_example(tmp_path, segment_bytes=100)

    assert ["000001.seg", "000002.seg"] == sorted(path.name for path in tmp_path.iterdir())[:2]
    assert EXAMPLE == rows(read_segments(tmp_path))


def test_the_folder_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path)
    append(writer, [(0, 1)], watermark=10)
    first = read_segments(tmp_path)
    append(writer, [], watermark=500)
    second = read_segments(tmp_path)
    writer.close()

    assert (10, 500) == (first.watermark, second.watermark)
    assert not second.closed
    assert not second.torn


@given(size=st.integers(0, 10_000))
def test_any_cut_loses_whole_blocks_at_the_end_only(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    folder = tmp_path_factory.mktemp("cut")
    path = write_example(folder)
    content = path.read_bytes()
    size %= len(content) + 1
    path.write_bytes(content[:size])
    segments = read_segments(folder)

    read_back = [(int(s), int(v)) for samples, levels in segments.blocks for s, v in zip(samples, levels, strict=True)]
    assert EXAMPLE[: len(read_back)] == read_back
    ends = np.cumsum([0] + [HEADER_SIZE + size for size in (32, 16, 0, 48, 0)])
    assert (size not in ends) == bool(segments.torn)
    assert (size == len(content)) == segments.closed


def test_a_tail_of_zeros_is_a_cut(tmp_path: Path) -> None:
    """After a power failure the file can be longer than what reached the disk."""
    path = write_example(tmp_path)
    path.write_bytes(path.read_bytes()[: 2 * HEADER_SIZE + 48] + bytes(1000))
    segments = read_segments(tmp_path)

    assert EXAMPLE[:3] == rows(segments)
    assert f"{path}, offset {2 * HEADER_SIZE + 48}" == segments.torn


def test_a_long_tail_of_zeros_is_damage(tmp_path: Path) -> None:
    """A block that was cut is not longer than a segment: 20 GB of nothing are not read."""
    path = write_example(tmp_path)
    path.write_bytes(path.read_bytes()[: 2 * HEADER_SIZE + 48])
    os.truncate(path, 20 << 30)
    with pytest.raises(FormatError, match=f"offset {2 * HEADER_SIZE + 48}: a block is cut short"):
        read_segments(tmp_path)


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_no_flipped_bit_is_taken_for_data(tmp_path_factory: pytest.TempPathFactory, place: int, bit: int) -> None:
    """It is refused with file and offset, or the last block counts as cut short."""
    folder = tmp_path_factory.mktemp("flip")
    path = write_example(folder)
    data = bytearray(path.read_bytes())
    place %= len(data)
    data[place] ^= 1 << bit
    path.write_bytes(data)
    try:
        segments = read_segments(folder)
    except FormatError as error:
        assert f"{path}, offset " in str(error)
    else:
        assert place >= len(data) - HEADER_SIZE - 48 - HEADER_SIZE
        assert segments.torn


def test_a_damaged_block_in_the_middle_is_refused_with_its_place(tmp_path: Path) -> None:
    path = write_example(tmp_path)
    data = bytearray(path.read_bytes())
    data[HEADER_SIZE + 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"000001\.seg, offset 0: .*checksum.*restore"):
        read_segments(tmp_path)


def test_a_missing_file_is_noticed(tmp_path: Path) -> None:
    write_example(tmp_path, segment_bytes=100)
    (tmp_path / "000002.seg").unlink()
    with pytest.raises(FormatError, match=r"block \d of kind \d is where block \d should be"):
        read_segments(tmp_path)


def test_gaps_are_kept(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path)
    append(writer, [(0, 1)], watermark=10)
    writer.gap(10, 100)
    append(writer, [(100, 1)], watermark=120)
    writer.close()
    segments = read_segments(tmp_path)

    assert [[10, 100]] == segments.gaps.tolist()
    assert [(0, 1), (100, 1)] == rows(segments)


@settings(deadline=None, max_examples=50)
@given(start=st.integers(-(10**12), 10**12), cuts=st.sets(st.integers(1, 99)), gap=st.integers(1, 50))
def test_a_waveform_comes_back(tmp_path_factory: pytest.TempPathFactory, start: int, cuts: set[int], gap: int) -> None:
    """Whatever its blocks, wherever it starts, with gaps between or in them."""
    samples = start + np.arange(100, dtype=np.int64) * 10
    samples[50:] += gap
    gaps = np.array([[samples[49] + 5, samples[50]]])
    levels = np.arange(100, dtype=np.uint64) % 4
    bounds = [0, *sorted(cuts), 100]
    blocks = [
        Block(
            samples[a:b],
            levels[a:b],
            int(samples[b]) if b < 100 else int(samples[-1]) + 7,
            gaps if a <= 49 < b else gaps[:0],
        )
        for a, b in itertools.pairwise(bounds)
    ]
    rate = Fraction(1_000_000)
    given_ = Waveform(samplerate_hz=rate, channels=("a", "b"), read=lambda: iter(blocks))
    folder = tmp_path_factory.mktemp("edges")
    write_waveform(folder, given_)
    edges = read_segments(folder).edges(samplerate_hz=rate, channels=("a", "b"))

    assert samples.tolist() == edges.samples.tolist()
    assert levels.tolist() == edges.levels.tolist()
    assert (gaps.tolist(), int(samples[-1]) + 7) == (edges.gaps.tolist(), edges.end)


def test_following_ends_with_the_capture(tmp_path: Path) -> None:
    """A reader that follows gets what is written later, and ends when the writer has ended."""
    writer = SegmentWriter(tmp_path, segment_bytes=100)
    append(writer, [(0, 1)], watermark=10)
    reader = iter(SegmentReader(tmp_path, follow=True))
    first = next(reader)
    append(writer, [(20, 0)], watermark=30)
    append(writer, [(40, 1)], watermark=50)
    writer.close(in_order=False)
    rest = list(reader)

    assert [(0, 1)] == list(zip(first.samples.tolist(), first.levels.tolist(), strict=True))
    assert [20, 40] == [sample for block in rest for sample in block.samples.tolist()]
    assert 50 == rest[-1].end


def test_only_one_writes(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path)
    with pytest.raises(RecordingError, match="a capture is running"):
        SegmentWriter.resume(tmp_path)
    assert is_written(tmp_path)
    writer.close()

    assert not is_written(tmp_path)
    assert ["000001.seg"] == [path.name for path in tmp_path.iterdir()]


def test_resuming_after_a_torn_block(tmp_path: Path) -> None:
    """The torn block is cut off, numbers continue, and the pause is a gap."""
    path = write_example(tmp_path)
    before = read_segments(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])
    writer = SegmentWriter.resume(tmp_path)
    writer.gap(writer.watermark, writer.watermark + 100)
    append(writer, [(writer.watermark, 1)], watermark=writer.watermark + 10)
    writer.close()
    after = read_segments(tmp_path)

    assert [[before.watermark, before.watermark + 100]] == after.gaps.tolist()
    assert (before.watermark + 110, True, "") == (after.watermark, after.closed, after.torn)


def test_existing_edges_are_not_overwritten(tmp_path: Path) -> None:
    write_example(tmp_path)
    with pytest.raises(RecordingError, match="there are edges already"):
        SegmentWriter(tmp_path)


def test_a_folder_without_segments_is_an_empty_capture(tmp_path: Path) -> None:
    segments = read_segments(tmp_path)

    assert ([], 0, False) == (rows(segments), segments.watermark, segments.closed)


@settings(deadline=None, max_examples=60)
@given(
    steps=st.lists(st.tuples(st.sampled_from(["rows", "quiet", "gap"]), st.integers(1, 50)), max_size=12),
    losses=st.lists(st.tuples(st.integers(0, 300), st.integers(1, 60), st.integers(0, 40)), max_size=4),
)
def test_gaps_that_adjoin_are_one(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]], losses: list[tuple[int, int, int]]
) -> None:
    """Rows, quiet times and gaps in any order, with losses put in anywhere: these are the edges of a capture.

    Every sample that was written and is in no gap keeps its level.
    """
    folder = tmp_path_factory.mktemp("gaps")
    writer = SegmentWriter(folder)
    known: dict[int, int] = {}  # level by sample of the files
    at, level, after_gap = 0, 0, True
    for kind, size in steps:
        if kind == "gap":
            writer.gap(at, at + size)
        else:
            level ^= kind == "rows"
            append(writer, [(at, level)] if after_gap or kind == "rows" else [], watermark=at + size)
            known |= dict.fromkeys(range(at, at + size), level)
        after_gap = kind == "gap"
        at += size
    writer.close()
    put = disjoint(Loss(start=a, end=a + n, samples=more, uncertainty=0, found_by="test") for a, n, more in losses)
    put = tuple(loss for loss in put if loss.start < at)
    waveform = Waveform(samplerate_hz=Fraction(1000), channels=("a",), read=lambda: put_in(SegmentReader(folder), put))
    edges = waveform.edges()

    assert np.all(edges.gaps[1:, 0] > edges.gaps[:-1, 1])
    assert edges.end == at + sum(loss.samples for loss in put) + max([0, *(loss.end - at for loss in put)])
    for sample, expected in known.items():
        if any(loss.start <= sample < loss.end for loss in put):
            continue
        there = sample + sum(loss.samples for loss in put if loss.end <= sample)
        row = int(np.searchsorted(edges.samples, there, side="right")) - 1
        assert not any(start <= there < end for start, end in edges.gaps)
        assert expected == edges.levels[row]


@pytest.mark.parametrize(
    "name",
    [
        "backup.seg",
        "000001 (copy).seg",
        "0000001.seg",
        "000000.seg",
        "00000\N{FULLWIDTH DIGIT TWO}.seg",
        f"{'1' * 5000}.seg"[-40:],
    ],
)
def test_a_file_that_is_not_a_segment_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = write_example(tmp_path)
    (tmp_path / name).write_bytes(path.read_bytes())
    with pytest.raises(FormatError, match=rf"{re.escape(name)}: is not a segment file; move it out"):
        read_segments(tmp_path)


def test_only_regular_files_are_segments(tmp_path: Path) -> None:
    """A link to an endless file is not read, nor is a folder; a link to a segment is (git-annex keeps files so)."""
    path = write_example(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    path.rename(tmp_path / "elsewhere/x")
    path.symlink_to(tmp_path / "elsewhere/x")
    assert EXAMPLE == rows(read_segments(tmp_path))
    (tmp_path / "000002.seg").symlink_to("/dev/zero")
    with pytest.raises(FormatError, match=r"000002\.seg: is not a segment file"):
        read_segments(tmp_path)
    (tmp_path / "000002.seg").unlink()
    (tmp_path / "000002.seg").mkdir()
    with pytest.raises(FormatError, match=r"000002\.seg: is not a segment file"):
        read_segments(tmp_path)


def block(number: int, samples: list[int], *, watermark: int, count: int | None = None, kind: int = 1) -> bytes:
    """A block with right checksums, whatever it contains."""
    payload = np.array([*samples, *([0] * len(samples) * (kind == 1))], dtype="<i8").tobytes()
    rows = len(samples) // kind if count is None else count
    body = BODY.pack(b"gpe1", kind, number, rows, watermark, zlib.crc32(payload))
    return body + struct.pack("<I", zlib.crc32(body)) + payload


@pytest.mark.parametrize("last", [True, False])
def test_a_false_count_asks_for_no_memory(tmp_path: Path, last: bool) -> None:
    """2^32 - 1 rows of 16 bytes are announced, and are not there."""
    rest = b"" if last else block(2, [0], watermark=10)
    (tmp_path / "000001.seg").write_bytes(block(1, [0], watermark=10, count=2**32 - 1) + rest)
    (tmp_path / "000002.seg").write_bytes(b"")
    with pytest.raises(FormatError, match=r"000001\.seg, offset 0: a block's data"):
        read_segments(tmp_path)
    (tmp_path / "000002.seg").unlink()

    assert f"{tmp_path}/000001.seg, offset 0" == read_segments(tmp_path).torn


@pytest.mark.parametrize(
    "blocks",
    [
        block(1, [5, 4], watermark=10),
        block(1, [5, 5], watermark=10),
        block(1, [5, 10], watermark=10),
        block(1, [5], watermark=10) + block(2, [5], watermark=20),
        block(1, [5], watermark=10) + block(2, [6], watermark=9),
        block(1, [5], watermark=10) + block(2, [3, 20], watermark=20, kind=2),
        block(1, [30, 20], watermark=30, kind=2),
        block(1, [20, 30], watermark=25, kind=2),
        block(1, [2**63 - 2], watermark=2**63 - 1),
        block(1, [10, 20], watermark=20, kind=2) + block(2, [21], watermark=30),
        block(1, [10, 20], watermark=20, kind=2) + block(2, [], watermark=30, kind=4),
    ],
    ids=[
        "back",
        "twice",
        "at the watermark",
        "in the next block",
        "watermark",
        "gap",
        "gap of none",
        "late",
        "far",
        "no levels",
        "closed",
    ],
)
def test_sample_numbers_that_do_not_increase_are_refused(tmp_path: Path, blocks: bytes) -> None:
    """Rows and gaps with right checksums, as no capture writes them."""
    (tmp_path / "000001.seg").write_bytes(blocks)
    with pytest.raises(FormatError, match=r"000001\.seg, offset \d+: a block's sample numbers do not increase"):
        read_segments(tmp_path)


@pytest.mark.parametrize(
    ("samples", "levels", "watermark"),
    [
        (np.arange(10), np.zeros(3, np.uint64), 20),
        (np.arange(10.0), np.zeros(10, np.uint64), 20),
        (np.arange(10), np.zeros(10, np.int64), 20),
        (np.arange(10).reshape(2, 5), np.zeros((2, 5), np.uint64), 20),
        (np.array([3, 2]), np.zeros(2, np.uint64), 20),
        (np.array([3, 20]), np.zeros(2, np.uint64), 20),
    ],
)
def test_read_backthat_no_reader_takes_are_not_written(
    tmp_path: Path, samples: NDArray[np.int64], levels: NDArray[np.uint64], watermark: int
) -> None:
    writer = SegmentWriter(tmp_path)
    with pytest.raises(CaptureError):
        writer.append(samples, levels, watermark=watermark)
    writer.close()

    assert 0 == read_segments(tmp_path).watermark


def test_a_reader_continues_where_it_ended(tmp_path: Path) -> None:
    """Read again, it gives what was written since: over a torn block, over several files."""
    writer, reader = SegmentWriter(tmp_path, segment_bytes=100), SegmentReader(tmp_path)
    seen: Rows = []
    assert [] == list(reader)
    for start in range(0, 100, 10):
        append(writer, [(start, 1), (start + 5, 0)], watermark=start + 10)
        blocks = list(reader)
        assert start + 10 == blocks[-1].end == reader.watermark
        seen += [row for block in blocks for row in zip(block.samples.tolist(), block.levels.tolist(), strict=True)]
        assert [] == list(reader)
    last = max(tmp_path.glob("*.seg"))
    content = last.read_bytes()
    append(writer, [(100, 1)], watermark=110)
    writer.close()
    grown = max(tmp_path.glob("*.seg"))
    complete = grown.read_bytes()
    grown.write_bytes(complete[: (len(content) if grown == last else 0) + 10])
    assert [] == list(reader)
    assert reader.torn and not reader.closed
    grown.write_bytes(complete)
    (block,) = list(reader)
    assert ([100], 110, True, "") == (block.samples.tolist(), block.end, reader.closed, reader.torn)
    assert [row for start in range(0, 100, 10) for row in ((start, 1), (start + 5, 0))] == seen


def test_a_look_at_the_lock_does_not_stop_a_capture(tmp_path: Path) -> None:
    """A capture can begin while other programs ask all the time whether one runs."""
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            is_written(tmp_path)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(50):
            SegmentWriter(tmp_path).close()
            (tmp_path / "000001.seg").unlink()
    finally:
        over.set()
        asking.join()
