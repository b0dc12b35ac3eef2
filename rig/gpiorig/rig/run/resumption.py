"""A recording that another capture continues: when its samples began, and what stays of its state."""

from __future__ import annotations

import datetime

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok.result import epoch
from gpiorig.rig.errors import RigError

INTERRUPTED = "the program that recorded it ended without a word; what came after its last sample is lost"


def begun(before: Recording, *, channels: tuple[str, ...], epoch: Epoch) -> Recording:
    """Begin to continue a recording; what it is incomplete for stays its reason."""
    info = before.info
    # An end that was lost without room for its gap is in the pause, which reaches from the end of the files to now.
    losses = tuple(loss for loss in info.losses if loss.in_files or loss.start < loss.end)
    reason = INTERRUPTED if before.state == "interrupted" and not info.reason and info.channels else info.reason
    return before.update(state="capturing", reason=reason, files={}, channels=channels, epoch=epoch, losses=losses)


def refuse_past(before: Recording, limit: int) -> None:
    """Refuse to continue a recording to a sample whose time is over: nothing of it could be recorded."""
    rate_hz = float(before.info.samplerate_hz)
    age_s = (datetime.datetime.now(datetime.UTC) - files_began(before.info)).total_seconds()
    reached_s = max(age_s, before.segments().watermark / rate_hz)
    if limit <= reached_s * rate_hz:
        raise RigError(
            f"{before.folder}: its {limit / rate_hz:g} s are over, {reached_s:.0f} s after its beginning, from which "
            f"--duration and --samples count. Give a --duration of more than {reached_s + 10:.0f} s."
        )


def files_began(info: RecordingInfo) -> datetime.datetime:
    """When sample 0 was, for the sample numbers of the files: they do not count what was lost in between."""
    lost = sum(loss.samples for loss in info.losses if not loss.in_files)
    return epoch(info.epoch.wall) + datetime.timedelta(seconds=float(lost / info.samplerate_hz))
