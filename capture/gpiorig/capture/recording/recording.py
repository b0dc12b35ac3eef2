"""A recording: the folder that holds all of one run, described by its `recording.toml`."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from gpiorig.capture import confined
from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.losses import Loss, passed, put_in
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.capture.errors import CaptureError, FormatError, RecordingError
from gpiorig.capture.log import LOG
from gpiorig.capture.recording import description, new_folder, segment_place
from gpiorig.capture.recording.description import (
    EDGES,
    FORMAT,
    SERIAL,
    Epoch,
    RecordedFile,
    RecordingInfo,
    State,
    SyncDelay,
)
from gpiorig.capture.recording.new_folder import DESCRIPTION
from gpiorig.capture.recording.notes import AlignmentNote, BenchRemark
from gpiorig.capture.recording.segment_format import is_written
from gpiorig.capture.recording.segment_reader import SegmentReader, Segments, read_segments
from gpiorig.capture.recording.sums import LEFT, check_files, sha256
from gpiorig.capture.recording.verdict import verdict
from gpiorig.capture.serial.record import SerialRecord, read_record

__all__ = [
    "DESCRIPTION",
    "EDGES",
    "SERIAL",
    "AlignmentNote",
    "BenchRemark",
    "Epoch",
    "Recording",
    "RecordingInfo",
    "SyncDelay",
]

REPORT = "report"
INTERRUPTED = "the program that recorded it ended without a word; what came after its last sample is lost"


@dataclass(frozen=True, slots=True)
class Recording:
    """An open recording folder.

    Attributes
    ----------
    folder
        Its folder.
    info
        Its description.
    """

    folder: Path
    info: RecordingInfo

    @classmethod
    def create(cls, folder: Path, info: RecordingInfo) -> Recording:
        """Begin a recording in a folder that is new or empty."""
        description.check(info, folder)
        new_folder.check(folder)
        folder.mkdir(parents=True, exist_ok=True)
        description.write(folder, info)  # first: whatever ends us then, the folder is a recording
        for name in (EDGES, SERIAL, REPORT):
            (folder / name).mkdir(exist_ok=True)
        return cls(folder, info)

    @classmethod
    def open(cls, folder: Path) -> Recording:
        """Open a recording; also one whose capture still runs or was interrupted (see `info.state`)."""
        if folder.is_file():
            remedy = "`gpiorig info` shows what is in it, and `gpiorig import` makes a recording of it"
            raise RecordingError("is a file, not the folder of a recording", where=folder, remedy=remedy)
        if not folder.is_dir():
            raise RecordingError("there is no such folder", where=folder, remedy="give the folder of a recording")
        info = description.load(folder / DESCRIPTION)
        if info.state != "capturing":
            check_files(info, folder)
        return cls(folder, info)

    def update(self, **changes: object) -> Recording:
        """Change fields of the description, such as `channels` once the analyzer has reported them."""
        info = description.changed(self.info, changes, where=self.folder)
        description.write(self.folder, info)
        return Recording(self.folder, info)

    def finish(
        self,
        *,
        problems: Iterable[str] = (),
        losses: Iterable[Loss] = (),
        bounds: Iterable[Bound] = (),
        unchecked: str = "",
        **changes: object,
    ) -> Recording:
        """Write the end of the recording: whether it is complete (`verdict`), size and sha256 of its files.

        Parameters
        ----------
        problems
            What is wrong with it, as text, other than losses, gaps, and serial ports that were gone.
        losses, bounds
            Those that the description does not have yet.
        unchecked
            Why no loss would have been found, where no bound states more.
        changes
            Other fields.
        """
        info = self.info
        judged = verdict(
            self.edges_folder,
            samplerate_hz=info.samplerate_hz,
            earlier=info.reason if info.state == "capturing" else "",
            problems=[*problems, *self._serial_problems()],
            losses=[*info.losses, *losses],
            bounds=[*info.bounds, *bounds],
            unchecked=unchecked,
            groups=self.groups,
        )
        paths = sorted(path for part in (EDGES, SERIAL) for path in (self.folder / part).glob("*") if path.is_file())
        files = {
            path.relative_to(self.folder).as_posix(): RecordedFile(sha256=sha256(path), size=path.stat().st_size)
            for path in paths
        }
        finished = self.update(
            state=judged.state,
            reason=judged.reason,
            losses=judged.losses,
            bounds=judged.bounds,
            files=files,
            format=FORMAT,
            **changes,
        )
        LOG.info("%s is %s%s", self.folder, judged.state, f": {judged.reason}" if judged.reason else "")
        return finished

    def discard(self) -> None:
        """Delete a recording in which there is not a single sample; one with samples stays unchanged."""
        if not any(path.stat().st_size for path in self.folder.rglob("*.seg")):
            shutil.rmtree(self.folder)

    @property
    def state(self) -> State | Literal["interrupted"]:
        """As the description states; "interrupted": no process captures into it, and its end is missing."""
        if self.info.state == "capturing" and not is_written(self.edges_folder):
            return "interrupted"
        return self.info.state

    @property
    def reason(self) -> str:
        """Why it is not complete; "" where it is, or is being recorded."""
        return INTERRUPTED if self.state == "interrupted" else self.info.reason

    @property
    def groups(self) -> int:
        """As of `Waveform`."""
        return 0 if isinstance(self.info.groups, msgspec.UnsetType) else self.info.groups

    @property
    def edges_folder(self) -> Path:
        """Folder of the segment files."""
        return self.folder / EDGES

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes whose serial port was recorded."""
        return tuple(sorted(path.stem for path in (self.folder / SERIAL).glob("*.rec")))

    def serial_path(self, node: str) -> Path:
        """Return the path of a node's serial record, whether it exists or not."""
        return confined.below(self.folder, f"{SERIAL}/{node}.rec")

    def serial(self, node: str) -> SerialRecord:
        """Read the serial record of a node."""
        path = self.serial_path(node)
        if not path.exists():
            recorded = ", ".join(self.nodes) or "no node"
            raise RecordingError("there is no serial record", where=path, remedy=f"{recorded} was recorded")
        record = read_record(path, clock=self.info.serial_clock)
        if record.torn and self.info.state == "complete":
            raise FormatError("the last record is cut short", where=record.torn, remedy=LEFT)
        return record

    def segments(self) -> Segments:
        """Read the segment files: blocks, gaps, and whether the capture was closed in order."""
        return read_segments(self.edges_folder)

    def waveform(self, *, follow: bool = False, start: int = 0) -> Waveform:
        """The edges, to be read block by block; losses are gaps. Those of a capture that was interrupted just end.

        Reading them ends in a FormatError where a complete recording lacks its end.

        Parameters
        ----------
        follow
            While a capture runs, wait for more until it ends.
        start
            Begin a little before this sample, with what is needed to know the levels there.
        """
        return self._waveform(self.info.losses, follow=follow, start=start)

    def waveform_of_files(self) -> Waveform:
        """As `waveform`, in the sample numbers of the files: without the losses that are not gaps in them."""
        return self._waveform((), follow=False, start=0)

    def _waveform(self, losses: Sequence[Loss], *, follow: bool, start: int) -> Waveform:
        remarks: list[str] = []
        shift, later = passed(losses, start)
        broken = "" if self.state != "interrupted" else ", interrupted: what comes after its end is lost"
        return Waveform(
            samplerate_hz=self.info.samplerate_hz,
            channels=self.info.channels,
            read=lambda: put_in(self._blocks(remarks, follow=follow, start=start - shift), later, shift=shift),
            epoch=self.info.epoch.wall,
            source=f"recording {self.folder}{broken}",
            remarks=remarks,
            virtual=self.info.virtual,
            groups=self.groups,
            rate_origin=self.info.rate_origin,
            recorder=self.info.recorder,
            step=self.info.time_step.as_step() if self.info.time_step else None,
        )

    def _blocks(self, remarks: list[str], *, follow: bool, start: int) -> Iterator[Block]:
        """The blocks of the files, and at their end a look at whether it is one."""
        reader = SegmentReader(self.edges_folder, follow=follow, start=start)
        yield from reader
        where = reader.torn or self.edges_folder
        if self.info.state != "complete":
            remark = f"{where}: the last block is cut short"
            if reader.torn and remark not in remarks:
                remarks.append(remark)
        elif not reader.blocks:
            raise FormatError("a complete recording without edges: its files are gone", where=where, remedy=LEFT)
        elif reader.torn or not reader.closed:
            raise FormatError("a complete recording whose edges are cut: their end is gone", where=where, remedy=LEFT)

    @property
    def end(self) -> int:
        """The sample up to which all samples are known, or lost; little of the files is read."""
        missing = sum(loss.samples for loss in self.info.losses if not loss.in_files)
        return segment_place.end(self.edges_folder) + missing

    def edges(self) -> Edges:
        """Read the edges into memory."""
        return self.waveform().edges()

    def verify(self) -> tuple[str, ...]:
        """Check everything that was recorded; returns one line for each problem."""
        problems = []
        state, reason = self.state, self.reason
        if state != "complete":
            problems.append(f"{self.folder}: the recording is {state}{': ' if reason else ''}{reason}")
        for name, expected in self.info.files.items():
            path = self.folder / name
            if not path.is_file():
                problems.append(f"{path}: the file is missing")
            elif sha256(path) != expected.sha256:
                problems.append(f"{path}: the file was changed after recording (sha256 differs)")
        try:
            reader = SegmentReader(self.edges_folder)
            for _ in reader:
                pass
            if reader.torn:
                problems.append(f"{reader.torn}: the last block was cut short")
            elif not reader.closed and reader.blocks:
                problems.append(f"{self.edges_folder}: the capture was not closed in order")
        except CaptureError as error:
            problems.append(str(error))
        return (*problems, *self._serial_problems())

    def _serial_problems(self) -> Iterator[str]:
        """What is missing in the serial records."""
        for node in self.nodes:
            try:
                record = read_record(self.serial_path(node), clock=self.info.serial_clock)
            except CaptureError as error:
                yield str(error)
                continue
            if record.torn:
                yield f"{record.torn}: the last record was cut short"
            if record.losses:
                yield f"{SERIAL}/{node}.rec: the port was gone {len(record.losses)} times"
