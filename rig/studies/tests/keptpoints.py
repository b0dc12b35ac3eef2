"""Points without a bench: recordings and numbers that are made by hand, for tests of what is kept of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from payloadstudy import study_text

from gpiorig.analysis.quantities import values
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.studies.points import states, study
from gpiorig.studies.points.analysed import Numbers
from gpiorig.studies.points.folder import PointFolder
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.states import Sought
from gpiorig.studies.points.warmup import Warmup

__all__ = ["STUDY", "Conditions", "counts", "folder_of", "numbers", "record", "sought", "state_of", "table"]

STUDY = study_text(experiment='packets = 10\nassert = ["rtt.max < 1 s"]', show='kind = "table"')


def sought(folder: Path, text: str = STUDY) -> Sought:
    """A study `s`, and its output folder."""
    (folder / "s.toml").write_text(text)
    return Sought.of(study.load(folder / "s.toml"), Conditions(), folder / "out")


def record(
    bench: object, experiment: object, *, bench_file: Path, output: Path, firmware: object, **options: object
) -> Recording:
    """In place of `run.record.record`: an empty recording, with all that one writes."""
    epoch = Epoch(wall="2026-01-01T00:00:00+00:00", note="by hand")
    info = RecordingInfo(
        samplerate="24000000", channels=("a",), epoch=epoch, virtual=True, bench=bench_file.read_text()
    )
    recording = Recording.create(output, info)
    writer = SegmentWriter(recording.edges_folder)
    writer.append(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint64), watermark=1)
    writer.close(in_order=True)
    return recording.finish(unchecked="a test made it")


def table(value: float = 1.0) -> pa.Table:
    """One value of the round trip."""
    row: dict[str, Any] = {"quantity": "rtt", "node": "initiator", "packet_row": 0, "packet_id": 1, "start_sample": 0}
    row |= {"samples": 24, "held_samples": None, "value": value, "unit": "ns"}
    return pa.Table.from_pylist([row], schema=values._part_schema().schema)


def numbers(recording: Recording, names: Iterable[str], asserted: Sequence[str], warmup: Warmup | None) -> Numbers:
    """In place of `analysed.numbers`: numbers that hang on the bench file, as those of a recording do."""
    return Numbers(
        table=table(float(len(recording.info.bench))),
        checks=(),
        verdicts=dict.fromkeys(asserted, ""),
        reasons=dict.fromkeys(names, ""),
        warmup_end_sample=None,
    )


def state_of(sought: Sought, number: int = 0) -> tuple[str, str]:
    """State and reason of a point."""
    return sought.state(sought.points(states.rounds(sought))[number])


def folder_of(sought: Sought, number: int = 0) -> PointFolder:
    """Folder of a point."""
    return sought.folder(sought.points(states.rounds(sought))[number])


def counts(sought: Sought) -> Counter[str]:
    """Number of points by state."""
    return Counter(point.state for point in states.results_of(sought.study, sought.conditions, sought.output).points)
