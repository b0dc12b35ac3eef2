"""A recording: the folder that holds all of one run, described by its `recording.toml`."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

import msgspec
import tomli_w

from gpiorig.capture.edges import Edges
from gpiorig.capture.errors import CaptureError, FormatError, RecordingError
from gpiorig.capture.loss import Loss, put_in
from gpiorig.capture.segmentreader import SegmentReader, Segments, read_segments
from gpiorig.capture.segments import is_written
from gpiorig.capture.serialrecord import SerialRecord, read_record
from gpiorig.capture.waveform import Waveform

FORMAT = 1
DESCRIPTION = "recording.toml"
EDGES = "edges"
SERIAL = "serial"
REPORT = "report"
SAMPLERATE_EXAMPLE = 'samplerate = "24000000/1"'

State = Literal["capturing", "complete", "incomplete"]


class Epoch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the recording began, on the wall clock.

    Attributes
    ----------
    wall
        ISO 8601 date and time with offset.
    note
        What that instant is and how well it is known.
    """

    wall: str
    note: str = ""


class AlignmentNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one analyzer's samples were laid over those of the reference, the first one of a merged recording.

    Attributes
    ----------
    analyzer, channels
        The analyzer, and the channels that come from it.
    pulses
        Sync pulses that both saw.
    rate_ppb
        How much faster its clock runs than the reference's, in parts per billion.
    pieces
        Straight pieces of the fit.
    residual_std_ns, residual_max_ns
        Distance of the pulses from the fit.
    uncertainty_ns
        Standard uncertainty (1 sigma) of an interval between one of its edges and one of the reference's.
    """

    analyzer: str
    channels: tuple[str, ...]
    pulses: int
    rate_ppb: float
    pieces: int
    residual_std_ns: float
    residual_max_ns: float
    uncertainty_ns: float


class RecordingInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of `recording.toml`.

    Attributes
    ----------
    samplerate
        Samples per second as "numerator/denominator".
    channels
        Name of each channel, bit 0 first; "" for a bit that is not in use.
    epoch
        When the recording began.
    virtual
        True when a virtual bench made it: then no number in it is a measurement of hardware.
    serial_clock
        Whose time the serial records carry: this host's, or the virtual bench's.
    analyzer
        Driver and connection, as sigrok-cli takes them; or the file it was imported from.
    experiment
        Name of the experiment.
    bench
        Text of the bench file.
    parameters
        Settings of the run, by name.
    tools
        Version of each program that took part.
    firmware
        sha256 of each firmware image, by node.
    alignments
        Of a recording merged from several analyzers: how each but the first was laid over the first.
    state
        "capturing" until the end is written; a crash leaves it so (`Recording.state` tells the two apart).
    reason
        Why it is incomplete.
    capture
        How the capture went, by name: samples, shares of the limits (docs/capture.md).
    losses
        Samples that were lost, in order.
    files
        sha256 of each recorded file, by path in the folder; written at the end.
    format
        Number of this format.
    """

    samplerate: str
    channels: tuple[str, ...]
    epoch: Epoch
    virtual: bool
    serial_clock: Literal["host", "virtual"] = "host"
    analyzer: str = ""
    experiment: str = ""
    bench: str = ""
    parameters: dict[str, str | int | float | bool] = {}
    tools: dict[str, str] = {}
    firmware: dict[str, str] = {}
    alignments: tuple[AlignmentNote, ...] = ()
    state: State = "capturing"
    reason: str = ""
    capture: dict[str, int | float | str] = {}
    losses: tuple[Loss, ...] = ()
    files: dict[str, str] = {}
    format: int = FORMAT

    @property
    def samplerate_hz(self) -> Fraction:
        """Samples per second, exact."""
        return Fraction(self.samplerate)


