"""Recordings of several analyzers as one, aligned by the sync line that all saw, or by frames that all received."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gpiorig.capture.edges import select
from gpiorig.capture.edges.bounds import Bound, loosest, unchecked
from gpiorig.capture.edges.join import join
from gpiorig.capture.edges.resample import renumbered
from gpiorig.capture.edges.waveform import of_parts
from gpiorig.capture.errors import RecordingError
from gpiorig.capture.recording.recording import AlignmentNote, Recording
from gpiorig.capture.recording.segment_writer import write_waveform
from gpiorig.capture.sync.alignment import Alignment
from gpiorig.rig.host import log_file
from gpiorig.rig.recordings import alignments

PARTS = "analyzers"  # folder, in a recording of several analyzers, with the recording of each


@dataclass(frozen=True, slots=True)
class Source:
    """What an analyzer captures; a channel that it does not capture is named ""."""

    driver: str
    samplerate: str
    channels: tuple[str, ...]

    @property
    def samplerate_hz(self) -> int:
        """Samples per second; an analyzer takes integers only."""
        return int(Fraction(self.samplerate))

    @property
    def fields(self) -> dict[str, Any]:
        """The same as fields of `RecordingInfo`."""
        return {"samplerate": self.samplerate, "channels": self.channels, "analyzer": self.driver}


def merged_fields(sources: Sequence[Source], *, sync: str | None) -> dict[str, Any]:
    """The fields of `RecordingInfo` of what several analyzers capture together; the first is the reference."""
    if len(sources) == 1:
        return sources[0].fields
    names = [_named(source.channels, sync=None if source is sources[0] else sync) for source in sources]
    joined = tuple(name for part in names for name in part)
    drivers = ", ".join(source.driver for source in sources)
    return {**sources[0].fields, "channels": joined, "analyzer": drivers}


def merge(
    parts: Sequence[Recording], output: Recording, *, sync: str, receivers: Mapping[Path, str] | None = None
) -> Recording:
    """Write the edges of all parts into the output's segments, note how well they fit, and finish the output.

    Parameters
    ----------
    parts
        Recordings; the first is the reference, whose samples the output counts in.
    output
        A recording without edges; available channels: those of `merged_fields`.
    sync
        Name of the sync line's channel in each part.
    receivers
        In place of the sync line: for the folder of each part, the channel of a radio receiver that shows the frames
        which it receives.
    """
    reference, *to_align = parts
    fits = alignments.by_sync_line(parts, sync) if receivers is None else alignments.by_frames(parts, receivers)
    channels = _named(reference.info.channels, sync=None)
    waveforms = [select.channels(reference.waveform(), channels)]
    notes, bounds = list(reference.info.alignments), list(_bounds(reference))
    for aligned, fit in zip(to_align, fits, strict=True):
        waveform = select.channels(
            aligned.waveform(), _named(aligned.info.channels, sync=sync if receivers is None else None)
        )
        waveforms.append(renumbered(waveform, fit.renumber, samplerate_hz=reference.info.samplerate_hz))
        notes += [_note(aligned, fit), *aligned.info.alignments]
        bounds += [_renumbered(bound, fit) for bound in _bounds(aligned)]
    write_waveform(output.edges_folder, join(waveforms))
    broken = [
        f"{part.info.analyzer}: {part.info.reason or part.state}" for part in parts if part.info.state != "complete"
    ]
    return output.finish(problems=broken, bounds=loosest(bounds), alignments=tuple(notes))


def merge_folders(
    recordings: Sequence[Recording], folder: Path, *, sync: str, receivers: Mapping[Path, str] | None = None
) -> Recording:
    """Merge finished recordings into a new folder; descriptions and serial records come along, the first one's first.

    Raises
    ------
    RecordingError
        One of them has no sync line or receiver, or two of them recorded the same node's serial port.
    CaptureError
        They do not fit each other.
    """
    parts = sorted(recordings, key=lambda part: -part.info.samplerate_hz)  # stable: the fastest is the reference
    for part in parts:
        alignments.check(part, sync, receivers)
    nodes = [node for part in parts for node in part.nodes]
    if twice := {node for node in nodes if nodes.count(node) > 1}:
        raise RecordingError(
            f"the serial port of {min(twice)} is in more than one recording", remedy="rename its file in one of them"
        )
    reference = parts[0].info
    sources = [
        Source(driver=part.info.analyzer, samplerate=part.info.samplerate, channels=part.info.channels)
        for part in parts
    ]
    info = msgspec.structs.replace(
        reference,
        **merged_fields(sources, sync=sync if receivers is None else None),
        virtual=of_parts(part.info.virtual for part in parts),
        bench=next((part.info.bench for part in recordings if part.info.bench), ""),
        experiment=next((part.info.experiment for part in recordings if part.info.experiment), ""),
        sync_delay=msgspec.UNSET,
        given=msgspec.UNSET,
        losses=(),  # they are gaps of the merged edges
        bounds=(),
        capture={},
        state="capturing",
        reason="",
        files={},
    )
    merged = Recording.create(folder, info)
    with log_file.writing(folder):
        for part in parts:
            for node in part.nodes:
                shutil.copyfile(part.serial_path(node), merged.serial_path(node))
        return merge(parts, merged, sync=sync, receivers=receivers)


def _bounds(part: Recording) -> tuple[Bound, ...]:
    """What would have been found in a part."""
    return part.info.bounds or unchecked(part.segments().watermark, f"nothing is stated of {part.info.analyzer}")


def _renumbered(bound: Bound, fit: Alignment) -> Bound:
    """A bound of a part in samples of the reference."""
    start, end = (max(int(sample), 0) for sample in fit.renumber(np.array([bound.start, bound.end])))
    if bound.limit_samples is msgspec.UNSET:
        return msgspec.structs.replace(bound, start=start, end=end)
    limit_samples = math.ceil(bound.limit_samples * fit.ratio)
    return msgspec.structs.replace(bound, start=start, end=end, limit_samples=limit_samples)


def _named(channels: tuple[str, ...], *, sync: str | None) -> tuple[str, ...]:
    """The channels in use, but for the sync line where its name is given."""
    return tuple(name for name in channels if name and name != sync)


def _note(recording: Recording, fit: Alignment) -> AlignmentNote:
    return AlignmentNote(
        analyzer=recording.info.analyzer,
        channels=_named(recording.info.channels, sync=None),
        pulses=fit.pulses,
        rate_ppb=round(fit.rate_ppb, 1),
        pieces=fit.aligned.size - 1,
        residual_std_ns=round(fit.residual_std_ns, 3),
        residual_max_ns=round(fit.residual_max_ns, 3),
        uncertainty_ns=round(fit.uncertainty_ns, 3),
        delay_ns=fit.delay_ns,
        delay_limit_ns=round(fit.delay_limit_ns, 3),
    )
