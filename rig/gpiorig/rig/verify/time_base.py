"""The rate of an analyzer against the host's clock, as the capture itself has looked at it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpiorig.analysis.number_text import plus_minus
from gpiorig.capture.sigrok.loss_by_clock import CRYSTAL_PPM
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.capture.sigrok.wall_clock import ClockCheck
from gpiorig.rig.bench.finding import Finding, Verdict

NOT_CHECKED = ClockCheck(windows=0, rate_ppm=None, rate_uncertainty_ppm=None, losses=())
UNCERTAIN_PPM = 1000  # with more, a rate tells nothing of an analyzer


class TimeBase(msgspec.Struct, frozen=True, kw_only=True):
    """The rate of an analyzer.

    Attributes
    ----------
    nominal_hz
        The rate that was asked for.
    offset_ppm, uncertainty_ppm
        How much faster it sampled by the host's clock, and the uncertainty of that; None: too short to tell.
    drift_ppm_per_minute, drift_uncertainty_ppm_per_minute
        How much faster it became, and the uncertainty of that; None: too short to tell (16 s are needed).
    seconds
        Seconds of the capture that were compared.
    lost_samples
        Samples that the host's clock misses.
    """

    nominal_hz: int
    offset_ppm: float | None
    uncertainty_ppm: float | None
    seconds: int
    lost_samples: int
    drift_ppm_per_minute: float | None = None
    drift_uncertainty_ppm_per_minute: float | None = None


def measure(result: CaptureResult, *, nominal_hz: int) -> TimeBase:
    """The longest comparison of a capture with the host's clock."""
    longest = max(result.clocks, key=lambda check: check.windows, default=NOT_CHECKED)
    return TimeBase(
        nominal_hz=nominal_hz,
        offset_ppm=longest.rate_ppm,
        uncertainty_ppm=longest.rate_uncertainty_ppm,
        seconds=longest.windows,
        lost_samples=sum(loss.samples for loss in result.losses),
        drift_ppm_per_minute=longest.drift_ppm_per_minute,
        drift_uncertainty_ppm_per_minute=longest.drift_uncertainty_ppm_per_minute,
    )


def findings(name: str, base: TimeBase, *, is_virtual: bool) -> Iterator[Finding]:
    """The verdicts on an analyzer's rate, and on samples that it lost."""
    about = f"analyzers.{name}.samplerate_hz"
    if base.lost_samples:
        what = f"{base.lost_samples} samples were lost: a lower rate, fewer channels, another USB port or controller"
        yield Finding(f"analyzers.{name}", "wrong", what)
    if base.offset_ppm is None or base.uncertainty_ppm is None:
        why = "virtual time does not follow the host's clock" if is_virtual else "the capture was too short to compare"
        yield Finding(about, "unknown", f"{why}, so its rate is not known")
        return
    if base.uncertainty_ppm > UNCERTAIN_PPM:
        what = f"samples came too irregularly to compare with the host's clock, ± {base.uncertainty_ppm:.0f} ppm"
        yield Finding(about, "unknown", what)
        return
    is_wrong = abs(base.offset_ppm) - base.uncertainty_ppm > CRYSTAL_PPM
    verdict: Verdict = "wrong" if is_wrong else "right"
    what = (
        f"{plus_minus(base.offset_ppm, base.uncertainty_ppm, sign='+')} ppm from {base.nominal_hz} Hz by the host's "
        f"clock, in {base.seconds} s"
    )
    if base.drift_ppm_per_minute is not None and base.drift_uncertainty_ppm_per_minute is not None:
        drift = plus_minus(base.drift_ppm_per_minute, base.drift_uncertainty_ppm_per_minute, sign="+")
        what += f"; drift {drift} ppm per minute"
    yield Finding(about, verdict, f"{what}: it takes another rate than it was given" if is_wrong else what)
