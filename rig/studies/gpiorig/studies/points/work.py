"""The work of one point: record, analyse, write its numbers; a function that a worker can be given."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import CaptureError, Error
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import FirmwareError, RigError
from gpiorig.rig.run.record import record
from gpiorig.studies.points import analysed, keys
from gpiorig.studies.points.folder import BENCH, PointFile, PointFolder, size_of
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.versions import analysis_version, boards_version, programs

ATTEMPTS = 2  # a recording that did not become complete is thrown away once


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is to be done for a point.

    Parameters
    ----------
    point, folder
        The point and its folder.
    asked, asserted
        Complete names of quantities, and assertions.
    recorded
        Whether its recording is there, complete, and not of other virtual boards.
    directly
        Whether virtual boards are recorded in this process, without sigrok-cli.
    lane
        Name of the bench that records it; empty for virtual boards in this process or in that of a worker.
    """

    point: Point
    folder: Path
    asked: tuple[str, ...]
    asserted: tuple[str, ...]
    recorded: bool
    directly: bool = False
    lane: str = ""

    @property
    def records(self) -> bool:
        """Whether it begins with a recording."""
        return self.point.record and not self.recorded

    def joined(self, other: Task) -> Task:
        """The task of a point that two studies share."""
        return replace(
            self,
            asked=tuple(sorted({*self.asked, *other.asked})),
            asserted=tuple(sorted({*self.asserted, *other.asserted})),
        )


def new_file(point: Point, **stated: Any) -> PointFile:
    """What a point states before it is analysed."""
    return PointFile(
        study=point.study, coordinates=dict(point.coordinates), repeat=point.repeat, versions=programs(), **stated
    )


def boards_of(point: Point) -> str:
    """The version of the virtual boards that a point is recorded on now; empty for a bench of boards."""
    return "" if point.bench.virtual is None else boards_version()


def work(task: Task) -> PointFile:
    """Do it; what a point lacks or breaks is in the file that is written and returned, and is not raised."""
    folder, point = PointFolder(task.folder), task.point
    file, old = new_file(point), folder.read()
    if not point.record:
        return _of_images(task)
    if task.recorded:
        recording = folder.open()
        if old is not None:
            file = msgspec.structs.replace(file, recording_s=old.recording_s, boards=old.boards)
    else:
        begin_s = time.monotonic()
        try:
            recording, error = _recorded(point, folder, directly=task.directly)
        except FirmwareError as refusal:
            file = msgspec.structs.replace(file, refusal=str(refusal))
            folder.write(file, None)
            return file
        file = new_file(point, error=error, recording_s=round(time.monotonic() - begin_s, 3), boards=boards_of(point))
    if recording is None:
        file = msgspec.structs.replace(file, error=file.error or "its recording is gone")
        folder.write(file, None)
        return file
    asked = sorted({*task.asked, *(old.quantities if old and task.recorded else ())})
    asserted = sorted({*task.asserted, *(old.verdicts if old and task.recorded else ())})
    file = msgspec.structs.replace(file, bytes=size_of(folder.recording), analysis=analysis_version())
    try:
        numbers = analysed.numbers(recording, asked, asserted, point.warmup)
    except Error as error:
        why = f"It cannot be analysed: {error}"
        file = msgspec.structs.replace(
            file, checks=(why,), verdicts=dict.fromkeys(asserted, why), quantities=dict.fromkeys(asked, why)
        )
        folder.quantities.unlink(missing_ok=True)
        folder.write(file, None)
        return file
    file = msgspec.structs.replace(
        file,
        checks=numbers.checks,
        verdicts=numbers.verdicts,
        quantities=numbers.reasons,
        warmup_end_sample=numbers.warmup_end_sample,
    )
    folder.write(file, numbers.table)
    return file


def _of_images(task: Task) -> PointFile:
    """A point of which nothing is recorded."""
    folder = PointFolder(task.folder)
    folder.path.mkdir(parents=True, exist_ok=True)
    numbers = analysed.numbers_of_images(task.point.firmware, sorted(task.asked), sorted(task.asserted))
    file = new_file(task.point, analysis=analysis_version(), verdicts=numbers.verdicts, quantities=numbers.reasons)
    folder.write(file, numbers.table)
    return file


def _recorded(point: Point, folder: PointFolder, *, directly: bool) -> tuple[Recording | None, str]:
    """A new recording in place of what is there, or why there is none; `FirmwareError` if a firmware refuses it."""
    why = ""
    for _ in range(ATTEMPTS):
        folder.clear()
        folder.path.mkdir(parents=True)
        with replacing(folder.path / BENCH) as new:
            new.write_text(tomli_w.dumps(keys.given(msgspec.to_builtins(point.bench))), encoding="utf-8")
        try:
            recording = record(
                point.bench,
                msgspec.structs.replace(point.experiment, assertions=(), thresholds=(), quantities=()),
                bench_file=folder.path / BENCH,
                output=folder.recording,
                firmware=dict(point.firmware),
                directly=directly,
            )
        except FirmwareError:
            raise
        except (CaptureError, RigError) as error:
            why = str(error)
            continue
        if recording.state == "complete":
            return recording, ""
        why = f"the recording is {recording.state}: {recording.info.reason}"
    return None, f"{why} ({ATTEMPTS} attempts)"
