"""The description of a recording: what `recording.toml` holds, read with mistrust and replaced in one step."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomli_w

from gpiorig.capture import toml_text
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.edges.losses import Loss, impossible
from gpiorig.capture.edges.waveform import RateOrigin
from gpiorig.capture.errors import FormatError, RecordingError
from gpiorig.capture.numbers import ratio, samplerate
from gpiorig.capture.recording.new_folder import DESCRIPTION, UNFINISHED
from gpiorig.capture.recording.notes import AlignmentNote, BenchRemark, TimeStepNote
from gpiorig.capture.recording.origin import Origin

FORMAT = 2
IMPORTED = "imported from "  # how `analyzer` begins of a recording that was imported
EDGES = "edges"
SERIAL = "serial"
ROLES = ("initiator", "responder")  # parameters, the two nodes of a round trip
SAMPLERATE_EXAMPLE = 'samplerate = "24000000/1"'
MAX_BYTES = 16 << 20  # of a description; the longest part of one is the bench file
RECORDED = re.compile(rf"(?:{EDGES}|{SERIAL})/(?!\.)[^/\0]+")  # a name in [files]

REMEDY = "correct it, or restore it from a copy"

State = Literal["capturing", "complete", "incomplete"]


class Epoch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the recording began, on the wall clock.

    Attributes
    ----------
    wall
        ISO 8601 date and time with offset.
    note
        The meaning of that instant and its uncertainty.
    """

    wall: str
    note: str = ""


class RecordedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A file as it was at the end of the recording.

    Attributes
    ----------
    sha256
        Of its bytes, in hex.
    size
        In bytes.
    """

    sha256: str
    size: int


class SyncDelay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long edges of the sync line take from its source to an analyzer.

    Attributes
    ----------
    delay_ns
        By the length of the cable, and what receives there.
    limit_ns
        Half width of the interval in which it certainly is.
    """

    delay_ns: float = 0.0
    limit_ns: float = 0.0


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
        True when a virtual bench made it: then no number in it is a measurement of hardware. False when every board
        has answered with the serial number of a chip; None, and not written, when that is not known.
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
        Of a recording merged from several analyzers: how each but the first was aligned with the first.
    state
        "capturing" until the end is written; a crash leaves it so (`Recording.state` distinguishes the two).
    reason
        Why it is incomplete.
    capture
        How the capture went, by name: samples, shares of the limits (docs/start/capture.md).
    losses
        Samples that were lost, in order.
    bounds
        For each interval of time, the smallest loss that would have been found there; none in recordings of earlier
        versions.
    bench_remarks
        What the virtual bench does not model and a firmware did, in the order of the nodes.
    files
        Size and sha256 of each recorded file, by path in the folder; written at the end.
    sync_delay
        How long the sync line takes to its analyzer; unset if nothing is known of it.
    origin
        What it was made with; unset in recordings of no bench, and imported ones.
    given
        What a command was given later: `bench`, `virtual` and `ROLES`, each with what was recorded in its place, "" for
        nothing; unset if nothing was.
    groups
        As of `Waveform`, of a recording that was imported from a table with groups, which gaps of one sample separate;
        unset in all others.
    time_step
        The step of imported instants; unset of recordings of an analyzer.
    format
        Number of this format.
    """

    samplerate: str
    channels: tuple[str, ...]
    epoch: Epoch
    virtual: bool | None = None
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
    bounds: tuple[Bound, ...] = ()
    bench_remarks: tuple[BenchRemark, ...] = ()
    files: dict[str, RecordedFile] = {}
    sync_delay: SyncDelay | msgspec.UnsetType = msgspec.UNSET
    origin: Origin | msgspec.UnsetType = msgspec.UNSET
    given: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    groups: int | msgspec.UnsetType = msgspec.UNSET
    time_step: TimeStepNote | msgspec.UnsetType = msgspec.UNSET
    format: int = FORMAT

    @property
    def samplerate_hz(self) -> Fraction:
        """Samples per second, exact."""
        return Fraction(self.samplerate)

    @property
    def as_recorded(self) -> RecordingInfo:
        """The description without what commands were given later."""
        if not self.given:
            return self
        before = self.given
        roles = {role: before[role] for role in ROLES if before.get(role)}
        return msgspec.structs.replace(
            self,
            bench=before.get("bench", self.bench),
            virtual={"": None, "false": False}.get(before.get("virtual", "same"), self.virtual),
            parameters={key: value for key, value in self.parameters.items() if key not in before} | roles,
            given=msgspec.UNSET,
        )

    @property
    def rate_origin(self) -> RateOrigin:
        """What it is, as of `Waveform`."""
        if self.time_step:
            return self.time_step.rate_origin
        return RateOrigin.FILE if self.analyzer.startswith(IMPORTED) else RateOrigin.RECORDER

    @property
    def recorder(self) -> str:
        """What took it, as of `Waveform`; of several the reference."""
        if self.time_step:
            return self.time_step.recorder
        return "" if self.analyzer.startswith(IMPORTED) else self.analyzer.split(", ")[0]


def load(path: Path) -> RecordingInfo:
    """Read a description.

    Raises
    ------
    RecordingError, FormatError
        It cannot be read, or contradicts itself.
    """
    raw = _parsed(path)
    if not raw.get("samplerate"):
        raise RecordingError(
            "no samplerate", where=path, remedy=f"write the analyzer's rate into it: {SAMPLERATE_EXAMPLE}"
        )
    try:
        info = msgspec.convert(raw, RecordingInfo)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RecordingError(str(error), where=path, remedy=REMEDY) from error
    check(info, path)
    return info


def changed(info: RecordingInfo, changes: dict[str, object], *, where: Path) -> RecordingInfo:
    """Return a description with other fields; they are checked as if they were read."""
    new = msgspec.convert(msgspec.to_builtins(msgspec.structs.replace(info, **changes)), RecordingInfo)
    check(new, where)
    return new


def _parsed(path: Path) -> dict[str, Any]:
    """The tables of a description, unchecked."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RecordingError(f"has more than {MAX_BYTES} bytes", where=path, remedy=REMEDY)
        text = path.read_bytes() if path.is_file() else b""
        raw: dict[str, Any] = toml_text.decode(text.decode())
    except OSError as error:
        raise RecordingError(
            f"no readable {DESCRIPTION}: {error.strerror}", where=path.parent, remedy="this is not a recording"
        ) from error
    except RecursionError as error:
        raise RecordingError("is nested too deep", where=path, remedy=REMEDY) from error
    except ValueError as error:
        raise RecordingError(str(error), where=path, remedy=REMEDY) from error
    return raw


