"""Captures and logs of other tools, as one recording."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import msgspec

from gpiorig.analysis.number_text import signed_text
from gpiorig.capture.edges.join import join
from gpiorig.capture.edges.resample import rescaled, shifted
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames.frames import Frames
from gpiorig.capture.recording.description import IMPORTED
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_writer import write_waveform
from gpiorig.capture.serial.record import Kind
from gpiorig.capture.serial.record_writer import SerialWriter
from gpiorig.capture.text.node_lines import LineKind, NodeLines, irregularities
from gpiorig.capture.text.writer import epoch_fraction, nearest
from gpiorig.rig.errors import RigError
from gpiorig.rig.host import log_file
from gpiorig.rig.progress import watched
from gpiorig.rig.recordings import time_base

PACKETS = "packets"  # folder, in a recording, with the packet captures that were imported
LOGS_HZ = Fraction(10**9)  # samplerate of a recording without samples: the unit of the lines' stamps
MAX_HZ = Fraction(10**15)  # of a common multiple: int64 sample numbers then last for 2.5 hours
UNCHECKED = "an imported file: what was lost before it was written is not known"
Content = Waveform | NodeLines | Frames


@dataclass(frozen=True, slots=True)
class Imported:
    """What was made.

    Attributes
    ----------
    recording
        The recording.
    remarks
        Assumptions, roundings and omissions.
    """

    recording: Recording
    remarks: tuple[str, ...]


def import_files(files: Sequence[tuple[Path, Content]], folder: Path) -> Imported:
    """Make a recording of files that have one time base; removes the new folder when it fails.

    Captures lie side by side, their channels together; where all of them have an epoch, they are aligned by it,
    otherwise by sample 0. Lines of logs become serial records of their nodes; packet captures are copied unchanged.
    """
    watched_files = [(path, time_base.watch(content)) for path, content in files if isinstance(content, Waveform)]
    waveforms = [(path, waveform) for path, (waveform, _) in watched_files]
    logs = [(path.stem, content) for path, content in files if isinstance(content, NodeLines)]
    remarks: list[str] = []
    capture = _together(waveforms, remarks) if waveforms else _nothing()
    note = "as the imported file states it" if capture.epoch else "the imported files do not state it"
    existed = folder.exists()
    recording = Recording.create(
        folder,
        RecordingInfo(
            samplerate=f"{capture.samplerate_hz.numerator}/{capture.samplerate_hz.denominator}",
            channels=capture.channels,
            epoch=Epoch(wall=capture.epoch, note=note),
            virtual=capture.virtual,
            groups=capture.groups or msgspec.UNSET,
            analyzer=f"{IMPORTED}{', '.join(path.name for path, _ in files)}",
        ),
    )
    with log_file.writing(folder), _deleted_on_failure(folder, existed):
        write_waveform(recording.edges_folder, watched(capture, "importing"))
        _write_lines(logs, recording, remarks)
        for path, content in files:
            if isinstance(content, Frames):
                _keep(path, content, recording, remarks)
        for _, waveform in waveforms:
            remarks += [f"{waveform.source}: {remark}" if len(waveforms) > 1 else remark for remark in waveform.remarks]
        if len(waveforms) > 1:
            remarks += capture.remarks
        bases = [base() for _, (_, base) in watched_files]
        coarsest = max(bases, key=lambda base: base.step.step_s, default=None)
        if coarsest:
            remarks += [*coarsest.sentences(), coarsest.clock_text()]
        time_step = coarsest.note() if coarsest else msgspec.UNSET
        return Imported(recording.finish(unchecked=UNCHECKED, time_step=time_step), tuple(remarks))


@contextmanager
def _deleted_on_failure(folder: Path, existed: bool) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _nothing() -> Waveform:
    return Waveform(samplerate_hz=LOGS_HZ, channels=(), read=lambda: iter(()))


def _together(waveforms: list[tuple[Path, Waveform]], remarks: list[str]) -> Waveform:
    """Captures side by side: one samplerate, one sample 0, distinct names."""
    if len(waveforms) == 1:
        return waveforms[0][1]
    rate = _common_multiple([waveform.samplerate_hz for _, waveform in waveforms])
    if rate > MAX_HZ:
        raise RigError(
            f"the samplerates of the files have no common multiple below {float(MAX_HZ):g} Hz; "
            "give one, for instance --samplerate 24MHz."
        )
    epochs = [epoch_fraction(waveform.epoch) for _, waveform in waveforms]
    by_epoch = all(waveform.epoch for _, waveform in waveforms)
    if not by_epoch:
        remarks.append("the files are aligned by their sample 0: not all of them state their epoch")
    names = [name for _, waveform in waveforms for name in waveform.channels if name]
    clashing = {name for name in names if names.count(name) > 1}
    stems = [path.stem for path, _ in waveforms]
    prefixes = stems if len(set(stems)) == len(stems) else [path.name for path, _ in waveforms]
    parts = []
    for (path, waveform), epoch, prefix in zip(waveforms, epochs, prefixes, strict=True):
        part = rescaled(waveform, rate)
        exact = (epoch - epochs[0]) * rate if by_epoch else Fraction(0)
        shift = nearest(exact)
        if exact.denominator != 1:
            off_ns = float((shift - exact) / rate) * 1e9
            remarks.append(f"{path.name} is put on the nearest sample, {signed_text(off_ns, '.3f')} ns")
        if shift:
            part = shifted(part, shift)
        channels = tuple(f"{prefix}.{name}" if name in clashing else name for name in part.channels)
        parts.append(dataclasses.replace(part, channels=channels, epoch=waveforms[0][1].epoch if by_epoch else ""))
    return join(parts)


def _common_multiple(rates: Sequence[Fraction]) -> Fraction:
    """The lowest rate that is an integer multiple of each."""
    return Fraction(math.lcm(*(rate.numerator for rate in rates)), math.gcd(*(rate.denominator for rate in rates)))


def _write_lines(logs: Sequence[tuple[str, NodeLines]], recording: Recording, remarks: list[str]) -> None:
    """Append the lines of all logs to the serial records of their nodes; one without a name has that of its log."""
    notices = 0
    unnamed: dict[str, NodeLines] = {}
    with contextlib.ExitStack() as stack:
        writers: dict[str, SerialWriter] = {}
        for name, log in logs:
            dirt: Counter[str] = Counter()
            for stamp_ns, node, text, kind in _rows(log, dirt):
                if kind == LineKind.NOTICE:
                    notices += 1
                    continue
                if not node and unnamed.setdefault(name, log) is not log:
                    raise RigError(
                        f"two logs of the name {name!r} name no nodes; rename one, or give --columns node=2."
                    )
                node = node or name
                if node not in writers:
                    writers[node] = _writer(recording, node)
                    stack.callback(writers[node].close)
                way = Kind.SENT if kind == LineKind.SENT else Kind.RECEIVED
                writers[node].append(text.encode() + b"\n", stamp_ns=stamp_ns, wall_ns=stamp_ns, kind=way)
            remarks += irregularities(dirt)
    if logs:
        remarks.append("timestamps of lines are those of the program that logged them, not of the bytes")
    if notices:
        remarks.append(f"{notices} notices of the logging program are omitted")


def _rows(log: NodeLines, dirt: Counter[str]) -> Iterator[tuple[int, str, str, int]]:
    """Timestamp in ns, node, text and kind of each line; counts the irregularities."""
    for block in log.read():
        dirt.update(block.dirt)
        yield from zip(block.stamps_ns.tolist(), block.nodes, block.texts, block.kinds.tolist(), strict=True)


def _writer(recording: Recording, node: str) -> SerialWriter:
    if not node or "/" in node or node.startswith("."):
        raise FormatError(f"{node!r} cannot name a node's serial record", remedy="rename the node")
    return SerialWriter(recording.serial_path(node))


def _keep(path: Path, frames: Frames, recording: Recording, remarks: list[str]) -> None:
    """Copy a packet capture unchanged, once it was read through."""
    target = recording.folder / PACKETS / path.name
    if target.exists():
        raise RigError(f"{path}: there are two packet captures of that name; rename one.")
    summary = frames.summary()
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(path, target)
    remarks.append(f"{path.name} is kept in {PACKETS}/: {summary['frames']} frames")
    remarks += [f"{path.name}: {remark}" for remark in summary["remarks"]]
