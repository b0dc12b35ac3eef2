"""How recordings of several analyzers are aligned: by the sync line that all saw, or by frames on the air."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gpiorig.capture.edges import select
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError, RecordingError
from gpiorig.capture.recording.recording import Recording, RecordingInfo, SyncDelay
from gpiorig.capture.sync import alignment, frame_line, sync_line
from gpiorig.capture.sync.alignment import Alignment

Seen = TypeVar("Seen")


def by_sync_line(parts: Sequence[Recording], sync: str) -> Iterator[Alignment]:
    """How each part but the first, the reference, is aligned with it."""
    reference, *to_align = parts
    pulses = _read(sync_line.read, reference, sync)
    for aligned in to_align:
        yield alignment.align(
            pulses,
            _read(sync_line.read, aligned, sync),
            epochs=(reference.info.epoch.wall, aligned.info.epoch.wall),
            **_rates_and_delays(aligned.info, reference.info),
        )


def by_frames(parts: Sequence[Recording], receivers: Mapping[Path, str]) -> Iterator[Alignment]:
    """The same, by frames that a receiver of each part received; `receivers` has its channel for the part's folder."""
    reference, *to_align = parts
    received = _read(frame_line.read, reference, receivers[reference.folder])
    for aligned in to_align:
        x, y, noise_ns = frame_line.in_common(received, _read(frame_line.read, aligned, receivers[aligned.folder]))
        yield alignment.fit(x, y, noise_ns=noise_ns, **_rates_and_delays(aligned.info, reference.info))


def check(part: Recording, sync: str, receivers: Mapping[Path, str] | None) -> None:
    """Raise `RecordingError` if a part does not have the channel that it would be aligned by."""
    channel = sync if receivers is None else receivers.get(part.folder)
    if channel is None:
        raise RecordingError(
            "no receiver is named for it", where=part.folder, remedy="name it with --frames RUN=CHANNEL"
        )
    if channel not in part.info.channels:
        available = f"available channels: {', '.join(filter(None, part.info.channels)) or 'none'}"
        if receivers is not None:
            raise RecordingError(f"no channel {channel!r}", where=part.folder, remedy=available)
        raise RecordingError(
            f"no channel {sync!r}, so the sync line is not in it; {available}",
            where=part.folder,
            remedy="name it with --sync, or with --frames a receiver's line that is in its place "
            "(docs/reference/sync-line.md)",
        )


def later(info: RecordingInfo, reference: RecordingInfo) -> dict[str, float]:
    """How much later the sync line's edges reach an analyzer than the reference, as `alignment.align` takes it."""
    delay, reference_delay = info.sync_delay or SyncDelay(), reference.sync_delay or SyncDelay()
    return {
        "delay_ns": delay.delay_ns - reference_delay.delay_ns,
        "delay_limit_ns": math.hypot(delay.limit_ns, reference_delay.limit_ns),
    }


def _rates_and_delays(info: RecordingInfo, reference: RecordingInfo) -> dict[str, Any]:
    return {"reference_hz": reference.samplerate_hz, "aligned_hz": info.samplerate_hz, **later(info, reference)}


def _read(read: Callable[[Edges, str], Seen], recording: Recording, channel: str) -> Seen:
    """What is on a channel; an error of it names the recording."""
    try:
        return read(select.channels(recording.waveform(), [channel]).edges(), channel)
    except CaptureError as error:
        raise CaptureError(error.what, where=error.where or recording.folder, remedy=error.remedy) from error