def check(info: RecordingInfo, where: Path) -> None:
    """Refuse a description that contradicts itself; `where` is named in the error."""
    if info.format != FORMAT:
        remedy = f"this gpiorig reads format {FORMAT}: use the one that recorded it"
        raise FormatError(f"recording format {info.format}", where=where, remedy=remedy)
    rate_hz = ratio(info.samplerate)
    if not rate_hz:
        raise RecordingError(
            f"samplerate {info.samplerate[:40]!r} is not a rate",
            where=where,
            remedy=f"a valid one: {SAMPLERATE_EXAMPLE}",
        )
    samplerate(rate_hz, where=where)
    names = [name for name in info.channels if name]
    if len(info.channels) > MAX_CHANNELS:
        what = f"{len(info.channels)} channels"
        raise RecordingError(what, where=where, remedy=f"at most {MAX_CHANNELS} fit into a recording")
    if twice := {name for name in names if names.count(name) > 1}:
        raise RecordingError(f"channel {min(twice)!r} occurs twice", where=where, remedy="give each a name of its own")
    if problem := impossible(info.losses):
        raise RecordingError(problem, where=where, remedy="restore the losses from a copy")
    if any(bound.end < bound.start for bound in info.bounds):
        raise RecordingError("a bound ends before its start", where=where, remedy="restore the bounds from a copy")
    note = info.time_step
    if note and not (ratio(note.resolution) and ratio(note.step) and ratio(note.possible) is not None):
        raise RecordingError("the step of its instants is not one", where=where, remedy="restore it from a copy")
    for name in info.files:
        if not RECORDED.fullmatch(name):
            remedy = f"they are {EDGES}/NAME and {SERIAL}/NAME"
            raise RecordingError(f"{name!r} in [files] is not a file of a recording", where=where, remedy=remedy)


def write(folder: Path, info: RecordingInfo) -> None:
    """Replace the description in one step, so that a crash leaves the old or the new one."""
    tables = {key: value for key, value in msgspec.to_builtins(info).items() if value is not None}
    with replacing(folder / DESCRIPTION, draft_name=UNFINISHED) as new, new.open("wb") as file:
        tomli_w.dump(tables, file, multiline_strings=True)
        file.flush()
        os.fsync(file.fileno())
