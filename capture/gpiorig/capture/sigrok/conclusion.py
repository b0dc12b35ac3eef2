"""Evidence of what a capture lost: sample count, host clock and heartbeats, not sigrok-cli's exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.capture.sync import coded_losses, heartbeat
from gpiorig.capture.sync.heartbeat import Heartbeat

CODED = 0  # in place of a period: the coded sync line


def conclude(
    recording: Recording,
    result: CaptureResult,
    *,
    heartbeats: Mapping[str, int] | None = None,
    bounds: Sequence[Bound] = (),
) -> tuple[Recording, tuple[Heartbeat, ...]]:
    """Look for losses by heartbeats, and finish the recording.

    Parameters
    ----------
    recording
        The recording, its edges closed.
    result
        How the capture ended.
    heartbeats
        Period in ns by channel, or `CODED` for a sync line.
    bounds
        What else would have shown losses.
    """
    clock = [loss for loss in result.losses if not loss.in_files]
    problems = list(result.problems)
    beats: list[Heartbeat] = []
    for channel, period_ns in (heartbeats or {}).items():
        try:
            beats.append(read_heartbeat(recording, channel, period_ns, clock, result.bounds))
        except CaptureError as error:
            problems.append(str(error))
    facts = result.facts()
    for beat in beats:
        facts[f"heartbeat.{beat.channel}"] = (
            f"{beat.rises} pulses, {len(beat.losses)} losses, limit {beat.limit_samples} samples"
        )
    finished = recording.finish(
        problems=problems,
        losses=[*result.losses, *(loss for beat in beats for loss in beat.losses)],
        bounds=[*result.bounds, *bounds, *(bound for beat in beats for bound in beat.bounds(result.bounds))],
        capture=facts,
    )
    return finished, tuple(beats)


def read_heartbeat(
    recording: Recording, channel: str, period_ns: int, clock: list[Loss], clock_bounds: Sequence[Bound]
) -> Heartbeat:
    """Look at one heartbeat of a recording; parameters as those of `conclude` and `heartbeat.read`."""
    waveform = recording.waveform_of_files()
    if period_ns == CODED:
        return coded_losses.read(waveform, channel)
    return heartbeat.read(waveform, channel, period_ns=period_ns, clock=clock, clock_bounds=clock_bounds)
