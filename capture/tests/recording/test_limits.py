"""Segments, descriptions and verdicts at their limits: what a block, a file and a reason hold."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError, RecordingError
from gpiorig.capture.recording import description, segment_reader, segment_writer, verdict
from gpiorig.capture.recording.description import Epoch, RecordingInfo
from gpiorig.capture.recording.notes import BenchRemark, TimeStepNote
from gpiorig.capture.recording.segment_format import BODY, HEADER_SIZE, MAX_SAMPLES, in_order
from gpiorig.capture.recording.segment_reader import SegmentReader
from gpiorig.capture.recording.segment_writer import SegmentWriter, write_waveform

INFO = RecordingInfo(samplerate="1000/1", channels=("a",), epoch=Epoch(wall=""), virtual=False)
EDGES, GAP, WATERMARK, END = 1, 2, 3, 4


def headers(folder: Path) -> list[tuple[str, int, int, int]]:
    """(file, kind, rows, watermark) of each block, by the bytes of the files."""
    blocks = []
    for path in sorted(folder.glob("*.seg")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            _, kind, number, count, watermark, _ = BODY.unpack(data[at : at + HEADER_SIZE - 4])
            assert len(blocks) + 1 == number
            blocks.append((path.stem[-1], kind, count, watermark))
            at += HEADER_SIZE + {EDGES: 16, GAP: 16, WATERMARK: 0, END: 0}[kind] * count
    return blocks


def rows(*samples: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array(samples, dtype=np.int64), np.arange(len(samples), dtype=np.uint64)


@pytest.mark.parametrize(("count", "parts"), [(2, [(2, 99)]), (3, [(3, 99)]), (4, [(3, 3), (1, 99)])])
def test_rows_of_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, parts: list[object]) -> None:
    """Three at most here; what is known of the first of two goes to where the second begins."""
    monkeypatch.setattr(segment_writer, "MAX_COUNT", 3)
    writer = SegmentWriter(tmp_path)
    writer.append(*rows(*range(count)), watermark=99)
    writer.close()

    assert [*(("1", EDGES, *part) for part in parts), ("1", END, 0, 99)] == headers(tmp_path)  # type: ignore[misc]


@pytest.mark.parametrize("excess", [0, 1])
def test_bytes_of_a_file(tmp_path: Path, excess: int) -> None:
    """A block that fits exactly is in it; one that has no room begins the next."""
    writer = SegmentWriter(tmp_path, segment_bytes=2 * (HEADER_SIZE + 16) - excess)
    for at in range(3):
        writer.append(*rows(at), watermark=at + 1)
    writer.close(in_order=False)

    assert (["1", "1", "2"] if not excess else ["1", "2", "3"]) == [file for file, *_ in headers(tmp_path)]


def test_a_waveform_is_written_without_empty_blocks(tmp_path: Path) -> None:
    """Gaps at the start, at the end and next to rows; a block that adds nothing makes none."""
    table = np.array([[0, 5], [20, 30]])
    blocks = [
        Block(*rows(5, 7), 30, table),
        Block(*rows(30), 31),
        Block(*rows(), 31),
        Block(*rows(), 40),
        Block(*rows(), 50, np.array([[40, 50]])),
    ]
    write_waveform(tmp_path, Waveform(samplerate_hz=Fraction(1), channels=("a",), read=lambda: iter(blocks)))

    assert [
        (GAP, 1, 5),
        (EDGES, 2, 20),
        (GAP, 1, 30),
        (EDGES, 1, 31),
        (WATERMARK, 0, 40),
        (GAP, 1, 50),
        (END, 0, 50),
    ] == [block[1:] for block in headers(tmp_path)]


def test_blocks_are_put_together_to_a_number_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows or more here; a gap ends a block, what is only known to go on is one, and none is empty."""
    monkeypatch.setattr(segment_reader, "YIELD_ROWS", 4)
    writer = SegmentWriter(tmp_path)
    for at in range(0, 10, 2):
        writer.append(*rows(at, at + 1), watermark=at + 2)
    writer.gap(12, 15)
    writer.append(*rows(15), watermark=16)
    writer.append(*rows(), watermark=20)
    writer.close()

    assert [([0, 1, 2, 3], 4), ([4, 5, 6, 7], 8), ([8, 9], 10), ([], 12), ([15], 20)] == [
        (block.samples.tolist(), block.end) for block in SegmentReader(tmp_path)
    ]


@pytest.mark.parametrize("excess", [0, 1])
def test_the_longest_tail_of_zeros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    monkeypatch.setattr(segment_reader, "MAX_TORN", 200)
    writer = SegmentWriter(tmp_path)
    writer.append(*rows(0), watermark=5)
    writer.close(in_order=False)
    path = tmp_path / "000001.seg"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + bytes(HEADER_SIZE + 200 + excess))
    reader = SegmentReader(tmp_path)
    if excess:
        with pytest.raises(FormatError, match="a block is cut short"):
            list(reader)
    else:
        assert 1 == len(list(reader))
        assert f"{path}, offset {size}" == reader.torn


