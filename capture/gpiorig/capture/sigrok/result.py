"""How a capture ended: what was received, what was lost, and how far below its limit it ran."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sigrok.loss_by_clock import CRYSTAL_PPM
from gpiorig.capture.sigrok.stream import Headroom, SampleStream
from gpiorig.capture.sigrok.wall_clock import ClockCheck, now_ns

Interval = TypeVar("Interval", Loss, Bound)
WALL_UNCERTAINTY_S = 0.1  # of a pause that only the wall clock of the host spans (unverified: NTP holds it better)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureResult:
    """How a capture ended.

    Attributes
    ----------
    samples
        Number of the sample after the last: those received, and those lost in pauses.
    size_bytes
        Bytes received.
    wall_s
        Seconds from the first byte to the last.
    edges
        Rows written: changes, and the initial levels.
    in_order
        sigrok-cli ended in time when asked, and reported so. If not, samples are right but their tail is missing.
    stderr
        Messages of sigrok-cli, without the lines that come with each packet.
    headroom
        How far below its limit the capture ran.
    runs
        Times that sigrok-cli ran and sent samples.
    clocks
        What the host's clock shows, for each run of sigrok-cli; nothing when the analyzer is virtual.
    losses
        What is known to be lost.
    bounds
        What would have been found, for each interval of samples.
    problems
        Reasons why the recording is incomplete, as text; empty when it is complete.
    """

    samples: int
    size_bytes: int
    wall_s: float
    edges: int
    in_order: bool
    stderr: str
    headroom: Headroom
    runs: int = 1
    clocks: tuple[ClockCheck, ...] = ()
    losses: tuple[Loss, ...] = ()
    bounds: tuple[Bound, ...] = ()
    problems: tuple[str, ...] = ()

    def facts(self) -> dict[str, int | float | str]:
        """The numbers for `recording.toml`, by name."""
        facts: dict[str, int | float | str] = {
            "samples": self.samples,
            "rows": self.edges,
            "wall_s": round(self.wall_s, 3),
            "reader_busy": round(self.headroom.reader_busy, 4),
            "writer_busy": round(self.headroom.writer_busy, 4),
            "pipe_fullest": round(self.headroom.pipe_fullest, 4),
            "queue_fullest": round(self.headroom.queue_fullest, 4),
            "sigrok_runs": self.runs,
        }
        longest = max(self.clocks, key=lambda check: check.windows, default=None)
        if longest is not None and longest.rate_ppm is not None:
            assert longest.rate_uncertainty_ppm is not None
            facts["clock_ppm"] = round(longest.rate_ppm, 2)
            facts["clock_uncertainty_ppm"] = round(longest.rate_uncertainty_ppm, 2)
        return facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """How a capture continues after a failure of sigrok-cli or its analyzer.

    Attributes
    ----------
    patience_s
        Seconds within which the analyzer must be back.
    every_s
        Seconds between two attempts.
    on_pause
        Called with the error when a pause begins.
    """

    patience_s: float = 60.0
    every_s: float = 1.0
    on_pause: Callable[[CaptureError], None] = lambda error: None


@dataclass(frozen=True, slots=True)
class Resume:
    """An earlier capture that continues.

    Attributes
    ----------
    began
        Wall-clock time of its sample 0, with its offset from UTC.
    uncertainty_s
        Uncertainty of that time.
    """

    began: datetime.datetime
    uncertainty_s: float = WALL_UNCERTAINTY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A time without sigrok-cli; its length in samples follows from the host's clock.

    Attributes
    ----------
    sample, at_ns
        A sample and the time (`wall_clock.now_ns`) at which it was taken, as far as the host can tell.
    received
        Number of the first sample that was lost.
    uncertainty_s
        How well these are known.
    what
        What began it.
    """

    sample: int
    at_ns: int
    received: int
    uncertainty_s: float
    what: str

    @classmethod
    def begin(cls, stream: SampleStream, *, what: str) -> Pause:
        """A pause that begins now."""
        at_ns = now_ns()
        sample = stream.base + stream.clock.sample_at(at_ns)
        return cls(sample=sample, at_ns=at_ns, received=stream.samples, uncertainty_s=0.0, what=what)

    @classmethod
    def since(cls, capture: Resume, *, received: int, samplerate_hz: float) -> Pause:
        """A pause since an earlier capture was interrupted."""
        ago_s = (datetime.datetime.now(datetime.UTC) - capture.began).total_seconds()
        return cls(
            sample=max(received, round(ago_s * samplerate_hz)),
            at_ns=now_ns(),
            received=received,
            uncertainty_s=capture.uncertainty_s,
            what="the recording program ended",
        )

    def loss(self, arrival_ns: int, samples: int, *, began_ns: int, samplerate_hz: float) -> Loss:
        """Return what was lost, once the first block, of `samples` samples, has come.

        Parameters
        ----------
        arrival_ns
            When it came.
        samples
            Its length.
        began_ns
            When the analyzer had begun to sample at the earliest.
        samplerate_hz
            Samples per second.
        """
        pause_s = (arrival_ns - self.at_ns) / 1e9
        first = max(self.received + 1, self.sample + round(pause_s * samplerate_hz) - samples)
        start_s = min((arrival_ns - began_ns) / 1e9, pause_s)
        uncertain_s = self.uncertainty_s + start_s + pause_s * CRYSTAL_PPM * 1e-6
        return Loss(
            start=self.received,
            end=first,
            samples=first - self.received,
            uncertainty=round(uncertain_s * samplerate_hz) + 1,
            found_by=f"a pause ({self.what}), by the host's clock",
            in_files=True,
        )


def epoch(wall: str) -> datetime.datetime:
    """Return a wall-clock time (ISO 8601, with its offset) as a date; CaptureError where it is not one."""
    try:
        began = datetime.datetime.fromisoformat(wall)
        if began.tzinfo is None:
            raise ValueError("no offset")
    except ValueError as error:
        remedy = "a time that does: 2026-11-21T02:22:51.156+00:00"
        raise CaptureError(f"epoch.wall is {wall!r}, which is not the time of sample 0", remedy=remedy) from error
    return began


def moved(intervals: Iterable[Interval], base: int) -> Iterable[Interval]:
    """Losses or bounds of a run of sigrok-cli, in sample numbers of the recording."""
    for interval in intervals:
        yield msgspec.structs.replace(interval, start=interval.start + base, end=interval.end + base)


def wrong_rate(checks: Sequence[ClockCheck], *, samplerate_hz: float) -> str:
    """Describe a rate of the analyzer that is not the requested one; "" if it is."""
    for check in checks:
        if check.is_wrong_rate:
            assert check.rate_ppm is not None
            real_hz = samplerate_hz * (1 + check.rate_ppm * 1e-6)
            return (
                f"the analyzer sent {real_hz:.0f} samples per second instead of {samplerate_hz:.0f}, "
                f"{check.rate_ppm:+.0f} ppm; a crystal is off by {CRYSTAL_PPM} ppm at most: it took another rate, or "
                "loses samples all the time"
            )
    return ""
