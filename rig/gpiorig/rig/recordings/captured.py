"""Results of a capture, as JSON and as text."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from gpiorig.analysis.number_text import count_text, plus_minus
from gpiorig.capture.edges.bounds import sentence

if TYPE_CHECKING:
    from gpiorig.capture.recording.recording import Recording
    from gpiorig.capture.sigrok.result import CaptureResult
    from gpiorig.capture.sync.heartbeat import Heartbeat


USELESS_PPM = 10_000  # no crystal is off by 1 %


def as_json(recording: Recording, result: CaptureResult, beats: tuple[Heartbeat, ...]) -> dict[str, Any]:
    """The recording, finished, and how its capture went."""
    info = recording.info
    return {
        "folder": str(recording.folder),
        "state": info.state,
        "reason": info.reason,
        "samplerate_hz": int(info.samplerate_hz),
        "samples": result.samples,
        "duration_s": float(result.samples / info.samplerate_hz),
        "losses": msgspec.to_builtins(info.losses),
        "bounds": msgspec.to_builtins(info.bounds),
        "heartbeats": [{**dataclasses.asdict(beat), "losses": len(beat.losses)} for beat in beats],
        "capture": info.capture,
    }


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
