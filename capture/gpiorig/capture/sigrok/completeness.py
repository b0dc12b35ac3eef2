"""Whether a recording is complete: by sample count, host clock and heartbeats, not by sigrok-cli's exit status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpiorig.capture.edges.losses import Loss, disjoint
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok.result import CaptureResult, describe
from gpiorig.capture.sync import heartbeat
from gpiorig.capture.sync.heartbeat import Heartbeat

CODED = 0  # in place of a period: the coded sync line
MAX_LOSSES = 1000  # in recording.toml
RESUMED = "before it was resumed: "
MAX_WORDS = 5  # losses that the reason names


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Completeness of a recording once its capture is over.

    Attributes
    ----------
    problems
        Reasons why it is incomplete, as text; empty when it is complete.
    losses
        Samples that were lost, those of the recording before a resumed capture included.
    capture
        How the capture went, by name.
    heartbeats
        What each heartbeat shows, where there is one.
    """

    problems: tuple[str, ...]
    losses: tuple[Loss, ...]
    capture: dict[str, int | float | str]
    heartbeats: tuple[Heartbeat, ...]


def assess(recording: Recording, result: CaptureResult, *, heartbeats: Mapping[str, int] | None = None) -> Assessment:
    """Look for losses.

    Parameters
    ----------
    recording
        The recording, its edges closed.
    result
        How the capture ended.
    heartbeats
        Period in ns by channel, or `CODED` for a sync line.
    """
    clock = [loss for loss in result.losses if not loss.in_files]
    limits = [check.limit_samples for check in result.clocks]
    limit = None if None in limits else max(filter(None, limits), default=None)
    problems = [*_earlier(recording), *result.problems]
    beats: list[Heartbeat] = []
    for channel, period_ns in (heartbeats or {}).items():
        try:
            beats.append(read_heartbeat(recording, channel, period_ns, clock, limit))
        except CaptureError as error:
            problems.append(str(error))
    losses = disjoint([*recording.info.losses, *result.losses, *(loss for beat in beats for loss in beat.losses)])
    if len(losses) > MAX_LOSSES:
        problems.append(f"samples were lost {len(losses)} times; only the first {MAX_LOSSES} are put in as gaps")
        losses = losses[:MAX_LOSSES]
    rate_hz = float(recording.info.samplerate_hz)
    problems += [describe(loss, samplerate_hz=rate_hz) for loss in losses[:MAX_WORDS]]
    if len(losses) > MAX_WORDS:
        problems.append(f"and {len(losses) - MAX_WORDS} more losses")
    facts = result.facts()
    for beat in beats:
        facts[f"heartbeat.{beat.channel}"] = (
            f"{beat.rises} pulses, {len(beat.losses)} losses, limit {beat.limit_samples} samples"
        )
    return Assessment(problems=tuple(problems), losses=losses, capture=facts, heartbeats=tuple(beats))


def _earlier(recording: Recording) -> list[str]:
    """Why the capture ended before it was resumed; its losses are stated with those that came later."""
    reason = recording.info.reason.removeprefix(RESUMED)
    for loss in recording.info.losses:
        reason = reason.replace(describe(loss, samplerate_hz=float(recording.info.samplerate_hz)), "")
    parts = [part for part in reason.split("; ") if part]
    return [RESUMED + "; ".join(parts)] if parts else []


def conclude(
    recording: Recording, result: CaptureResult, *, heartbeats: Mapping[str, int] | None = None
) -> tuple[Recording, tuple[Heartbeat, ...]]:
    """Look for losses, and finish the recording: complete, or incomplete with the reasons. Parameters as `assess`."""
    assessment = assess(recording, result, heartbeats=heartbeats)
    finished = recording.finish(
        state="incomplete" if assessment.problems else "complete",
        reason="; ".join(assessment.problems),
        losses=assessment.losses,
        capture=assessment.capture,
    )
    return finished, assessment.heartbeats


def read_heartbeat(
    recording: Recording, channel: str, period_ns: int, clock: list[Loss], clock_limit: int | None
) -> Heartbeat:
    """Look at one heartbeat of a recording; parameters as those of `conclude` and `heartbeat.read`."""
    waveform = recording.waveform_of_files()
    if period_ns == CODED:
        return heartbeat.read_coded(waveform, channel)
    return heartbeat.read(waveform, channel, period_ns=period_ns, clock=clock, clock_limit=clock_limit)