def test_a_block_of_another_number_is_named(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path)
    for at in range(3):
        writer.append(*rows(at), watermark=at + 1)
    writer.close()
    path = tmp_path / "000001.seg"
    data, size = path.read_bytes(), HEADER_SIZE + 16
    path.write_bytes(data[:size] + data[2 * size :])
    with pytest.raises(FormatError, match=f"offset {size}: block 3 of kind 1 is where block 2 should be"):
        list(SegmentReader(tmp_path))


def test_sample_numbers_have_an_end() -> None:
    sample = np.array([7])
    assert in_order(sample, after=6, before=8) and in_order(sample, after=0, before=MAX_SAMPLES)
    assert not in_order(sample, after=0, before=MAX_SAMPLES + 1)
    assert not in_order(sample, after=7, before=9) and not in_order(sample, after=6, before=7)
    assert in_order(np.empty(0, dtype=np.int64), after=9, before=9)


@pytest.mark.parametrize("excess", [0, 1])
def test_the_largest_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    description.write(tmp_path, INFO)
    monkeypatch.setattr(description, "MAX_BYTES", (tmp_path / description.DESCRIPTION).stat().st_size - excess)
    if excess:
        with pytest.raises(RecordingError, match=f"has more than {description.MAX_BYTES} bytes"):
            description._parsed(tmp_path / description.DESCRIPTION)
    else:
        assert "1000/1" == description._parsed(tmp_path / description.DESCRIPTION)["samplerate"]


def test_what_a_description_may_have() -> None:
    """64 channels, a bound of no sample; a step of its instants that is a number, and may be none."""
    step = TimeStepNote(rate_origin=RateOrigin.FILE, resolution="1/1000", step="1/500", possible="0")

    def check(**fields: object) -> None:
        description.check(msgspec.structs.replace(INFO, **fields), Path("a"))

    check(channels=tuple(f"c{bit}" for bit in range(64)), bounds=[Bound(start=5, end=5, found_by="x")], time_step=step)
    for fields, problem in (
        ({"channels": tuple(f"c{bit}" for bit in range(65))}, "65 channels"),
        ({"bounds": [Bound(start=5, end=4, found_by="x")]}, "a bound ends before its start"),
        ({"time_step": msgspec.structs.replace(step, resolution="x")}, "the step of its instants is not one"),
        ({"time_step": msgspec.structs.replace(step, resolution="0")}, "the step of its instants is not one"),
        ({"time_step": msgspec.structs.replace(step, step="0")}, "the step of its instants is not one"),
        ({"time_step": msgspec.structs.replace(step, possible="x")}, "the step of its instants is not one"),
    ):
        with pytest.raises(RecordingError, match=problem):
            check(**fields)


@pytest.mark.parametrize(
    ("times", "words"), [(1, "(once at 1.500000 s, PC 0x8)"), (3, "(3 times, first at 1.500000 s")]
)
def test_how_often_something_happened(times: int, words: str) -> None:
    remark = BenchRemark(node="a", pc="0x8", t_ps=1_500_000_000_000, times=times, what="x is not modelled")
    assert f"Node a: x is not modelled {words}" in remark.sentence


@pytest.mark.parametrize(("groups", "lossy"), [(0, 3), (2, 3), (3, 1), (9, 1)])
def test_gaps_of_one_sample_separate_groups(groups: int, lossy: int) -> None:
    """One fewer than there are groups; more of them cannot all be between groups."""
    gaps = np.array([[1, 2], [5, 6], [9, 20]])
    assert gaps[-lossy:].tolist() == verdict._lossy(gaps, groups).tolist()


def test_gaps_that_losses_explain() -> None:
    """Losses that adjoin explain one gap; one elsewhere, or of a part, does not, nor one that is not in the files."""

    def lost(start: int, end: int, *, in_files: bool = True) -> Loss:
        return Loss(start=start, end=end, samples=1, uncertainty=0, found_by="x", in_files=in_files)

    gap = np.array([[400, 500]])
    text = "100 samples are missing at 0.400000 s (samples 400 to 500): a gap"
    for losses, expected in (
        ([lost(400, 450), lost(450, 500)], []),
        ([lost(300, 600)], []),
        ([lost(400, 449), lost(450, 500)], [text]),
        ([lost(100, 150), lost(600, 700)], [text]),
        ([lost(400, 500, in_files=False)], [text]),
        ([], [text]),
    ):
        assert expected == list(verdict._unexplained(gap, losses, 1000.0))
    for count, more in ((5, []), (6, ["and 1 more gaps"])):
        assert [*["a"] * 5, *more] == verdict._named(["a"] * count, "gaps")
