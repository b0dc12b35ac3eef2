"""Results of a capture, as JSON and as text."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from gpiorig.analysis.number_text import count_text, plus_minus
from gpiorig.capture.edges.bounds import Bound, sentence
from gpiorig.capture.edges.losses import Loss
from gpiorig.rig.plain_json import Number, Result

if TYPE_CHECKING:
    from gpiorig.capture.recording.recording import Recording
    from gpiorig.capture.sigrok.result import CaptureResult
    from gpiorig.capture.sync.heartbeat import Heartbeat


USELESS_PPM = 10_000  # no crystal is off by 1 %


class HeartbeatNumbers(Result, frozen=True, kw_only=True):
    """A heartbeat line: its pulses, the longest loss that they do not show, and the number of `losses`."""

    channel: str
    rises: int
    period_samples: Number
    limit_samples: int
    glitches: int
    missing: int
    losses: int
    start: int
    end: int
    is_coded: bool


class CaptureNumbers(Result, frozen=True, kw_only=True):
    """A finished recording, and how its capture went.

    `nodes`, `stopped` and, of several analyzers, a part for each are of the lines of a bench; a part has no remarks.
    """

    folder: str
    state: str
    reason: str
    samplerate_hz: int
    samples: int
    duration_s: Number
    losses: tuple[Loss, ...]
    bounds: tuple[Bound, ...]
    heartbeats: tuple[HeartbeatNumbers, ...]
    capture: dict[str, int | float | str]
    nodes: tuple[str, ...] | UnsetType = UNSET
    stopped: str | UnsetType = UNSET
    analyzers: dict[str, CaptureNumbers] | UnsetType = UNSET
    remarks: tuple[str, ...] | UnsetType = UNSET


def numbers(recording: Recording, result: CaptureResult, beats: tuple[Heartbeat, ...]) -> CaptureNumbers:
    """For `--json`."""
    info = recording.info
    return CaptureNumbers(
        folder=str(recording.folder),
        state=info.state,
        reason=info.reason,
        samplerate_hz=int(info.samplerate_hz),
        samples=result.samples,
        duration_s=float(result.samples / info.samplerate_hz),
        losses=info.losses,
        bounds=info.bounds,
        heartbeats=tuple(
            HeartbeatNumbers(**{**dataclasses.asdict(beat), "losses": len(beat.losses)}) for beat in beats
        ),
        capture=info.capture,
    )


def text(recording: Recording, result: CaptureResult, beats: tuple[Heartbeat, ...]) -> str:
    """The same in lines."""
    info, room = recording.info, result.headroom
    lost = f" ({count_text(sum(loss.samples for loss in info.losses), 'sample')} lost)" if info.losses else ""
    lines = [
        f"{recording.folder}: {count_text(result.samples, 'sample')} at {float(info.samplerate_hz) / 1e6:g} MHz, "
        f"{float(result.samples / info.samplerate_hz):.3f} s, {count_text(result.edges, 'change')}, "
        f"{count_text(len(info.losses), 'gap')}{lost}",
        f"  headroom: reader {room.reader_busy:.1%} and writer {room.writer_busy:.1%} busy; "
        f"pipe at most {room.pipe_fullest:.0%} full, disk queue at most {room.queue_fullest:.0%}",
    ]
    if "clock_ppm" in info.capture:
        error_ppm, expanded_ppm = (float(info.capture[key]) for key in ("clock_ppm", "clock_uncertainty_ppm"))
        off = f"the analyzer is {plus_minus(error_ppm, expanded_ppm, sign='+')} ppm off"
        lines.append(
            f"  host's clock: {off if expanded_ppm < USELESS_PPM else 'samples came too irregularly to compare'}"
        )
    lines += [
        f"  heartbeat {beat.channel}: {count_text(beat.rises, 'pulse')} of {beat.period_samples:.2f} samples, "
        f"{count_text(beat.glitches, 'glitch', 'glitches')}, {beat.missing} missing, limit {beat.limit_samples} samples"
        for beat in beats
    ]
    if info.bounds:
        lines.append(f"  {sentence(info.bounds, info.samplerate_hz)}")
    return "\n".join([*lines, f"  {info.state}", *(f"    {line}" for line in info.reason.split("; ") if line)])
