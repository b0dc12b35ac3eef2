"""Reading a capture from a sample on, without what is long before it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from random_capture import random_capture

from gpiorig.capture.archive import chunks
from gpiorig.capture.edges import select
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats import sr
from gpiorig.capture.recording import segment_place
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_place import Place
from gpiorig.capture.recording.segment_writer import SegmentWriter


def test_windows_of_a_recording_with_gaps_and_losses(tmp_path: Path) -> None:
    """From every sample on the same rows and gaps as from the beginning, in small files and blocks, some dense."""
    for seed in range(4):
        edges, waveform = random_capture(seed)
        shift = -min(edges.start, 0)
        lost = int(edges.samples[9]) + shift
        losses = (Loss(start=lost, end=lost + 3, samples=7, uncertainty=0, found_by="a test"),)
        info = RecordingInfo(
            samplerate="24000000/1", epoch=Epoch(wall=""), channels=edges.channels, losses=losses if seed % 2 else ()
        )
        recording = Recording.create(tmp_path / f"{seed}", info)
        with closing(SegmentWriter(recording.edges_folder, segment_bytes=200)) as writer:
            for block in waveform.read():
                for start, end in (block.gaps + shift).tolist():
                    at = np.searchsorted(block.samples + shift, start)
                    writer.append(block.samples[:at] + shift, block.levels[:at], watermark=start)
                    writer.gap(start, end)
                    block = replace(block, samples=block.samples[at:], levels=block.levels[at:])
                writer.append(block.samples + shift, block.levels, watermark=block.end + shift)
        assert len(list(recording.edges_folder.glob("*.seg"))) > 3
        whole = recording.waveform().edges()
        assert whole.end == recording.end
        _same_windows(recording.waveform(), lambda start, made=recording: made.waveform(start=start), whole.start)
        later = recording.waveform(start=whole.end - 3)
        assert sum(block.samples.size for block in later.read()) < len(whole.samples) / 2


def test_windows_of_a_session_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chunks before the one of the sample are not read."""
    monkeypatch.setattr(sr, "CHUNK_BYTES", 16)
    monkeypatch.setattr(chunks, "BATCH_CHUNKS", 2)
    edges, _ = random_capture(1)
    edges = replace(
        edges, gaps=edges.gaps[:0], samples=edges.samples - edges.start, start=0, end=edges.end - edges.start
    )
    path = tmp_path / "capture.sr"
    sr.write_sr(path, edges)
    _same_windows(sr.read(path, ReadOptions()), lambda start: sr.read(path, ReadOptions(), start=start), 0)
    later = next(block for block in sr.read(path, ReadOptions(), start=edges.end - 1).read() if block.samples.size)
    assert later.samples[0] > edges.end // 2


def _same_windows(whole: Waveform, reading: Callable[[int], Waveform], first: int) -> None:
    end = whole.edges().end
    for start in range(first, end):
        expected, actual = (_rows(select.window(waveform, start, end)) for waveform in (whole, reading(start)))
        assert expected == actual, start


def _rows(waveform: Waveform) -> object:
    try:
        edges = waveform.edges()
    except CaptureError as error:
        return str(error)[:25]
    is_row = np.append(True, np.diff(edges.levels) != 0)
    is_row |= np.isin(edges.samples, edges.gaps)
    return edges.samples[is_row].tolist(), edges.levels[is_row].tolist(), edges.gaps.tolist(), edges.end


def test_a_damaged_header_is_met_from_the_beginning(tmp_path: Path) -> None:
    """Rather than blocks that are taken for those of the sample."""
    recording = Recording.create(
        tmp_path / "run", RecordingInfo(samplerate="1000/1", epoch=Epoch(wall=""), channels=("a",))
    )
    with closing(SegmentWriter(recording.edges_folder)) as writer:
        for at in range(0, 100, 10):
            writer.append(np.array([at]), np.array([at // 10 % 2], dtype=np.uint64), watermark=at + 10)
    assert Place(1, 320, 8) == replace(segment_place.before(recording.edges_folder, 95), offset=320)
    path = recording.edges_folder / "000001.seg"
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    assert Place() == segment_place.before(recording.edges_folder, 95)
    with pytest.raises(FormatError, match="header is damaged"):
        list(recording.waveform(start=95).read())
    assert Fraction(1000) == recording.waveform().samplerate_hz
