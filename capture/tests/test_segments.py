from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.capture.errors import FormatError, RecordingError
from gpiorig.capture.segmentreader import Segments, read_segments
from gpiorig.capture.segments import HEADER_SIZE, SegmentWriter

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
    whole = path.read_bytes()
    size %= len(whole) + 1
    path.write_bytes(whole[:size])
    segments = read_segments(folder)

    found = [(int(s), int(v)) for samples, levels in segments.blocks for s, v in zip(samples, levels, strict=True)]
    assert EXAMPLE[: len(found)] == found
    ends = np.cumsum([0] + [HEADER_SIZE + bytes_ for bytes_ in (32, 16, 0, 48, 0)])
    assert (size not in ends) == bool(segments.torn)
    assert (size == len(whole)) == segments.closed


def test_a_tail_of_zeros_is_a_cut(tmp_path: Path) -> None:
    """After a power failure the file can be longer than what reached the disk."""
    path = write_example(tmp_path)
    path.write_bytes(path.read_bytes()[: 2 * HEADER_SIZE + 48] + bytes(1000))
    segments = read_segments(tmp_path)

    assert EXAMPLE[:3] == rows(segments)
    assert f"{path}, offset {2 * HEADER_SIZE + 48}" == segments.torn


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
    with pytest.raises(FormatError, match=r"block \d of kind \d stands where block \d should be"):
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


def test_existing_edges_are_not_overwritten(tmp_path: Path) -> None:
    write_example(tmp_path)
    with pytest.raises(RecordingError, match="there are edges already"):
        SegmentWriter(tmp_path)


def test_a_folder_without_segments_is_an_empty_capture(tmp_path: Path) -> None:
    segments = read_segments(tmp_path)

    assert ([], 0, False) == (rows(segments), segments.watermark, segments.closed)
