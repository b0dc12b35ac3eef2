"""The one rule for "complete": no gap, no loss, no interruption, no problem, and a bound for each interval."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from gpiorig.capture.edges.bounds import Bound, unchecked
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_writer import SegmentWriter

END = 1000
CHECKED = Bound(start=0, end=END, limit_samples=5, found_by="a test")
GAP = (400, 500)
PAUSE = Loss(start=400, end=500, samples=100, uncertainty=10, found_by="a pause", in_files=True)
BLOCK = Loss(start=700, end=800, samples=30, uncertainty=3, found_by="the host's clock")


def written(folder: Path, *, gaps: Iterable[tuple[int, int]] = (), in_order: bool = True) -> Recording:
    """A recording of `END` samples, to be finished."""
    info = RecordingInfo(samplerate="1000/1", channels=("a",), epoch=Epoch(wall=""), virtual=False)
    recording = Recording.create(folder, info)
    writer = SegmentWriter(recording.edges_folder)
    writer.append(np.array([0], dtype=np.int64), np.array([1], dtype=np.uint64), watermark=200)
    for start, end in gaps:
        writer.gap(start, end)
        writer.append(np.array([end], dtype=np.int64), np.array([0], dtype=np.uint64), watermark=end + 1)
    writer.append(np.array([900], dtype=np.int64), np.array([1], dtype=np.uint64), watermark=END)
    writer.close(in_order=in_order)
    return recording


def test_complete(tmp_path: Path) -> None:
    """With a bound everywhere, be it that nothing was checked; bounds are cut at the end of the files."""
    beyond = Bound(start=500, end=5000, limit_samples=5, found_by="a test")
    finished = written(tmp_path / "a").finish(bounds=[Bound(start=0, end=500, found_by="none: a reason"), beyond])
    assert ("complete", "") == (finished.info.state, finished.info.reason)
    assert [(0, 500, False), (500, END, True)] == [(b.start, b.end, b.is_checked) for b in finished.info.bounds]
    assert "complete" == written(tmp_path / "b").finish(unchecked="a reason").info.state
    assert finished.info == Recording.open(tmp_path / "a").info
    after = Bound(start=END, end=END + 9, limit_samples=1, found_by="a test")
    finished = written(tmp_path / "c").finish(bounds=[CHECKED, after])
    assert (CHECKED,) == finished.info.bounds
    assert f"recording {tmp_path / 'c'}" == finished.waveform().source


@pytest.mark.parametrize(
    ("gaps", "in_order", "fields", "reason"),
    [
        ([GAP], True, {}, "100 samples are missing at 0.400000 s (samples 400 to 500): a gap"),
        ([GAP], True, {"losses": [PAUSE]}, "100 ± 10 samples were lost at 0.400000 s (samples 400 to 500): a pause"),
        (
            [],
            True,
            {"losses": [BLOCK]},
            "30 ± 3 samples were lost at 0.700000 s (samples 700 to 800): the host's clock",
        ),
        ([], True, {"problems": ["the disk is full"]}, "the disk is full"),
        ([], False, {}, "the capture was not closed in order"),
        ([], True, {"bounds": [Bound(start=0, end=600, limit_samples=5, found_by="a test")]}, "samples 600 to 1000"),
    ],
)
def test_incomplete(
    gaps: list[tuple[int, int]], in_order: bool, fields: dict[str, object], reason: str, tmp_path: Path
) -> None:
    """Each alone is enough, and is the reason."""
    recording = written(tmp_path / "run", gaps=gaps, in_order=in_order)
    finished = recording.finish(**{"bounds": [CHECKED], **fields})  # type: ignore[arg-type]

    assert "incomplete" == finished.info.state
    assert finished.info.reason.endswith(reason)
    assert ";" not in finished.info.reason


def test_what_was_incomplete_stays_so(tmp_path: Path) -> None:
    """Of a recording that was interrupted and resumed; what is still to be seen in the files is stated once."""
    recording = written(tmp_path / "run", gaps=[GAP])
    first = recording.finish(bounds=[CHECKED], problems=["it was interrupted"])
    resumed = first.update(state="capturing", files={})
    finished = resumed.finish(bounds=unchecked(END, "a reason"))

    assert "incomplete" == finished.info.state
    assert finished.info.reason.startswith("before it was resumed: it was interrupted; 100 samples are missing")
    assert 1 == finished.info.reason.count("100 samples")
    assert (CHECKED,) == finished.info.bounds