@dataclass(frozen=True, slots=True)
class Recording:
    """An open recording folder.

    Attributes
    ----------
    folder
        Where it lies.
    info
        Its description.
    """

    folder: Path
    info: RecordingInfo

    @classmethod
    def create(cls, folder: Path, info: RecordingInfo) -> Recording:
        """Begin a recording in a folder that is new or empty."""
        _check(info, folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            what = "holds a recording already" if (folder / DESCRIPTION).exists() else "is in use"
            raise RecordingError(what, where=folder, remedy="choose another folder, or delete this one")
        for name in (EDGES, SERIAL, REPORT):
            (folder / name).mkdir(parents=True, exist_ok=True)
        _write(folder, info)
        return cls(folder, info)

    @classmethod
    def open(cls, folder: Path) -> Recording:
        """Open a recording; also one whose capture still runs or broke off (see `info.state`)."""
        path = folder / DESCRIPTION
        if not folder.is_dir():
            raise RecordingError("there is no such folder", where=folder, remedy="give the folder of a recording")
        try:
            text = path.read_bytes()
        except OSError as error:
            raise RecordingError(
                f"no readable {DESCRIPTION}: {error.strerror}", where=folder, remedy="this is not a recording"
            ) from error
        try:
            raw = msgspec.toml.decode(text)
            if isinstance(raw, dict) and not raw.get("samplerate"):
                raise RecordingError(
                    "no samplerate", where=path, remedy=f"write the analyzer's rate into it: {SAMPLERATE_EXAMPLE}"
                )
            info = msgspec.convert(raw, RecordingInfo)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordingError(str(error), where=path, remedy="correct it, or restore it from a copy") from error
        _check(info, path)
        return cls(folder, info)

    def update(self, **changes: object) -> Recording:
        """Change fields of the description, such as `channels` once the analyzer has told them."""
        builtins = msgspec.to_builtins(msgspec.structs.replace(self.info, **changes))
        info = msgspec.convert(builtins, RecordingInfo)
        _check(info, self.folder)
        _write(self.folder, info)
        return Recording(self.folder, info)

    def finish(self, *, state: Literal["complete", "incomplete"], reason: str = "", **changes: object) -> Recording:
        """Write the end of the recording: its state, the sha256 of its files, and other fields."""
        names = sorted(path for part in (EDGES, SERIAL) for path in (self.folder / part).iterdir())
        files = {path.relative_to(self.folder).as_posix(): sha256(path) for path in names}
        return self.update(state=state, reason=reason, files=files, **changes)

    @property
    def state(self) -> State | Literal["broken off"]:
        """As the description says; "broken off": nobody captures into it any more, but nobody has written its end."""
        if self.info.state == "capturing" and not is_written(self.edges_folder):
            return "broken off"
        return self.info.state

    @property
    def edges_folder(self) -> Path:
        """Where the segment files lie."""
        return self.folder / EDGES

    @property
    def report_folder(self) -> Path:
        """Where reports go."""
        return self.folder / REPORT

    @property
    def nodes(self) -> tuple[str, ...]:
        """Nodes whose serial port was recorded."""
        return tuple(sorted(path.stem for path in (self.folder / SERIAL).glob("*.rec")))

    def serial_path(self, node: str) -> Path:
        """Return where the serial record of a node lies, whether it exists or not."""
        return self.folder / SERIAL / f"{node}.rec"

    def serial(self, node: str) -> SerialRecord:
        """Read the serial record of a node."""
        path = self.serial_path(node)
        if not path.exists():
            recorded = ", ".join(self.nodes) or "no node"
            raise RecordingError("there is no serial record", where=path, remedy=f"{recorded} was recorded")
        return read_record(path, clock=self.info.serial_clock)

    def segments(self) -> Segments:
        """Read the segment files as they are: blocks, gaps, and whether the capture was closed in order."""
        return read_segments(self.edges_folder)

    def waveform(self, *, follow: bool = False) -> Waveform:
        """The edges, to be read piece by piece; losses are gaps. Those of a capture that broke off just end.

        Parameters
        ----------
        follow
            While a capture runs, wait for more until it ends.
        """
        broken = "" if self.state != "broken off" else ", broken off: what comes after its end is lost"
        return Waveform(
            samplerate_hz=self.info.samplerate_hz,
            channels=self.info.channels,
            read=lambda: put_in(SegmentReader(self.edges_folder, follow=follow), self.info.losses),
            epoch=self.info.epoch.wall,
            source=f"recording {self.folder}{broken}",
        )

    def waveform_of_files(self) -> Waveform:
        """As `waveform`, in the sample numbers of the files: without the losses that are no gaps in them."""
        return dataclasses.replace(self.waveform(), read=lambda: iter(SegmentReader(self.edges_folder)))

    def edges(self) -> Edges:
        """Read the edges into memory."""
        return self.waveform().edges()

    def verify(self) -> tuple[str, ...]:
        """Check everything that was recorded; returns one line for each problem."""
        problems = []
        state, reason = self.state, self.info.reason
        if state == "broken off":
            reason = "the program that recorded it ended without a word; what came after its last sample is lost"
        if state != "complete":
            problems.append(f"{self.folder}: the recording is {state}{': ' if reason else ''}{reason}")
        for name, expected in self.info.files.items():
            path = self.folder / name
            if not path.is_file():
                problems.append(f"{path}: the file is missing")
            elif sha256(path) != expected:
                problems.append(f"{path}: the file was changed after recording (sha256 differs)")
        try:
            reader = SegmentReader(self.edges_folder)
            for _ in reader:
                pass
            if reader.torn:
                problems.append(f"{reader.torn}: the last block was cut short")
            elif not reader.closed and reader.blocks:
                problems.append(f"{self.edges_folder}: the capture was not closed in order")
            for node in self.nodes:
                record = self.serial(node)
                if record.torn:
                    problems.append(f"{record.torn}: the last record was cut short")
                if record.losses:
                    problems.append(f"{self.serial_path(node)}: the port was gone {len(record.losses)} times")
        except CaptureError as error:
            problems.append(str(error))
        return tuple(problems)


def sha256(path: Path) -> str:
    """Return the sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(info: RecordingInfo, where: Path) -> None:
    if info.format != FORMAT:
        raise FormatError(f"recording format {info.format}", where=where, remedy=f"this gpiorig reads format {FORMAT}")
    try:
        rate = info.samplerate_hz
    except (ValueError, ZeroDivisionError):
        rate = Fraction(-1)
    if rate <= 0:
        raise RecordingError(
            f"samplerate {info.samplerate!r} is not a rate", where=where, remedy=f"a valid one: {SAMPLERATE_EXAMPLE}"
        )


def _write(folder: Path, info: RecordingInfo) -> None:
    """Replace the description in one step, so that a crash leaves the old or the new one."""
    path = folder / DESCRIPTION
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        tomli_w.dump(msgspec.to_builtins(info), file, multiline_strings=True)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
